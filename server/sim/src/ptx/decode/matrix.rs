//! `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use warplens_hir::ptx::{Instruction, Operand, Type};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::ptx::program::Slots;
use crate::ptx::program::{
    FragmentAccess, MatrixAccess, MatrixProduct, Op, ProductScales, RegisterSlot, Rows, Space,
};
use crate::ptx::semantics::fragments::{Layout, Matrix};
use crate::ptx::semantics::matrix::{BlockScale, Factor, Product, Sum};
use crate::soft_float::Rounding;

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn matrix(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let _ = (m.take("sync"), m.take("aligned"));
        let operands = instruction.operands();
        match instruction.opcode() {
            "mma" if instruction.has("sp") || instruction.has("sp::ordered_metadata") => {
                Err(Why::new("how lanes hold the metadata of a sparse matrix is documented in pictures only"))
            }
            "mma" => self.mma(operands, m),
            "wmma" if m.take("mma") => self.wmma(operands, m),
            "wmma" => self.wmma_access(operands, m),
            "movmatrix" => {
                let _ = (m.take("m8n8"), m.take("trans"));
                let ty = m.ty()?;
                let &[d, a] = operands else { return Err(Why::operands()) };
                if ty != Type::B16 {
                    return Err(Why::form());
                }
                let (d, a) = (self.destination(d, Type::B32)?, self.source(a, Type::B32)?);
                Ok((Op::MatrixTranspose, Slots { d, a, ..Slots::default() }))
            }
            opcode => self.matrix_access(opcode == "stmatrix", operands, m),
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
        let shape = m.word(&["m8n8", "m8n16", "m16n8", "m16n16"]).ok_or_else(Why::form)?;
        let rows = match (m.word(&["b8x16"]), m.word(&["b6x16_p32", "b4x16_p64"])) {
            (Some(_), Some("b6x16_p32")) => Rows::Sixes,
            (Some(_), _) => Rows::Fours,
            _ => match (m.ty()?, shape) {
                (Type::B16, "m8n8") => Rows::Halves,
                (Type::B8, _) => Rows::Bytes,
                _ => return Err(Why::new("where the rows of `.s8.s4` lie in memory is not documented")),
            },
        };
        let &[first, second] = operands else { return Err(Why::operands()) };
        let (registers, address) = if store { (second, first) } else { (first, second) };
        let registers = self.words(registers)?;
        if registers.len() != count * if shape == "m16n16" { 2 } else { 1 } {
            return Err(Why::operands());
        }
        let (address, space) = self.address(address, Some(space).filter(|space| *space != Space::Generic))?;
        let access = MatrixAccess { rows, space, address, registers, transposed, store };
        self.out.tables.matrix_accesses.push(access);
        let a = self.out.tables.matrix_accesses.len() as u32 - 1;
        Ok((Op::MatrixAccess, Slots { a, ..Slots::default() }))
    }

    fn words(&mut self, operand: Operand) -> Result<Vec<RegisterSlot>, Why> {
        let one = [operand];
        let hir = self.hir;
        let list = if let Operand::Vector(list) = operand { hir.operands(list) } else { &one };
        list.iter().map(|&operand| Ok(self.source_place(operand, Type::B32)?.0)).collect()
    }

    fn mma(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let (rows, columns, k) = m.find(shape).ok_or_else(Why::form)?;
        let (a_columns, b_rows) = (layout(m)? == "col", layout(m)? == "row");
        let saturate = m.take("satfinite");
        let bits = bit_operation(m);
        let in_bytes = m.word(&["kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"]);
        let blocks = match m.word(&["scale_vec::1X", "scale_vec::2X", "scale_vec::4X"]) {
            Some("scale_vec::4X") => 4,
            Some("scale_vec::2X") => 2,
            None if in_bytes == Some("kind::mxf4") => 2,
            _ => 1,
        };
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let (d, a, b, c) = (m.ty()?, m.ty()?, m.ty()?, m.ty()?);
        let packed = matches!(in_bytes, Some("kind::mxf4" | "kind::mxf4nvf4"));
        let scale = match m.take("block_scale") {
            true => Some(BlockScale { blocks, ue4m3: m.ty()? == Type::Ue4m3 }),
            false => None,
        };
        let quads = (rows, k) == (8, 4) && a != Type::F64;
        let product = Product {
            m: rows,
            n: columns,
            k,
            a: factor(a, bits, packed)?,
            b: factor(b, bits, packed)?,
            c: sum(c)?,
            d: sum(d)?,
            saturate,
            rounding,
            layout: if quads { Layout::Quads { a_columns, b_rows } } else { Layout::Documented },
            scale,
        };
        if !quads && (a_columns || b_rows) {
            return Err(Why::form());
        }
        self.product(product, operands)
    }

    fn wmma(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let (rows, columns, k) = m.find(shape).ok_or_else(Why::form)?;
        // Fragments hold elements by their place in the matrix, however that lay in memory.
        let _ = (layout(m)?, layout(m)?);
        let (saturate, bits) = (m.take("satfinite"), bit_operation(m));
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let (d, second) = (m.ty()?, m.ty()?);
        // For halves, the instruction names only the types of D and C.
        let (a, b, c) = match (m.ty(), m.ty()) {
            (Ok(b), Ok(c)) => (second, b, c),
            _ => (Type::F16, Type::F16, second),
        };
        let product = Product {
            m: rows,
            n: columns,
            k,
            a: factor(a, bits, false)?,
            b: factor(b, bits, false)?,
            c: sum(c)?,
            d: sum(d)?,
            saturate,
            rounding,
            layout: Layout::Own,
            scale: None,
        };
        self.product(product, operands)
    }

    fn product(&mut self, product: Product, operands: &[Operand]) -> Decoded {
        let Product { a, b, d, .. } = product;
        if a.is_integer() != (d == Sum::S32) || a.is_integer() != b.is_integer() || a.bits() != b.bits() {
            return Err(Why::form());
        }
        let (&[d, a, b, c], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let registers = [self.fragment(a)?, self.fragment(b)?, self.fragment(c)?, self.fragment(d)?];
        let wanted = product.matrices().map(|matrix| matrix.registers as usize);
        if registers.iter().map(Vec::len).ne(wanted) {
            return Err(Why::operands());
        }
        let scales = match (product.scale, rest) {
            (None, []) => None,
            (Some(_), &[a, select_a, b, select_b]) => Some(ProductScales {
                words: [self.source_place(a, Type::B32)?.0, self.source_place(b, Type::B32)?.0],
                selectors: [self.selector(select_a)?, self.selector(select_b)?],
            }),
            _ => return Err(Why::operands()),
        };
        self.out.tables.products.push(MatrixProduct { product, registers, scales });
        let a = self.out.tables.products.len() as u32 - 1;
        Ok((Op::MatrixProduct, Slots { a, ..Slots::default() }))
    }

    fn wmma_access(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let store = m.take("store");
        let _ = m.take("load");
        let which = m.word(&["a", "b", "c", "d"]).ok_or_else(Why::form)?;
        let (rows, columns, k) = m.find(shape).ok_or_else(Why::form)?;
        let by_rows = layout(m)? == "row";
        let space = m.space();
        let ty = m.ty()?;
        let (registers, address, stride) = match *operands {
            [address, registers, ref stride @ ..] if store => (registers, address, stride),
            [registers, address, ref stride @ ..] => (registers, address, stride),
            _ => return Err(Why::operands()),
        };
        let registers = self.fragment(registers)?;
        let matrix = match which {
            "a" => Matrix::new(rows, k, ty.bits(), false, 1),
            "b" => Matrix::new(columns, k, ty.bits(), true, 1),
            _ => Matrix::new(rows, columns, ty.bits(), false, 1),
        };
        // Halves of A and B have copies.
        let matrix = Matrix { registers: registers.len() as u32, ..matrix };
        let along = by_rows != matrix.is_b;
        if matrix.owners() > 32 || matrix.bits < 8 && !along {
            return Err(Why::operands());
        }
        let stride = match *stride {
            [] => None,
            [stride] => Some(self.source(stride, Type::U32)?),
            _ => return Err(Why::operands()),
        };
        let (address, space) = self.address(address, space)?;
        let access = FragmentAccess { matrix, space, address, stride, along, registers, store };
        self.out.tables.fragments.push(access);
        let a = self.out.tables.fragments.len() as u32 - 1;
        Ok((Op::FragmentAccess, Slots { a, ..Slots::default() }))
    }

    fn fragment(&mut self, operand: Operand) -> Result<Vec<RegisterSlot>, Why> {
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

    /// `{byte, lane}`
    fn selector(&mut self, operand: Operand) -> Result<[RegisterSlot; 2], Why> {
        let Operand::Vector(list) = operand else { return Err(Why::operands()) };
        let &[byte, lane] = self.hir.operands(list) else { return Err(Why::operands()) };
        Ok([self.source_place(byte, Type::U16)?.0, self.source_place(lane, Type::U16)?.0])
    }
}

/// Rows of A, columns of B, and the depth, of a shape such as `m16n8k16`.
fn shape(name: &str) -> Option<(u32, u32, u32)> {
    let (rows, rest) = name.strip_prefix('m')?.split_once('n')?;
    let (columns, k) = rest.split_once('k')?;
    let (rows, columns, k) = (rows.parse().ok()?, columns.parse().ok()?, k.parse().ok()?);
    let known = matches!(rows, 8 | 16 | 32) && matches!(columns, 8 | 16 | 32);
    (known && matches!(k, 4 | 8 | 16 | 32 | 64 | 128 | 256)).then_some((rows, columns, k))
}

fn layout(m: &mut Modifiers<'_>) -> Result<&'static str, Why> {
    m.word(&["row", "col"]).ok_or_else(Why::form)
}

/// How bits are multiplied, if they are.
fn bit_operation(m: &mut Modifiers<'_>) -> Option<Factor> {
    let factor = match m.word(&["xor", "and"])? {
        "xor" => Factor::BitsXor,
        _ => Factor::BitsAnd,
    };
    let _ = m.take("popc");
    Some(factor)
}

/// Bits have no product of their own: the instruction names one. Narrow floats are in bytes of their own unless packed.
fn factor(ty: Type, bits: Option<Factor>, packed: bool) -> Result<Factor, Why> {
    Ok(match ty {
        Type::B1 => bits.ok_or_else(Why::form)?,
        Type::F16 => Factor::F16,
        Type::Bf16 => Factor::Bf16,
        Type::Tf32 => Factor::Tf32,
        Type::E2m1 if packed => Factor::PACKED_E2M1,
        Type::F64 => Factor::F64,
        Type::S8 => Factor::S8,
        Type::U8 => Factor::U8,
        Type::S4 => Factor::S4,
        Type::U4 => Factor::U4,
        ty => Factor::in_byte(ty.name()).ok_or_else(Why::form)?,
    })
}

fn sum(ty: Type) -> Result<Sum, Why> {
    Ok(match ty {
        Type::F16 => Sum::F16,
        Type::F32 => Sum::F32,
        Type::F64 => Sum::F64,
        Type::S32 => Sum::S32,
        _ => return Err(Why::form()),
    })
}
