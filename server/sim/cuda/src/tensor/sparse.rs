//! The positions of a sparse matrix's kept elements: one nibble of metadata for each chunk of a row.

/// A type's sparsity: columns of a chunk, elements kept in it, and the number of elements that are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    chunk: u32,
    kept: u32,
    together: u32,
}

fn pattern(bits: u32) -> Pattern {
    match bits {
        32 => Pattern { chunk: 2, kept: 1, together: 1 },
        4 => Pattern { chunk: 8, kept: 4, together: 2 },
        _ => Pattern { chunk: 4, kept: 2, together: 1 },
    }
}

/// Number of chunks in a row of `depth` columns.
#[inline]
pub fn chunks(bits: u32, depth: u32) -> u32 {
    depth / pattern(bits).chunk
}

/// Which lane holds the nibble of a chunk in a row (0 to 15) for `mma.sp` and `wgmma.sp`, and the nibble's lowest bit.
#[inline]
pub fn nibble(bits: u32, depth: u32, row: u32, chunk: u32, selector: u32) -> (u32, u32) {
    let (quad, half) = (4 * (row % 8), row / 8);
    // A register holds the nibbles of two rows or of one, depending on the number of chunks.
    match (bits, chunks(bits, depth)) {
        (16 | 32, 4) => (quad + selector % 4, 16 * half + 4 * chunk),
        (16 | 32, _) => (quad + 2 * (selector % 2) + chunk / 4, 16 * half + 4 * (chunk % 4)),
        (_, 8) => (quad + 2 * (selector % 2) + half, 4 * chunk),
        _ => (quad + half + 2 * (chunk / 8), 4 * (chunk % 8)),
    }
}

#[inline]
pub fn is_ordered(bits: u32, nibble: u32) -> bool {
    match bits {
        32 => matches!(nibble, 0b0100 | 0b1110),
        _ => nibble & 3 < nibble >> 2 & 3,
    }
}

/// The dense columns of a chunk's stored elements.
#[inline]
pub fn columns(bits: u32, chunk: u32, nibble: u32) -> impl Iterator<Item = u32> {
    let Pattern { chunk: width, kept, together } = pattern(bits);
    (0..kept).map(move |stored| {
        let position = match bits {
            32 => u32::from(nibble != 0b0100),
            _ => nibble >> (2 * (stored / together)) & 3,
        };
        width * chunk + position * together + stored % together
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibbles_of_f16_m16n8k32() {
        assert_eq!(nibble(16, 32, 0, 0, 0), (0, 0));
        assert_eq!(nibble(16, 32, 8, 3, 0), (0, 28));
        assert_eq!(nibble(16, 32, 1, 4, 0), (5, 0));
        assert_eq!(nibble(8, 64, 9, 15, 0), (7, 28));
    }

    #[test]
    fn kept_columns() {
        assert!(columns(16, 1, 0b1110).eq([6, 7]));
        assert!(columns(32, 1, 0b1110).eq([3]));
        assert!(columns(4, 0, 0b1101).eq([2, 3, 6, 7]));
        assert!(is_ordered(16, 0b1110) && !is_ordered(16, 0b0001));
    }
}
