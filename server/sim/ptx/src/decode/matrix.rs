//! `mma`, `wmma`, `ldmatrix`, `stmatrix` and `movmatrix`.

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::semantics::fragments::{Layout, Matrix};
use warplens_sim_cuda::semantics::matrix::{BlockScale, Factor, Product, Sum};
use warplens_sim_warp::soft_float::Rounding;

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{
    FragmentAccess, MatrixAccess, MatrixProduct, Op, ProductScales, RegisterSlot, Rows, Space, SparseFactor,
};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn matrix(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let _ = (m.take("sync"), m.take("aligned"));
        let operands = instruction.operands();
        match instruction.opcode() {
            "mma" => self.mma(operands, m),
            "wmma" if m.take("mma") => self.wmma(operands, m),
            "wmma" => self.wmma_access(operands, m),
            "movmatrix" => {
                let _ = (m.take("m8n8"), m.take("trans"));
                let ty = m.ty()?;
                if ty != Type::B16 {
                    return Err(Why::form());
                }
                Ok((Op::MatrixTranspose, self.uniform_slots(operands, Type::B32, 1)?))
            }
            opcode => self.matrix_access(opcode == "stmatrix", operands, m),
        }
    }

    fn matrix_access(&mut self, store: bool, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let space = m.space().unwrap_or(Space::Generic);
        let count = m.require(&[("x1", 1), ("x2", 2), ("x4", 4)])?;
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
        let registers = self.source_places(self.list(&registers), Type::B32)?;
        if registers.len() != count * if shape == "m16n16" { 2 } else { 1 } {
            return Err(Why::operands());
        }
        let (address, space) = self.address(address, Some(space).filter(|space| *space != Space::Generic))?;
        let access = MatrixAccess { rows, space, address, registers, transposed, store };
        self.with_entry(Op::MatrixAccess, access)
    }

    fn mma(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let ordered = m.take("sp::ordered_metadata");
        let is_sparse = m.take("sp") || ordered;
        let (rows, columns, k) = m.find(shape).ok_or_else(Why::form)?;
        let (a_columns, b_rows) = (layout(m)? == "col", layout(m)? == "row");
        let saturate = m.take("satfinite");
        let bits = bit_operation(m);
        let in_bytes = m.word(&["kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"]);
        let blocks = m.choose(&[("scale_vec::1X", 1), ("scale_vec::2X", 2), ("scale_vec::4X", 4)]);
        let blocks = blocks.unwrap_or(if in_bytes == Some("kind::mxf4") { 2 } else { 1 });
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let (d, a, b, c) = (m.ty()?, m.ty()?, m.ty()?, m.ty()?);
        let packed = matches!(in_bytes, Some("kind::mxf4" | "kind::mxf4nvf4"));
        let scale = match m.take("block_scale") {
            true => Some(BlockScale { blocks, ue4m3: m.ty()? == Type::Ue4m3 }),
            false => None,
        };
        let quads = (rows, k) == (8, 4) && a != Type::F64;
        let layout = if quads { Layout::Quads { a_columns, b_rows } } else { Layout::Documented };
        let (a, b) = (factor(a, bits, packed)?, factor(b, bits, packed)?);
        let (c, d) = (sum(c)?, sum(d)?);
        let product = Product { m: rows, n: columns, k, a, b, c, d, saturate, rounding, layout, scale };
        if !quads && (a_columns || b_rows) {
            return Err(Why::form());
        }
        self.product(product, is_sparse.then_some(ordered), operands)
    }

    fn wmma(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let (rows, columns, k) = m.find(shape).ok_or_else(Why::form)?;
        // Fragments hold elements by their position in the matrix, whatever their layout in memory was.
        let _ = (layout(m)?, layout(m)?);
        let (saturate, bits) = (m.take("satfinite"), bit_operation(m));
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let (d, second) = (m.ty()?, m.ty()?);
        // For halves, the instruction names only the types of D and C.
        let (a, b, c) = match (m.ty(), m.ty()) {
            (Ok(b), Ok(c)) => (second, b, c),
            _ => (Type::F16, Type::F16, second),
        };
        let (a, b) = (factor(a, bits, false)?, factor(b, bits, false)?);
        let (c, d, layout) = (sum(c)?, sum(d)?, Layout::Own);
        let product = Product { m: rows, n: columns, k, a, b, c, d, saturate, rounding, layout, scale: None };
        self.product(product, None, operands)
    }

    /// In `mma.sp`, `ordered` is given; A stores half of its columns, and the metadata follow C.
    fn product(&mut self, product: Product, ordered: Option<bool>, operands: &[Operand]) -> Decoded {
        let Product { a, b, d, m, n, k, scale, .. } = product;
        if ordered.is_some() && scale.is_some() {
            return Err(Why::new("it is simulated, but not with block scales"));
        }
        let is_pattern =
            || matches!((a.bits(), k), (16, 16 | 32) | (32, 8 | 16) | (8, 32 | 64) | (4, 64 | 128));
        if ordered.is_some() && !(m == 16 && n == 8 && is_pattern()) {
            return Err(Why::form());
        }
        if a.is_integer() != (d == Sum::S32) || a.is_integer() != b.is_integer() || a.bits() != b.bits() {
            return Err(Why::form());
        }
        let (&[d, a, b, c], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let registers = [self.fragment(a)?, self.fragment(b)?, self.fragment(c)?, self.fragment(d)?];
        let mut wanted = product.matrices().map(|matrix| matrix.registers as usize);
        if ordered.is_some() {
            wanted[0] /= 2;
        }
        if registers.iter().map(Vec::len).ne(wanted) {
            return Err(Why::operands());
        }
        let (mut scales, mut sparse) = (None, None);
        match (scale, ordered, rest) {
            (None, None, []) => {}
            (None, Some(ordered), &[metadata, selector]) => {
                let metadata = self.one_register(metadata)?;
                let selector = self.source_place(selector, Type::U32)?.0;
                sparse = Some(SparseFactor { metadata, selector, ordered });
            }
            (Some(_), None, &[a, select_a, b, select_b]) => {
                let words = [self.one_register(a)?, self.one_register(b)?];
                let selectors = [self.selector(select_a)?, self.selector(select_b)?];
                scales = Some(ProductScales { words, selectors });
            }
            _ => return Err(Why::operands()),
        }
        self.with_entry(Op::MatrixProduct, MatrixProduct { product, registers, scales, sparse })
    }

    /// A register of 32 bits, whose braces are optional.
    fn one_register(&mut self, operand: Operand) -> Result<RegisterSlot> {
        match *self.list(&operand) {
            [register] => Ok(self.source_place(register, Type::B32)?.0),
            _ => Err(Why::operands()),
        }
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
        // Each element of A and B of halves may be held twice.
        let given = registers.len() as u32;
        if given == 0 || !given.is_multiple_of(matrix.registers) {
            return Err(Why::operands());
        }
        let matrix = Matrix { registers: given, ..matrix };
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
        self.with_entry(Op::FragmentAccess, access)
    }

    /// The registers of a fragment. C may be a constant zero, and `tcgen05.st` may store constants.
    pub(super) fn fragment(&mut self, operand: Operand) -> Result<Vec<RegisterSlot>> {
        let list = self.list(&operand).iter();
        let place = |&operand: &Operand| match operand {
            Operand::Constant(_) => Ok(self.source_place(operand, Type::B32)?.0),
            _ => Ok(self.place(operand)?.0),
        };
        list.map(place).collect()
    }

    /// `{byte, lane}`
    fn selector(&mut self, operand: Operand) -> Result<[RegisterSlot; 2]> {
        let Operand::Vector(list) = operand else { return Err(Why::operands()) };
        let &[byte, lane] = self.hir.operands(list) else { return Err(Why::operands()) };
        Ok([self.source_place(byte, Type::U16)?.0, self.source_place(lane, Type::U16)?.0])
    }
}

/// The rows of A, columns of B and depth of a shape such as `m16n8k16`.
fn shape(name: &str) -> Option<(u32, u32, u32)> {
    let (rows, rest) = name.strip_prefix('m')?.split_once('n')?;
    let (columns, k) = rest.split_once('k')?;
    let (rows, columns, k) = (rows.parse().ok()?, columns.parse().ok()?, k.parse().ok()?);
    let known = matches!(rows, 8 | 16 | 32) && matches!(columns, 8 | 16 | 32);
    (known && matches!(k, 4 | 8 | 16 | 32 | 64 | 128 | 256)).then_some((rows, columns, k))
}

fn layout(m: &mut Modifiers<'_>) -> Result<&'static str> {
    m.word(&["row", "col"]).ok_or_else(Why::form)
}

/// How single bits are multiplied, if the instruction does that.
fn bit_operation(m: &mut Modifiers<'_>) -> Option<Factor> {
    let factor = m.choose(&[("xor", Factor::BitsXor), ("and", Factor::BitsAnd)])?;
    let _ = m.take("popc");
    Some(factor)
}

/// Bits have no natural product, so the instruction names one. Narrow floats occupy a byte each unless they are packed.
pub(super) fn factor(ty: Type, bits: Option<Factor>, packed: bool) -> Result<Factor> {
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

pub(super) fn sum(ty: Type) -> Result<Sum> {
    Ok(match ty {
        Type::F16 => Sum::F16,
        Type::F32 => Sum::F32,
        Type::F64 => Sum::F64,
        Type::S32 => Sum::S32,
        _ => return Err(Why::form()),
    })
}
