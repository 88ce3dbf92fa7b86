//! The carry chain: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
//!
//! The flag is a carry, one bit per lane. A subtraction stores its carry (1 means no borrow), as the hardware does.

use warplens_sim_warp::scalar_type::ScalarType;

use super::integer::Integer;
use crate::registers::{FULL, Registers, WIDTH, lanes};
use crate::slot::Slots;

/// An instruction of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Carry {
    pub op: CarryOp,
    pub ty: ScalarType,
    /// Whether the flag is an input (`addc`, `subc`, `madc`).
    pub takes: bool,
    /// Whether the flag is an output (`.cc`).
    pub gives: bool,
    /// Whether the result is clamped (`.sat`, 32-bit signed only).
    pub saturate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarryOp {
    Add,
    Sub,
    /// The low half of `a * b`, plus `c`
    MadLow,
    /// The high half of `a * b`, plus `c`
    MadHigh,
}

/// Runs an instruction of the chain in the lanes of `mask`; `flag` is the warp's carry.
pub fn execute(op: Carry, s: &Slots, r: &mut Registers, flag: &mut u32, mask: u32) {
    if op.saturate {
        return run_saturating(op, s, r, *flag, mask);
    }
    match op.ty {
        ScalarType::U64 | ScalarType::B64 => run::<u64>(op, s, r, flag, mask, |a, b| a.overflowing_add(b)),
        ScalarType::S64 => run::<i64>(op, s, r, flag, mask, |a, b| a.overflowing_add(b)),
        ScalarType::S32 => run::<i32>(op, s, r, flag, mask, |a, b| a.overflowing_add(b)),
        ScalarType::U32 | ScalarType::B32 => run::<u32>(op, s, r, flag, mask, |a, b| a.overflowing_add(b)),
        ScalarType::S16 => run::<i16>(op, s, r, flag, mask, add_halves),
        ScalarType::U16 | ScalarType::B16 => run::<u16>(op, s, r, flag, mask, add_halves),
        // Decoding permits no other types.
        _ => {}
    }
}

fn add_halves(a: u32, b: u32) -> (u32, bool) {
    let sum = (a & 0xffff) + (b & 0xffff);
    (sum & 0xffff, sum > 0xffff)
}

/// Runs a saturating instruction, which reads the flag and clamps the result.
fn run_saturating(op: Carry, s: &Slots, r: &mut Registers, flag: u32, mask: u32) {
    let (a, b) = (*r.get::<u32>(s.a), *r.get::<u32>(s.b));
    let c = if op.op == CarryOp::MadHigh { *r.get(s.c) } else { [0; WIDTH] };
    let signed = |word: u32| i64::from(word as i32);
    for lane in lanes(mask) {
        let carry = if op.takes { i64::from(flag >> lane & 1) } else { 0 };
        let (x, y) = (signed(a[lane]), signed(b[lane]));
        let exact = match op.op {
            CarryOp::Add => x + y + carry,
            // The flag is a carry: if it is 0, there is a borrow.
            CarryOp::Sub => x - y - (1 - carry),
            CarryOp::MadLow | CarryOp::MadHigh => ((x * y) >> 32) + signed(c[lane]) + carry,
        };
        r.words[s.d as usize][lane] = exact.clamp(i32::MIN.into(), i32::MAX.into()) as i32 as u32;
    }
}

fn run<T: Integer>(
    op: Carry,
    s: &Slots,
    r: &mut Registers,
    flag: &mut u32,
    mask: u32,
    add: impl Fn(T::Word, T::Word) -> (T::Word, bool),
) where
    T::Word: std::ops::Not<Output = T::Word> + From<bool>,
{
    let (a, b) = (*r.get::<T::Word>(s.a), *r.get::<T::Word>(s.b));
    let c = if matches!(op.op, CarryOp::MadLow | CarryOp::MadHigh) {
        *r.get(s.c)
    } else {
        [T::Word::default(); WIDTH]
    };
    let mut d = [T::Word::default(); WIDTH];
    let mut out = 0;
    for lane in lanes(mask) {
        let (x, y, idle) = match op.op {
            CarryOp::Add => (a[lane], b[lane], false),
            CarryOp::Sub => (a[lane], !b[lane], true),
            CarryOp::MadLow => (T::of(a[lane]).times(T::of(b[lane])).word(), c[lane], false),
            CarryOp::MadHigh => (T::of(a[lane]).times_high(T::of(b[lane])).word(), c[lane], false),
        };
        let carry_in = if op.takes { *flag >> lane & 1 == 1 } else { idle };
        let (sum, first) = add(x, y);
        let (sum, second) = add(sum, carry_in.into());
        d[lane] = sum;
        out |= u32::from(first || second) << lane;
    }
    r.set(s.d, mask & FULL, &d);
    if op.gives {
        *flag = *flag & !mask | out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::testing::word3;

    fn run32(op: CarryOp, takes: bool, a: u32, b: u32, c: u32, flag: &mut u32) -> u32 {
        let op = Carry { op, ty: ScalarType::U32, takes, gives: true, saturate: false };
        word3(a, b, c, |s, r, mask| execute(op, s, r, flag, mask))
    }

    #[test]
    fn a_sum_of_two_words() {
        let mut flag = 0;
        assert_eq!(run32(CarryOp::Add, false, u32::MAX, 1, 0, &mut flag), 0);
        assert_eq!(flag & 1, 1);
        assert_eq!(run32(CarryOp::Add, true, 5, 6, 0, &mut flag), 12);
        assert_eq!(flag & 1, 0);
    }

    #[test]
    fn a_borrow_is_a_missing_carry() {
        let mut flag = 0;
        assert_eq!(run32(CarryOp::Sub, false, 0, 1, 0, &mut flag), u32::MAX);
        assert_eq!(flag & 1, 0);
        assert_eq!(run32(CarryOp::Sub, true, 5, 1, 0, &mut flag), 3);
        assert_eq!(flag & 1, 1);
    }

    #[test]
    fn products_carry_too() {
        let mut flag = 0;
        assert_eq!(run32(CarryOp::MadLow, false, 0x10000, 0xffff, 0x10000, &mut flag), 0);
        assert_eq!(flag & 1, 1);
        assert_eq!(run32(CarryOp::MadHigh, true, 0x10000, 0x10000, 7, &mut flag), 9);
    }
}
