//! Tensor memory (`tcgen05`).

use std::sync::Arc;

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::tensor_memory::instruction_descriptor::{ProductForm, ProductKind};

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::operands::next;
use super::{Result, Why};
use crate::program::{
    Address, CellAccess, CellCopy, CellNumber, CellReduction, CellShape, CopyShape, Op, Space, TensorFactor,
    TensorMemoryOp, TensorOp, TensorProduct,
};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn tensor_memory(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        let _ = (m.take("sync"), m.take("aligned"));
        let pair = m.take("cta_group::2");
        let _ = m.take("cta_group::1");
        let word = m.word(&[
            "alloc",
            "dealloc",
            "relinquish_alloc_permit",
            "ld",
            "st",
            "wait::ld",
            "wait::st",
            "cp",
            "mma",
            "commit",
            "fence::before_thread_sync",
            "fence::after_thread_sync",
            "shift",
        ]);
        let op = match word.ok_or_else(Why::form)? {
            "alloc" => {
                self.no_exclusive(m)?;
                let &[to, columns] = operands else { return Err(Why::operands()) };
                let space = m.space();
                let _ = m.take("b32");
                let to = self.address(to, space)?;
                TensorMemoryOp::Allocate { to, columns: self.source_place(columns, Type::U32)?.0, pair }
            }
            "dealloc" => {
                self.no_exclusive(m)?;
                let _ = m.take("b32");
                let &[address, columns] = operands else { return Err(Why::operands()) };
                let address = self.source_place(address, Type::U32)?.0;
                TensorMemoryOp::Free { address, columns: self.source_place(columns, Type::U32)?.0, pair }
            }
            "relinquish_alloc_permit" => TensorMemoryOp::Relinquish { pair },
            "ld" => TensorMemoryOp::Load(self.cell_access(false, operands, m)?),
            "st" => TensorMemoryOp::Store(self.cell_access(true, operands, m)?),
            "wait::ld" => TensorMemoryOp::WaitForLoads,
            "wait::st" => TensorMemoryOp::WaitForStores,
            "cp" => TensorMemoryOp::Copy(self.cell_copy(pair, operands, m)?),
            "mma" => TensorMemoryOp::Product(Arc::new(self.tensor_product(pair, operands, m)?)),
            "commit" => self.commit(pair, operands, m)?,
            "fence::before_thread_sync" => TensorMemoryOp::FenceBefore,
            "fence::after_thread_sync" => TensorMemoryOp::FenceAfter,
            _ => return Err(Why::new("the direction of `tcgen05.shift` is not documented")),
        };
        m.finish()?;
        self.with_entry(Op::Tensor, TensorOp::Memory(op))
    }

    fn no_exclusive(&self, m: &Modifiers<'_>) -> Result {
        match m.has("exclusive") {
            true => Err(Why::new("`.exclusive` of PTX 9.4 is not simulated")),
            false => Ok(()),
        }
    }

    fn cell_address(&mut self, operand: Operand) -> Result<Address> {
        Ok(self.address(operand, Some(Space::Shared))?.0)
    }

    /// `tcgen05.ld`, `tcgen05.st`
    fn cell_access(
        &mut self,
        stores: bool,
        operands: &[Operand],
        m: &mut Modifiers<'_>,
    ) -> Result<CellAccess> {
        if m.has("spcompress") {
            return Err(Why::new("`.spcompress` of PTX 9.4 is not simulated for `tcgen05.ld`"));
        }
        let reduces = m.take("red");
        let shape = m.require(&[
            ("32x32b", CellShape::Lanes32Bits32),
            ("16x64b", CellShape::Lanes16Bits64),
            ("16x128b", CellShape::Lanes16Bits128),
            ("16x256b", CellShape::Lanes16Bits256),
            ("16x32bx2", CellShape::Lanes16Bits32Twice),
        ])?;
        let count: u32 = m.find(|name| name.strip_prefix('x')?.parse().ok()).ok_or_else(Why::form)?;
        let packed = m.take(if stores { "unpack::16b" } else { "pack::16b" });
        let reduction =
            if reduces { reduction(m)? } else { m.take("b32").then_some(None).ok_or_else(Why::form)? };
        let (registers, reduced, address, rest) = match (stores, operands) {
            (true, [address, rest @ .., registers]) => (registers, None, address, rest),
            (false, [registers, reduced, address, rest @ ..]) if reduces => {
                (registers, Some(*reduced), address, rest)
            }
            (false, [registers, address, rest @ ..]) if !reduces => (registers, None, address, rest),
            _ => return Err(Why::operands()),
        };
        let half = match (shape, rest) {
            (CellShape::Lanes16Bits32Twice, &[half]) => self.number(half)? as i32,
            (CellShape::Lanes16Bits32Twice, _) => return Err(Why::operands()),
            (_, []) => 0,
            _ => return Err(Why::operands()),
        };
        let registers = match stores {
            true => self.fragment(*registers)?,
            false => self.register_list(*registers)?,
        };
        if registers.len() as u32 != count * shape.registers() {
            return Err(Why::operands());
        }
        let reduction = match (reduction, reduced) {
            (Some(reduction), Some(register)) => Some((reduction, self.place(register)?.0)),
            _ => None,
        };
        let address = self.cell_address(*address)?;
        Ok(CellAccess { shape, address, half, packed, registers, reduction })
    }

    /// `tcgen05.cp`
    fn cell_copy(&mut self, pair: bool, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<CellCopy> {
        let shape = match m.word(&["128x256b", "4x256b", "128x128b", "64x128b", "32x128b"]) {
            Some("128x256b") => CopyShape::Rows128Bits256,
            Some("4x256b") => CopyShape::Rows4Bits256,
            Some("128x128b") => CopyShape::Rows128Bits128,
            Some("64x128b") if m.take("warpx2::02_13") => CopyShape::Rows64To02And13,
            Some("64x128b") if m.take("warpx2::01_23") => CopyShape::Rows64To01And23,
            Some("32x128b") if m.take("warpx4") => CopyShape::Rows32,
            _ => return Err(Why::form()),
        };
        let from = m.choose(&[("b6x16_p32", 6), ("b4x16_p64", 4)]);
        let widened = match (m.take("b8x16"), from) {
            (true, Some(bits)) => Some(bits),
            (false, None) => None,
            _ => return Err(Why::form()),
        };
        let &[address, descriptor] = operands else { return Err(Why::operands()) };
        let address = self.cell_address(address)?;
        let descriptor = self.source_place(descriptor, Type::U64)?.0;
        Ok(CellCopy { address, descriptor, shape, widened, pair })
    }

    /// `tcgen05.mma`
    fn tensor_product(
        &mut self,
        pair: bool,
        operands: &[Operand],
        m: &mut Modifiers<'_>,
    ) -> Result<TensorProduct> {
        let (sparse, ws) = (m.take("sp"), m.take("ws"));
        let (kind, blocks) = product_kind(m)?;
        // Collectors only reuse operands; they do not change results.
        m.retain(|name| !name.starts_with("collector::"));
        let (&[d, a, b], mut rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let metadata = if sparse { Some(self.cell_address(next(&mut rest)?)?) } else { None };
        let descriptor = self.source_place(next(&mut rest)?, Type::U32)?.0;
        let scales = match kind.is_scaled() {
            true => Some([self.cell_address(next(&mut rest)?)?, self.cell_address(next(&mut rest)?)?]),
            false => None,
        };
        let mut accumulates = next(&mut rest)?;
        let mut disabled = Vec::new();
        if let Operand::Vector(_) = accumulates {
            disabled = self.source_places(self.list(&accumulates), Type::B32)?;
            accumulates = next(&mut rest)?;
        }
        let accumulates = self.condition(accumulates)?;
        let (shift, zeros) = match *rest {
            [] => (None, None),
            [zeros] if ws => (None, Some(self.source_place(zeros, Type::U64)?.0)),
            [shift] => (Some(self.source_place(shift, Type::U32)?.0), None),
            _ => return Err(Why::operands()),
        };
        let d = self.cell_address(d)?;
        let a = match self.hir.address(a).is_some() {
            true => TensorFactor::Cells(self.cell_address(a)?),
            false => TensorFactor::Shared(self.source_place(a, Type::U64)?.0),
        };
        let b = self.source_place(b, Type::U64)?.0;
        Ok(TensorProduct {
            form: ProductForm { kind, sparse, pair, ws, blocks },
            d,
            a,
            b,
            descriptor,
            metadata,
            scales,
            disabled,
            accumulates,
            shift,
            zeros,
        })
    }

    /// `tcgen05.commit`
    fn commit(&mut self, pair: bool, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<TensorMemoryOp> {
        if m.has("sync_restrict::shared::read::mma::a") {
            return Err(Why::new("`.sync_restrict` of PTX 9.4 is not simulated"));
        }
        let _ = (m.take("mbarrier::arrive::one"), m.take("b64"));
        let space = m.space();
        m.retain(|name| !name.starts_with("multicast::cluster"));
        let (mbarrier, blocks) = match *operands {
            [mbarrier] => (mbarrier, None),
            [mbarrier, blocks] => (mbarrier, Some(self.source_place(blocks, Type::U16)?.0)),
            _ => return Err(Why::operands()),
        };
        Ok(TensorMemoryOp::Commit { mbarrier: self.address(mbarrier, space)?, blocks, pair })
    }
}

/// The kind of a product, and its number of scales in a row.
fn product_kind(m: &mut Modifiers<'_>) -> Result<(ProductKind, u32)> {
    let refused = m.find(|name| match name {
        "ashift" => Some("`.ashift` is not simulated: its direction is not documented"),
        "kind::ti16" => Some("`.kind::ti16` of PTX 9.4 is not simulated"),
        _ if name.starts_with("decompress") => Some("`.decompress` of PTX 9.4 is not simulated"),
        _ => None,
    });
    if let Some(why) = refused {
        return Err(Why::new(why));
    }
    let kind = m.require(&[
        ("kind::f16", ProductKind::F16),
        ("kind::tf32", ProductKind::Tf32),
        ("kind::f8f6f4", ProductKind::F8f6f4),
        ("kind::i8", ProductKind::I8),
        ("kind::mxf8f6f4", ProductKind::Mxf8f6f4),
        ("kind::mxf4", ProductKind::Mxf4),
        ("kind::mxf4nvf4", ProductKind::Mxf4nvf4),
    ])?;
    if m.take("block_scale") != kind.is_scaled() {
        return Err(Why::form());
    }
    let blocks = m.choose(&[
        ("scale_vec::1X", 1),
        ("scale_vec::2X", 2),
        ("scale_vec::4X", 4),
        ("block16", 4),
        ("block32", if kind == ProductKind::Mxf8f6f4 { 1 } else { 2 }),
    ]);
    let blocks = match (blocks, kind) {
        (Some(blocks), _) => blocks,
        (None, ProductKind::Mxf4) => 2,
        (None, ProductKind::Mxf4nvf4) => return Err(Why::form()),
        (None, _) => 1,
    };
    Ok((kind, blocks))
}

/// The reduction of `tcgen05.ld.red`.
fn reduction(m: &mut Modifiers<'_>) -> Result<Option<CellReduction>> {
    let greatest = m.word(&["min", "max"]).ok_or_else(Why::form)? == "max";
    let (magnitude, nan) = (m.take("abs"), m.take("NaN"));
    let of = match m.ty()? {
        Type::F32 => CellNumber::F32 { magnitude, nan },
        Type::U32 => CellNumber::U32,
        Type::S32 => CellNumber::S32,
        _ => return Err(Why::form()),
    };
    Ok(Some(CellReduction { greatest, of }))
}
