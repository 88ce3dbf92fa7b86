//! Classifies eight bytes at once and counts how many of them, from the first on, are in a class. Most tokens
//! are shorter, so their length is found without a loop.

/// Eight bytes, the first one lowest. Beyond the end of the text they are zeros, which are in no class.
#[derive(Clone, Copy)]
pub(super) struct Eight(u64);

/// The bytes that are in a class: their highest bit is set, and no other bit.
#[derive(Clone, Copy)]
struct Found(u64);

/// Repeats a byte eight times.
const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

const HIGHEST: u64 = all(0x80);

impl Eight {
    /// The first bytes of `rest`.
    #[inline]
    pub(super) fn of(rest: &[u8]) -> Eight {
        Eight(u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_else(|| {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            last
        })))
    }

    /// Drops the first byte.
    #[inline]
    pub(super) fn after_first(self) -> Eight {
        Eight(self.0 >> 8)
    }

    /// The number of leading letters, digits and underscores.
    #[inline]
    pub(super) fn words(self) -> usize {
        // Setting this bit makes letters lower-case; it turns no other byte into a letter.
        let letters = Eight(self.0 | all(0x20)).within(b'a', b'z');
        letters.or(self.within(b'0', b'9')).or(self.equal(b'_')).leading()
    }

    /// The number of leading digits.
    #[inline]
    pub(super) fn digits(self) -> usize {
        self.within(b'0', b'9').leading()
    }

    /// The number of leading white-space bytes, and whether one of them ends a line.
    #[inline]
    pub(super) fn spaces(self) -> (usize, bool) {
        let ends = self.equal(b'\n').or(self.equal(b'\r'));
        let spaces = ends.or(self.equal(b' ')).or(self.equal(b'\t')).leading();
        (spaces, ends.first() < spaces)
    }

    #[inline]
    fn within(self, first: u8, last: u8) -> Found {
        let low = self.0 & !HIGHEST;
        let from_first = low + all(0x80 - first);
        let after_last = low + all(0x7f - last);
        Found(from_first & !after_last & !self.0 & HIGHEST)
    }

    #[inline]
    fn equal(self, byte: u8) -> Found {
        let difference = self.0 ^ all(byte);
        let differs = ((difference & !HIGHEST) + !HIGHEST) | difference;
        Found(!differs & HIGHEST)
    }
}

impl Found {
    #[inline]
    fn or(self, other: Found) -> Found {
        Found(self.0 | other.0)
    }

    /// The number of bytes before the first one that is not in the class.
    #[inline]
    fn leading(self) -> usize {
        Found(!self.0 & HIGHEST).first()
    }

    /// The index of the first byte in the class; 8 if there is none.
    #[inline]
    fn first(self) -> usize {
        self.0.trailing_zeros() as usize / 8
    }
}

#[cfg(test)]
mod tests {
    use super::Eight;

    #[test]
    fn classes_of_every_byte() {
        for byte in 0..=u8::MAX {
            let is = |is: bool| if is { 8 } else { 0 };
            let eight = Eight::of(&[byte; 8]);
            assert_eq!(eight.words(), is(byte.is_ascii_alphanumeric() || byte == b'_'), "{byte}");
            assert_eq!(eight.digits(), is(byte.is_ascii_digit()), "{byte}");
            let ends = matches!(byte, b'\n' | b'\r');
            assert_eq!(eight.spaces(), (is(ends || matches!(byte, b' ' | b'\t')), ends), "{byte}");
        }
    }

    #[test]
    fn counts_stop_at_the_first_other_byte() {
        assert_eq!(Eight::of(b"r12, r3\n").words(), 3);
        assert_eq!(Eight::of(b"r12, r3\n").after_first().digits(), 2);
        assert_eq!(Eight::of("aé_b c d".as_bytes()).words(), 1);
        assert_eq!(Eight::of(b"x_1").words(), 3);
        assert_eq!(Eight::of(b"").words(), 0);
        assert_eq!(Eight::of(b"  x\n    ").spaces(), (2, false));
        assert_eq!(Eight::of(b"\n   \tx\n ").spaces(), (5, true));
    }
}
