//! Eight bytes of a text at once: how many of them, from the first on, are in a class. Most tokens are shorter, so their length takes no loop.

/// Eight bytes, the first one lowest; after the end of the text zeros, which are in no class.
#[derive(Clone, Copy)]
pub(super) struct Eight(u64);

/// Bytes of a class: the highest bit of each is set, all others are not.
#[derive(Clone, Copy)]
struct Found(u64);

/// A byte in all places.
const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

const HIGHEST: u64 = all(0x80);

impl Eight {
    /// The bytes at the start of `rest`.
    #[inline]
    pub(super) fn of(rest: &[u8]) -> Eight {
        Eight(u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_else(|| {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            last
        })))
    }

    /// The same without the first byte.
    #[inline]
    pub(super) fn after_first(self) -> Eight {
        Eight(self.0 >> 8)
    }

    /// How many are letters, digits or underscores.
    #[inline]
    pub(super) fn words(self) -> usize {
        // Letters in lower case; of other bytes none becomes one.
        let letters = Eight(self.0 | all(0x20)).within(b'a', b'z');
        letters.or(self.within(b'0', b'9')).or(self.equal(b'_')).leading()
    }

    /// How many are digits.
    #[inline]
    pub(super) fn digits(self) -> usize {
        self.within(b'0', b'9').leading()
    }

    /// How many are white space, and whether one of these ends a line.
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

    /// How many bytes there are before the first that is not in the class.
    #[inline]
    fn leading(self) -> usize {
        Found(!self.0 & HIGHEST).first()
    }

    /// Where the first byte of the class is; 8 if there is none.
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
