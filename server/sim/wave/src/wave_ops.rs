//! Wave operations, which exchange values between lanes.
//!
//! Only the lanes of the mask participate and receive the result. A shuffle may read an inactive lane: it
//! returns the lane's current register value, since the specification leaves this open. A lane outside of the
//! wave reads as 0.

use warplens_sim_warp::trace::Mask;

use super::lanes::{Rows, lanes, row};
use super::op::{Reduce, Row, Shuffle};

impl Shuffle {
    /// The lane from which lane `own` reads, given its operand; `width` or more for none.
    #[inline(always)]
    pub(crate) fn source(self, own: u32, operand: u32, width: u32) -> u32 {
        match self {
            Shuffle::Index => operand,
            Shuffle::Up => own.checked_sub(operand).unwrap_or(width),
            Shuffle::Down => own.wrapping_add(operand),
            Shuffle::Xor => own ^ operand,
        }
    }
}

/// Each lane reads the value of another lane.
pub(crate) fn shuffle<const W: usize>(
    rows: &mut Rows<W>,
    mask: Mask,
    width: u32,
    kind: Shuffle,
    [d, a, lane]: [Row; 3],
) {
    let (values, operands) = (*rows.get(a), *rows.get(lane));
    let shuffled = row(|lane| {
        let from = kind.source(lane as u32, operands[lane], width);
        if from < width { values[from as usize] } else { 0 }
    });
    rows.write(d, &shuffled, mask);
}

/// Every lane reads the value of the lane that the lowest active lane names.
pub(crate) fn broadcast<const W: usize>(rows: &mut Rows<W>, mask: Mask, width: u32, [d, a, lane]: [Row; 3]) {
    let Some(lowest) = lanes(mask).next() else { return };
    let from = rows.get(lane)[lowest];
    let value = if from < width { rows.get(a)[from as usize] } else { 0 };
    rows.write_one(d, value, mask);
}

/// Each lane receives the sum of the lanes below it.
pub(crate) fn prefix_sum<const W: usize>(rows: &mut Rows<W>, mask: Mask, d: Row, a: Row) {
    let mut sum = 0u32;
    for lane in lanes(mask) {
        let value = rows.get(a)[lane];
        rows.set(d, lane, sum);
        sum = sum.wrapping_add(value);
    }
}

/// Every lane receives the reduction over all lanes, as unsigned integers.
pub(crate) fn reduce<const W: usize>(rows: &mut Rows<W>, mask: Mask, op: Reduce, d: Row, a: Row) {
    let combine = match op {
        Reduce::Add => u32::wrapping_add,
        Reduce::Minimum => std::cmp::min,
        Reduce::Maximum => std::cmp::max,
        Reduce::And => |x, y| x & y,
        Reduce::Or => |x, y| x | y,
        Reduce::Xor => |x, y| x ^ y,
    };
    let values = rows.get(a);
    let Some(result) = lanes(mask).map(|lane| values[lane]).reduce(combine) else { return };
    rows.write_one(d, result, mask);
}
