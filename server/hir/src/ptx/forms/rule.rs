//! The operands of a form, after substituting everything that its modifiers determine.

use std::sync::OnceLock;

use super::selectors::Selectors;
use warplens_isa::Role;
use warplens_isa::ptx::{self as isa, FormSpace, Length, OperandKind, OperandType, Presence};

use crate::ptx::{Space, Type, TypeKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandRule {
    /// The index of the operand in the entry.
    pub index: usize,
    pub role: Role,
    pub kinds: Kinds,
    /// The type of the value, if the form specifies one that exists.
    pub ty: Option<Type>,
    /// The types that registers may have; `None` for any.
    pub registers: Option<TypeSet>,
    pub space: AddressSpace,
    pub count: Count,
    pub optional: bool,
    /// The range of integer constants, if it is restricted; in braces, that of each element.
    pub ranges: &'static [isa::Range],
    /// The second element of a pair: its operand index in the entry, and whether it is optional.
    pub second: Option<(usize, bool)>,
    /// Whether `_` may be the second element of the pair.
    pub drops_second: bool,
    pub selectors: Selectors,
    pub negates: bool,
    /// Whether neither special registers nor `_` may be in its braces.
    pub only_registers: bool,
    /// Whether an address, or a register in its brackets, may not have 32 bits if the module's addresses have 64.
    pub wide: bool,
    /// Whether the first register in braces is an index, which is a 32-bit integer regardless of the other
    /// registers.
    pub indexes: bool,
    /// The start and the number of the [parts](super::FormMatch::parts) in the operand's brackets. The number
    /// is 0 without brackets, and for a plain address.
    pub(super) inside: (u16, u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    Unspecified,
    /// Any space that generic addresses reach.
    Generic,
    Of(Space),
}

/// The number of registers in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// One register, without braces.
    One,
    /// One register without braces, or a vector of up to this many.
    OneOrBraced(u32),
    Braced(u32),
    /// This number or more, or a single one without braces.
    AtLeast(u32),
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    pub fn of(kinds: &[OperandKind]) -> Kinds {
        Kinds(kinds.iter().fold(0, |set, kind| set | 1 << *kind as u32))
    }

    pub fn has(self, kind: OperandKind) -> bool {
        self.0 & 1 << kind as u32 != 0
    }

    pub fn has_any(self, kinds: &[OperandKind]) -> bool {
        self.0 & Kinds::of(kinds).0 != 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeSet(u64);

const _: () = assert!(Type::ALL.len() <= u64::BITS as usize);

impl TypeSet {
    pub fn has(self, ty: Type) -> bool {
        self.0 & 1 << ty as u64 != 0
    }

    pub fn types(self) -> impl Iterator<Item = Type> {
        Type::ALL.iter().copied().filter(move |ty| self.has(*ty))
    }

    fn of(types: impl IntoIterator<Item = Type>) -> TypeSet {
        TypeSet(types.into_iter().fold(0, |set, ty| set | 1 << ty as u64))
    }

    /// The types of registers that can hold a value of type `ty`.
    pub fn holding(ty: Type) -> TypeSet {
        static SETS: OnceLock<Box<[TypeSet]>> = OnceLock::new();
        let sets = SETS.get_or_init(|| {
            let named = |name: &&str| Type::from_name(name.trim_start_matches('.'));
            let of = |ty: &Type| isa::type_(&format!(".{}", ty.name())).map(|ty| ty.registers);
            let set = |ty: &Type| TypeSet::of(of(ty).into_iter().flatten().filter_map(named));
            Type::ALL.iter().map(set).collect()
        });
        sets[ty as usize]
    }

    /// The types of registers that can hold an index.
    pub fn indices() -> TypeSet {
        TypeSet::holding(Type::U32).without_pairs(Type::U32)
    }

    /// Removes `.f16x2`, whose registers are otherwise accepted for 32-bit integers, if the instruction is of
    /// an integer type.
    fn without_pairs(self, ty: Type) -> TypeSet {
        let is_integer = matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed);
        if is_integer { TypeSet(self.0 & !(1 << Type::F16x2 as u64)) } else { self }
    }

    /// The types of registers that can hold a value of type `ty` and may be wider, as for loads and stores.
    pub fn holding_at_least(ty: Type) -> TypeSet {
        let held = Type::ALL.iter().copied().filter(|register| is_declarable(*register));
        let wider = held.filter(|register| register.bits() >= ty.bits() && ty != Type::Pred);
        let fits = wider.filter(|register| match (ty.kind(), register.kind()) {
            (TypeKind::Bits, kind) => kind != TypeKind::Predicate,
            (TypeKind::Unsigned | TypeKind::Signed, TypeKind::Float) => *register == Type::F16x2,
            (TypeKind::Unsigned | TypeKind::Signed, kind) => kind != TypeKind::Predicate,
            (TypeKind::Float, kind) => kind == TypeKind::Bits,
            _ => false,
        });
        TypeSet(TypeSet::of(fits).0 | TypeSet::holding(ty).0)
    }
}

/// Whether a register may be declared with a type.
fn is_declarable(ty: Type) -> bool {
    use Type::*;
    let scalar = matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | B8 | B16 | B32 | B64 | B128);
    scalar || matches!(ty, F16 | F16x2 | F32 | F64 | Pred)
}

/// The value in each slot of a form.
type Chosen<'c> = &'c [Option<&'static isa::Value>];

/// The rules of a form's operands with these slot values, and the rules of the parts in brackets.
pub(super) fn operands(
    entry: &isa::Instruction,
    form: &isa::Form,
    chosen: Chosen<'_>,
) -> (Box<[OperandRule]>, Box<[OperandRule]>) {
    let is_there = |operand: &&isa::FormOperand| match operand.presence {
        Presence::With(slot) => chosen.get(slot).is_some_and(Option::is_some),
        Presence::Required | Presence::Optional => true,
    };
    let mut parts: Vec<OperandRule> = Vec::new();
    let mut operands = Vec::with_capacity(form.operands.len());
    for operand in form.operands.iter().filter(is_there) {
        let from = parts.len();
        parts.extend(operand.inside.iter().filter(is_there).map(|part| rule(entry, form, part, chosen)));
        let inside = (from as u16, (parts.len() - from) as u16);
        operands.push(OperandRule { inside, ..rule(entry, form, operand, chosen) });
    }
    (operands.into(), parts.into())
}

fn rule(
    entry: &isa::Instruction,
    form: &isa::Form,
    operand: &isa::FormOperand,
    chosen: Chosen<'_>,
) -> OperandRule {
    let kinds = Kinds::of(operand.kinds);
    let named = entry.operands.get(operand.index);
    let (ty, registers) = types(operand.ty, chosen);
    let is_predicate = ty.is_none() && kinds.has_any(&[OperandKind::Predicate, OperandKind::NotPredicate]);
    let only_predicate = is_predicate && !kinds.has(OperandKind::Register);
    OperandRule {
        index: operand.index,
        role: named.map_or(Role::Read, |operand| operand.role),
        kinds,
        ty: if only_predicate { Some(Type::Pred) } else { ty },
        registers: if only_predicate { Some(TypeSet::holding(Type::Pred)) } else { registers },
        space: space(operand.space, chosen),
        count: count(operand.length, chosen),
        optional: operand.presence == Presence::Optional,
        ranges: operand.ranges,
        second: operand.second,
        drops_second: operand.second.is_some_and(|(second, _)| {
            entry.operands.get(second).is_some_and(|second| second.kinds.contains(&OperandKind::Sink))
        }),
        selectors: named.map_or(Selectors::None, |operand| Selectors::of(entry, form, operand)),
        negates: named.is_some_and(|operand| operand.negatable),
        only_registers: named.is_some_and(|operand| operand.only_registers),
        wide: named.is_some_and(|named| {
            let is_value = !named.kinds.contains(&OperandKind::Address);
            named.wide && (is_value || is_generic(form, operand.space, chosen))
        }),
        indexes: matches!(operand.length, Length::Product(product) if product.indexes(chosen)),
        inside: (0, 0),
    }
}

/// The last word of the value in a slot, without its dot.
fn word(slot: usize, chosen: Chosen<'_>) -> Option<&'static str> {
    let value = chosen.get(slot).copied().flatten()?;
    Some(value.words.last()?.trim_start_matches('.'))
}

fn types(ty: OperandType, chosen: Chosen<'_>) -> (Option<Type>, Option<TypeSet>) {
    let exactly = |name: &str| Type::from_name(name).map(|ty| (ty, TypeSet::holding(ty)));
    let at_least = |name: &str| Type::from_name(name).map(|ty| (ty, TypeSet::holding_at_least(ty)));
    let found = match ty {
        OperandType::Unspecified => None,
        OperandType::Fixed(name) => exactly(name).map(|(ty, set)| (ty, set.without_pairs(ty))),
        OperandType::Slot(slot) => word(slot, chosen).and_then(exactly),
        OperandType::AtLeast(slot) => word(slot, chosen).and_then(at_least),
        OperandType::FixedAtLeast(name) => at_least(name),
        OperandType::Wide(slot) => word(slot, chosen).and_then(|name| {
            let narrow = Type::from_name(name)?;
            let is_wide = |ty: &&Type| ty.kind() == narrow.kind() && ty.bits() == 2 * narrow.bits();
            Type::ALL
                .iter()
                .filter(|ty| is_declarable(**ty))
                .find(is_wide)
                .map(|ty| (*ty, TypeSet::holding(*ty)))
        }),
    };
    // The tables list no register types for a type that no register can hold.
    match found {
        Some((ty, set)) if set == TypeSet::default() => (Some(ty), None),
        Some((ty, set)) => (Some(ty), Some(set)),
        None => (None, None),
    }
}

/// Whether an address is generic or global, and not an offset in the window of another space.
fn is_generic(form: &isa::Form, in_form: FormSpace, chosen: Chosen<'_>) -> bool {
    let names_space = |slot: usize| form.slots[slot].class == "space" && chosen[slot].is_some();
    match space(in_form, chosen) {
        AddressSpace::Generic | AddressSpace::Of(Space::Global) => true,
        // The operations on an mbarrier take a generic address that leads to shared memory.
        AddressSpace::Of(_) => {
            matches!(in_form, FormSpace::Fixed(_)) && !(0..form.slots.len()).any(names_space)
        }
        AddressSpace::Unspecified => false,
    }
}

fn space(space: FormSpace, chosen: Chosen<'_>) -> AddressSpace {
    let name = match space {
        FormSpace::Unspecified => return AddressSpace::Unspecified,
        FormSpace::Fixed("generic") => return AddressSpace::Generic,
        FormSpace::Fixed(name) => name,
        FormSpace::Slot(slot) => match word(slot, chosen) {
            Some(name) => name,
            None => return AddressSpace::Generic,
        },
    };
    let name = name.split("::").next().unwrap_or_default();
    Space::from_name(name).map_or(AddressSpace::Unspecified, AddressSpace::Of)
}

fn count(length: Length, chosen: Chosen<'_>) -> Count {
    match length {
        Length::One => Count::One,
        Length::Exactly(count) => Count::Braced(count.into()),
        Length::OneOrBraced(most) => Count::OneOrBraced(most.count(chosen).unwrap_or(1)),
        Length::Any => Count::Any,
        Length::Product(product) => match product.count(chosen) {
            None => Count::OneOrBraced(1),
            Some(count) if product.or_more => Count::AtLeast(count),
            Some(count) => Count::Braced(count),
        },
    }
}
