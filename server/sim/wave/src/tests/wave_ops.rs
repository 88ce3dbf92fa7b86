//! Checks wave operations with all, some, one and no active lanes, in waves of every width, against a direct
//! implementation of the specification.

use std::fmt::Write;

use super::{launch_config, launch_text, options, register};

/// A lane holds a value, a lane number (sometimes too large), and a bit.
fn value(lane: u32) -> u32 {
    lane.wrapping_mul(0x9e37_79b9) >> 7 ^ 0x8000_0000u32 >> (lane % 32)
}

fn named(lane: u32, width: u32) -> u32 {
    (lane * 5 + 3) % (width + 2)
}

fn bit(lane: u32) -> bool {
    lane.is_multiple_of(3)
}

/// The sets of active lanes.
fn subsets(width: u32) -> Vec<Vec<bool>> {
    let of = |runs: &dyn Fn(u32) -> bool| (0..width).map(runs).collect();
    vec![
        of(&|_| true),
        of(&|_| false),
        of(&|lane| lane % 2 == 1),
        of(&|lane| lane >= width / 2),
        of(&|lane| lane == width - 1),
        of(&|lane| lane == 0),
        of(&|lane| value(lane) & 0x40 != 0),
    ]
}

/// The result of an operation in an active lane.
type Meaning = fn(&Wave<'_>, u32) -> u32;

struct Wave<'r> {
    width: u32,
    runs: &'r [bool],
}

impl Wave<'_> {
    /// The value that a lane holds, active or not; 0 for a lane that does not exist.
    fn value(&self, lane: u32) -> u32 {
        if lane < self.width { value(lane) } else { 0 }
    }

    fn named(&self, lane: u32) -> u32 {
        named(lane, self.width)
    }

    fn running(&self) -> impl Iterator<Item = u32> {
        (0..self.width).filter(|lane| self.runs[*lane as usize])
    }

    fn values(&self) -> impl Iterator<Item = u32> {
        self.running().map(value)
    }
}

/// The text, with `D` for the result; `r1` is the value, `r2` a lane number, `p2` the bit.
const OPERATIONS: &[(&str, Meaning)] = &[
    ("wave_shuffle D, r1, r2", |wave, lane| wave.value(wave.named(lane))),
    ("wave_shuffle_up D, r1, r2", |wave, lane| match wave.named(lane) {
        back if back <= lane => wave.value(lane - back),
        _ => 0,
    }),
    ("wave_shuffle_down D, r1, r2", |wave, lane| wave.value(lane + wave.named(lane))),
    ("wave_shuffle_xor D, r1, r2", |wave, lane| wave.value(lane ^ wave.named(lane))),
    ("wave_broadcast D, r1, r2", |wave, _| wave.value(wave.named(wave.running().min().unwrap_or_default()))),
    ("wave_ballot D, p2", |wave, _| {
        wave.running().filter(|lane| *lane < 32 && bit(*lane)).map(|lane| 1 << lane).sum()
    }),
    ("wave_any p3, p2\nselect D, p3, 1, 0", |wave, _| wave.running().any(bit).into()),
    ("wave_all p3, p2\nselect D, p3, 1, 0", |wave, _| wave.running().all(bit).into()),
    ("wave_prefix_sum D, r1", |wave, lane| {
        wave.running().filter(|other| *other < lane).map(value).fold(0, u32::wrapping_add)
    }),
    ("wave_reduce_add D, r1", |wave, _| wave.values().fold(0, u32::wrapping_add)),
    ("wave_reduce_min D, r1", |wave, _| wave.values().min().unwrap_or_default()),
    ("wave_reduce_max D, r1", |wave, _| wave.values().max().unwrap_or_default()),
    ("wave_reduce_and D, r1", |wave, _| wave.values().fold(u32::MAX, |all, x| all & x)),
    ("wave_reduce_or D, r1", |wave, _| wave.values().fold(0, |all, x| all | x)),
    ("wave_reduce_xor D, r1", |wave, _| wave.values().fold(0, |all, x| all ^ x)),
];

/// The initial value of result registers.
const BEFORE: u32 = 0xdead;

fn text(width: u32) -> String {
    let mut text = format!(
        ".kernel k\n.registers 48\nmov r0, sr_lane_id\nimul r1, r0, 0x9e3779b9\nshr r1, r1, 7\nand r3, r0, 31\nshr r3, 0x80000000, r3\nxor r1, r1, r3
        imad r2, r0, 5, 3\nimod r2, r2, {}\nimod r3, r0, 3\nicmp.eq p2, r3, 0\nshl r3, r0, 2\ndevice_load.u32 r3, r3\nicmp.ne p1, r3, 0\n",
        width + 2
    );
    let results = || (10..).zip(OPERATIONS);
    results().for_each(|(d, _)| writeln!(text, "mov r{d}, {BEFORE}").expect("a string takes text"));
    text += "if p1\n";
    results().for_each(|(d, (line, _))| {
        writeln!(text, "{}", line.replace('D', &format!("r{d}"))).expect("a string takes text");
    });
    text + "endif\nhalt\n.end\n"
}

#[test]
fn lanes_that_do_not_run_take_no_part() {
    for width in [1, 2, 4, 8, 16, 32, 64] {
        let text = text(width);
        for runs in subsets(width) {
            let mut launch = launch_config([1; 3], [width, 1, 1], width);
            let bytes: Vec<u8> = runs.iter().flat_map(|runs| u32::from(*runs).to_le_bytes()).collect();
            let memory = launch.memory.bytes_mut(0, bytes.len() as u64).expect("it is that large");
            memory.copy_from_slice(&bytes);
            let (result, _) = launch_text(&text, launch, &options());
            assert_eq!(result.status, warplens_sim_warp::Status::Finished, "{:?}", result.findings);
            let wave = Wave { width, runs: &runs };
            for (d, (line, meaning)) in (10..).zip(OPERATIONS) {
                let expected = (0..width).map(|lane| match runs[lane as usize] {
                    true => meaning(&wave, lane),
                    false => BEFORE,
                });
                let found = register(&result, 0, &format!("r{d}"));
                assert_eq!(
                    found,
                    expected.collect::<Vec<_>>(),
                    "`{line}` in {width} lanes, of which run {runs:?}"
                );
            }
        }
    }
}
