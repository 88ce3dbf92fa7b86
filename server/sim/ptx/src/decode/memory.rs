//! Moves, loads, stores, atomics, and generic addresses.

use warplens_hir::ptx::{
    AddressForm, Component, FunctionKind, Instruction, NameId, Operand, Resolution, SymbolKind, Type,
    TypeKind,
};
use warplens_sim_cuda::semantics::bits::Logic;
use warplens_sim_cuda::windows;
use warplens_sim_warp::scalar_type::ScalarType;

use super::bits::width;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::operands::slot_of;
use super::specials::{self, Source};
use super::storage::{Storage, formals, window};
use super::{Result, Why};
use crate::program::{
    Access, Address, Atomic, AtomicOp, Element, Op, Pack, RegisterSlot, Relative, Slots, Space, Width,
};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn memory(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        match instruction.opcode() {
            "mov" => self.mov(instruction.operands(), m),
            "ld" | "ldu" => {
                let access = self.load(instruction.operands(), m)?;
                self.with_entry(Op::Load, access)
            }
            "st" if m.take("async") => self.store_async(instruction.operands(), m),
            "st" if instruction.has("bulk") => self.bulk_store(instruction.operands(), m),
            "st" => {
                let access = self.store(instruction.operands(), m)?;
                self.with_entry(Op::Store, access)
            }
            "mapa" => self.mapa(instruction.operands(), m),
            "getctarank" => self.getctarank(instruction.operands(), m),
            "red" if m.take("async") => self.atomic_async(instruction.operands(), m),
            "cvta" => self.cvta(instruction.operands(), m),
            "isspacep" => self.isspacep(instruction.operands(), m),
            opcode => {
                let atomic = self.atomic(opcode == "red", instruction.operands(), m)?;
                self.with_entry(Op::Atomic, atomic)
            }
        }
    }

    fn mov(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let vector = m.take("v2") || m.take("v4");
        let ty = m.ty()?;
        let &[d, a] = operands else { return Err(Why::operands()) };
        match (d, a) {
            _ if vector => self.mov_vector(d, a, ty),
            (parts, whole) if self.is_vector(parts) => self.pack_vector(whole, parts, ty, true),
            (whole, parts) if self.is_vector(parts) => self.pack_vector(whole, parts, ty, false),
            (Operand::Vector(parts), whole) => self.pack(whole, self.hir.operands(parts), ty, true),
            (whole, Operand::Vector(parts)) => self.pack(whole, self.hir.operands(parts), ty, false),
            (_, Operand::Special { name, component }) => {
                let Resolution::Special(text) = self.hir.name(name).resolution else {
                    return Err(Why::operands());
                };
                let d_slot = self.destination(d, ty)?;
                match specials::source(text, component) {
                    Some(Source::Clock) => {
                        let width = Width::of_bits(ty.bits());
                        Ok((Op::Clock(width), Slots { d: d_slot, ..Slots::default() }))
                    }
                    // The counter never exceeds its lower word.
                    Some(Source::ClockHigh) => {
                        let a = self.constant_word(0);
                        Ok((
                            Op::Logic(Logic::Copy, ScalarType::B32),
                            Slots { d: d_slot, a, ..Slots::default() },
                        ))
                    }
                    _ => self.copy(d, a, ty),
                }
            }
            (
                _,
                Operand::Symbol(_) | Operand::Address { form: AddressForm::Sum | AddressForm::Subscript, .. },
            ) => self.mov_address(d, a, ty),
            _ => self.copy(d, a, ty),
        }
    }

    fn copy(&mut self, d: Operand, a: Operand, ty: Type) -> Decoded {
        if ty.bits() == 128 {
            let moves = vec![(self.place(d)?.0, self.source_place(a, ty)?.0)];
            return self.with_entry(Op::MoveEach, moves);
        }
        Ok((Op::Logic(Logic::Copy, width(ty)?), self.uniform_slots(&[d, a], ty, 1)?))
    }

    fn mov_address(&mut self, d: Operand, a: Operand, ty: Type) -> Decoded {
        let (address, offset) = self.symbol_address(a)?;
        if address.is_some() {
            return self.copy(d, a, ty);
        }
        let base = self.hir.address(a).ok_or_else(Why::operands)?.base;
        let Operand::Symbol(name) = base else { return Err(Why::operands()) };
        let Some(Storage::Frame(at)) = self.storage(name) else { return Err(Why::operands()) };
        let a = at.wrapping_add_signed(offset) as u32;
        let d = self.destination(d, ty)?;
        Ok((Op::LocalAddress(Width::of_bits(ty.bits())), Slots { d, a, ..Slots::default() }))
    }

    fn mov_vector(&mut self, d: Operand, a: Operand, ty: Type) -> Decoded {
        let targets = match d {
            Operand::Vector(list) => self.places(self.hir.operands(list))?,
            _ => self.elements(d)?.into_iter().map(|(place, _)| Some(place)).collect(),
        };
        let sources: Vec<RegisterSlot> = match a {
            Operand::Vector(list) => self.source_places(self.hir.operands(list), ty)?,
            Operand::Special { name, component: None } => {
                let components = [Component::X, Component::Y, Component::Z, Component::W];
                let element = |component| Operand::Special { name, component: Some(component) };
                let count = targets.len().min(components.len());
                self.source_places(&components.map(element)[..count], ty)?
            }
            _ if self.is_vector(a) => self.elements(a)?.into_iter().map(|(place, _)| place).collect(),
            _ => {
                return Err(Why::new(
                    "what a vector is of one register, constant or symbol is not documented",
                ));
            }
        };
        if sources.len() != targets.len() {
            return Err(Why::operands());
        }
        let moves = targets.into_iter().zip(sources).filter_map(|(target, source)| Some((target?, source)));
        let moves = moves.collect::<Vec<_>>();
        self.with_entry(Op::MoveEach, moves)
    }

    pub(super) fn places(&mut self, operands: &[Operand]) -> Result<Vec<Option<RegisterSlot>>> {
        let place = |operand: &Operand| match operand {
            Operand::Sink => Ok(None),
            _ => Ok(Some(self.place(*operand)?.0)),
        };
        operands.iter().map(place).collect()
    }

    fn pack(&mut self, whole: Operand, parts: &[Operand], ty: Type, unpack: bool) -> Decoded {
        let bits = ty.bits() / (parts.len() as u32).max(1);
        let part_type = match bits {
            8 => Type::B8,
            16 => Type::B16,
            32 => Type::B32,
            64 => Type::B64,
            _ => return Err(Why::operands()),
        };
        let parts = if unpack {
            self.places(parts)?
        } else {
            let source = |operand: &Operand| match operand {
                Operand::Sink => Ok(None),
                _ => Ok(Some(self.source_place(*operand, part_type)?.0)),
            };
            parts.iter().map(source).collect::<Result<_>>()?
        };
        let whole = if unpack { self.source_place(whole, ty)?.0 } else { self.place(whole)?.0 };
        slot_of(whole, ty.bits())?;
        self.with_entry(Op::Pack, Pack { whole, parts, bits, unpack })
    }

    /// A `mov` between a register and a vector register of the same size.
    fn pack_vector(&mut self, whole: Operand, parts: Operand, ty: Type, unpack: bool) -> Decoded {
        let elements = self.elements(parts)?;
        let bits = elements.first().map_or(0, |(_, bits)| *bits);
        if bits * elements.len() as u32 != ty.bits() {
            return Err(Why::operands());
        }
        let (whole, width) = self.place(whole)?;
        slot_of(whole, width.max(ty.bits()))?;
        let parts = elements.into_iter().map(|(place, _)| Some(place)).collect();
        self.with_entry(Op::Pack, Pack { whole, parts, bits, unpack })
    }

    /// The address in an operand, and the space that either the operand or the instruction names.
    pub(super) fn address(&mut self, operand: Operand, space: Option<Space>) -> Result<(Address, Space)> {
        let parts = self.hir.address(operand).ok_or_else(Why::operands)?;
        let scale = if parts.in_elements { self.element_bytes(parts.base) } else { 1 };
        let offset = parts.offset.wrapping_mul(scale.into());
        let mut address = Address { base: None, scale, relative: Relative::No, offset };
        let mut home = None;
        match parts.base {
            Operand::Register { .. } => address.base = Some(self.place(parts.base)?.0),
            Operand::Constant(_) => {
                address.offset = address.offset.wrapping_add(self.number(parts.base)? as i64);
            }
            Operand::Symbol(name) => {
                let unknown = || Why::new("it names something that has no address here");
                let storage = self.storage(name).ok_or_else(unknown)?;
                home = Some(storage.space());
                let at = match storage {
                    Storage::Frame(at) => {
                        address.relative = Relative::Frame;
                        at
                    }
                    other => {
                        if other.space() == Space::Shared {
                            address.relative = Relative::Block;
                        }
                        other.address(self.linked.dynamic_shared).unwrap_or(0)
                    }
                };
                address.offset = address.offset.wrapping_add(at as i64);
            }
            _ => return Err(Why::operands()),
        }
        if let Some(index) = parts.index {
            if address.base.is_some() {
                return Err(Why::operands());
            }
            address.base = Some(self.place(index)?.0);
        }
        if matches!(address.base, Some(RegisterSlot::Predicate(_) | RegisterSlot::Quad(_))) {
            return Err(Why::operands());
        }
        let entry = self.hir.kind == FunctionKind::Entry;
        let space = match (home, space) {
            // A symbol's own space counts, whatever space the instruction names.
            (Some(home), _) => home,
            (None, Some(Space::Param)) if !entry => Space::Local,
            (None, space) => space.unwrap_or(Space::Generic),
        };
        Ok((address, space))
    }

    pub(super) fn load(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<Access> {
        let &[d, address, ..] = operands else { return Err(Why::operands()) };
        self.access(address, d, false, m)
    }

    pub(super) fn store(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<Access> {
        let &[address, value, ..] = operands else { return Err(Why::operands()) };
        self.access(address, value, true, m)
    }

    fn access(
        &mut self,
        address: Operand,
        registers: Operand,
        stores: bool,
        m: &mut Modifiers<'_>,
    ) -> Result<Access> {
        let space = m.space();
        m.ignore_caching();
        let count = match (vector_length(m), registers) {
            // `st.async` may omit the vector modifier.
            (1, Operand::Vector(list)) if stores => self.hir.operands(list).len(),
            (count, _) => count,
        };
        let ty = m.ty()?;
        let (address, space) = self.address(address, space)?;
        let elements = self.transferred(registers, ty, count, stores)?;
        let signed = !stores && ty.kind() == TypeKind::Signed;
        Ok(Access { space, size: ty.bytes(), signed, address, elements })
    }

    fn transferred(
        &mut self,
        operand: Operand,
        ty: Type,
        count: usize,
        source: bool,
    ) -> Result<Vec<Option<Element>>> {
        if !matches!(ty.bytes(), 1 | 2 | 4 | 8 | 16) {
            return Err(Why::form());
        }
        let elements: Vec<_> = match operand {
            Operand::Vector(list) => {
                let list = self.hir.operands(list).iter();
                list.map(|&operand| self.element(operand, ty, source)).collect::<Result<_>>()?
            }
            _ if count > 1 => {
                let elements = self.elements(operand)?.into_iter();
                elements.map(|(place, bits)| Some(Element { place, bits })).collect()
            }
            _ => vec![self.element(operand, ty, source)?],
        };
        if elements.len() == count { Ok(elements) } else { Err(Why::operands()) }
    }

    fn element(&mut self, operand: Operand, ty: Type, source: bool) -> Result<Option<Element>> {
        if operand == Operand::Sink {
            return Ok(None);
        }
        let (place, bits) = if source { self.source_place(operand, ty)? } else { self.place(operand)? };
        if bits < ty.bits() || matches!(place, RegisterSlot::Predicate(_)) {
            return Err(Why::operands());
        }
        Ok(Some(Element { place, bits }))
    }

    fn cvta(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let to = m.take("to");
        let space = m.space().ok_or_else(Why::form)?;
        let ty = m.ty()?;
        let &[d, a] = operands else { return Err(Why::operands()) };
        let shift = window(space) as i64;
        let shift = if to { -shift } else { shift };
        if let Operand::Symbol(_) | Operand::Address { form: AddressForm::Sum | AddressForm::Subscript, .. } =
            a
            && let (None, _) = self.symbol_address(a)?
        {
            let (_, s) = self.mov_address(d, a, ty)?;
            let a = s.a.wrapping_add(shift as u32);
            return Ok((Op::LocalAddress(Width::of_bits(ty.bits())), Slots { a, ..s }));
        }
        if shift == 0 {
            return self.copy(d, a, ty);
        }
        let s = self.uniform_slots(operands, ty, 1)?;
        if space == Space::Shared {
            let op = if to { Op::GenericToShared } else { Op::SharedToGeneric };
            return Ok((op(Width::of_bits(ty.bits())), s));
        }
        Ok((Op::AddressAdd(Width::of_bits(ty.bits())), Slots { b: shift as u32, ..s }))
    }

    fn isspacep(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let in_cluster = m.has("shared::cluster");
        let space = m.space().ok_or_else(Why::form)?;
        let &[p, a] = operands else { return Err(Why::operands()) };
        let d = self.predicate_destination(p)?.ok_or_else(Why::operands)?;
        let address = if self.linked.wide_addresses { Type::U64 } else { Type::U32 };
        let (place, bits) = self.source_place(a, address)?;
        let (from, to) = match space {
            Space::Shared => (windows::SHARED, windows::LOCAL),
            Space::Local => (windows::LOCAL, windows::PARAM),
            Space::Param => (windows::PARAM, windows::CONST),
            Space::Const => (windows::CONST, windows::MODULE),
            Space::Global | Space::Generic => (windows::MODULE, windows::GLOBAL_END),
        };
        let a = slot_of(place, bits)?;
        let width = Width::of_bits(bits);
        if space == Space::Shared && !in_cluster {
            return Ok((Op::InOwnShared(width), Slots { d, a, ..Slots::default() }));
        }
        Ok((Op::InWindow(width), Slots { d, a, b: from as u32, c: to as u32, e: 0 }))
    }

    pub(super) fn atomic(
        &mut self,
        reduces: bool,
        operands: &[Operand],
        m: &mut Modifiers<'_>,
    ) -> Result<Atomic> {
        let space = m.space();
        m.ignore_caching();
        let count = vector_length(m);
        let op = m.atomic_op();
        let (op, ty) = (op.ok_or_else(Why::form)?, m.ty()?);
        let (d, operands) = match operands {
            rest if reduces => (Operand::Sink, rest),
            [d, rest @ ..] => (*d, rest),
            [] => return Err(Why::operands()),
        };
        let (address, rest) = operands.split_first().ok_or_else(Why::operands)?;
        let (address, space) = self.address(*address, space)?;
        if matches!(space, Space::Const | Space::Param | Space::Local) {
            return Err(Why::form());
        }
        let (&b, rest) = rest.split_first().ok_or_else(Why::operands)?;
        let b = self.source_places(self.list(&b), ty)?;
        if b.len() != count {
            return Err(Why::operands());
        }
        let c = match (op, rest.first()) {
            (AtomicOp::CompareSwap, Some(&c)) => Some(self.source_place(c, ty)?.0),
            (AtomicOp::CompareSwap, None) => return Err(Why::operands()),
            _ => None,
        };
        let old = match d {
            Operand::Sink => Vec::new(),
            Operand::Vector(list) => self.places(self.hir.operands(list))?,
            _ => vec![Some(self.place(d)?.0)],
        };
        Ok(Atomic { op, ty: atomic_type(ty)?, space, address, old, b, c })
    }

    /// The frame offset and size of a `.param` variable of the function, if the name is one.
    pub(super) fn param_variable(&self, name: NameId) -> Option<(u32, u32)> {
        let symbol = self.hir.name(name).resolution.symbol()?;
        let Some(Storage::Frame(at)) = self.storage(name) else { return None };
        let bytes = match &self.hir.symbol(symbol).kind {
            SymbolKind::Variable(variable) => variable.bytes(),
            SymbolKind::Param { is_return, index } => {
                formals(&self.hir.signature, *is_return).get(*index as usize)?.bytes()
            }
            _ => return None,
        };
        Some((at as u32, bytes as u32))
    }
}

fn vector_length(m: &mut Modifiers<'_>) -> usize {
    m.choose(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1)
}

pub(super) fn atomic_type(ty: Type) -> Result<ScalarType> {
    let is_atomic = |scalar: &ScalarType| scalar.bits() >= 16 && !matches!(ty, Type::S16 | Type::Tf32);
    ScalarType::from_name(ty.name()).filter(is_atomic).ok_or_else(Why::form)
}
