//! mbarrier objects: 64 bits that count arrivals and bytes, phase by phase.
//!
//! The 64 bits are the whole state of an object. Their layout is private: programs only pass the bits on.

pub const MAX_ARRIVALS: u64 = (1 << 20) - 1;
/// Maximum number of pending bytes of a phase, and of bytes completed early.
pub(crate) const MAX_BYTES: i64 = (1 << 20) - 1;

/// Set in every initialized object, so that zeros are not an object.
const LIVE: u64 = 1 << 63;

/// The bits that decide the result of a test: the parity, and whether there is an object.
pub const PHASE: u64 = LIVE | 1 << 61;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub expected: u64,
    pub pending: u64,
    pub bytes: i64,
    /// Parity of the current phase: 0 or 1.
    pub parity: u64,
    pub layout: u64,
}

impl Object {
    pub fn of_bits(bits: u64) -> Option<Object> {
        (bits & LIVE != 0).then_some(Object {
            expected: bits & MAX_ARRIVALS,
            pending: bits >> 20 & MAX_ARRIVALS,
            // A signed field of 21 bits.
            bytes: (bits << 3) as i64 >> 43,
            parity: bits >> 61 & 1,
            layout: bits >> 62 & 1,
        })
    }

    pub fn bits(self) -> u64 {
        let bytes = (self.bytes as u64 & ((1 << 21) - 1)) << 40;
        LIVE | self.layout << 62 | self.parity << 61 | bytes | self.pending << 20 | self.expected
    }

    pub fn expect(&mut self, bytes: i64) -> Result<(), String> {
        self.bytes += bytes;
        match self.bytes.abs() > MAX_BYTES {
            true => Err(format!("a phase tracks at most {MAX_BYTES} bytes, not {}", self.bytes)),
            false => Ok(()),
        }
    }

    pub fn arrive(&mut self, count: u64) -> Result<(), String> {
        if count > self.pending {
            let pending = self.pending;
            return Err(format!(
                "{count} arrivals in a phase with {pending} pending arrivals\nraise the count of `mbarrier.init`"
            ));
        }
        self.pending -= count;
        Ok(())
    }

    /// Starts the next phase if the current one is complete.
    pub fn advance(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.expected;
        }
    }
}

/// What an arrival returns: the phase in which a thread arrived at an object. The arrivals and the parity are those of [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub pending: u64,
    pub parity: u64,
    /// The offset of the object in the shared memory of the cluster, in objects.
    pub place: u64,
    /// The number of phases that were complete.
    pub phase: u64,
}

impl Token {
    const PHASES: u64 = 1 << 20;
    const PLACES: u64 = 1 << 21;

    pub fn new(object: Object, place: u64, phase: u64) -> Token {
        let Object { pending, parity, .. } = object;
        Token { pending, parity, place: place / 8 % Token::PLACES, phase: phase % Token::PHASES }
    }

    pub fn of_bits(bits: u64) -> Option<Token> {
        (bits & LIVE != 0).then_some(Token {
            pending: bits >> 20 & MAX_ARRIVALS,
            parity: bits >> 61 & 1,
            place: bits >> 40 & (Token::PLACES - 1),
            phase: bits & (Token::PHASES - 1),
        })
    }

    pub fn bits(self) -> u64 {
        LIVE | self.parity << 61 | self.place << 40 | self.pending << 20 | self.phase
    }

    pub fn is_of(self, place: u64) -> bool {
        self.place == place / 8 % Token::PLACES
    }

    /// How many phases have ended since, at an object of which this many are complete.
    pub fn age(self, completed: u64) -> u64 {
        completed.wrapping_sub(self.phase) % Token::PHASES
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_encode_the_whole_object(
            expected in 0u64..1 << 20,
            pending in 0u64..1 << 20,
            bytes in -MAX_BYTES..=MAX_BYTES,
            parity in 0u64..2,
            layout in 0u64..2,
        ) {
            let object = Object { expected, pending, bytes, parity, layout };
            prop_assert_eq!(Object::of_bits(object.bits()), Some(object));
        }

        #[test]
        fn bits_encode_the_whole_token(
            pending in 0u64..1 << 20,
            parity in 0u64..2,
            place in 0u64..1 << 21,
            phase in 0u64..1 << 20,
        ) {
            let token = Token { pending, parity, place, phase };
            prop_assert_eq!(Token::of_bits(token.bits()), Some(token));
        }
    }
}
