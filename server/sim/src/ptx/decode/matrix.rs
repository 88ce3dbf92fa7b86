//! `mma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use warplens_hir::ptx::{Instruction, Operand, Type};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::ptx::program::{MatrixAccess, MatrixProduct, Op, Place, Space};
use crate::ptx::registers::Slots;
use crate::ptx::semantics::matrix::{Factor, Product, Sum};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn matrix(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let _ = (m.take("sync"), m.take("aligned"));
        match instruction.opcode() {
            "mma" => self.mma(instruction.operands(), m),
            "movmatrix" => {
                let _ = (m.take("m8n8"), m.take("trans"));
                let ty = m.ty()?;
                let &[d, a] = instruction.operands() else { return Err(Why::operands()) };
                if ty != Type::B16 {
                    return Err(Why::form());
                }
                let (d, a) = (self.destination(d, Type::B32)?, self.source(a, Type::B32)?);
                Ok((Op::MatrixTranspose, Slots { d, a, ..Slots::default() }))
            }
            opcode => self.matrix_access(opcode == "stmatrix", instruction.operands(), m),
        }
    }

    fn matrix_access(&mut self, store: bool, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let space = m.space().unwrap_or(Space::Generic);
        let count = match m.word(&["x1", "x2", "x4"]) {
            Some("x1") => 1,
            Some("x2") => 2,
            Some(_) => 4,
            None => return Err(Why::form()),
        };
        let transposed = m.take("trans");
        if !m.take("m8n8") || m.ty()? != Type::B16 {
            return Err(Why::new("only 8 x 8 matrices of 16-bit elements are simulated"));
        }
        let &[first, second] = operands else { return Err(Why::operands()) };
        let (registers, address) = if store { (second, first) } else { (first, second) };
        let registers = self.words(registers)?;
        if registers.len() != count {
            return Err(Why::operands());
        }
        let (address, space) = self.address(address, Some(space).filter(|space| *space != Space::Generic))?;
        self.out.tables.matrix_accesses.push(MatrixAccess { space, address, registers, transposed, store });
        let a = self.out.tables.matrix_accesses.len() as u32 - 1;
        Ok((Op::MatrixAccess, Slots { a, ..Slots::default() }))
    }

    fn words(&mut self, operand: Operand) -> Result<Vec<Place>, Why> {
        let one = [operand];
        let hir = self.hir;
        let list = if let Operand::Vector(list) = operand { hir.operands(list) } else { &one };
        list.iter().map(|&operand| Ok(self.source_place(operand, Type::B32)?.0)).collect()
    }

    fn mma(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let (rows, k) = m.find(shape).ok_or_else(|| Why::new("this shape of matrices is not simulated"))?;
        if !m.take("row") || !m.take("col") {
            return Err(Why::new("only a row-major A and a column-major B are simulated"));
        }
        let saturate = m.take("satfinite");
        let bits = match m.word(&["xor", "and"]) {
            Some("xor") => Some(Factor::BitsXor),
            Some(_) => Some(Factor::BitsAnd),
            None => None,
        };
        let _ = m.take("popc");
        let (d, a, b, c) = (m.ty()?, m.ty()?, m.ty()?, m.ty()?);
        let (d, a, b, c) = (sum(d)?, factor(a, bits)?, factor(b, bits)?, sum(c)?);
        let product = Product { m: rows, k, a, b, c, d, saturate };
        if a.is_integer() != (d == Sum::S32) || a.is_integer() != b.is_integer() || a.bits() != b.bits() {
            return Err(Why::form());
        }
        let &[d, a, b, c] = operands else { return Err(Why::operands()) };
        let registers = [self.fragment(a)?, self.fragment(b)?, self.fragment(c)?, self.fragment(d)?];
        if registers.iter().map(Vec::len).ne(product.registers()) {
            return Err(Why::operands());
        }
        self.out.tables.products.push(MatrixProduct { product, registers });
        let a = self.out.tables.products.len() as u32 - 1;
        Ok((Op::MatrixProduct, Slots { a, ..Slots::default() }))
    }

    fn fragment(&mut self, operand: Operand) -> Result<Vec<Place>, Why> {
        let one = [operand];
        let hir = self.hir;
        let list = if let Operand::Vector(list) = operand { hir.operands(list) } else { &one };
        list.iter()
            .map(|&operand| match operand {
                // A constant zero in place of a register of C.
                Operand::Constant(_) => Ok(self.source_place(operand, Type::B32)?.0),
                _ => Ok(self.place(operand)?.0),
            })
            .collect()
    }
}

/// The rows and the depth of a shape with eight columns. `m8n8k4` is only for doubles: with halves it is another layout.
fn shape(name: &str) -> Option<(u32, u32)> {
    let (rows, rest) = name.strip_prefix('m')?.split_once("n8k")?;
    let (rows, k) = (rows.parse().ok()?, rest.parse().ok()?);
    (matches!(rows, 8 | 16) && matches!(k, 4 | 8 | 16 | 32 | 64 | 128 | 256)).then_some((rows, k))
}

/// Bits have no product of their own: the instruction names one.
fn factor(ty: Type, bits: Option<Factor>) -> Result<Factor, Why> {
    Ok(match ty {
        Type::B1 => bits.ok_or_else(Why::form)?,
        Type::F16 => Factor::F16,
        Type::Bf16 => Factor::Bf16,
        Type::Tf32 => Factor::Tf32,
        Type::E4m3 => Factor::E4m3,
        Type::E5m2 => Factor::E5m2,
        Type::F64 => Factor::F64,
        Type::S8 => Factor::S8,
        Type::U8 => Factor::U8,
        Type::S4 => Factor::S4,
        Type::U4 => Factor::U4,
        _ => return Err(Why(smol_str::format_smolstr!("products of `.{}` are not simulated", ty.name()))),
    })
}

fn sum(ty: Type) -> Result<Sum, Why> {
    Ok(match ty {
        Type::F16 => Sum::F16,
        Type::F32 => Sum::F32,
        Type::F64 => Sum::F64,
        Type::S32 => Sum::S32,
        _ => return Err(Why(smol_str::format_smolstr!("sums of `.{}` are not simulated", ty.name()))),
    })
}
