//! Checks the operands of a statement against a form.

mod address;
mod scalar;
mod vector;

use warplens_isa::Role;
use warplens_isa::ptx::{self as isa, OperandKind};

use super::form_match::{FormMatch, OperandPosition};
use super::rule::{AddressSpace, Count, OperandRule, TypeSet};
use super::selectors::Selectors;

use crate::ptx::{
    AddressSize, Function, Guard, ModuleKind, NameId, Operand, OperandList, ReferentId, Resolution, Space,
    SymbolKind, Type, VectorLength,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    pub place: OperandPosition,
    pub error: OperandError,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandError {
    /// The statement has fewer or more operands than the form. The position is that of the first extra or
    /// missing one.
    Count {
        have: usize,
        /// The minimum and the maximum.
        takes: (usize, usize),
    },
    /// An operand of this kind is not allowed here, such as a register in place of an address.
    Kind(Written),
    /// A register with the wrong type.
    RegisterType {
        name: NameId,
        have: Type,
        /// The types that fit, if the form specifies them.
        takes: Option<TypeSet>,
    },
    /// A vector register where a scalar is needed, or vice versa.
    VectorRegister {
        name: NameId,
        /// `None` for a scalar.
        have: Option<VectorLength>,
        takes: Count,
    },
    /// A component of a register that has no components.
    Component(NameId),
    /// A selector for a part of a register that the operand does not take.
    Selector { name: NameId, takes: Selectors },
    /// A destination with a selector, without the last operand, which has its other parts.
    LoneSelector(NameId),
    /// An integer where a float is needed.
    IntegerConstant(Type),
    /// A float where an integer is needed, or one of the wrong width.
    FloatConstant(Type),
    /// A constant of a type that has no constants: half precision and packed types.
    NoConstant(Type),
    /// Brackets contain too many or too few parts.
    Inside {
        have: usize,
        /// The minimum and the maximum.
        takes: (usize, usize),
    },
    /// An integer outside these bounds.
    Range(i64, i64),
    /// An integer larger than the operand with this index in the entry.
    Above(usize),
    /// An integer that is not a multiple of this number.
    Multiple(i64),
    /// An integer that is not a power of two.
    NoPower,
    /// The wrong number of elements.
    Length { have: usize, takes: Count },
    /// Registers that cannot be combined in one vector.
    Mixed {
        /// The type of the elements before.
        first: Type,
        /// The type of this element.
        second: Type,
    },
    /// A special register of 32 bits and a constant in one vector.
    SpecialWithConstant(NameId),
    /// Only `_` in the braces or around `|`.
    OnlySinks,
    /// A special register of the wrong size.
    SpecialSize { name: NameId, takes: Type },
    /// A special register with components that is read as a whole.
    SpecialVector(NameId),
    /// A variable in a different state space than the instruction accesses.
    AddressSpace {
        name: NameId,
        have: Space,
        /// The state space that the instruction accesses.
        takes: AddressSpace,
    },
    /// A register that cannot hold an address.
    AddressRegister(NameId, Type),
    /// A register that is too narrow for addresses of the state space.
    AddressWidth(NameId, Type),
    /// A variable whose address does not fit into the type.
    WideAddress(NameId),
    /// A variable of the module that has an index although it is not an array.
    NoArray(NameId),
    /// Something that has no address.
    NoAddress(NameId),
    /// A name where the address must come from a register.
    NoRegister(NameId),
    /// A number as an address outside `.local`.
    AbsoluteAddress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Register(NameId),
    Predicate(NameId),
    Constant,
    Special(NameId),
    Variable(NameId),
    Parameter(NameId),
    Function(NameId),
    Label(NameId),
    Address,
    /// `sym + 4` without brackets.
    Sum,
    Vector,
    Pair,
    /// One register where a pair is needed.
    Single,
    Not,
    Negated,
    Sink,
    Arguments,
}

/// What a name means to operand checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Register(Option<Type>, Option<VectorLength>),
    Variable(Space, Option<Type>),
    /// A parameter of the function itself.
    Parameter,
    Function,
    Label,
    /// An unknown name, which is reported elsewhere, or one that does not matter here.
    Unknown,
}

/// Compares statements of a function with forms.
#[derive(Debug, Clone, Copy)]
pub struct Checker<'f> {
    pub function: &'f Function,
    /// How the module declares the function's external names, by referent.
    pub externals: &'f [(ReferentId, ModuleKind)],
    pub address_size: Option<AddressSize>,
}

type Report<'r> = &'r mut dyn FnMut(Mismatch);

impl Checker<'_> {
    pub fn fits(&self, found: &FormMatch, operands: &[Operand]) -> bool {
        let mut fits = true;
        self.check(found, operands, &mut |_| fits = false);
        fits
    }

    pub fn mismatches(&self, found: &FormMatch, operands: &[Operand]) -> Vec<Mismatch> {
        let mut mismatches = Vec::new();
        self.check(found, operands, &mut |mismatch| mismatches.push(mismatch));
        mismatches
    }

    pub fn guard(&self, guard: Guard) -> Option<OperandError> {
        match self.named(guard.name) {
            _ if self.special_register(guard.name).is_some_and(|special| special.ty != "pred") => {
                Some(OperandError::Kind(Written::Special(guard.name)))
            }
            Named::Unknown | Named::Register(..) => self.predicate_register(guard.name),
            _ => Some(OperandError::Kind(self.written(Operand::Symbol(guard.name)))),
        }
    }

    fn check(&self, found: &FormMatch, operands: &[Operand], report: Report<'_>) {
        let rules = &found.operands;
        let required = rules.iter().take_while(|rule| !rule.optional).count();
        if !(required..=rules.len()).contains(&operands.len()) {
            let place = OperandPosition::new(operands.len().min(rules.len()));
            let error = OperandError::Count { have: operands.len(), takes: (required, rules.len()) };
            return report(Mismatch { place, error });
        }
        for (index, (rule, operand)) in rules.iter().zip(operands).enumerate() {
            let place = OperandPosition::new(index);
            // The part of a destination that is not written comes from `c`.
            let lacks_rest =
                rule.selectors == Selectors::Part && writes(rule) && operands.len() < rules.len();
            if lacks_rest && let Operand::Register { name, component: Some(_) } = *operand {
                report(Mismatch { place, error: OperandError::LoneSelector(name) });
            }
            match found.inside(rule) {
                [] => self.operand(rule, *operand, place, report),
                inside => self.brackets(inside, *operand, place, report),
            }
            self.bound(found, operands, index, report);
        }
    }

    /// Checks a constant whose upper bound is another operand.
    fn bound(&self, found: &FormMatch, operands: &[Operand], index: usize, report: Report<'_>) {
        let [isa::Range { high: isa::Bound::Operand(bound), .. }] = *found.operands[index].ranges else {
            return;
        };
        let other = found.operands.iter().position(|rule| rule.index == bound);
        let integer = |at: usize| self.function.integer(*operands.get(at)?);
        if integer(index).zip(other.and_then(integer)).is_some_and(|(value, most)| value > most) {
            report(Mismatch { place: OperandPosition::new(index), error: OperandError::Above(bound) });
        }
    }

    fn operand(&self, rule: &OperandRule, operand: Operand, place: OperandPosition, report: Report<'_>) {
        let error = match operand {
            Operand::Pair(list) => return self.pair(rule, list, place, report),
            Operand::Vector(list) => return self.vector(rule, list, place, report),
            _ if matches!(rule.second, Some((_, false))) && operand != Operand::Missing => {
                Some(OperandError::Kind(Written::Single))
            }
            Operand::Address { .. } => self.address(rule, operand),
            _ => self.single(rule, operand),
        };
        if let Some(error) = error {
            report(Mismatch { place, error });
        }
    }

    /// `d|p`
    fn pair(&self, rule: &OperandRule, list: OperandList, place: OperandPosition, report: Report<'_>) {
        if rule.second.is_none() {
            return report(Mismatch { place, error: OperandError::Kind(Written::Pair) });
        }
        let parts = self.function.operands(list);
        if parts.iter().all(|part| *part == Operand::Sink) {
            return report(Mismatch { place, error: OperandError::OnlySinks });
        }
        for (element, part) in parts.iter().enumerate() {
            let at = OperandPosition { element: Some(element), ..place };
            let error = match part {
                Operand::Missing => None,
                Operand::Sink if element > 0 && rule.drops_second => None,
                Operand::Vector(list) if element == 0 => {
                    self.vector(rule, *list, place, report);
                    None
                }
                part if element == 0 => self.scalar(rule, *part),
                part => self.predicate(*part),
            };
            if let Some(error) = error {
                report(Mismatch { place: at, error });
            }
        }
    }

    /// The second element of a pair.
    fn predicate(&self, operand: Operand) -> Option<OperandError> {
        match operand {
            Operand::Register { name, component: None } => self.predicate_register(name),
            Operand::Symbol(name) if self.named(name) == Named::Unknown => None,
            other => Some(OperandError::Kind(self.written(other))),
        }
    }

    fn predicate_register(&self, name: NameId) -> Option<OperandError> {
        let Named::Register(have, _) = self.named(name) else { return None };
        let have = have.filter(|have| *have != Type::Pred)?;
        Some(OperandError::RegisterType { name, have, takes: Some(TypeSet::holding(Type::Pred)) })
    }

    fn single(&self, rule: &OperandRule, operand: Operand) -> Option<OperandError> {
        match rule.count {
            Count::Braced(_) => self.vector_register(rule, operand),
            Count::Any | Count::AtLeast(_) | Count::OneOrBraced(2..)
                if matches!(operand, Operand::Register { .. }) =>
            {
                self.vector_register(rule, operand)
            }
            _ => self.scalar(rule, operand),
        }
    }

    fn named(&self, name: NameId) -> Named {
        let referent = self.function.referent(name);
        match self.function.resolution(referent) {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => {
                match &self.function.symbol(symbol).kind {
                    SymbolKind::Register { ty, vector } | SymbolKind::RegisterRange { ty, vector, .. } => {
                        Named::Register(*ty, *vector)
                    }
                    SymbolKind::Variable(variable) => Named::Variable(variable.space, variable.ty),
                    SymbolKind::Param { .. } => Named::Parameter,
                    SymbolKind::Label { .. } | SymbolKind::Table { .. } => Named::Label,
                    SymbolKind::Prototype(_) => Named::Unknown,
                }
            }
            Resolution::Special(_) => Named::Unknown,
            Resolution::External(_) => self.external(referent),
        }
    }

    fn external(&self, referent: ReferentId) -> Named {
        let Ok(at) = self.externals.binary_search_by_key(&referent, |(id, _)| *id) else {
            return Named::Unknown;
        };
        match self.externals[at].1 {
            ModuleKind::Variable { space, ty, .. } => Named::Variable(space, ty),
            ModuleKind::Function { .. } | ModuleKind::Alias => Named::Function,
            ModuleKind::SectionLabel => Named::Unknown,
        }
    }

    fn written(&self, operand: Operand) -> Written {
        match operand {
            Operand::Register { name, .. } => match self.named(name) {
                Named::Register(Some(Type::Pred), _) => Written::Predicate(name),
                _ => Written::Register(name),
            },
            Operand::Special { name, .. } => Written::Special(name),
            Operand::Symbol(name) => match self.named(name) {
                Named::Parameter => Written::Parameter(name),
                Named::Function => Written::Function(name),
                Named::Label => Written::Label(name),
                _ => Written::Variable(name),
            },
            Operand::Constant(_) => Written::Constant,
            Operand::Vector(_) => Written::Vector,
            Operand::Arguments(_) => Written::Arguments,
            Operand::Pair(_) => Written::Pair,
            Operand::Not(_) => Written::Not,
            Operand::Negated(_) => Written::Negated,
            Operand::Address { form: crate::ptx::AddressForm::Bracketed, .. } => Written::Address,
            Operand::Address { .. } => Written::Sum,
            Operand::Sink | Operand::Missing => Written::Sink,
        }
    }
}

/// Operand kinds that name a texture, a sampler or a surface.
const HANDLES: &[OperandKind] = &[OperandKind::Texture, OperandKind::Sampler, OperandKind::Surface];

fn writes(rule: &OperandRule) -> bool {
    rule.role == Role::Write
}
