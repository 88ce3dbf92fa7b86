//! Operands that are several registers: in braces, or one vector register.
//!
//! The registers in braces have the same size. `.bN` registers may be mixed with one other kind, which turns
//! the whole into a vector of bits, accepted for any type of that size.

use warplens_isa::ptx::OperandKind;

use super::{Checker, Mismatch, Named, OperandError, OperandPosition, Report, Written, writes};
use crate::ptx::forms::rule::{Count, OperandRule, TypeSet};
use crate::ptx::{
    Component, Constant, ModuleKind, NameId, Operand, OperandList, Resolution, SymbolKind, Type, TypeKind,
};

/// What is known about the elements so far.
#[derive(Default)]
struct Elements {
    first: Option<(NameId, Type, usize)>,
    /// The last special register, and what holds it.
    special: Option<(NameId, Type)>,
    /// The kind of the elements that are not bit types.
    kind: Option<Type>,
    has_bits: bool,
    has_integers: bool,
    has_constants: bool,
    takes_constants: bool,
}

impl Checker<'_> {
    pub(super) fn vector(
        &self,
        rule: &OperandRule,
        list: OperandList,
        place: OperandPosition,
        report: Report<'_>,
    ) {
        let elements = self.function.operands(list);
        if let Some(error) = wrong_length(rule, elements) {
            return report(Mismatch { place, error });
        }
        let has_kind = |kinds: &[TypeKind]| {
            elements.iter().any(|element| self.kind_of(*element).is_some_and(|kind| kinds.contains(&kind)))
        };
        let is_constant = |element: &Operand| matches!(element, Operand::Constant(_));
        // Among registers the assembler takes constants whatever the operand is.
        let is_mixed = !writes(rule) && !elements.iter().all(is_constant);
        let mut seen = Elements {
            has_bits: has_kind(&[TypeKind::Bits]),
            has_integers: has_kind(&[TypeKind::Signed, TypeKind::Unsigned]),
            has_constants: elements.iter().any(is_constant),
            takes_constants: rule.kinds.has(OperandKind::Immediate) || is_mixed,
            ..Elements::default()
        };
        for (index, element) in elements.iter().enumerate() {
            let error = match rule.indexes && index == 0 {
                true => self.layer(rule, *element),
                false => self.element(rule, *element, index, &mut seen),
            };
            if let Some(error) = error {
                return report(Mismatch { place: OperandPosition { element: Some(index), ..place }, error });
            }
        }
        if let Some((name, ty, index)) = seen.first {
            let whole = if seen.has_bits { bits(ty) } else { ty };
            if passes_for_floats(rule, elements, whole) {
                return;
            }
            if let Some(OperandError::RegisterType { takes, .. }) = self.register_type(rule, name, whole) {
                let error = OperandError::RegisterType { name, have: ty, takes };
                report(Mismatch { place: OperandPosition { element: Some(index), ..place }, error });
            }
        } else if let (Some((name, holder)), Some(takes)) = (seen.special, rule.ty)
            && rule.registers.is_some_and(|registers| !registers.has(holder))
        {
            report(Mismatch { place, error: OperandError::SpecialSize { name, takes } });
        }
    }

    /// The index of a layer, a 32-bit integer.
    fn layer(&self, rule: &OperandRule, element: Operand) -> Option<OperandError> {
        let Operand::Register { name, component: None } = element else { return None };
        let registers = Some(TypeSet::indices());
        self.scalar(&OperandRule { ty: Some(Type::U32), registers, count: Count::One, ..*rule }, element)
            .filter(|_| matches!(self.named(name), Named::Register(Some(_), None)))
    }

    /// Checks an element by itself and against those before it.
    fn element(
        &self,
        rule: &OperandRule,
        element: Operand,
        index: usize,
        seen: &mut Elements,
    ) -> Option<OperandError> {
        match element {
            Operand::Sink if writes(rule) && !rule.only_registers => None,
            Operand::Constant(_) if !seen.takes_constants => Some(OperandError::Kind(Written::Constant)),
            Operand::Constant(id) if let Some(range) = rule.ranges.get(index) => {
                self.constant(&OperandRule { ranges: std::slice::from_ref(range), ..*rule }, id)
            }
            Operand::Special { .. } if rule.ranges.get(index).is_some() => self.scalar(rule, element),
            Operand::Constant(id) => {
                let ty = match self.function.constant(id) {
                    Constant::Signed(_) | Constant::Unsigned(_) => Type::S32,
                    Constant::Single(_) | Constant::Double(_) => Type::F32,
                    Constant::Invalid => return None,
                };
                let is_free = seen.has_bits
                    || seen.has_integers
                    || rule.ty.is_none_or(|ty| ty.kind() == TypeKind::Bits);
                seen.takes_kind(ty).or_else(|| (!is_free).then(|| self.constant(rule, id)).flatten())
            }
            Operand::Special { name, component } => self.special_element(rule, name, component, seen),
            Operand::Register { name, component } => {
                let Named::Register(Some(ty), vector) = self.named(name) else { return None };
                if vector.is_some() != component.is_some() {
                    return self.scalar(rule, element);
                }
                let (_, first, _) = *seen.first.get_or_insert((name, ty, index));
                let first = seen.special.map_or(first, |(_, special)| special);
                if first.bits() != ty.bits() {
                    return Some(OperandError::Mixed { first, second: ty });
                }
                seen.takes_kind(ty)
            }
            Operand::Symbol(name) if self.is_array(name) || self.named(name) == Named::Parameter => {
                Some(OperandError::Kind(self.written(element)))
            }
            Operand::Address { .. } => Some(OperandError::Kind(self.written(element))),
            element => self.scalar(rule, element),
        }
    }

    /// Whether a name is that of an array, whose address cannot be an element.
    pub(super) fn is_array(&self, name: NameId) -> bool {
        let referent = self.function.referent(name);
        match self.function.resolution(referent) {
            Resolution::Symbol(symbol) => matches!(
                &self.function.symbol(symbol).kind,
                SymbolKind::Variable(variable) if !variable.dimensions.is_empty()
            ),
            Resolution::External(_) => matches!(
                self.externals.iter().find(|(id, _)| *id == referent),
                Some((_, ModuleKind::Variable { is_array: true, .. }))
            ),
            _ => false,
        }
    }

    /// A special register among other elements: of their size, and not beside constants.
    fn special_element(
        &self,
        rule: &OperandRule,
        name: NameId,
        component: Option<Component>,
        seen: &mut Elements,
    ) -> Option<OperandError> {
        if rule.only_registers {
            return Some(OperandError::Kind(Written::Special(name)));
        }
        let Some(second) = self.special_type(name, component) else {
            return self.special_register(name).map(|_| OperandError::SpecialVector(name));
        };
        if seen.has_constants && second != Type::B64 {
            return Some(OperandError::SpecialWithConstant(name));
        }
        seen.special = Some((name, second));
        let (_, first, _) = seen.first?;
        (first.bits() != second.bits()).then_some(OperandError::Mixed { first, second })
    }

    fn kind_of(&self, element: Operand) -> Option<TypeKind> {
        match element {
            Operand::Register { name, .. } => match self.named(name) {
                Named::Register(ty, _) => Some(ty?.kind()),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn vector_register(&self, rule: &OperandRule, operand: Operand) -> Option<OperandError> {
        let error = match operand {
            Operand::Register { name, component } => {
                let Named::Register(ty, vector) = self.named(name) else { return None };
                let vector = vector.filter(|_| component.is_none());
                let is_long = match rule.count {
                    Count::Braced(count) => vector.is_some_and(|vector| vector.count() == count),
                    Count::AtLeast(count) => match vector {
                        Some(vector) => vector.count() >= count,
                        None => rule.kinds.has(OperandKind::Register),
                    },
                    _ => true,
                };
                if is_long {
                    return self.register_type(rule, name, ty?);
                }
                OperandError::VectorRegister { name, have: vector, takes: rule.count }
            }
            Operand::Special { component: None, .. } if rule.count == Count::Braced(4) => {
                return self.scalar(rule, operand);
            }
            Operand::Symbol(name) if self.named(name) == Named::Unknown => return None,
            Operand::Missing => return None,
            other => OperandError::Kind(self.written(other)),
        };
        Some(error)
    }
}

impl Elements {
    /// Adds an element of this type. Except for bit types, all elements must be of one kind.
    fn takes_kind(&mut self, ty: Type) -> Option<OperandError> {
        let kind = match ty.kind() {
            TypeKind::Bits => return None,
            TypeKind::Unsigned | TypeKind::Signed => Type::S32,
            _ => ty,
        };
        let is_float = |ty: Type| matches!(ty, Type::F32 | Type::F64);
        match self.kind {
            // A floating-point constant has no size, so it fits either type.
            Some(first) if first != kind && !(is_float(first) && is_float(kind)) => {
                Some(OperandError::Mixed { first, second: ty })
            }
            _ => {
                self.kind = Some(kind);
                None
            }
        }
    }
}

fn wrong_length(rule: &OperandRule, elements: &[Operand]) -> Option<OperandError> {
    let is_taken =
        !matches!(rule.count, Count::One | Count::OneOrBraced(0)) || rule.kinds.has(OperandKind::Vector);
    if !is_taken {
        return Some(OperandError::Kind(Written::Vector));
    }
    let is_long = match rule.count {
        Count::One | Count::Any => true,
        Count::OneOrBraced(most) => elements.len() <= most as usize && elements.len().is_power_of_two(),
        Count::Braced(count) => elements.len() == count as usize,
        // There are no vectors of three.
        Count::AtLeast(count) => (count as usize..=4).contains(&elements.len()) && elements.len() != 3,
    };
    if !is_long {
        return Some(OperandError::Length { have: elements.len(), takes: rule.count });
    }
    let only_sinks = !elements.is_empty() && elements.iter().all(|element| *element == Operand::Sink);
    only_sinks.then_some(OperandError::OnlySinks)
}

/// Whether integers in braces are accepted for floats of the same size.
fn passes_for_floats(rule: &OperandRule, elements: &[Operand], whole: Type) -> bool {
    let is_integer = matches!(whole.kind(), TypeKind::Unsigned | TypeKind::Signed);
    let is_float = |ty: Type| matches!(ty, Type::F16 | Type::F32 | Type::F64) && ty.bits() == whole.bits();
    is_integer && elements.len() > 1 && rule.kinds.has(OperandKind::Register) && rule.ty.is_some_and(is_float)
}

fn bits(ty: Type) -> Type {
    match ty.bits() {
        0..=8 => Type::B8,
        9..=16 => Type::B16,
        17..=32 => Type::B32,
        33..=64 => Type::B64,
        _ => Type::B128,
    }
}
