//! Every construct that the guide and the texts of the instruction set name, in the guide's dialect: it has no error,
//! every word has a hover, and it runs to completion.

use std::collections::BTreeSet;

use warplens_ide::lanes::RunRequest;
use warplens_ide::{Analysis, AnalysisHost, FileId, Severity, TextSize};
use warplens_isa::wave as isa;
use warplens_sim_warp::{Control, RunOptions, Status};

/// Lines that are complete on their own: integers, bits, floating point in three widths, comparisons, conversions, memory,
/// atomics, wave operations, control, fragments. r8 contains a different address for each lane, r9 a small number, r20 to
/// r27 contain 64-bit values.
const LINES: &str = "
iadd r1, r2, r3
isub r1, r2, 7
imul r1, 3, r3
imul_hi r1, r2, r3
imad r1, r2, r3, 4
idiv r1, r2, r9
imod r1, r2, 3
ineg r1, r2
iabs r1, r2
imin r1, r2, -1
imax r1, r2, r3
umin r1, r2, r3
umax r1, r2, 9
iclamp r1, r2, 0, 255
and r1, r2, 0xff
or r1, r2, r3
xor r1, r2, r3
not r1, r2
and p1, p2, p3
or p1, !p2, p3
xor p1, p2, !p3
not p1, p2
shl r1, r2, 4
shr r1, r2, r9
sar r1, r2, 31
bitcount r1, r2
bitfind r1, r2
bitrev r1, r2
bfe r1, r2, 4, 8
bfi r1, r2, r3, 8, 4
fadd r1, r10, r11
fsub r1, r10, r11
fmul r1, r10, 2.0
fma r1, r10, r11, r12
fdiv r1, r10, r11
fneg r1, r10
fabs r1, r10
fmin r1, r10, r11
fmax r1, r10, r11
fclamp r1, r10, 0.0, 1.0
fsqrt r1, r10
frsqrt r1, r10
frcp r1, r10
ffloor r1, r10
fceil r1, r10
fround r1, r10
ftrunc r1, r10
ffract r1, r10
fsat r1, r10
fsin r1, r10
fcos r1, r10
fexp2 r1, r10
flog2 r1, r10
hadd r1, r2, r3
hadd r1, r2.lo, r3.hi
hsub r1, r2, r3
hmul r1, r2, r3
hma r1, r2, r3, r4
hadd2 r1, r2, r3
hmul2 r1, r2, r3
hma2 r1, r2, r3, r4
badd r1, r2, r3
bsub r1, r2, r3
bmul r1, r2, r3
bma r1, r2, r3, r4
badd2 r1, r2, r3
bmul2 r1, r2, r3
bma2 r1, r2, r3, r4
dadd r20, r22, r24
dsub r20, r22, r24
dmul r20, r22, r24
dma r20, r22, r24, r26
ddiv r20, r22, r24
dsqrt r20, r22
icmp.eq p1, r2, r3
icmp.ne p1, r2, 0
icmp.lt p1, r2, r3
icmp.le p1, 4, r3
icmp.gt p1, r2, r3
icmp.ge p1, r2, r3
ucmp.lt p1, r2, r3
ucmp.le p1, r2, 16
ucmp.eq p1, r2, r3
ucmp.ne p1, r2, r3
ucmp.gt p1, r2, r3
ucmp.ge p1, r2, r3
fcmp.eq p1, r10, r11
fcmp.ne p1, r10, r11
fcmp.lt p1, r10, 1.5
fcmp.le p1, r10, r11
fcmp.gt p1, r10, r11
fcmp.ge p1, r10, r11
fcmp.ord p1, r10, r11
fcmp.unord p1, r10, r11
select r1, p1, r2, r3
select r1, p1, r2, 0
cvt_f32_i32 r1, r2
cvt_f32_u32 r1, r2
cvt_i32_f32 r1, r10
cvt_u32_f32 r1, r10
cvt_f32_f16 r1, r2
cvt_f16_f32 r1, r10
cvt_f32_f64 r1, r22
cvt_f64_f32 r20, r10
cvt_f32_bf16 r1, r2
cvt_bf16_f32 r1, r10
local_load.u8 r1, r8
local_load.u16 r1, r8
local_load.u32 r1, r8
local_load.u64 r20, r8
local_load.u128 r20, r8
local_store.u8 r2, r8
local_store.u16 r2, r8
local_store.u32 r2, r8
local_store.u64 r20, r8
local_store.u128 r20, r8
device_load.u8 r1, r8
device_load.u16 r1, r8
device_load.u32 r1, r8
device_load.u64 r20, r8
device_load.u128 r20, r8
device_load.u32.cached r1, r8
device_load.u32.uncached r1, r8
device_load.u32.streaming r1, r8
device_store.u8 r2, r8
device_store.u16 r2, r8
device_store.u32 r2, r8
device_store.u64 r20, r8
device_store.u128 r20, r8
device_store.u32.streaming r2, r8
local_atomic_add r1, r8, r2
local_atomic_add r8, r2
local_atomic_sub r1, r8, r2
local_atomic_min r1, r8, r2
local_atomic_max r1, r8, r2
local_atomic_and r1, r8, r2
local_atomic_or r1, r8, r2
local_atomic_xor r1, r8, r2
local_atomic_exchange r1, r8, r2
local_atomic_cas r1, r8, r2, r3
atomic_add r1, r8, r2, .device
atomic_add.device r1, r8, r2
atomic_add.system r8, r2
atomic_sub r1, r8, r2, .workgroup
atomic_min r1, r8, r2, .wave
atomic_max r1, r8, r2, .system
atomic_and r1, r8, r2, device
atomic_or.workgroup r1, r8, r2
atomic_xor.wave r1, r8, r2
atomic_exchange.device r1, r8, r2
atomic_cas.device r1, r8, r2, r3
atomic_cas r1, r8, r2, r3, .device
wave_shuffle r1, r2, r9
wave_shuffle r1, r2, 0
wave_shuffle_idx r1, r2, r9
wave_shuffle_up r1, r2, 1
wave_shuffle_down r1, r2, 1
wave_shuffle_xor r1, r2, 16
wave_broadcast r1, r2, 0
wave_ballot r1, p1
wave_any p1, p2
wave_all p1, p2
wave_prefix_sum r1, r2
wave_reduce_add r1, r2
wave_reduce_min r1, r2
wave_reduce_max r1, r2
wave_reduce_and r1, r2
wave_reduce_or r1, r2
wave_reduce_xor r1, r2
mov r1, r2
mov r1, 42
mov r1, sr_wave_width
mov_imm r1, 0x3F800000
mov_sr r1, sr_thread_id_x
mov_sr r1, sr_thread_id_y
mov_sr r1, sr_thread_id_z
mov_sr r1, sr_wave_id
mov_sr r1, sr_lane_id
mov_sr r1, sr_workgroup_id_x
mov_sr r1, sr_workgroup_id_y
mov_sr r1, sr_workgroup_id_z
mov_sr r1, sr_workgroup_size_x
mov_sr r1, sr_workgroup_size_y
mov_sr r1, sr_workgroup_size_z
mov_sr r1, sr_grid_size_x
mov_sr r1, sr_grid_size_y
mov_sr r1, sr_grid_size_z
mov_sr r1, sr_wave_width
mov_sr r1, sr_num_waves
mov_sr r1, sr_mma_supported
mov_sr r1, sr_mma_m
mov_sr r1, sr_mma_n
mov_sr r1, sr_mma_k
barrier
fence_acquire .workgroup
fence_release.workgroup
fence_acq_rel device
wait
nop
@p1 iadd r1, r2, 1
@!p0 mov r1, 0
@p2 device_store.u32 r2, r8
@p1 halt
mma_load_a r1, r9, 16
mma_load_b r1, r9, 16
mma_compute r1, r2, r3
mma_store_c r9, 16, r3
";

/// Control flow, which needs several lines. A blank line separates two pieces.
const PIECES: &str = "
if p1
    iadd r1, r2, 1
endif

if !p1
    iadd r1, r2, 1
else
    isub r1, r2, 1
endif

if p1
    if p2
        iadd r1, r1, 1
    else
        iadd r1, r1, 2
    endif
else
    if p3
        iadd r1, r1, 3
    endif
endif

and p1, p1, p2
if p1
    mov r1, 1
endif

mov r4, 0
loop
    iadd r4, r4, 1
    icmp.ge p1, r4, 10
    break p1
endloop

mov r4, 10
loop
    icmp.gt p1, r4, 0
    break !p1
    isub r4, r4, 1
endloop

mov r4, 0
loop
    iadd r4, r4, 1
    icmp.ge p1, r4, r9
    break p1
    and r5, r4, 1
    icmp.eq p2, r5, 0
    continue p2
    iadd r1, r1, 1
    continue !p2
endloop

mov r4, 0
loop
    iadd r4, r4, 1
    icmp.gt p1, r4, r9
    if p1
        break p1
    endif
    mov r5, 0
    loop
        iadd r5, r5, 1
        icmp.ge p2, r5, r4
        break p2
    endloop
endloop

if p1
    halt
endif
nop

call helper
halt
helper:
    iadd r1, r1, 1
    return

if p2
    call deep
endif
halt
deep:
    call deeper
    return
deeper:
    return

return
";

const FILE: FileId = FileId(0);

/// A kernel around some lines, in which every register they read is set.
fn kernel(lines: &str) -> String {
    let mut text = String::from(
        ".kernel guide\n.registers 32\n.local_memory 1024\n.workgroup_size 32\nmov_sr r8, sr_lane_id\nand r9, r8, 3\niadd r9, r9, 1\nshl r8, r8, 4\n",
    );
    for (register, value) in [(1, "1"), (2, "2"), (3, "3"), (4, "4"), (10, "1.5"), (11, "0.25"), (12, "3.0")]
        .into_iter()
        .chain((20..28).map(|register| (register, "0x3FF00000")))
    {
        text += &format!("mov_imm r{register}, {value}\n");
    }
    text += "icmp.lt p0, r9, 2\nicmp.lt p1, r9, 3\nicmp.gt p2, r9, 1\nicmp.eq p3, r9, 3\n";
    format!("{text}{lines}\nhalt\n.end\n")
}

fn opened(text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::wave::LANGUAGE, text);
    host.snapshot()
}

/// The problems of an example: errors, words without a hover, a run that does not finish.
fn wrong(piece: &str) -> Vec<String> {
    let text = kernel(piece);
    let analysis = opened(&text);
    let mut wrong = Vec::new();
    for found in analysis.diagnostics(FILE).expect("nothing cancels") {
        if found.severity == Severity::Error {
            wrong.push(format!("{}: {}", &text[found.range], found.message));
        }
    }
    for (at, word) in words(&text) {
        let offset = TextSize::try_from(at).expect("it is short");
        let hover = analysis.hover(FILE, offset).expect("nothing cancels");
        if hover.is_none_or(|hover| hover.markdown.trim().is_empty()) {
            wrong.push(format!("`{word}` explains nothing"));
        }
    }
    wrong.extend(failed_run(&analysis));
    wrong
}

/// The words of a piece: mnemonics, registers, numbers, names.
fn words(piece: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut at = 0;
    let parts = piece.split_inclusive(move |c| !is_word(c)).map(move |part| {
        let start = at;
        at += part.len();
        (start, part.trim_end_matches(|c| !is_word(c)))
    });
    parts.filter(|(_, word)| !word.is_empty())
}

fn failed_run(analysis: &Analysis) -> Option<String> {
    let request = RunRequest::first(RunOptions::default());
    let nothing = |_: &str| Err("no files".into());
    let run = match analysis.prepare_run(FILE, &request, None, &nothing).expect("nothing cancels") {
        Ok(run) => run,
        Err(problem) => return Some(format!("cannot be run: {}", problem.message)),
    };
    let result = run.run(Control::none()).expect("nothing cancels");
    let errors = result.findings.iter().filter(|found| found.severity == warplens_sim_warp::Severity::Error);
    let errors: Vec<&str> = errors.map(|found| found.message.as_str()).collect();
    (result.status != Status::Finished || !errors.is_empty())
        .then(|| format!("{}: {}", result.status.as_str(), errors.join("; ")))
}

fn pieces() -> impl Iterator<Item = &'static str> {
    LINES.lines().filter(|line| !line.is_empty()).chain(PIECES.trim().split("\n\n"))
}

#[test]
fn every_construct_of_the_guide_parses_explains_itself_and_runs() {
    let wrong: Vec<String> = pieces()
        .filter_map(|piece| {
            let wrong = wrong(piece);
            (!wrong.is_empty()).then(|| format!("{piece}\n    {}", wrong.join("\n    ")))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} pieces\n{}", wrong.len(), pieces().count(), wrong.join("\n"));
}

/// Every name that the simulator supports occurs in a piece. The data of other names gives a reason.
#[test]
fn nothing_that_is_simulated_is_missing() {
    let written: BTreeSet<&str> = pieces().flat_map(words).map(|(_, word)| word).collect();
    let is_written = |name: &str| {
        written
            .iter()
            .any(|word| *word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    };
    let instructions = isa::instructions()
        .filter(|entry| !matches!(entry.simulation, warplens_isa::Simulation::Unsupported(_)));
    let missing: Vec<&str> = instructions
        .map(|entry| entry.mnemonic)
        .chain(isa::special_registers().iter().map(|register| register.name))
        .chain(isa::cache_hints().iter().map(|hint| hint.name.trim_start_matches('.')))
        .chain(isa::scopes().iter().map(|scope| scope.name))
        .filter(|name| !is_written(name) && !written.iter().any(|word| word.ends_with(&format!(".{name}"))))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
