//! The slot of each operand, including constants and special registers.

use warplens_hir::ptx::{
    self as hir, Address as HirAddress, AddressForm, DeclarationKind, Operand, ReferentId, Resolution,
    SymbolKind, Type, TypeKind, VectorLength,
};

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::module::function_address;
use super::slot_table::Declared;
use super::specials::{self, Source};
use super::storage::{self, Storage, constant_bits};
use super::{Result, Why};
use crate::program::{Entry, Guard, NO_SLOT, Op, Register, RegisterSlot, Slot, Slots, Space, Special};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn register(&mut self, name: hir::NameId) -> Result<(ReferentId, Declared)> {
        let name = self.hir.name(name);
        let referent = name.referent;
        if let Some(&declared) = self.slots.registers.get(&referent) {
            return Ok((referent, declared));
        }
        let symbol = name.resolution.symbol().ok_or_else(|| Why::new("a register is not declared"))?;
        let (ty, vector) = match &self.hir.symbol(symbol).kind {
            SymbolKind::Register { ty, vector } | SymbolKind::RegisterRange { ty, vector, .. } => {
                (*ty, *vector)
            }
            SymbolKind::Param { is_return, index } => {
                let param = &storage::formals(&self.hir.signature, *is_return)[*index as usize];
                (param.ty, param.vector)
            }
            _ => return Err(Why::operands()),
        };
        let ty = ty.ok_or_else(|| Why::new("a register has no known type"))?;
        let declared = self.allocate(referent, ty, vector);
        Ok((referent, declared))
    }

    fn allocate(&mut self, referent: ReferentId, ty: Type, vector: Option<VectorLength>) -> Declared {
        let elements = vector.map_or(1, VectorLength::count);
        let mut first = None;
        for element in 0..elements {
            let place = self.fresh(ty);
            first.get_or_insert(place);
            let mut name = self.hir.referent_text(referent);
            if vector.is_some() {
                name = smol_str::format_smolstr!("{name}.{}", ["x", "y", "z", "w"][element as usize % 4]);
            }
            let registers = &mut self.out.frame.registers;
            self.slots.numbers.insert((referent, element), registers.len() as u32);
            registers.push(Register { name, bits: ty.bits() as u16, place });
        }
        let place = first.unwrap_or(RegisterSlot::Predicate(NO_SLOT));
        let declared = Declared { place, bits: ty.bits(), elements };
        self.slots.registers.insert(referent, declared);
        declared
    }

    fn fresh(&mut self, ty: Type) -> RegisterSlot {
        let frame = &mut self.out.frame;
        match ty.bits() {
            1 if ty.kind() == TypeKind::Predicate => {
                RegisterSlot::Predicate(reserve(&mut frame.predicates, 1))
            }
            65.. => RegisterSlot::Quad(reserve(&mut frame.doubles, 2)),
            33..=64 => RegisterSlot::Double(reserve(&mut frame.doubles, 1)),
            _ => RegisterSlot::Word(reserve(&mut frame.words, 1)),
        }
    }

    pub(super) fn constant_word(&mut self, value: u32) -> Slot {
        *self.slots.words.entry(value).or_insert_with(|| {
            let slot = reserve(&mut self.out.frame.words, 1);
            self.out.frame.word_constants.push((slot, value));
            slot
        })
    }

    pub(super) fn constant_double(&mut self, value: u64) -> Slot {
        *self.slots.doubles.entry(value).or_insert_with(|| {
            let slot = reserve(&mut self.out.frame.doubles, 1);
            self.out.frame.double_constants.push((slot, value));
            slot
        })
    }

    fn constant_predicate(&mut self, value: bool) -> Slot {
        *self.slots.predicates[usize::from(value)].get_or_insert_with(|| {
            let slot = reserve(&mut self.out.frame.predicates, 1);
            if value {
                self.out.frame.true_predicates.push(slot);
            }
            slot
        })
    }

    /// The slot of a special register whose value does not change.
    fn special(&mut self, special: Special, bits: u32) -> RegisterSlot {
        *self.slots.specials.entry((special, bits)).or_insert_with(|| {
            let frame = &mut self.out.frame;
            let place = match bits {
                1 => RegisterSlot::Predicate(reserve(&mut frame.predicates, 1)),
                64 => RegisterSlot::Double(reserve(&mut frame.doubles, 1)),
                _ => RegisterSlot::Word(reserve(&mut frame.words, 1)),
            };
            frame.specials.push((special, place));
            place
        })
    }

    /// The location and width of an operand that is a register or an element of one.
    pub(super) fn place(&mut self, operand: Operand) -> Result<(RegisterSlot, u32)> {
        let Operand::Register { name, component } = operand else { return Err(Why::operands()) };
        let (_, declared) = self.register(name)?;
        let element = match component {
            None if declared.elements == 1 => 0,
            None => return Err(Why::operands()),
            Some(component) => component.element().ok_or_else(Why::operands)? as u32,
        };
        if element >= declared.elements {
            return Err(Why::operands());
        }
        Ok((declared.place.element(element), declared.bits))
    }

    /// Whether an operand is an entire vector register.
    pub(super) fn is_vector(&mut self, operand: Operand) -> bool {
        let Operand::Register { name, component: None } = operand else { return false };
        self.register(name).is_ok_and(|(_, declared)| declared.elements > 1)
    }

    pub(super) fn elements(&mut self, operand: Operand) -> Result<Vec<(RegisterSlot, u32)>> {
        let Operand::Register { name, component: None } = operand else { return Err(Why::operands()) };
        let (_, declared) = self.register(name)?;
        let element = |index| (declared.place.element(index), declared.bits);
        Ok((0..declared.elements).map(element).collect())
    }

    pub(super) fn destination(&mut self, operand: Operand, ty: Type) -> Result<Slot> {
        let (place, _) = self.place(operand)?;
        slot_of(place, ty.bits())
    }

    /// The slot of a source of this type: a register, a constant or a special register.
    pub(super) fn source(&mut self, operand: Operand, ty: Type) -> Result<Slot> {
        let (place, _) = self.source_place(operand, ty)?;
        slot_of(place, ty.bits())
    }

    /// Like [`Self::source`], but also returns the register file and the width.
    pub(super) fn source_place(&mut self, operand: Operand, ty: Type) -> Result<(RegisterSlot, u32)> {
        match operand {
            Operand::Register { .. } => self.place(operand),
            Operand::Constant(id) => {
                let bits = constant_bits(self.hir.constant(id), ty);
                Ok((self.constant(bits, ty), ty.bits()))
            }
            Operand::Special { name, component } => {
                let Resolution::Special(text) = self.hir.name(name).resolution else {
                    return Err(Why::operands());
                };
                let special = match specials::source(text, component) {
                    Some(Source::Fixed(special)) => special,
                    Some(Source::Reserved(at)) => Special::SharedAddress(self.linked.reserved + at),
                    _ => return Err(Why(smol_str::format_smolstr!("`{text}` is not simulated"))),
                };
                let bits = match ty.bits() {
                    1 => 1,
                    2..=32 => 32,
                    _ => 64,
                };
                Ok((self.special(special, bits), bits))
            }
            Operand::Symbol(_) | Operand::Address { form: AddressForm::Sum | AddressForm::Subscript, .. } => {
                let (storage, offset) = self.symbol_address(operand)?;
                let address = storage.ok_or_else(Why::operands)?.wrapping_add_signed(offset);
                if self.is_shared(operand) && matches!(ty.bits(), 32 | 64) {
                    let special = Special::SharedAddress(address as u32);
                    return Ok((self.special(special, ty.bits()), ty.bits()));
                }
                Ok((self.constant(address, ty), ty.bits()))
            }
            _ => Err(Why::operands()),
        }
    }

    /// A destination of the first type, and sources of the other types in order.
    pub(super) fn typed_slots(&mut self, operands: &[Operand], types: &[Type]) -> Result<Slots> {
        let (Some((&d, sources)), Some((&to, from))) = (operands.split_first(), types.split_first()) else {
            return Err(Why::operands());
        };
        if sources.len() != from.len() {
            return Err(Why::operands());
        }
        let mut s = Slots { d: self.destination(d, to)?, ..Slots::default() };
        let slots = [&mut s.a, &mut s.b, &mut s.c, &mut s.e];
        for (slot, (&source, &ty)) in slots.into_iter().zip(sources.iter().zip(from)) {
            *slot = self.source(source, ty)?;
        }
        Ok(s)
    }

    /// A destination and one to three sources, all of one type.
    pub(super) fn uniform_slots(&mut self, operands: &[Operand], ty: Type, sources: usize) -> Result<Slots> {
        self.typed_slots(operands, &[ty; 4][..=sources])
    }

    pub(super) fn source_places(&mut self, operands: &[Operand], ty: Type) -> Result<Vec<RegisterSlot>> {
        operands.iter().map(|&operand| Ok(self.source_place(operand, ty)?.0)).collect()
    }

    /// Whether an operand is the address of a shared variable.
    fn is_shared(&self, operand: Operand) -> bool {
        let base = self.hir.address(operand).map_or(operand, |address| address.base);
        let Operand::Symbol(name) = base else { return false };
        self.storage(name).is_some_and(|storage| storage.space() == Space::Shared)
    }

    /// The operands of a vector, or a single operand.
    pub(super) fn list<'o>(&self, operand: &'o Operand) -> &'o [Operand]
    where
        'l: 'o,
    {
        match *operand {
            Operand::Vector(list) => self.hir.operands(list),
            _ => std::slice::from_ref(operand),
        }
    }

    pub(super) fn constant(&mut self, bits: u64, ty: Type) -> RegisterSlot {
        match ty.bits() {
            1 => RegisterSlot::Predicate(self.constant_predicate(bits != 0)),
            65.. => {
                let slot = reserve(&mut self.out.frame.doubles, 2);
                self.out.frame.double_constants.push((slot, bits));
                RegisterSlot::Quad(slot)
            }
            33..=64 => RegisterSlot::Double(self.constant_double(bits)),
            _ => RegisterSlot::Word(self.constant_word(bits as u32)),
        }
    }

    /// The value of an operand that must be an integer constant.
    pub(super) fn number(&self, operand: Operand) -> Result<u64> {
        let Operand::Constant(id) = operand else { return Err(Why::operands()) };
        self.hir.constant(id).as_integer().ok_or_else(Why::operands)
    }

    /// A predicate source, and whether it is complemented.
    pub(super) fn predicate(&mut self, operand: Operand) -> Result<(Slot, bool)> {
        if let Operand::Not(list) = operand {
            let [inner] = self.hir.operands(list) else { return Err(Why::operands()) };
            let (slot, negated) = self.predicate(*inner)?;
            return Ok((slot, !negated));
        }
        match self.source_place(operand, Type::Pred)? {
            (RegisterSlot::Predicate(slot), _) => Ok((slot, false)),
            _ => Err(Why::operands()),
        }
    }

    pub(super) fn condition(&mut self, operand: Operand) -> Result<Guard> {
        let (slot, negated) = self.predicate(operand)?;
        Ok(Guard::new(slot, negated))
    }

    /// A predicate destination; `None` for `_`.
    pub(super) fn predicate_destination(&mut self, operand: Operand) -> Result<Option<Slot>> {
        match operand {
            Operand::Sink => Ok(None),
            _ => match self.place(operand)? {
                (RegisterSlot::Predicate(slot), _) => Ok(Some(slot)),
                _ => Err(Why::operands()),
            },
        }
    }

    /// `d|p`, or `d` alone.
    pub(super) fn pair(&self, operand: Operand) -> Result<(Operand, Option<Operand>)> {
        match operand {
            Operand::Pair(list) => match self.hir.operands(list) {
                [first, second] => Ok((*first, Some(*second))),
                _ => Err(Why::operands()),
            },
            single => Ok((single, None)),
        }
    }

    pub(super) fn storage(&self, name: hir::NameId) -> Option<Storage> {
        match self.hir.name(name).resolution {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => {
                let statics = self.linked.statics.get(&(self.index, symbol)).copied();
                statics.or_else(|| self.frame_storage.get(&symbol).copied())
            }
            Resolution::External(text) => self.linked.variable(text),
            Resolution::Special(_) => None,
        }
    }

    /// Bytes per element of the variable that a symbol names; 1 if unknown.
    pub(super) fn element_bytes(&self, symbol: Operand) -> u32 {
        let Operand::Symbol(name) = symbol else { return 1 };
        let bytes = match self.hir.name(name).resolution {
            Resolution::Symbol(symbol) => match &self.hir.symbol(symbol).kind {
                SymbolKind::Variable(variable) => variable.element_bytes(),
                _ => 1,
            },
            Resolution::External(text) => match self.linked.declarations.get(text) {
                Some(DeclarationKind::Variable(variable)) => variable.element_bytes(),
                _ => 1,
            },
            _ => 1,
        };
        (bytes as u32).max(1)
    }

    /// The symbol's address in its own space (`None` if each frame has its own), and the offset to add.
    pub(super) fn symbol_address(&self, operand: Operand) -> Result<(Option<u64>, i64)> {
        let HirAddress { base, index, offset, in_elements, .. } =
            self.hir.address(operand).ok_or_else(Why::operands)?;
        let (Operand::Symbol(name), None) = (base, index) else { return Err(Why::operands()) };
        let scale = if in_elements { self.element_bytes(base) } else { 1 };
        let offset = offset.wrapping_mul(scale.into());
        if let Resolution::External(text) = self.hir.name(name).resolution
            && let Some(function) = self.linked.function_index(text)
        {
            return Ok((Some(function_address(function)), offset));
        }
        let storage =
            self.storage(name).ok_or_else(|| Why::new("it names something that has no address here"))?;
        Ok((storage.address(self.linked.dynamic_shared), offset))
    }

    /// An operation whose operands are an entry of a side table.
    pub(super) fn with_entry<E: Entry>(&mut self, op: impl FnOnce(E::Id) -> Op, entry: E) -> Decoded {
        Ok((op(entry.add_to(&mut self.out.tables)), Slots::default()))
    }
}

/// Takes this many slots of a register file.
fn reserve(count: &mut u32, by: u32) -> Slot {
    *count += by;
    *count - by
}

pub(super) fn next(rest: &mut &[Operand]) -> Result<Operand> {
    rest.split_off_first().copied().ok_or_else(Why::operands)
}

pub(super) fn last(rest: &mut &[Operand]) -> Result<Operand> {
    rest.split_off_last().copied().ok_or_else(Why::operands)
}

/// The slot of a register that holds a value of `bits` bits.
pub(super) fn slot_of(place: RegisterSlot, bits: u32) -> Result<Slot> {
    match (place, bits) {
        (RegisterSlot::Predicate(slot), 1) => Ok(slot),
        (RegisterSlot::Word(slot), 2..=32) => Ok(slot),
        (RegisterSlot::Double(slot), 33..=64) => Ok(slot),
        (RegisterSlot::Quad(slot), 65..) => Ok(slot),
        _ => Err(Why::new("a register has the wrong width")),
    }
}
