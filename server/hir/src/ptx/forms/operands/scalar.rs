//! Operands that are one value: a register, a constant or a name.

use warplens_isa::ptx::{self as isa, OperandKind};

use super::address::is_integer;
use super::{Checker, HANDLES, Named, OperandError, Written};
use crate::ptx::forms::rule::{Count, Kinds, OperandRule};
use crate::ptx::forms::selectors::Selectors;
use crate::ptx::{
    AddressSize, Component, Constant, ConstantId, NameId, Operand, OperandList, Resolution, Space, Type,
    TypeKind,
};

impl Checker<'_> {
    pub(super) fn scalar(&self, rule: &OperandRule, operand: Operand) -> Option<OperandError> {
        match operand {
            Operand::Register { name, component } => self.register(rule, name, component),
            Operand::Constant(id) => self.constant(rule, id),
            Operand::Special { name, component } => self.special(rule, name, component),
            Operand::Symbol(name) => self.symbol(rule, name),
            Operand::Not(list) => self.not(rule, list),
            Operand::Negated(_) if rule.negates => None,
            // In a list of registers, `_` is only one element.
            Operand::Sink if rule.kinds.has(OperandKind::Sink) && rule.count == Count::One => None,
            Operand::Address { .. } => self.address(rule, operand),
            Operand::Missing => None,
            other => Some(OperandError::Kind(self.written(other))),
        }
    }

    fn register(
        &self,
        rule: &OperandRule,
        name: NameId,
        component: Option<Component>,
    ) -> Option<OperandError> {
        let Named::Register(ty, vector) = self.named(name) else { return None };
        match (vector, component) {
            (Some(_), None) => {
                return Some(OperandError::VectorRegister { name, have: vector, takes: Count::One });
            }
            (None, Some(component)) if !rule.selectors.accept(component) => {
                return Some(match rule.selectors {
                    Selectors::None => OperandError::Component(name),
                    takes => OperandError::Selector { name, takes },
                });
            }
            _ => {}
        }
        let ty = ty?;
        let error = OperandError::AddressWidth(name, ty);
        self.register_type(rule, name, ty).or_else(|| self.is_narrow(rule, ty).then_some(error))
    }

    /// Whether a type is too narrow for an address that the rule takes.
    pub(super) fn is_narrow(&self, rule: &OperandRule, ty: Type) -> bool {
        rule.wide && self.address_size == Some(AddressSize::Bits64) && ty.bits() == 32
    }

    pub(super) fn register_type(&self, rule: &OperandRule, name: NameId, have: Type) -> Option<OperandError> {
        let kinds = rule.kinds;
        let error = OperandError::RegisterType { name, have, takes: rule.registers };
        if have == Type::Pred {
            let is_fitting = match rule.registers {
                Some(registers) => registers.has(Type::Pred),
                None => kinds.has_any(&[OperandKind::Predicate, OperandKind::NotPredicate]),
            };
            let is_taken = kinds.has_any(&[
                OperandKind::Predicate,
                OperandKind::NotPredicate,
                OperandKind::Register,
                OperandKind::Vector,
            ]);
            return match (is_fitting && is_taken, is_taken) {
                (true, _) => None,
                (false, true) => Some(error),
                (false, false) => Some(OperandError::Kind(Written::Predicate(name))),
            };
        }
        if !kinds.has_any(&[OperandKind::Register, OperandKind::Vector]) {
            return Some(match rule.registers {
                Some(registers) if registers.has(Type::Pred) => error,
                _ => OperandError::Kind(Written::Register(name)),
            });
        }
        match rule.registers {
            Some(registers) if !registers.has(have) => Some(error),
            _ => None,
        }
    }

    pub(super) fn constant(&self, rule: &OperandRule, id: ConstantId) -> Option<OperandError> {
        let value = self.function.constant(id);
        if !rule.kinds.has(OperandKind::Immediate) {
            return Some(OperandError::Kind(Written::Constant));
        }
        let integer = match value {
            Constant::Signed(value) => Some(i128::from(value)),
            Constant::Unsigned(value) => Some(i128::from(value)),
            Constant::Single(_) | Constant::Double(_) | Constant::Invalid => None,
        };
        // The assembler keeps the lower bits of a constant that is wider than its type.
        let is_cut =
            |value: &i128| rule.ty.is_some_and(|ty| ty.bits() == 32) && value.unsigned_abs() >> 32 != 0;
        let integer = integer.map(|value| if is_cut(&value) { i128::from(value as u32) } else { value });
        let error = integer.zip(rule.ranges.first()).and_then(|(value, range)| out_of_range(value, *range));
        error.or_else(|| constant_type(value, rule.ty?))
    }

    fn special(
        &self,
        rule: &OperandRule,
        name: NameId,
        component: Option<Component>,
    ) -> Option<OperandError> {
        if !rule.kinds.has(OperandKind::SpecialRegister) {
            return Some(OperandError::Kind(Written::Special(name)));
        }
        let register = self.special_register(name)?;
        if register.is_vector() && component.is_none() {
            let is_wanted = matches!(rule.count, Count::Braced(_) | Count::Any);
            return (!is_wanted).then_some(OperandError::SpecialVector(name));
        }
        let ty = rule.ty?;
        // A special register is read like a register of its size. The oldest modules read some with 16 bits,
        // and the grid id has grown from 16 to 64 bits.
        let holder = holder(register);
        let is_old = ty.bits() == 16 && register.is_vector() || register.name == "%gridid";
        let is_held = rule.registers.is_none_or(|registers| registers.has(holder));
        let fits = ty.kind() != TypeKind::Float && (is_held || is_old && ty != Type::Pred);
        (!fits).then_some(OperandError::SpecialSize { name, takes: ty })
    }

    pub(super) fn special_register(&self, name: NameId) -> Option<&'static isa::SpecialRegister> {
        match self.function.resolution(self.function.referent(name)) {
            Resolution::Special(word) => isa::special_register(word),
            _ => None,
        }
    }

    /// The type of the register that holds a special register; `None` for a whole vector.
    pub(super) fn special_type(&self, name: NameId, component: Option<Component>) -> Option<Type> {
        let register = self.special_register(name)?;
        (!register.is_vector() || component.is_some()).then(|| holder(register))
    }

    fn symbol(&self, rule: &OperandRule, name: NameId) -> Option<OperandError> {
        let kinds = rule.kinds;
        let is_symbol = kinds.has_any(&[OperandKind::Symbol, OperandKind::Parameter]);
        if kinds.has_any(&[OperandKind::Label, OperandKind::LabelAddress]) && !is_symbol {
            // Branch targets are checked together with the basic blocks.
            return None;
        }
        let (is_fitting, written) = match self.named(name) {
            Named::Unknown | Named::Register(..) => return None,
            Named::Variable(Space::Param, _) if !kinds.has(OperandKind::Parameter) => {
                return Some(OperandError::NoAddress(name));
            }
            // Textures of PTX 1.x.
            Named::Variable(Space::Tex, _) if kinds.has(OperandKind::Texture) => return None,
            Named::Variable(_, ty) if kinds.has_any(HANDLES) => {
                (is_symbol || ty.is_none_or(|ty| is_handle(kinds, ty)), Written::Variable(name))
            }
            Named::Variable(..) => (is_symbol, Written::Variable(name)),
            Named::Parameter => (is_symbol || kinds.has_any(HANDLES), Written::Parameter(name)),
            Named::Function => (is_symbol, Written::Function(name)),
            Named::Label => (kinds.has(OperandKind::LabelAddress), Written::Label(name)),
        };
        if !is_fitting {
            return Some(OperandError::Kind(written));
        }
        self.misplaced(rule, name)
            .or_else(|| self.address_type(rule, written))
            .or_else(|| self.wide_address(rule, name))
    }

    /// The error of a variable whose address is wider than the type. Among registers in braces, the assembler cuts it.
    pub(super) fn wide_address(&self, rule: &OperandRule, name: NameId) -> Option<OperandError> {
        let Named::Variable(space, _) = self.named(name) else { return None };
        let is_wide = rule.wide || space == Space::Global && rule.count == Count::One;
        self.is_narrow(&OperandRule { wide: is_wide, ..*rule }, rule.ty?)
            .then_some(OperandError::WideAddress(name))
    }

    /// An address used as a value, which needs an integer or bit type.
    pub(super) fn address_type(&self, rule: &OperandRule, written: Written) -> Option<OperandError> {
        let ty = rule.ty?;
        (!is_integer(ty) && ty.kind() != TypeKind::Opaque).then_some(OperandError::Kind(written))
    }

    fn not(&self, rule: &OperandRule, list: OperandList) -> Option<OperandError> {
        if !rule.kinds.has(OperandKind::NotPredicate) {
            return Some(OperandError::Kind(Written::Not));
        }
        match *self.function.operands(list).first()? {
            Operand::Register { name, .. } => self.predicate_register(name),
            Operand::Symbol(name) if self.named(name) == Named::Unknown => None,
            operand @ (Operand::Symbol(_) | Operand::Special { .. }) => {
                Some(OperandError::Kind(self.written(operand)))
            }
            _ => None,
        }
    }
}

/// The error of an integer that is out of range. A bound by another operand is checked with all operands.
fn out_of_range(value: i128, range: isa::Range) -> Option<OperandError> {
    let (low, high) = match range.high {
        isa::Bound::Number(high) => (range.low, high),
        isa::Bound::Operand(_) => (range.low, i64::MAX),
    };
    if !(i128::from(low)..=i128::from(high)).contains(&value) {
        return Some(OperandError::Range(low, high));
    }
    match range.step {
        isa::Step::Multiple(step) => (value % i128::from(step) != 0).then_some(OperandError::Multiple(step)),
        isa::Step::PowerOfTwo => (value.count_ones() != 1).then_some(OperandError::NoPower),
    }
}

fn holder(register: &isa::SpecialRegister) -> Type {
    match register.bits {
        _ if register.ty == "pred" => Type::Pred,
        0..=16 => Type::B16,
        17..=32 => Type::B32,
        _ => Type::B64,
    }
}

fn is_handle(kinds: Kinds, ty: Type) -> bool {
    match ty {
        Type::Texref => kinds.has(OperandKind::Texture),
        Type::Samplerref => kinds.has(OperandKind::Sampler),
        Type::Surfref => kinds.has(OperandKind::Surface),
        _ => false,
    }
}

/// Whether a constant can have a type. A floating-point constant fits a bit type only of its exact width;
/// half precision and packed types have no constants.
fn constant_type(value: Constant, ty: Type) -> Option<OperandError> {
    let is_integer = match value {
        Constant::Signed(_) | Constant::Unsigned(_) => true,
        Constant::Single(_) | Constant::Double(_) => false,
        Constant::Invalid => return None,
    };
    if is_packed(ty) || ty.kind() == TypeKind::Float && !matches!(ty, Type::F32 | Type::F64) {
        return Some(OperandError::NoConstant(ty));
    }
    let error = if is_integer { OperandError::IntegerConstant(ty) } else { OperandError::FloatConstant(ty) };
    let fits = match ty.kind() {
        TypeKind::Float => !is_integer,
        TypeKind::Unsigned | TypeKind::Signed | TypeKind::Predicate => is_integer,
        TypeKind::Bits => match value {
            Constant::Single(_) => ty.bits() == 32,
            Constant::Double(_) => ty.bits() == 64,
            _ => true,
        },
        TypeKind::Opaque => true,
    };
    (!fits).then_some(error)
}

fn is_packed(ty: Type) -> bool {
    isa::type_(&format!(".{}", ty.name())).is_some_and(|ty| ty.elements > 1)
}
