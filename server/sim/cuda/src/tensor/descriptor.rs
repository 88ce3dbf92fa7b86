//! Matrix descriptors: 64 bits that specify where a matrix is in shared memory.

use crate::tensor::swizzle::Swizzle;

use super::bit_field::BitField;

/// The shared memory addresses that descriptors can express.
const ADDRESS_MASK: u64 = 0x3FFFF;

/// The instruction that a descriptor is for. Each has its own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// `wgmma`
    Warpgroup,
    /// `tcgen05`
    TensorMemory,
}

/// The swizzles of `wgmma` descriptors, by code.
const WARPGROUP_SWIZZLES: [Swizzle; 4] =
    [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32];

/// The swizzles of `tcgen05` descriptors, by code.
const TENSOR_MEMORY_SWIZZLES: [Option<Swizzle>; 8] = [
    Some(Swizzle::None),
    Some(Swizzle::Bytes128Atom32),
    Some(Swizzle::Bytes128),
    None,
    Some(Swizzle::Bytes64),
    None,
    Some(Swizzle::Bytes32),
    None,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    pub start: u64,
    /// The leading byte offset.
    pub leading: u64,
    /// The stride byte offset.
    pub stride: u64,
    /// The start of the swizzle pattern.
    pub base: u64,
    pub swizzle: Swizzle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub at: BitField,
    pub only: Option<u64>,
    /// Whether the field counts bytes in units of 16.
    pub in_chunks: bool,
}

const fn bytes(first: u32, name: &'static str) -> Field {
    Field { at: BitField { first, bits: 14, name }, only: None, in_chunks: true }
}

const fn only(first: u32, bits: u32, name: &'static str, value: u64) -> Field {
    Field { at: BitField { first, bits, name }, only: Some(value), in_chunks: false }
}

const fn code(first: u32, bits: u32, name: &'static str) -> Field {
    Field { at: BitField { first, bits, name }, only: None, in_chunks: false }
}

const WARPGROUP_FIELDS: [Field; 9] = [
    START,
    only(14, 2, "reserved", 0),
    LEADING,
    only(30, 2, "reserved", 0),
    STRIDE,
    only(46, 3, "reserved", 0),
    BASE,
    only(52, 10, "reserved", 0),
    code(62, 2, SWIZZLE),
];

const TENSOR_MEMORY_FIELDS: [Field; 10] = [
    START,
    only(14, 2, "reserved", 0),
    LEADING,
    only(30, 2, "reserved", 0),
    STRIDE,
    only(46, 3, "constant", 1),
    BASE,
    // An absolute leading address, for K = 96, is not simulated.
    only(52, 1, "leading address mode", 0),
    only(53, 8, "reserved", 0),
    code(61, 3, SWIZZLE),
];

const START: Field = bytes(0, "start address");
const LEADING: Field = bytes(16, "leading byte offset");
const STRIDE: Field = bytes(32, "stride byte offset");
const BASE: Field = code(49, 3, "base offset");
const SWIZZLE: &str = "swizzle";

impl Field {
    /// The field's value in a descriptor, converted to bytes if it counts bytes.
    pub fn of(&self, bits: u64) -> u64 {
        let value = self.at.of(bits);
        if self.in_chunks { value << 4 } else { value }
    }

    pub fn problem(&self, bits: u64, kind: DescriptorKind) -> Option<String> {
        let value = self.of(bits);
        match self.only {
            Some(only) if value != only => Some(format!("must be {only}")),
            _ if self.at.name == SWIZZLE && kind.swizzle(bits).is_none() => {
                Some("must be 0, 1, 2, 4 or 6".to_owned())
            }
            _ => None,
        }
    }
}

impl DescriptorKind {
    /// Lowest first.
    pub fn fields(self) -> &'static [Field] {
        match self {
            DescriptorKind::Warpgroup => &WARPGROUP_FIELDS,
            DescriptorKind::TensorMemory => &TENSOR_MEMORY_FIELDS,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            DescriptorKind::Warpgroup => "wgmma",
            DescriptorKind::TensorMemory => "tcgen05",
        }
    }

    /// The swizzle in a descriptor; `None` if its code is invalid.
    pub fn swizzle(self, bits: u64) -> Option<Swizzle> {
        match self {
            DescriptorKind::Warpgroup => Some(WARPGROUP_SWIZZLES[(bits >> 62) as usize]),
            DescriptorKind::TensorMemory => TENSOR_MEMORY_SWIZZLES[(bits >> 61) as usize],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Distance {
    Chunk,
    /// The bytes of a swizzle row.
    Span,
    Leading,
    Stride,
    /// No limit: lines are contiguous.
    Endless,
}

/// A canonical layout: `line % lines * pitch + line / lines * group + byte % run + byte / run * next`. Lines are rows
/// (K-major) or positions along K (MN-major).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    transposed: bool,
    swizzled: bool,
    lines: u64,
    pitch: Distance,
    group: Distance,
    run: Distance,
    next: Distance,
}

const LAYOUTS: [Layout; 4] = {
    use Distance::{Chunk, Endless, Leading, Span, Stride};
    const fn of(transposed: bool, swizzled: bool, distances: [Distance; 4]) -> Layout {
        let [pitch, group, run, next] = distances;
        Layout { transposed, swizzled, lines: 8, pitch, group, run, next }
    }
    [
        of(false, false, [Chunk, Stride, Chunk, Leading]),
        of(false, true, [Span, Stride, Endless, Endless]),
        of(true, false, [Chunk, Leading, Chunk, Stride]),
        of(true, true, [Span, Stride, Span, Leading]),
    ]
};

/// The parameters of a layout, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    pub lines: u64,
    /// Distance between the lines of a group.
    pub pitch: u64,
    pub group: u64,
    /// Contiguous bytes of a line; `u64::MAX` if the whole line is contiguous.
    pub run: u64,
    /// Distance between runs of contiguous bytes.
    pub next: u64,
}

impl Offsets {
    fn of(self, line: u64, byte: u64) -> u64 {
        let Offsets { lines, pitch, group, run, next } = self;
        line % lines * pitch + line / lines * group + byte % run + byte / run * next
    }
}

impl Descriptor {
    /// Decodes a descriptor; an error tells which field is invalid.
    pub fn decode(bits: u64, kind: DescriptorKind) -> Result<Descriptor, String> {
        let problem = |field: &Field| {
            let problem = field.problem(bits, kind)?;
            Some(format!("{} ({}) {problem}, not {}", field.at.place(), field.at.name, field.of(bits)))
        };
        match (kind.fields().iter().find_map(problem), kind.swizzle(bits)) {
            (None, Some(swizzle)) => Ok(Descriptor {
                start: START.of(bits),
                leading: LEADING.of(bits),
                stride: STRIDE.of(bits),
                base: BASE.of(bits),
                swizzle,
            }),
            (problem, _) => Err(problem.unwrap_or_default()),
        }
    }

    pub fn offsets(&self, transposed: bool) -> Offsets {
        let span = u64::from(self.swizzle.span());
        let fits = |layout: &&Layout| (layout.transposed, layout.swizzled) == (transposed, span != 0);
        let layout = LAYOUTS.iter().find(fits).unwrap_or(&LAYOUTS[0]);
        let bytes = |distance: Distance| match distance {
            Distance::Chunk => 16,
            Distance::Span => span,
            Distance::Leading => self.leading,
            Distance::Stride => self.stride,
            Distance::Endless => u64::MAX,
        };
        // Atoms of 32 bytes form groups of four lines.
        let small = transposed && self.swizzle == Swizzle::Bytes128Atom32;
        Offsets {
            lines: if small { 4 } else { layout.lines },
            pitch: bytes(layout.pitch),
            group: bytes(layout.group),
            run: bytes(layout.run),
            next: bytes(layout.next),
        }
    }

    /// The addresses of a matrix's 16-byte chunks, row by row, or ordered by K if `transposed` (MN-major). The matrix has
    /// `outer` rows (of A) or columns (of B), and `depth` elements of `bits` bits along K.
    pub fn chunks(
        &self,
        outer: u32,
        depth: u32,
        bits: u32,
        transposed: bool,
    ) -> impl Iterator<Item = Chunk> + use<> {
        let this = *self;
        let per = 128 / bits;
        let (lines, along) = if transposed { (depth, outer) } else { (outer, depth) };
        let offsets = self.offsets(transposed);
        (0..lines).flat_map(move |line| {
            (0..along.div_ceil(per)).map(move |chunk| {
                let offset = offsets.of(u64::from(line), u64::from(chunk) * 16);
                let first = chunk * per;
                Chunk { line, first, count: per.min(along - first), address: this.address(offset) }
            })
        })
    }

    /// The offset of byte `byte` of line `line`, before the swizzle.
    pub fn offset(&self, line: u64, byte: u64, transposed: bool) -> u64 {
        self.offsets(transposed).of(line, byte)
    }

    pub fn address(&self, offset: u64) -> u64 {
        let base = self.base << 7;
        let address = (self.start + offset) & ADDRESS_MASK;
        self.swizzle.apply(address.wrapping_sub(base)).wrapping_add(base) & ADDRESS_MASK
    }
}

/// Up to 16 bytes of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The row or column, or the position along K if MN-major.
    pub line: u32,
    /// The first element along the line.
    pub first: u32,
    pub count: u32,
    pub address: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(bits: u64, line: u64, byte: u64, transposed: bool) -> u64 {
        let descriptor = Descriptor::decode(bits, DescriptorKind::Warpgroup).expect("valid");
        descriptor.address(descriptor.offset(line, byte, transposed))
    }

    #[test]
    fn worked_examples() {
        assert_eq!(address(0x4000_0040_0001_0400, 13, 74, false), 0x469A);
        assert_eq!(address(0x4000_0040_0001_0402, 13, 10, false), 0x46FA);
        assert_eq!(address(0x4000_0040_0100_0400, 9, 20, true), 0x4484);
        assert_eq!(address(0x4000_0040_0100_0400, 3, 140, true), 0x51BC);
        assert_eq!(address(0x0000_0020_0008_0200, 13, 18, false), 0x22D2);
        assert_eq!(address(0x8000_0020_0001_0200, 13, 18, false), 0x2372);
        assert_eq!(address(0xC000_0010_0001_0200, 13, 18, false), 0x21A2);
    }

    #[test]
    fn tensor_memory() {
        let decoded = Descriptor::decode(0x4000_4040_0001_0400, DescriptorKind::TensorMemory).expect("valid");
        assert_eq!((decoded.start, decoded.stride, decoded.swizzle), (0x4000, 1024, Swizzle::Bytes128));
        for bits in [0x4000_0040_0001_0400, 0x6000_4040_0001_0400, 0x4010_4040_0001_0400] {
            assert!(Descriptor::decode(bits, DescriptorKind::TensorMemory).is_err(), "{bits:#x}");
        }
    }

    #[test]
    fn reserved_bits() {
        assert!(Descriptor::decode(1 << 46, DescriptorKind::Warpgroup).is_err());
        assert!(Descriptor::decode(1 << 53, DescriptorKind::Warpgroup).is_err());
    }
}
