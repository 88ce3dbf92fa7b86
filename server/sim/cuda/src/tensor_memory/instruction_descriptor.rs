//! Instruction descriptors: 32 bits that specify what a `tcgen05.mma` multiplies.

use crate::semantics::matrix::{Factor, Sum};
use crate::semantics::narrow::{E2M1, E2M3, E3M2, E4M3, E5M2};
use crate::tensor::bit_field::BitField;

/// The `.kind` of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductKind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

/// Elements of A or B: how they are stored in shared memory and in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorElement {
    pub name: &'static str,
    /// How an element is read from shared memory. Its bits are contiguous within a chunk of 16 bytes.
    pub shared: Factor,
    /// Bits per element in shared memory, on average and including padding.
    pub pitch: u32,
    /// How an element is read from a cell of tensor memory.
    pub cell: Factor,
}

fn element(kind: ProductKind, code: u32) -> Option<TensorElement> {
    let same =
        |name, factor: Factor| TensorElement { name, shared: factor, pitch: factor.bits(), cell: factor };
    let padded = |name, shared: Factor| {
        // Elements narrower than 8 bits: 16 of them occupy 16 bytes, with padding at the end.
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
    pub const ALL: [ProductKind; 7] = [
        ProductKind::F16,
        ProductKind::Tf32,
        ProductKind::F8f6f4,
        ProductKind::I8,
        ProductKind::Mxf8f6f4,
        ProductKind::Mxf4,
        ProductKind::Mxf4nvf4,
    ];

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

/// What an instruction's modifiers tell about its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProductForm {
    pub kind: ProductKind,
    /// `.sp`
    pub sparse: bool,
    /// `.cta_group::2`
    pub pair: bool,
    /// `.ws`
    pub ws: bool,
    /// Scale factors per row: 1, 2 or 4.
    pub blocks: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionDescriptor {
    /// Rows of A, of both blocks of a pair.
    pub m: u32,
    /// Columns of B, of both blocks of a pair.
    pub n: u32,
    /// Columns of A, including those that a sparse A does not store.
    pub k: u32,
    pub elements: [TensorElement; 2],
    pub sum: Sum,
    pub saturate: bool,
    pub negated: [bool; 2],
    pub transposed: [bool; 2],
    pub selector: u32,
    /// The first bytes of the scale factors of A and B.
    pub scale_ids: [u32; 2],
    /// Whether scale factors are `ue4m3`; otherwise they are `ue8m0`.
    pub ue4m3: bool,
}

/// What a field of a descriptor specifies. Numbers stand for A (0) and B (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Reserved,
    Selector,
    Sparse,
    Saturate,
    Sum,
    Element(usize),
    Negate,
    Major,
    Columns,
    Rows,
    ScaleType,
    ScaleId,
    MaximumShift,
    Depth,
}

struct Field {
    at: BitField,
    meaning: Meaning,
    layouts: u32,
}

/// `PLAIN` is the layout for kinds without scale factors, `SCALED` that for `mxf8f6f4`, `PACKED` that for `mxf4` and `mxf4nvf4`.
const PLAIN: u32 = 1;
const SCALED: u32 = 2;
const PACKED: u32 = 4;
const ALL: u32 = PLAIN | SCALED | PACKED;

const fn field(layouts: u32, first: u32, bits: u32, name: &'static str, meaning: Meaning) -> Field {
    Field { at: BitField { first, bits, name }, meaning, layouts }
}

const fn reserved(layouts: u32, first: u32, bits: u32) -> Field {
    field(layouts, first, bits, "reserved", Meaning::Reserved)
}

/// The fields of all layouts, by position.
const FIELDS: &[Field] = &[
    field(PLAIN, 0, 2, "sparsity selector", Meaning::Selector),
    reserved(SCALED | PACKED, 0, 2),
    field(ALL, 2, 1, "sparse A", Meaning::Sparse),
    field(PLAIN, 3, 1, "saturate", Meaning::Saturate),
    reserved(SCALED | PACKED, 3, 1),
    field(PLAIN, 4, 2, "D type", Meaning::Sum),
    field(SCALED | PACKED, 4, 2, "scale factor id of B", Meaning::ScaleId),
    reserved(ALL, 6, 1),
    field(ALL, 7, 3, "A type", Meaning::Element(0)),
    field(PLAIN | SCALED, 10, 3, "B type", Meaning::Element(1)),
    field(PACKED, 10, 2, "B type", Meaning::Element(1)),
    reserved(PACKED, 12, 1),
    field(ALL, 13, 1, "negate A", Meaning::Negate),
    field(ALL, 14, 1, "negate B", Meaning::Negate),
    field(PLAIN | SCALED, 15, 1, "major of A", Meaning::Major),
    field(PLAIN | SCALED, 16, 1, "major of B", Meaning::Major),
    reserved(PACKED, 15, 2),
    field(ALL, 17, 6, "N / 8", Meaning::Columns),
    reserved(PLAIN, 23, 1),
    field(SCALED | PACKED, 23, 1, "scale type", Meaning::ScaleType),
    field(PLAIN, 24, 5, "M / 16", Meaning::Rows),
    reserved(SCALED | PACKED, 24, 3),
    field(SCALED | PACKED, 27, 2, "M / 128", Meaning::Rows),
    reserved(PLAIN, 29, 1),
    field(SCALED | PACKED, 29, 2, "scale factor id of A", Meaning::ScaleId),
    field(PLAIN, 30, 2, "maximum shift", Meaning::MaximumShift),
    reserved(SCALED, 31, 1),
    field(PACKED, 31, 1, "K dimension", Meaning::Depth),
];

fn fields(kind: ProductKind) -> impl Iterator<Item = &'static Field> {
    let layout = match kind {
        ProductKind::Mxf4 | ProductKind::Mxf4nvf4 => PACKED,
        ProductKind::Mxf8f6f4 => SCALED,
        _ => PLAIN,
    };
    FIELDS.iter().filter(move |field| field.layouts & layout != 0)
}

impl Field {
    fn of(&self, bits: u32) -> u32 {
        self.at.of(bits.into()) as u32
    }
}

/// Some bits of a descriptor, for fields that all kinds have.
fn of(bits: u32, first: u32, width: u32) -> u32 {
    BitField { first, bits: width, name: "" }.of(bits.into()) as u32
}

fn codes(bits: u32, kind: ProductKind) -> [u32; 2] {
    let code = |which| fields(kind).find(|field| field.meaning == Meaning::Element(which));
    [0, 1].map(|which| code(which).map_or(0, |field| field.of(bits)))
}

fn sum(bits: u32, kind: ProductKind) -> Option<Sum> {
    match of(bits, 4, 2) {
        _ if kind.is_scaled() => Some(Sum::F32),
        0 if kind == ProductKind::F8f6f4 || kind == ProductKind::F16 && codes(bits, kind) == [0, 0] => {
            Some(Sum::F16)
        }
        1 if kind != ProductKind::I8 => Some(Sum::F32),
        2 if kind == ProductKind::I8 => Some(Sum::S32),
        _ => None,
    }
}

fn shape(bits: u32) -> (u32, u32) {
    (of(bits, 24, 5) << 4, of(bits, 17, 6) << 3)
}

/// The value of a field as text; an error tells the valid values.
fn read(field: &Field, bits: u32, form: ProductForm) -> Result<String, String> {
    let (value, kind) = (field.of(bits), form.kind);
    let zero_unless = |applies: bool| match applies || value == 0 {
        true => Ok(value.to_string()),
        false => Err(format!("must be zero for .kind::{}", kind.name())),
    };
    match field.meaning {
        Meaning::Reserved => zero_unless(false),
        Meaning::Selector => zero_unless(form.sparse && matches!(kind, ProductKind::F16 | ProductKind::Tf32)),
        Meaning::Saturate => zero_unless(kind == ProductKind::I8),
        Meaning::Negate => zero_unless(kind != ProductKind::I8),
        Meaning::MaximumShift => zero_unless(form.ws),
        Meaning::Sparse if (value == 1) != form.sparse => {
            let wanted = if form.sparse { "1 for .sp" } else { "0 without .sp" };
            Err(format!("must be {wanted}"))
        }
        Meaning::Sparse => Ok(value.to_string()),
        Meaning::Sum => match sum(bits, kind) {
            Some(sum) => Ok(sum.name().to_owned()),
            None => Err(format!("not a type of D of .kind::{} for these types of A and B", kind.name())),
        },
        Meaning::Element(_) => match element(kind, value) {
            Some(element) => Ok(element.name.to_owned()),
            None => Err(format!("not a type of .kind::{}", kind.name())),
        },
        Meaning::Major => {
            let narrow =
                codes(bits, kind).map(|code| element(kind, code).is_some_and(|it| it.shared.bits() < 8));
            match value {
                1 if narrow[(field.at.first - 15) as usize] => {
                    Err("must be 0: the matrix is K-major".to_owned())
                }
                1 => Ok("MN".to_owned()),
                _ => Ok("K".to_owned()),
            }
        }
        Meaning::Rows => check_rows(shape(bits).0, form).map(|()| format!("{value}: M = {}", shape(bits).0)),
        Meaning::Columns => {
            check_columns(shape(bits).1, form).map(|()| format!("{value}: N = {}", shape(bits).1))
        }
        Meaning::ScaleType if value == 0 && kind != ProductKind::Mxf4nvf4 => {
            Err(format!("must be 1 (ue8m0) for .kind::{}", kind.name()))
        }
        Meaning::ScaleType => Ok(if value == 0 { "ue4m3" } else { "ue8m0" }.to_owned()),
        Meaning::ScaleId => {
            let valid = match form.blocks {
                1 => true,
                2 => matches!(value, 0 | 2),
                _ => value == 0,
            };
            match valid {
                true => Ok(value.to_string()),
                false => Err(format!("not an id of .scale_vec::{}X", form.blocks)),
            }
        }
        Meaning::Depth if value == 1 => Err("must be 0: K = 96 is not simulated".to_owned()),
        Meaning::Depth => Ok(format!("0: K = {}", kind.depth())),
    }
}

impl ProductForm {
    /// The form that these words name: `f16`, `mxf4.sp`, `i8.cta_group::2`.
    pub fn from_words(words: &str) -> Option<ProductForm> {
        let mut words = words.split('.').filter(|word| !word.is_empty());
        let name = words.next()?;
        let kind =
            ProductKind::ALL.into_iter().find(|kind| kind.name() == name.trim_start_matches("kind::"))?;
        let blocks = if kind == ProductKind::Mxf4 { 2 } else { 1 };
        let mut form = ProductForm { kind, sparse: false, pair: false, ws: false, blocks };
        for word in words {
            match word {
                "sp" => form.sparse = true,
                "ws" => form.ws = true,
                "cta_group::1" => {}
                "cta_group::2" => form.pair = true,
                "scale_vec::1X" | "block32" => form.blocks = 1,
                "scale_vec::2X" => form.blocks = 2,
                "scale_vec::4X" | "block16" => form.blocks = 4,
                _ => return None,
            }
        }
        Some(form)
    }

    /// The role of a register with a descriptor: `instruction descriptor of tcgen05.mma .kind::f16`.
    pub fn title(&self) -> String {
        format!("instruction descriptor of `tcgen05.mma` `.kind::{}`", self.kind.name())
    }

    /// The fields of a descriptor, with the invalid ones marked.
    pub fn describe(&self, bits: u32) -> String {
        let mut text = format!("`{bits:#010x}`: {}\n\n```text\n", self.title());
        for field in fields(self.kind) {
            text += &match read(field, bits, *self) {
                Ok(_) if field.meaning == Meaning::Reserved => continue,
                Ok(value) => field.at.line(&value, None),
                Err(problem) => field.at.line(&field.of(bits).to_string(), Some(&problem)),
            };
        }
        text + "```"
    }
}

impl InstructionDescriptor {
    /// Decodes a descriptor; an error tells what is invalid.
    pub fn decode(bits: u32, form: ProductForm) -> Result<InstructionDescriptor, String> {
        let ProductForm { kind, sparse, .. } = form;
        for field in fields(kind) {
            read(field, bits, form).map_err(|problem| {
                format!("{} ({}) is {}: {problem}", field.at.place(), field.at.name, field.of(bits))
            })?;
        }
        let [a, b] = codes(bits, kind).map(|code| element(kind, code));
        let (Some(a), Some(b), Some(sum)) = (a, b, sum(bits, kind)) else {
            return Err("a type is invalid".to_owned());
        };
        let scaled = kind.is_scaled();
        let (m, n) = shape(bits);
        Ok(InstructionDescriptor {
            m,
            n,
            k: kind.depth() * if sparse { 2 } else { 1 },
            elements: [a, b],
            sum,
            saturate: kind == ProductKind::I8 && of(bits, 3, 1) == 1,
            negated: [of(bits, 13, 1) == 1, of(bits, 14, 1) == 1],
            transposed: [of(bits, 15, 1) == 1, of(bits, 16, 1) == 1],
            selector: if sparse && !scaled { of(bits, 0, 2) } else { 0 },
            scale_ids: if scaled { [of(bits, 29, 2), of(bits, 4, 2)] } else { [0, 0] },
            ue4m3: scaled && of(bits, 23, 1) == 0,
        })
    }

    /// Bits per element, which determine how a sparse A is compressed.
    pub fn pattern_bits(&self) -> u32 {
        self.elements[0].pitch
    }
}

fn check_rows(m: u32, form: ProductForm) -> Result<(), String> {
    let ProductForm { kind, sparse, pair, ws, .. } = form;
    let rows: &[u32] = match (ws, kind.is_scaled(), pair) {
        (true, _, _) => &[32, 64, 128],
        (_, true, false) => &[128],
        (_, true, true) if sparse => &[256],
        (_, _, true) => &[128, 256],
        (_, _, false) => &[64, 128],
    };
    match rows.contains(&m) {
        true => Ok(()),
        false => Err(format!("M = {m}, but M must be one of {rows:?}")),
    }
}

fn check_columns(n: u32, form: ProductForm) -> Result<(), String> {
    let ProductForm { kind, sparse, pair, ws, .. } = form;
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
        false => Err(format!("N = {n}, but N must be {rule}")),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

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

    #[test]
    fn text() {
        let form = ProductForm::from_words("f16").expect("a form");
        expect![[r#"
            `0x08400490`: instruction descriptor of `tcgen05.mma` `.kind::f16`

            ```text
            bits 0-1    sparsity selector    0
            bit 2       sparse A             0
            bit 3       saturate             0
            bits 4-5    D type               f32
            bits 7-9    A type               bf16
            bits 10-12  B type               bf16
            bit 13      negate A             0
            bit 14      negate B             0
            bit 15      major of A           K
            bit 16      major of B           K
            bits 17-22  N / 8                32: N = 256
            bits 24-28  M / 16               8: M = 128
            bits 30-31  maximum shift        0
            ```"#]]
        .assert_eq(&form.describe(0x0840_0490));
        expect![[r#"
            `0x0c420050`: instruction descriptor of `tcgen05.mma` `.kind::f16`

            ```text
            bits 0-1    sparsity selector    0
            bit 2       sparse A             0
            bit 3       saturate             0
            bits 4-5    D type               f32
            bit 6       reserved             1 INVALID: must be zero for .kind::f16
            bits 7-9    A type               f16
            bits 10-12  B type               f16
            bit 13      negate A             0
            bit 14      negate B             0
            bit 15      major of A           K
            bit 16      major of B           K
            bits 17-22  N / 8                33 INVALID: N = 264, but N must be a multiple of 8 from 8 to 256
            bits 24-28  M / 16               12 INVALID: M = 192, but M must be one of [64, 128]
            bits 30-31  maximum shift        0
            ```"#]]
        .assert_eq(&form.describe(0x0C42_0050));
    }

    #[test]
    fn text_of_scaled_form() {
        let form = ProductForm::from_words("mxf4nvf4.cta_group::2.scale_vec::4X").expect("a form");
        expect![[r#"
            `0x10400480`: instruction descriptor of `tcgen05.mma` `.kind::mxf4nvf4`

            ```text
            bit 2       sparse A             0
            bits 4-5    scale factor id of B 0
            bits 7-9    A type               e2m1
            bits 10-11  B type               e2m1
            bit 13      negate A             0
            bit 14      negate B             0
            bits 17-22  N / 8                32: N = 256
            bit 23      scale type           ue4m3
            bits 27-28  M / 128              2: M = 256
            bits 29-30  scale factor id of A 0
            bit 31      K dimension          0: K = 64
            ```"#]]
        .assert_eq(&form.describe(0x1040_0480));
    }
}
