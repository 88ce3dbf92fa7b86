//! Instruction descriptors: 32 bits that say what a `tcgen05.mma` multiplies.

use crate::cuda::semantics::matrix::{Factor, Sum};
use crate::cuda::semantics::narrow::{E2M1, E2M3, E3M2, E4M3, E5M2};
use crate::ptx::program::ProductKind;

/// Elements of A or B: how they are stored in shared memory and in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorElement {
    /// The name of the type.
    pub name: &'static str,
    /// How an element is read from shared memory; its bits are contiguous within a chunk of 16 bytes.
    pub shared: Factor,
    /// Bits that an element takes on average in shared memory, with padding.
    pub pitch: u32,
    /// How an element is read from a cell of tensor memory.
    pub cell: Factor,
}

/// What the elements of a kind with this code are.
fn element(kind: ProductKind, code: u32) -> Option<TensorElement> {
    let same =
        |name, factor: Factor| TensorElement { name, shared: factor, pitch: factor.bits(), cell: factor };
    let padded = |name, shared: Factor| {
        // Elements of less than 8 bits: 16 of them lie in 16 bytes with padding at the end.
        Factor::in_byte(name).map(|cell| TensorElement { name, shared, pitch: 8, cell })
    };
    match (kind, code) {
        (ProductKind::F16, 0) => Some(same("f16", Factor::F16)),
        (ProductKind::F16, 1) => Some(same("bf16", Factor::Bf16)),
        (ProductKind::Tf32, 2) => Some(same("tf32", Factor::Tf32)),
        (ProductKind::I8, 0) => Some(same("u8", Factor::U8)),
        (ProductKind::I8, 1) => Some(same("s8", Factor::S8)),
        (ProductKind::F8f6f4 | ProductKind::Mxf8f6f4, 0) => Some(same("e4m3", Factor::Narrow(E4M3, 8, 0))),
        (ProductKind::F8f6f4 | ProductKind::Mxf8f6f4, 1) => Some(same("e5m2", Factor::Narrow(E5M2, 8, 0))),
        (ProductKind::F8f6f4 | ProductKind::Mxf8f6f4, 3) => padded("e2m3", Factor::Narrow(E2M3, 6, 0)),
        (ProductKind::F8f6f4 | ProductKind::Mxf8f6f4, 4) => padded("e3m2", Factor::Narrow(E3M2, 6, 0)),
        (ProductKind::F8f6f4 | ProductKind::Mxf8f6f4, 5) => padded("e2m1", Factor::Narrow(E2M1, 4, 0)),
        (ProductKind::Mxf4 | ProductKind::Mxf4nvf4, 1) => Some(same("e2m1", Factor::PACKED_E2M1)),
        _ => None,
    }
}

impl ProductKind {
    /// The name after `.kind::`.
    pub fn name(self) -> &'static str {
        match self {
            ProductKind::F16 => "f16",
            ProductKind::Tf32 => "tf32",
            ProductKind::F8f6f4 => "f8f6f4",
            ProductKind::I8 => "i8",
            ProductKind::Mxf8f6f4 => "mxf8f6f4",
            ProductKind::Mxf4 => "mxf4",
            ProductKind::Mxf4nvf4 => "mxf4nvf4",
        }
    }

    /// Whether blocks of A and B have scale factors.
    pub fn is_scaled(self) -> bool {
        matches!(self, ProductKind::Mxf8f6f4 | ProductKind::Mxf4 | ProductKind::Mxf4nvf4)
    }

    /// Columns of a dense A.
    pub fn depth(self) -> u32 {
        match self {
            ProductKind::F16 => 16,
            ProductKind::Tf32 => 8,
            ProductKind::F8f6f4 | ProductKind::I8 | ProductKind::Mxf8f6f4 => 32,
            ProductKind::Mxf4 | ProductKind::Mxf4nvf4 => 64,
        }
    }
}

/// What the words of an instruction say about its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductForm {
    /// `.kind`
    pub kind: ProductKind,
    /// `.sp`
    pub sparse: bool,
    /// `.cta_group::2`
    pub pair: bool,
    /// `.ws`
    pub ws: bool,
    /// Scale factors of a row: 1, 2 or 4.
    pub blocks: u32,
}

/// A descriptor, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionDescriptor {
    /// Rows of A, of both blocks of a pair.
    pub m: u32,
    /// Columns of B, of both blocks of a pair.
    pub n: u32,
    /// Columns of A, with those that a sparse A does not store.
    pub k: u32,
    /// Elements of A and B.
    pub elements: [TensorElement; 2],
    /// Elements of D.
    pub sum: Sum,
    /// Whether integers are clamped.
    pub saturate: bool,
    /// Whether elements of A and B are negated.
    pub negated: [bool; 2],
    /// Whether A and B are MN-major.
    pub transposed: [bool; 2],
    /// The selector of sparse metadata.
    pub selector: u32,
    /// The first bytes of the scale factors of A and B.
    pub scale_ids: [u32; 2],
    /// Whether scale factors are `ue4m3`; otherwise `ue8m0`.
    pub ue4m3: bool,
}

impl InstructionDescriptor {
    /// Takes bits apart, or says what is invalid.
    pub fn decode(bits: u32, form: ProductForm) -> Result<InstructionDescriptor, String> {
        let ProductForm { kind, sparse, .. } = form;
        let field = |at: u32, width: u32| bits >> at & ((1 << width) - 1);
        let scaled = kind.is_scaled();
        let packed = matches!(kind, ProductKind::Mxf4 | ProductKind::Mxf4nvf4);
        reserved(bits, form)?;
        if (field(2, 1) == 1) != sparse {
            let (bit, form) = if sparse { ("not set", ".sp") } else { ("set", "no .sp") };
            return Err(format!("bit 2 (sparse) is {bit}, but the instruction has {form}"));
        }
        let codes = [field(7, 3), if packed { field(10, 2) } else { field(10, 3) }];
        let element = |which: usize| {
            element(kind, codes[which]).ok_or_else(|| {
                let (name, bits) = [("A", "7-9"), ("B", "10-12")][which];
                format!(
                    "bits {bits} ({name} type) are {}, which is not a type of .kind::{}",
                    codes[which],
                    kind.name()
                )
            })
        };
        let elements = [element(0)?, element(1)?];
        let sum = match (scaled, field(4, 2)) {
            (true, _) => Sum::F32,
            (false, 0) if kind == ProductKind::F8f6f4 || kind == ProductKind::F16 && codes == [0, 0] => {
                Sum::F16
            }
            (false, 1) if kind != ProductKind::I8 => Sum::F32,
            (false, 2) if kind == ProductKind::I8 => Sum::S32,
            (false, code) => {
                return Err(format!(
                    "bits 4-5 (D type) are {code}, which .kind::{} does not have for these types of A and B",
                    kind.name()
                ));
            }
        };
        let transposed = [field(15, 1) == 1, field(16, 1) == 1];
        for (element, transposed) in elements.iter().zip(transposed) {
            if transposed && element.shared.bits() < 8 {
                return Err(format!("{} matrices are K-major: bits 15 and 16 must be zero", element.name));
            }
        }
        let (m, n) = (field(24, 5) << 4, field(17, 6) << 3);
        check_shape(m, n, form)?;
        let scale_ids = if scaled { [field(29, 2), field(4, 2)] } else { [0, 0] };
        for id in scale_ids {
            let valid = match form.blocks {
                1 => true,
                2 => matches!(id, 0 | 2),
                _ => id == 0,
            };
            if scaled && !valid {
                return Err(format!(
                    "a scale factor id is {id}, which .scale_vec::{}X does not have",
                    form.blocks
                ));
            }
        }
        Ok(InstructionDescriptor {
            m,
            n,
            k: kind.depth() * if sparse { 2 } else { 1 },
            elements,
            sum,
            saturate: kind == ProductKind::I8 && field(3, 1) == 1,
            negated: [field(13, 1) == 1, field(14, 1) == 1],
            transposed,
            selector: if sparse && !scaled { field(0, 2) } else { 0 },
            scale_ids,
            ue4m3: scaled && field(23, 1) == 0,
        })
    }
}

impl InstructionDescriptor {
    /// The bits of elements that decide how a sparse A is compressed.
    pub fn pattern_bits(&self) -> u32 {
        self.elements[0].pitch
    }
}

/// Checks the bits that must have one value.
fn reserved(bits: u32, form: ProductForm) -> Result<(), String> {
    let ProductForm { kind, sparse, ws, .. } = form;
    let packed = matches!(kind, ProductKind::Mxf4 | ProductKind::Mxf4nvf4);
    if packed && bits >> 31 == 1 {
        return Err("bit 31 selects K = 96, which is not simulated".to_owned());
    }
    let selects = sparse && matches!(kind, ProductKind::F16 | ProductKind::Tf32);
    let integer = kind == ProductKind::I8;
    let zeros: &[(bool, u32, u32, &str)] = &[
        (!selects, 0, 2, "sparsity selector"),
        (!integer, 3, 1, "saturate"),
        (true, 6, 1, "reserved"),
        (integer, 13, 2, "negate"),
        (packed, 12, 1, "reserved"),
        (packed, 15, 2, "transpose"),
        (!kind.is_scaled(), 23, 1, "reserved"),
        (kind.is_scaled(), 24, 3, "reserved"),
        (!kind.is_scaled(), 29, 1, "reserved"),
        (!ws && !kind.is_scaled(), 30, 2, "maximum shift"),
        (kind.is_scaled(), 31, 1, "reserved"),
    ];
    for &(applies, at, width, what) in zeros {
        let value = bits >> at & ((1 << width) - 1);
        if applies && value != 0 {
            let last = at + width - 1;
            let range = if width == 1 { format!("bit {at}") } else { format!("bits {at}-{last}") };
            return Err(format!("{range} ({what}) must be zero for .kind::{}, not {value}", kind.name()));
        }
    }
    if matches!(kind, ProductKind::Mxf8f6f4 | ProductKind::Mxf4) && bits >> 23 & 1 == 0 {
        return Err(format!("bit 23 (scale type) must be 1 (ue8m0) for .kind::{}", kind.name()));
    }
    Ok(())
}

/// Checks the numbers of rows and columns.
fn check_shape(m: u32, n: u32, form: ProductForm) -> Result<(), String> {
    let ProductForm { kind, sparse, pair, ws, .. } = form;
    let rows: &[u32] = match (ws, kind.is_scaled(), pair) {
        (true, _, _) => &[32, 64, 128],
        (_, true, false) => &[128],
        (_, true, true) if sparse => &[256],
        (_, _, true) => &[128, 256],
        (_, _, false) => &[64, 128],
    };
    if !rows.contains(&m) {
        return Err(format!("M is {m}, but must be one of {rows:?}"));
    }
    let integer = kind == ProductKind::I8;
    let (valid, rule) = match (ws, pair, integer) {
        (true, ..) if sparse => (matches!(n, 64 | 128), "64 or 128"),
        (true, ..) => (matches!(n, 64 | 128 | 256), "64, 128 or 256"),
        (_, true, true) => (n.is_multiple_of(32), "a multiple of 32 from 32 to 256"),
        (_, true, false) => (n.is_multiple_of(16), "a multiple of 16 from 16 to 256"),
        (_, false, true) => {
            (matches!(n, 8 | 24) || n.is_multiple_of(16), "8, 16, 24, 32, or a multiple of 16 up to 256")
        }
        (_, false, false) => (n.is_multiple_of(8), "a multiple of 8 from 8 to 256"),
    };
    match valid && (8..=256).contains(&n) {
        true => Ok(()),
        false => Err(format!("N is {n}, but must be {rule}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(kind: ProductKind) -> ProductForm {
        ProductForm { kind, sparse: false, pair: false, ws: false, blocks: 1 }
    }

    #[test]
    fn worked_examples() {
        let decoded = |bits, form| {
            let it = InstructionDescriptor::decode(bits, form).expect("valid");
            (it.m, it.n, it.elements.map(|element| element.name), it.sum)
        };
        assert_eq!(decoded(0x0810_0010, form(ProductKind::F16)), (128, 64, ["f16", "f16"], Sum::F32));
        assert_eq!(decoded(0x0840_0490, form(ProductKind::F16)), (128, 256, ["bf16", "bf16"], Sum::F32));
        assert_eq!(decoded(0x080C_00A0, form(ProductKind::I8)), (128, 48, ["s8", "u8"], Sum::S32));
        let scaled = InstructionDescriptor::decode(0x28A0_0410, form(ProductKind::Mxf8f6f4)).expect("valid");
        assert_eq!((scaled.m, scaled.n, scaled.scale_ids, scaled.ue4m3), (128, 128, [1, 1], false));
        let pair = ProductForm { pair: true, blocks: 4, ..form(ProductKind::Mxf4nvf4) };
        let packed = InstructionDescriptor::decode(0x1040_0480, pair).expect("valid");
        assert_eq!((packed.m, packed.n, packed.ue4m3), (256, 256, true));
    }

    #[test]
    fn impossible_fields() {
        for bits in [0x0842_0010, 0x0810_0050, 0x0810_0014, 0x0C10_0010, 0x0800_0010, 0x0810_0110] {
            assert!(InstructionDescriptor::decode(bits, form(ProductKind::F16)).is_err(), "{bits:#x}");
        }
    }

    #[test]
    fn any_bits_are_valid_or_rejected() {
        let kinds = [ProductKind::F16, ProductKind::I8, ProductKind::F8f6f4, ProductKind::Mxf4nvf4];
        let mut bits = 1u32;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for kind in kinds {
                for (sparse, pair) in [(false, false), (true, false), (false, true), (true, true)] {
                    let form = ProductForm { sparse, pair, ..form(kind) };
                    if let Ok(descriptor) = InstructionDescriptor::decode(bits, form) {
                        assert!(descriptor.m <= 256 && (8..=256).contains(&descriptor.n));
                    }
                }
            }
        }
    }
}
