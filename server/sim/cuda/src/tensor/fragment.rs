//! The registers of a warpgroup that hold a fragment of A or D: the row and column of each element.

/// The row and column of element `part` in a lane's register of D, within the warp's 16 rows. A register holds one single or
/// integer, or two halves (`is_half`).
#[inline]
pub fn accumulator(is_half: bool, lane: u32, register: u32, part: u32) -> (u32, u32) {
    let (g, q) = (lane / 4, lane % 4);
    match is_half {
        true => (g + 8 * (register % 2), 8 * (register / 2) + 2 * q + part),
        false => (g + 8 * (register / 2 % 2), 8 * (register / 4) + 2 * q + register % 2),
    }
}

/// The row and column of element `part` in a lane's register of A, for elements of `bits` bits.
#[inline]
pub fn factor(bits: u32, lane: u32, register: u32, part: u32) -> (u32, u32) {
    let (g, q, per) = (lane / 4, lane % 4, 32 / bits);
    (g + 8 * (register % 2), per * q + part + 4 * per * (register / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_guide() {
        assert_eq!(accumulator(false, 5, 0, 0), (1, 2));
        assert_eq!(accumulator(false, 28, 3, 0), (15, 1));
        assert_eq!(accumulator(true, 4, 3, 1), (9, 9));
        assert_eq!(factor(16, 1, 2, 1), (0, 11));
        assert_eq!(factor(8, 4, 3, 3), (9, 19));
        assert_eq!(factor(32, 3, 2, 0), (0, 7));
    }
}
