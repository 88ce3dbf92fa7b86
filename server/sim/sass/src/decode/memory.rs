//! Memory accesses, atomics and matrices.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::{Kind, bank_number, missing_bank};
use super::predicates::{destination_predicate, is_data_register};
use super::unsupported::{Decoded, Unsupported};
use crate::program::{
    Access, Address, Atomic, AtomicResult, MatrixAccess, Op, Operation, Space, Term, Window,
};
use crate::registers::{DROPPED, Row, Source};
use la_arena::Idx;
use warplens_hir::sass::{Operand, Register, RegisterFile, Value};
use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::semantics::fragments::Layout;
use warplens_sim_cuda::semantics::matrix::{Factor, Product, Sum};
use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::soft_float::Rounding;

/// The size of an element, the number of elements, and whether a narrow element is signed.
fn width(inst: &Inst<'_>) -> (u8, u8, bool) {
    let named = inst.find(|word| {
        Some(match word {
            "U8" => (1, 1, false),
            "S8" => (1, 1, true),
            "U16" => (2, 1, false),
            "S16" => (2, 1, true),
            "32" => (4, 1, false),
            "64" => (4, 2, false),
            "128" => (4, 4, false),
            "256" => (4, 8, false),
            _ => return None,
        })
    });
    named.unwrap_or((4, 1, false))
}

/// Whether an access is ordered with other accesses of its kind.
fn is_strong(inst: &Inst<'_>) -> bool {
    ["STRONG", "CV", "WT", "ACQUIRE", "RELAXED", "MMIO"].into_iter().any(|word| inst.has(word))
}

/// The space that the last letter of an opcode names.
fn space(inst: &Inst<'_>) -> Space {
    match inst.ins.opcode.as_str() {
        "LDG" | "STG" | "ATOMG" | "REDG" => Space::Global,
        "LDS" | "STS" | "ATOMS" | "LDSLK" | "STSUL" => Space::Shared,
        "LDL" | "STL" => Space::Local,
        _ => Space::Generic,
    }
}

fn address_operand<'a>(inst: &Inst<'a>) -> Result<&'a Operand, Unsupported> {
    let found = inst.ops.iter().find(|operand| matches!(operand.value, Value::Address(_)));
    found.ok_or("its address is missing".into())
}

impl Decoder<'_> {
    /// An address; wide if the instruction has `.E`.
    fn address(&mut self, operand: &Operand, wide: bool) -> Result<Address, Unsupported> {
        let Value::Address(address) = &operand.value else { return Err("its address is missing".into()) };
        if !matches!(address.prefix.as_str(), "" | "desc")
            || address.symbol.is_some()
            || address.terms.len() > 2
        {
            return Err("its address is not simulated".into());
        }
        let mut terms = [None; 2];
        let any_marked = address.terms.iter().any(|term| term.is_wide);
        for (slot, term) in terms.iter_mut().zip(&address.terms) {
            if term.negated {
                return Err("a subtracted register in an address is not simulated".into());
            }
            let is_uniform = term.register.file == RegisterFile::Uniform;
            // If one term is marked `.64`, the other terms are words; otherwise the terms of a wide address
            // are pairs.
            let is_pair = term.is_wide
                || wide && !term.is_unsigned && !any_marked && term.scale <= 1
                || wide && is_uniform && any_marked && !term.is_wide;
            let is_pair = is_pair && !term.register.is_constant();
            *slot = Some(Term {
                row: self.pool.row(term.register),
                wide: is_pair,
                unsigned: term.is_unsigned,
                scale: term.scale.max(1),
            });
        }
        Ok(Address { terms, offset: address.offset, wide })
    }

    /// Whether the global addresses of an instruction have 64 bits.
    fn is_wide(&self, inst: &Inst<'_>, space: Space) -> bool {
        matches!(space, Space::Global | Space::Generic) && inst.has("E")
    }

    fn access(&mut self, inst: &Inst<'_>, data: u16) -> Result<Idx<Access>, Unsupported> {
        let (size, count, signed) = width(inst);
        let space = space(inst);
        let operand = address_operand(inst)?;
        let address = self.address(operand, self.is_wide(inst, space))?;
        let upper = None;
        let access = Access { space, address, size, count, signed, data, upper, strong: is_strong(inst) };
        Ok(self.program.accesses.alloc(access))
    }

    pub(super) fn load(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut shape = inst.shape();
        let mut upper = None;
        if inst.has("256") {
            // `LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]`: the upper words are printed first.
            upper = Some(self.destination(shape.d)?);
            shape.d = shape.sources.first().copied();
        }
        let data = self.destination(shape.d)?;
        let access = self.access(inst, data)?;
        self.program.accesses[access].upper = upper;
        let mut operation = Operation::new(Op::Load(access));
        operation.d = data;
        if shape.q.iter().any(|q| *q != DROPPED) {
            return Err("a predicate destination is not simulated".into());
        }
        Ok(operation)
    }

    /// A store, or one that also unlocks.
    pub(super) fn store(&mut self, inst: &Inst<'_>, op: fn(Idx<Access>) -> Op) -> Decoded {
        let mut data =
            inst.ops.iter().filter(|operand| is_data_register(operand)).filter_map(Operand::register);
        let row = self.pool.row(data.next().ok_or("its source is missing")?);
        let access = self.access(inst, row)?;
        if inst.has("256") {
            // `STG.E.ENL2.256 desc[UR4][R2.64], R4, R8`
            let upper = data.next().ok_or("its second source is missing")?;
            self.program.accesses[access].upper = Some(self.pool.row(upper));
        }
        Ok(self.effect(op(access)))
    }

    pub(super) fn load_constant(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let data = self.destination(shape.d)?;
        let modes = ["IL", "IS", "ISL"];
        if let Some(mode) = modes.into_iter().find(|mode| inst.has(mode)) {
            return Err(format!("modifier `.{mode}` is not simulated").into());
        }
        let (size, count, signed) = width(inst);
        let operand = shape.sources.first().ok_or("its address is missing")?;
        let Value::Constant(constant) = &operand.value else {
            return Err("its address is missing".into());
        };
        let bank = bank_number(constant.bank.ok_or("the bank in a register is not simulated")?)?;
        if constant.symbol.is_some() || constant.descriptor.is_some() {
            return Err("its address is not simulated".into());
        }
        // An offset beyond the bank is reported when the load is executed.
        let is_there = self.bank_size(bank) > 0 || self.has_bank(bank, constant.offset, 1);
        if !is_there || bank == 1 && constant.register.is_some() && self.bank_size(1) == 0 {
            return Err(missing_bank(bank.into()));
        }
        let term = |register: Register| Term {
            row: self.pool.row(register),
            wide: false,
            unsigned: false,
            scale: 1,
        };
        let terms = [constant.register.filter(|register| !register.is_constant()).map(term), None];
        let address = Address { terms, offset: constant.offset, wide: false };
        let access = Access { size, signed, data, ..Access::words(Space::Constant(bank), address, count) };
        let mut operation = Operation::new(Op::LoadConstant(self.program.accesses.alloc(access)));
        operation.uniform = shape.d.is_some_and(super::predicates::is_uniform);
        operation.d = data;
        Ok(operation)
    }

    /// Such as `LDGSTS.E.128 [R7], [R2.64], P0`.
    pub(super) fn copy(&mut self, inst: &Inst<'_>) -> Decoded {
        let (_, count, _) = width(inst);
        let addresses: Vec<&Operand> =
            inst.ops.iter().filter(|operand| matches!(operand.value, Value::Address(_))).collect();
        let [to, from] = addresses[..] else { return Err("its addresses are missing".into()) };
        let to = Access::words(Space::Shared, self.address(to, false)?, count);
        let from = Access::words(Space::Global, self.address(from, true)?, count);
        let [to, from] = [to, from].map(|access| self.program.accesses.alloc(access));
        let mut operation = self.effect(Op::Copy { to, from, fill: inst.has("ZFILL") });
        if let Some(condition) = inst.ops.iter().find_map(super::predicates::condition) {
            operation.p[0] = condition;
        }
        Ok(operation)
    }

    pub(super) fn load_locked(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let data = self.destination(shape.d)?;
        let mut operation = Operation::new(Op::LoadLocked(self.access(inst, data)?));
        operation.q[0] = shape.q.first().copied().unwrap_or(DROPPED);
        operation.d = data;
        Ok(operation)
    }

    /// Such as `QSPC.E.S P0, RZ, [R2]`.
    pub(super) fn in_window(&mut self, inst: &Inst<'_>) -> Decoded {
        let q = inst.ops.first().and_then(destination_predicate).ok_or("its predicate is missing")?;
        let address = self.address(address_operand(inst)?, true)?;
        let [Some(Term { row, .. }), None] = address.terms else {
            return Err("its address is not simulated".into());
        };
        let window = match () {
            () if inst.has("S") => Window::Shared,
            () if inst.has("D") => Window::Cluster,
            () if inst.has("L") => Window::Local,
            () => Window::Global,
        };
        let mut operation = self.effect(Op::InWindow(window));
        operation.q[0] = q;
        operation.s[0] = Source::of(row);
        Ok(operation)
    }

    pub(super) fn atomic(&mut self, inst: &Inst<'_>) -> Decoded {
        let space = space(inst);
        let op = inst
            .find(|word| match word {
                "CAS" | "CAST" => Some(AtomicOp::CompareSwap),
                "INC" => Some(AtomicOp::Increment),
                "DEC" => Some(AtomicOp::Decrement),
                "EXCH" => Some(AtomicOp::Exchange),
                "ADD" => Some(AtomicOp::Add),
                "SUM" => None,
                other => crate::exec::reduction_named(other),
            })
            .ok_or("its operation is missing")?;
        let counts = inst.has("POPC");
        let op = if counts { AtomicOp::Add } else { op };
        let ty = inst.find(atomic_type).unwrap_or(ScalarType::U32);
        let at = inst.ops.iter().position(|operand| matches!(operand.value, Value::Address(_)));
        let at = at.ok_or("its address is missing")?;
        let address = self.address(&inst.ops[at], self.is_wide(inst, space))?;
        let before = if inst.ins.opcode.starts_with("ATOM") { &inst.ops[..at] } else { &[] };
        let (d, result) = self.atomic_result(before, inst.has("CAST"))?;
        let wide = ty.bits() == 64;
        let kind = if wide { Kind::Int64 } else { Kind::Int };
        let values: Vec<&Operand> = inst.ops[at + 1..]
            .iter()
            .filter(|operand| operand.register().is_none_or(|it| !it.is_predicate()))
            .collect();
        let sources = self.sources(inst, &values, [kind; 3])?;
        let mut c = sources[1];
        if op == AtomicOp::CompareSwap && values.len() == 1 {
            // Before Volta, the new value is in the registers after the compared value.
            c = sources[0].word(if wide { 2 } else { 1 });
        }
        let b = (!counts).then_some(sources[0]);
        let atomic = self.program.atomics.alloc(Atomic { space, address, op, ty, b, c, d, result });
        let mut operation = Operation::new(Op::Atomic(atomic));
        operation.d = d;
        Ok(operation)
    }

    /// The destination of an atomic, among the operands before its address.
    fn atomic_result(&self, before: &[Operand], casts: bool) -> Result<(Row, AtomicResult), Unsupported> {
        let (mut d, mut result) = (self.pool.dropped(), AtomicResult::None);
        if let Some(register) = before.iter().find(|operand| is_data_register(operand)) {
            d = self.destination(Some(register))?;
            result = if casts { AtomicResult::Swapped } else { AtomicResult::Old };
        }
        match before.iter().filter_map(destination_predicate).find(|q| *q != DROPPED) {
            Some(q) if casts => result = AtomicResult::SwappedPredicate(q),
            Some(q) => result = AtomicResult::Done(q),
            None => {}
        }
        Ok((d, result))
    }

    /// Such as `LDSM.16.M88.4 R4, [R3]`.
    pub(super) fn matrix_load(&mut self, inst: &Inst<'_>) -> Decoded {
        let data = self.destination(inst.ops.first())?;
        let load = self.matrix_access(inst, data)?;
        Ok(Operation { d: data, ..Operation::new(Op::MatrixLoad(load)) })
    }

    /// Such as `STSM.16.MT88.2 [R9], R4`.
    pub(super) fn matrix_store(&mut self, inst: &Inst<'_>) -> Decoded {
        let data = inst.ops.iter().find(|operand| is_data_register(operand));
        let data = data.and_then(Operand::register).ok_or("its source is missing")?;
        let data = self.pool.row(data);
        let store = self.matrix_access(inst, data)?;
        Ok(self.effect(Op::MatrixStore(store)))
    }

    fn matrix_access(&mut self, inst: &Inst<'_>, data: Row) -> Result<Idx<MatrixAccess>, Unsupported> {
        let address = self.address(address_operand(inst)?, false)?;
        let count = inst.find(|word| word.parse().ok().filter(|count| [2, 4].contains(count))).unwrap_or(1);
        let access = MatrixAccess { address, count, transposed: inst.has("MT88"), data };
        Ok(self.program.matrix_accesses.alloc(access))
    }

    pub(super) fn matrix_transpose(&mut self, inst: &Inst<'_>) -> Decoded {
        self.plain(inst, Op::MatrixTranspose, [Kind::Int; 3])
    }

    /// Such as `HMMA.16816.F32 R4, R8, R12, R4`.
    pub(super) fn matrix_product(&mut self, inst: &Inst<'_>) -> Decoded {
        let (m, n, k) = inst
            .find(|word| match word {
                "16816" => Some((16, 8, 16)),
                "1688" => Some((16, 8, 8)),
                "1684" => Some((16, 8, 4)),
                "8816" => Some((8, 8, 16)),
                "16832" => Some((16, 8, 32)),
                _ => None,
            })
            .ok_or("its shape is missing")?;
        let types: Vec<&str> = inst.mods.iter().copied().skip(1).filter(|word| *word != "SAT").collect();
        let (a, b, sum) = if inst.ins.opcode == "QMMA" {
            let factor =
                |name: &str| Factor::in_byte(&name.to_ascii_lowercase()).ok_or("its types are missing");
            let [sum, a, b] = types[..] else { return Err("its types are missing".into()) };
            (factor(a)?, factor(b)?, if sum == "F16" { Sum::F16 } else { Sum::F32 })
        } else if inst.ins.opcode == "IMMA" {
            let factor = |ty: &str| if ty == "U8" { Factor::U8 } else { Factor::S8 };
            let [a, b] = types[..] else { return Err("its types are missing".into()) };
            (factor(a), factor(b), Sum::S32)
        } else {
            let factor = match () {
                () if inst.has("BF16") => Factor::Bf16,
                () if inst.has("TF32") => Factor::Tf32,
                () => Factor::F16,
            };
            let single = inst.has("F32");
            (factor, factor, if single { Sum::F32 } else { Sum::F16 })
        };
        let product = Product {
            m,
            n,
            k,
            a,
            b,
            c: sum,
            d: sum,
            saturate: inst.has("SAT"),
            rounding: Rounding::Nearest,
            layout: Layout::Documented,
            scale: None,
        };
        let product = self.program.products.alloc(product);
        self.plain(inst, Op::MatrixProduct(product), [Kind::Int; 3])
    }
}

fn atomic_type(word: &str) -> Option<ScalarType> {
    match word {
        "64" => Some(ScalarType::U64),
        "BF16_V2" => Some(ScalarType::Bf16x2),
        _ => ScalarType::from_name(&word.to_ascii_lowercase()),
    }
}
