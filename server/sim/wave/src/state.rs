//! The registers of a wave, and the straight-line operations on them. Both models use it; control flow does
//! not belong here.

use pulp::{Scalar, Simd};
use warplens_sim_warp::launch_config::{position, volume};
use warplens_sim_warp::trace::{Mask, RegisterValues};

use super::lanes::{Rows, lanes};
use super::matrix::Fragments;
use super::memory::{Memory, OutOfRange};
use super::op::{Action, Condition, Logic, PREDICATES, Row, Special};
use super::{alu, float, wave_ops};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) workgroup: [u32; 3],
    pub(crate) width: u32,
    pub(crate) waves: u32,
}

impl Geometry {
    pub(crate) fn workgroup_id(self, number: u64) -> [u32; 3] {
        position(number, self.grid)
    }

    /// The lanes of a wave that have a thread.
    pub(crate) fn launched(self, wave: u32) -> Mask {
        let threads = volume(self.workgroup);
        let first = u64::from(wave) * u64::from(self.width);
        let lanes = threads.saturating_sub(first).min(u64::from(self.width));
        if lanes == 0 { 0 } else { Mask::MAX >> (64 - lanes) }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WavePosition {
    pub(crate) geometry: Geometry,
    pub(crate) workgroup: [u32; 3],
    pub(crate) wave: u32,
}

impl WavePosition {
    /// The number of the workgroup in the launch.
    pub(crate) fn block(self) -> u64 {
        let [x, y, z] = self.workgroup.map(u64::from);
        let [columns, rows, _] = self.geometry.grid.map(u64::from);
        (z * rows + y) * columns + x
    }

    fn special(self, register: Special, lane: u32) -> u32 {
        let WavePosition { geometry, workgroup, wave } = self;
        let [x, y, _] = geometry.workgroup.map(u64::from);
        let thread = u64::from(wave) * u64::from(geometry.width) + u64::from(lane);
        match register {
            Special::ThreadId(0) => (thread % x) as u32,
            Special::ThreadId(1) => (thread / x % y) as u32,
            Special::ThreadId(_) => (thread / (x * y)) as u32,
            Special::WaveId => wave,
            Special::LaneId => lane,
            Special::WorkgroupId(axis) => workgroup[usize::from(axis)],
            Special::WorkgroupSize(axis) => geometry.workgroup[usize::from(axis)],
            Special::GridSize(axis) => geometry.grid[usize::from(axis)],
            Special::WaveWidth => geometry.width,
            Special::WaveCount => geometry.waves,
            Special::MatrixSupported => 1,
            Special::MatrixExtent => 4,
        }
    }
}

#[inline(always)]
fn read_special<const W: usize>(
    rows: &mut Rows<W>,
    position: WavePosition,
    register: Special,
    d: Row,
    mask: Mask,
) {
    if !register.differs_in_a_wave() {
        return rows.write_one(d, position.special(register, 0), mask);
    }
    for lane in lanes(mask) {
        rows.set(d, lane, position.special(register, lane as u32));
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State<const W: usize> {
    pub(crate) rows: Rows<W>,
    pub(crate) predicates: [Mask; PREDICATES],
    fragments: Fragments,
}

impl<const W: usize> State<W> {
    /// The registers of a wave with `rows` rows, the first `registers` of which are general registers. The
    /// launch sets the registers in `set`; all others are zero.
    pub(crate) fn new(rows: usize, registers: u16, set: &[(u8, u32)]) -> Self {
        let mut state =
            State { rows: Rows::new(rows), predicates: [0; PREDICATES], fragments: Fragments::default() };
        for &(register, value) in set.iter().filter(|(register, _)| u16::from(*register) < registers) {
            state.rows.fill(Row::from(register), value);
        }
        state
    }

    /// The lanes in which a condition holds, active or not.
    #[inline(always)]
    pub(crate) fn holds(&self, condition: Condition) -> Mask {
        let mask = self.predicates[usize::from(condition.predicate)];
        if condition.negated { !mask } else { mask }
    }

    /// Executes an action for which [`Action::computes`] holds in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn compute_lanes<S: Simd>(&mut self, simd: S, action: &Action, mask: Mask) {
        let rows = &mut self.rows;
        match *action {
            Action::Constant { d, bits } => rows.write_one(d, bits, mask),
            Action::Unary { op, d, a } => alu::unary(rows, mask, op, d, a),
            Action::Binary { op, d, a, b } => alu::binary(rows, mask, op, d, [a, b]),
            Action::Ternary { op, d, a, b, c } => alu::ternary(rows, mask, op, d, [a, b, c]),
            Action::Compare { op, d, a, b } => {
                let found = alu::compare(simd, rows, op, a, b);
                self.set_predicate(d, mask, found);
            }
            Action::Logic { op, d, a, b } => {
                let (a, b) = (self.holds(a), self.holds(b));
                let found = match op {
                    Logic::And => a & b,
                    Logic::Or => a | b,
                    Logic::Xor => a ^ b,
                    Logic::Not => !a,
                };
                self.set_predicate(d, mask, found);
            }
            Action::Select { d, condition, a, b } => {
                let chosen = self.holds(condition);
                self.rows.select(mask, d, [a, b], chosen);
            }
            // The other actions do not only compute.
            _ => {}
        }
    }

    /// Executes a straight-line action in the lanes of `mask`. Control actions do nothing.
    #[inline(always)]
    pub(crate) fn compute(
        &mut self,
        action: &Action,
        mask: Mask,
        position: WavePosition,
        memory: &mut Memory<'_>,
    ) -> Result<(), Box<OutOfRange>> {
        let rows = &mut self.rows;
        let width = position.geometry.width;
        match *action {
            ref action if action.computes() => self.compute_lanes(Scalar::new(), action, mask),
            Action::InsertBits { d, base, value, offset, width } => {
                alu::insert_bits(rows, mask, d, [base, value, offset, width]);
            }
            Action::Double { op, d, a, b, c } => alu::double(rows, mask, op, d, [a, b, c]),
            Action::Narrow { d, a } => {
                for lane in lanes(mask) {
                    rows.set(d, lane, float::narrow(rows.pair(a, lane)));
                }
            }
            Action::Widen { d, a } => {
                for lane in lanes(mask) {
                    rows.set_pair(d, lane, float::widen(rows.get(a)[lane]));
                }
            }
            Action::Special { d, register } => read_special(rows, position, register, d, mask),
            Action::Load { space, bytes, d, address } => {
                memory.load(rows, mask, space, bytes, (d, address))?;
            }
            Action::Store { space, bytes, address, value } => {
                memory.store(rows, mask, space, bytes, (address, value))?;
            }
            Action::Atomic { space, op, d, address, value, desired } => {
                memory.atomic(rows, mask, (space, op), d, [address, value, desired])?;
            }
            Action::Shuffle { kind, d, a, lane } => wave_ops::shuffle(rows, mask, width, kind, [d, a, lane]),
            Action::Broadcast { d, a, lane } => wave_ops::broadcast(rows, mask, width, [d, a, lane]),
            Action::Ballot { d, condition } => {
                // The result has 32 bits and omits lanes from 32 on.
                let ballot = (self.holds(condition) & mask) as u32;
                self.rows.write_one(d, ballot, mask);
            }
            Action::Vote { all, d, condition } => {
                let voted = self.holds(condition) & mask;
                let passed = if all { voted == mask } else { voted != 0 };
                self.set_predicate(d, mask, if passed { mask } else { 0 });
            }
            Action::PrefixSum { d, a } => wave_ops::prefix_sum(rows, mask, d, a),
            Action::Reduce { op, d, a } => wave_ops::reduce(rows, mask, op, d, a),
            Action::Matrix(op) => self.fragments.perform(op, rows, mask, memory)?,
            // The models implement control operations.
            _ => {}
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn set_predicate(&mut self, predicate: u8, mask: Mask, value: Mask) {
        let target = &mut self.predicates[usize::from(predicate)];
        *target = *target & !mask | value & mask;
    }

    /// The current registers in every lane of the wave.
    pub(crate) fn registers(&self, registers: u16, width: u32) -> Vec<RegisterValues> {
        let general = (0..registers).map(|register| RegisterValues {
            name: format!("r{register}").into(),
            bits: 32,
            lanes: self.rows.get(Row::from(register))[..width as usize]
                .iter()
                .map(|value| Some(u128::from(*value)))
                .collect(),
        });
        let predicates =
            self.predicates[..PREDICATES].iter().enumerate().map(|(index, mask)| RegisterValues {
                name: format!("p{index}").into(),
                bits: 1,
                lanes: (0..width).map(|lane| Some(u128::from(mask >> lane & 1))).collect(),
            });
        general.chain(predicates).collect()
    }
}
