//! A recording against runs from the start: the same registers and the same memory before each step, the same masks as the run.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warplens_ide::{AnalysisHost, FileId, Language};
use warplens_ide_lanes::{Choice, Prepared, Replay, RunRequest, Search};
use warplens_sim_warp::memory::Buffer;
use warplens_sim_warp::recording::{Access, CellId, Event, Space, State, Summary, Write};
use warplens_sim_warp::{
    Control, Limits, Mask, Progress, RunOptions, RunResult, StatementId, Status, WarpId,
};
use warplens_syntax::{ptx, sass, wave};
use warplens_test_support::random_kernel::RandomKernel;
use warplens_test_support::{corpora, sample};

const FILE: FileId = FileId(0);
/// Longer launches take long to run from the start for each position.
const MAX_STEPS: u64 = 4000;
const POSITIONS: u64 = 8;

fn prepare(language: Language, text: &str, model: &str) -> Option<Prepared> {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    let model = warplens_ide::model(language, model).ok();
    let limits = Limits { max_steps: MAX_STEPS, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let request = RunRequest { model, launch: Choice::First, ..RunRequest::first(options) };
    host.snapshot()
        .prepare_run(FILE, &request, None, &|_| Err("no files".into()))
        .expect("not cancelled")
        .ok()
}

fn run(prepared: &Prepared, options: &RunOptions) -> RunResult {
    let config = prepared.resolved.start(&|| false).expect("not cancelled");
    prepared.program.trace(config, options, Control::none()).expect("not cancelled")
}

/// The run from the start to a position.
fn run_to(prepared: &Prepared, step: u64) -> RunResult {
    let limits = Limits { max_steps: step, ..Limits::default() };
    run(prepared, &RunOptions { registers: true, limits, ends_at_fault: true, ..RunOptions::default() })
}

/// Registers by warp and lane, and memory.
struct Expected {
    registers: Vec<(u32, CellId, Vec<Option<u128>>)>,
    /// Space, owner and address, the byte at the start, and now.
    bytes: Vec<(Space, u64, u64, u8, u8)>,
}

impl Expected {
    /// What a run to a position leaves.
    fn of_run(replay: &Replay, result: &RunResult) -> Expected {
        let mut registers = Vec::new();
        for warp in &result.warps {
            let number = replay.number(WarpId { cta: warp.cta, warp: warp.warp });
            for register in warp.registers.iter().flatten() {
                let Some(cell) = replay.layout().find(0, &register.name) else { continue };
                if replay.layout().get(cell).bits == register.bits {
                    registers.push((number, cell, register.lanes.clone()));
                }
            }
        }
        let mut bytes = buffers(replay);
        for (_, _, address, _, now) in &mut bytes {
            *now = result.memory.bytes(*address, 1).map_or(0, |bytes| bytes[0]);
        }
        Expected { registers, bytes }
    }

    /// What a state has, of `shared` bytes of shared memory too.
    fn of_state(replay: &Replay, state: &State, shared: u64) -> Expected {
        let mut registers = Vec::new();
        let blocks = replay.prepared.grid().iter().product::<u32>();
        for number in 0..blocks * replay.layout().warps {
            for (cell, _) in replay.layout().cells() {
                let held = state.cell(number, cell);
                let lanes = (0..replay.layout().width).map(|lane| held?.of(lane));
                registers.push((number, cell, lanes.collect()));
            }
        }
        let of_block = |block: u32| (0..shared).map(move |at| (Space::Shared, block.into(), at, 0, 0));
        let mut bytes = buffers(replay);
        bytes.extend((0..blocks).flat_map(of_block));
        for (space, owner, address, before, now) in &mut bytes {
            *now = state.byte(*space, *owner, *address).unwrap_or(*before);
        }
        Expected { registers, bytes }
    }

    /// What differs in a state.
    fn difference(&self, replay: &Replay, state: &State) -> Option<String> {
        for (warp, cell, lanes) in &self.registers {
            let held = state.cell(*warp, *cell);
            for (lane, expected) in (0..).zip(lanes) {
                let found = held.and_then(|value| value.of(lane));
                // The registers of WAVE start as zeros.
                if found.or(Some(0)) != expected.or(Some(0)) {
                    let name = &replay.layout().get(*cell).name;
                    return Some(format!(
                        "warp {warp}, {name}, lane {lane}: {found:x?}, expected {expected:x?}"
                    ));
                }
            }
        }
        self.bytes.iter().find_map(|(space, owner, address, before, now)| {
            let found = state.byte(*space, *owner, *address).unwrap_or(*before);
            (found != *now).then(|| format!("{space:?} {owner} {address:#x}: {found:x}, expected {now:x}"))
        })
    }
}

/// The bytes of the buffers at the start.
fn buffers(replay: &Replay) -> Vec<(Space, u64, u64, u8, u8)> {
    let initial = replay.prepared.resolved.start(&|| false).expect("not cancelled").memory;
    let of_buffer = |buffer: &Buffer| {
        let bytes = initial.bytes(buffer.address, buffer.len).unwrap_or_default().to_vec();
        let address = buffer.address;
        (address..).zip(bytes).map(|(address, byte)| (Space::Global, 0, address, byte, byte))
    };
    initial.buffers().iter().flat_map(of_buffer).collect()
}

/// What differs between a state and the end of a run to its position.
fn difference(replay: &Replay, state: &State, result: &RunResult) -> Option<String> {
    Expected::of_run(replay, result).difference(replay, state)
}

/// An event with everything that it did.
#[derive(Debug, PartialEq)]
struct Recorded {
    step: u64,
    is_late: bool,
    warp: u32,
    statement: StatementId,
    active: Mask,
    executed: Mask,
    writes: Vec<Write>,
    accesses: Vec<Access>,
}

fn events(replay: &mut Replay) -> Vec<Recorded> {
    let mut events = Vec::new();
    let _: Option<()> = replay
        .forward(0, Control::none(), Search::all(), |event, _| {
            let Event { step, is_late, warp, statement, active, executed, .. } = *event;
            let (writes, accesses) = (event.writes(), event.accesses());
            events.push(Recorded { step, is_late, warp, statement, active, executed, writes, accesses });
            ControlFlow::Continue(())
        })
        .expect("not cancelled");
    events
}

/// Compares a recording with runs from the start; returns the number of compared positions.
fn check(prepared: Prepared, what: &str) -> u64 {
    let result =
        Arc::new(run(&prepared, &RunOptions { limits: prepared.options.limits, ..RunOptions::default() }));
    let steps = result.totals.warp_instructions;
    if steps > MAX_STEPS {
        return 0;
    }
    let new = || Replay::new(prepared.clone(), Arc::clone(&result), 64 << 20);
    let (mut whole, mut replay) = (new(), new().in_windows_of((steps / 3).max(100)));
    let (events, in_windows) = (events(&mut whole), events(&mut replay));
    assert_eq!(in_windows.len(), events.len(), "{what}: events in windows");
    for (found, expected) in in_windows.iter().zip(&events) {
        assert_eq!(found, expected, "{what}: an event in windows");
    }
    let steps_of_events = events.iter().filter(|event| !event.is_late);
    assert_eq!(steps_of_events.clone().count() as u64, steps, "{what}: steps");
    let visits: Vec<(u32, StatementId, Mask, Mask)> =
        steps_of_events.map(|event| (event.warp, event.statement, event.active, event.executed)).collect();
    for warp in &result.warps {
        let number = replay.number(WarpId { cta: warp.cta, warp: warp.warp });
        for line in warp.lines.iter().filter(|line| !line.truncated) {
            let here = visits.iter().filter(|visit| (visit.0, visit.1) == (number, line.statement));
            let found: Vec<_> = here.map(|visit| (visit.2, visit.3)).collect();
            let folded = line.visits.iter();
            let expected: Vec<_> = folded
                .flat_map(|visit| std::iter::repeat_n((visit.active, visit.executed), visit.repeat as usize))
                .collect();
            assert_eq!(found, expected, "{what}: masks of {:?}", line.statement);
        }
    }
    let mut compared = 0;
    for number in 0..=POSITIONS.min(steps) {
        // Positions in both directions, and both ends.
        let step = if number % 2 == 0 {
            number * steps / POSITIONS.max(1)
        } else {
            steps - number * steps / POSITIONS
        };
        let expected = run_to(&replay.prepared, step);
        if expected.totals.warp_instructions != step {
            // Expensive statements are charged as several steps, so that the limit is reached earlier.
            continue;
        }
        let state = replay.state(step, Control::none()).expect("not cancelled");
        if let Some(difference) = difference(&replay, &state, &expected) {
            panic!("{what}, before step {step} of {steps}: {difference}");
        }
        compared += 1;
    }
    compared
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let each = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => {
            Some(path).filter(|path| path.extension().is_some_and(|it| it == extension)).into_iter().collect()
        }
    };
    paths.into_iter().flat_map(each).collect()
}

fn check_folder(language: Language, folder: &str, extension: &str, models: &[&str]) {
    let mut compared = 0;
    let all: Vec<_> = corpora(folder).iter().flat_map(|folder| files(folder, extension)).collect();
    let every = if std::env::var_os("WARPLENS_REPLAY_ALL").is_some() { 1 } else { (all.len() / 4).max(1) };
    for file in all.iter().step_by(every) {
        let text = std::fs::read_to_string(file).expect("it can be read");
        for model in models {
            let Some(prepared) = prepare(language, &text, model) else { continue };
            compared += check(prepared, &format!("{} under {model}", file.display()));
        }
    }
    assert!(compared > 30, "{folder}: only {compared} positions");
}

const PTX_MODELS: [&str; 4] = ["stack", "ipdom", "frontier", "its"];

#[test]
fn ptx_equals_runs_from_the_start() {
    check_folder(ptx::LANGUAGE, "ptx-exec/kernels", "ptx", &PTX_MODELS);
}

#[test]
fn sass_equals_runs_from_the_start() {
    check_folder(sass::LANGUAGE, "sass-exec/sass", "sass", &["barriers", "tokens"]);
}

#[test]
fn wave_equals_runs_from_the_start() {
    check_folder(wave::LANGUAGE, "wave", "wave", &["structured", "wave-emu"]);
}

#[test]
fn a_small_window_gives_every_position() {
    let text = std::fs::read_to_string(sample("ptx-exec/kernels/collatz.ptx")).expect("it can be read");
    let prepared = prepare(ptx::LANGUAGE, &text, "stack").expect("it can run");
    let result = Arc::new(run(&prepared, &RunOptions::default()));
    let steps = result.totals.warp_instructions;
    let new = |bytes| Replay::new(prepared.clone(), Arc::clone(&result), bytes).in_windows_of(5000);
    let (mut whole, mut small) = (new(64 << 20), new(1));
    for step in [steps, 0, steps / 2, steps / 3, steps - 1, 1, steps / 2 + 1] {
        let at = |replay: &mut Replay| replay.state(step, Control::none()).expect("not cancelled");
        let (whole, small, result) = (at(&mut whole), at(&mut small), run_to(&prepared, step));
        let replay = new(1);
        assert_eq!(difference(&replay, &whole, &result), None, "step {step}");
        assert_eq!(difference(&replay, &small, &result), None, "step {step}");
    }
}

/// A visit: warp, statement, active and executed lanes.
type Visit = (u32, StatementId, Mask, Mask);

fn visit(event: &Event<'_>) -> Visit {
    (event.warp, event.statement, event.active, event.executed)
}

/// The next visit in a direction that is wanted.
fn search(
    replay: &mut Replay,
    (position, is_reverse): (u64, bool),
    may_have: &dyn Fn(&Summary) -> bool,
    wanted: impl Fn(&Event<'_>) -> bool,
) -> Option<u64> {
    let search = Search { may_have: &|_, summary| may_have(summary), needs_state: false };
    let is_it = |event: &Event<'_>| !event.is_late && wanted(event);
    match is_reverse {
        true => replay.backward(position, Control::none(), search, |event, _| {
            (is_it(event) && event.step < position).then_some(event.step)
        }),
        false => replay.forward(position + 1, Control::none(), search, |event, _| match is_it(event) {
            true => ControlFlow::Break(event.step),
            false => ControlFlow::Continue(()),
        }),
    }
    .expect("not cancelled")
}

/// A walk of random moves through a launch: each stop has the state of a run from the start, and its masks.
fn walk(prepared: &Prepared, what: &str, random: &mut fastrand::Rng, moves: u64) -> u64 {
    let result = Arc::new(run(prepared, &RunOptions::default()));
    let steps = result.totals.warp_instructions;
    assert_eq!(result.status, Status::Finished, "{:?} {what}", result.findings);
    let new = || Replay::new(prepared.clone(), Arc::clone(&result), 64 << 20);
    let mut visits: Vec<Visit> = Vec::new();
    let _: Option<()> = new()
        .forward(0, Control::none(), Search::all(), |event, _| {
            visits.extend((!event.is_late).then(|| visit(event)));
            ControlFlow::Continue(())
        })
        .expect("not cancelled");
    assert_eq!(visits.len() as u64, steps, "{what}: steps");
    // Few windows fit, and some checkpoints.
    let mut replay = Replay::new(prepared.clone(), Arc::clone(&result), 1 << random.u32(17..21))
        .in_windows_of(random.u64(20..=steps.max(20)));
    let mut whole = new().in_windows_of(steps.max(1));
    let mut known: HashMap<u64, Vec<Expected>> = HashMap::new();
    let (mut position, mut compared) = (0, 0);
    for number in 0..moves {
        let (warp, statement, ..) = visits[random.usize(..visits.len())];
        let is_reverse = random.bool();
        position = match random.u32(..5) {
            0 => random.u64(..=steps),
            1 => (position + 1).min(steps),
            2 => position.saturating_sub(1),
            3 => {
                let may_have = |summary: &Summary| summary.has_warp(warp);
                search(&mut replay, (position, is_reverse), &may_have, |event| event.warp == warp)
                    .unwrap_or(position)
            }
            _ => {
                let may_have = |summary: &Summary| summary.visits(statement);
                search(&mut replay, (position, is_reverse), &may_have, |event| event.statement == statement)
                    .unwrap_or(if is_reverse { 0 } else { steps })
            }
        };
        let here = replay.with_event(position, Control::none(), visit).expect("not cancelled");
        assert_eq!(here.as_ref(), visits.get(position as usize), "{what}: move {number} to {position}");
        if let Some((warp, statement, ..)) = here {
            let same = visits[..=position as usize].iter().filter(|it| (it.0, it.1) == (warp, statement));
            let found = replay.visits(warp, statement, position, Control::none());
            assert_eq!(found, Ok(same.count() as u64), "{what}: visits at {position}");
        }
        let state = replay.state(position, Control::none()).expect("not cancelled");
        // The state of a recording from the start, and of a run to the position if it ends there exactly.
        let expected = known.entry(position).or_insert_with(|| {
            let recorded = whole.state(position, Control::none()).expect("not cancelled");
            let ended = run_to(prepared, position);
            let is_there = ended.totals.warp_instructions == position;
            let ended = is_there.then(|| Expected::of_run(&replay, &ended));
            ended.into_iter().chain([Expected::of_state(&replay, &recorded, 256)]).collect()
        });
        for expected in expected.iter() {
            if let Some(difference) = expected.difference(&replay, &state) {
                panic!("{what}: move {number} to {position} of {steps}: {difference}");
            }
        }
        compared += 1;
    }
    compared
}

/// The number that an environment variable has, for longer walks.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn walks_of_random_kernels_are_runs_from_the_start() {
    let (seed, kernels) = (number("WARPLENS_WALK_SEED", 1), number("WARPLENS_WALK_KERNELS", 2));
    let moves = number("WARPLENS_WALK_MOVES", 40);
    let mut compared = 0;
    for number in 0..kernels {
        let mut random = fastrand::Rng::with_seed(seed << 32 | number);
        let kernel = RandomKernel::new(&mut random);
        let mut all = Vec::new();
        all.extend(PTX_MODELS.map(|model| (ptx::LANGUAGE, kernel.ptx(), model)));
        all.extend(
            [("barriers", true), ("tokens", false)]
                .map(|(model, has_barriers)| (sass::LANGUAGE, kernel.sass(has_barriers), model)),
        );
        all.extend(["structured", "wave-emu"].map(|model| (wave::LANGUAGE, kernel.wave(), model)));
        for (language, text, model) in all {
            let what = format!("kernel {number} of seed {seed} under {model}\n{text}");
            let mut prepared =
                prepare(language, &text, model).unwrap_or_else(|| panic!("it can run: {what}"));
            prepared.options.limits = Limits::default();
            compared += walk(&prepared, &what, &mut random, moves);
        }
    }
    assert_eq!(compared, 8 * kernels * moves, "stops");
}

/// Loops of about 50,000 steps, which store what they counted.
const LOOPS: [(Language, &str, &str); 4] = [
    (ptx::LANGUAGE, "stack", PTX_LOOP),
    (wave::LANGUAGE, "structured", WAVE_LOOP),
    (sass::LANGUAGE, "barriers", SASS_LOOP),
    (ptx::LANGUAGE, "its", PTX_LOOP),
];

const PTX_LOOP: &str = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'loop', grid = [3], block = [64], args = [{ name = 'out', buffer = 'u32', len = 64 }] }
.visible .entry k(.param .u64 out)
{
    .shared .align 4 .b32 tile[64];
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.u32 %r3, tile;
    ld.param.u64 %d0, [out];
    mul.wide.u32 %d1, %r1, 4;
    add.u64 %d2, %d0, %d1;
NEXT:
    add.u32 %r2, %r2, 1;
    st.shared.u32 [%r3], %r2;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%d2], %r4;
    setp.lt.u32 %p, %r2, 1500;
    @%p bra NEXT;
    bar.sync 0;
    ret;
}
";

const WAVE_LOOP: &str = "\
; @launch { name = 'loop', grid = [3], block = [64], device_memory = 4096, args = [{ name = 'out', buffer = 'u32', len = 64 }] }
.kernel k
.registers 8
.local_memory 64
    mov_sr r1, sr_thread_id_x
    mov_imm r2, 0
    mov_imm r3, 4
    shl r4, r1, 2
    iadd r4, r4, r0
    loop
    iadd r2, r2, 1
    local_store.u32 r2, r3
    local_load.u32 r5, r3
    device_store.u32 r5, r4
    icmp.ge p1, r2, 1500
    break p1
    endloop
    barrier
    halt
.end
";

const SASS_LOOP: &str = "\
// @launch { name = 'loop', grid = [3], block = [64], args = [{ name = 'out', buffer = 'u32', len = 64 }] }
\tcode for sm_75
\t\tFunction : k
\t.headerflags\t@\"EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\"
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   MOV R6, RZ ;
        /*0020*/                   MOV R8, 0x4 ;
        /*0030*/                   IMAD.WIDE R8, R0, R8, c[0x0][0x160] ;
        /*0040*/                   IADD3 R6, R6, 0x1, RZ ;
        /*0050*/                   STG.E.SYS [R8], R6 ;
        /*0060*/                   LDG.E.SYS R7, [R8] ;
        /*0070*/                   IADD3 R7, R7, R0, RZ ;
        /*0080*/                   ISETP.LT.AND P0, PT, R6, 0x5dc, PT ;
        /*0090*/               @P0 BRA 0x40 ;
        /*00a0*/                   BAR.SYNC 0x0 ;
        /*00b0*/                   EXIT ;
\t\t..........
";

#[test]
fn a_run_for_a_window_goes_on_at_a_checkpoint() {
    for (language, model, text) in LOOPS {
        let mut prepared = prepare(language, text, model).expect("it can run");
        prepared.options.limits = Limits::default();
        let result = Arc::new(run(&prepared, &RunOptions::default()));
        assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
        let steps = result.totals.warp_instructions;
        let new = || Replay::new(prepared.clone(), Arc::clone(&result), 16 << 20).in_windows_of(5000);
        let (mut replay, mut whole) = (new(), new().in_windows_of(steps));
        replay.state(steps - 10, Control::none()).expect("not cancelled");
        for step in [steps - 20_000, steps / 2, steps - 9_000, 15_000] {
            let first = AtomicU64::new(u64::MAX);
            let progress = |progress: Progress| {
                first.fetch_min(progress.steps, Ordering::Relaxed);
            };
            let control = Control { progress: &progress, ..Control::none() };
            let state = replay.state(step, control).expect("not cancelled");
            let first = first.into_inner();
            assert!(first + 20_000 > step, "{model}: a run for step {step} begins before {first}");
            let expected = whole.state(step, Control::none()).expect("not cancelled");
            let expected = Expected::of_state(&replay, &expected, 64);
            assert_eq!(expected.difference(&replay, &state), None, "{model}, step {step}");
        }
    }
}
