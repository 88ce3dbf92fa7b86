//! Matrix descriptors: 64 bits that say where a matrix lies in shared memory.

use super::swizzle::Swizzle;

/// The addresses of shared memory that descriptors can express.
const ADDRESS_MASK: u64 = 0x3FFFF;

/// The kind of instruction that a descriptor is for; their fields differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorKind {
    /// `wgmma`
    Warpgroup,
    /// `tcgen05`
    TensorMemory,
}

/// The codes of swizzles in `wgmma` descriptors.
const WARPGROUP_SWIZZLES: [Swizzle; 4] =
    [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32];

/// The codes of swizzles in `tcgen05` descriptors.
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

/// A descriptor, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The address of the first element.
    pub start: u64,
    /// The leading byte offset.
    pub leading: u64,
    /// The stride byte offset.
    pub stride: u64,
    /// Where the pattern of the swizzle starts.
    pub base: u64,
    /// The swizzle.
    pub swizzle: Swizzle,
}

impl Descriptor {
    /// Takes bits apart, or says which field is invalid.
    pub fn decode(bits: u64, kind: DescriptorKind) -> Result<Descriptor, &'static str> {
        let field = |at: u32| (bits >> at & 0x3FFF) << 4;
        let reserved = bits >> 14 & 3 != 0 || bits >> 30 & 3 != 0;
        let swizzle = match kind {
            DescriptorKind::Warpgroup => {
                if reserved || bits >> 46 & 7 != 0 || bits >> 52 & 0x3FF != 0 {
                    return Err("a reserved bit is set: bits 14-15, 30-31, 46-48 and 52-61 must be zero");
                }
                WARPGROUP_SWIZZLES[(bits >> 62) as usize]
            }
            DescriptorKind::TensorMemory => {
                if reserved || bits >> 53 & 0xFF != 0 {
                    return Err("a reserved bit is set: bits 14-15, 30-31 and 53-60 must be zero");
                }
                if bits >> 46 & 7 != 1 {
                    return Err("bits 46-48 must be 0b001 for `tcgen05`");
                }
                if bits >> 52 & 1 == 1 {
                    return Err(
                        "bit 52 (absolute leading address) is for K = 96 only, which is not simulated",
                    );
                }
                TENSOR_MEMORY_SWIZZLES[(bits >> 61) as usize]
                    .ok_or("bits 61-63 (swizzle) must be 0, 1, 2, 4 or 6")?
            }
        };
        Ok(Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: bits >> 49 & 7,
            swizzle,
        })
    }

    /// The addresses of 16-byte chunks of a matrix of `outer` rows (of A) or columns (of B) and `depth` elements of `bits` bits
    /// along K: row by row, or with `transposed` (MN-major) by K.
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
        (0..lines).flat_map(move |line| {
            (0..along.div_ceil(per)).map(move |chunk| {
                let offset = this.offset(u64::from(line), u64::from(chunk) * 16, transposed);
                let first = chunk * per;
                Chunk { line, first, count: per.min(along - first), address: this.address(offset) }
            })
        })
    }

    /// The offset of a byte before the swizzle: of line `line`, byte `byte` along it.
    pub fn offset(&self, line: u64, byte: u64, transposed: bool) -> u64 {
        let span = u64::from(self.swizzle.span());
        let (leading, stride) = (self.leading, self.stride);
        match (transposed, span) {
            (false, 0) => line % 8 * 16 + line / 8 * stride + byte / 16 * leading + byte % 16,
            (false, span) => line % 8 * span + line / 8 * stride + byte,
            (true, 0) => byte % 16 + byte / 16 * stride + line % 8 * 16 + line / 8 * leading,
            (true, span) if self.swizzle == Swizzle::Bytes128Atom32 => {
                byte % span + byte / span * leading + line % 4 * span + line / 4 * stride
            }
            (true, span) => byte % span + byte / span * leading + line % 8 * span + line / 8 * stride,
        }
    }

    /// The address of the byte at an offset.
    pub fn address(&self, offset: u64) -> u64 {
        let base = self.base << 7;
        let address = (self.start + offset) & ADDRESS_MASK;
        self.swizzle.apply(address.wrapping_sub(base)).wrapping_add(base) & ADDRESS_MASK
    }
}

/// Up to 16 bytes of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The row or column, or with MN-major the place along K.
    pub line: u32,
    /// The first element along the line.
    pub first: u32,
    /// The number of elements.
    pub count: u32,
    /// The address of the first byte.
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
