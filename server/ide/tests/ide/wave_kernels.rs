//! Typical kernels in the guide's dialect, and rewritten into the toolchain's: the memory afterwards equals the result of the
//! same computation in Rust, for waves of any width, and a run with all checks has no findings. Also kernels with one mistake
//! each, for which a run has a single finding, at the wrong statement.

mod alone;
mod branching;
mod faulty;
mod together;

use std::ops::Range;

use warplens_hir::wave as hir;
use warplens_ide::{AnalysisHost, Dialect, FileId};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Checks, Control, FindingKind, RunOptions, RunResult, Status};
use warplens_sim_wave::{decode, device_memory, launch_config, run};
use warplens_syntax::parse_file;

/// The address of the results. The input is at address 0.
const RESULT: u64 = 4096;

/// The start of most kernels: `r0` is the thread in the workgroup, `r1` the workgroup, `r3` the thread in the launch; `r4` and
/// `r5` are four times `r3` and `r0`.
const BEGINNING: &str = "mov r0, sr_thread_id_x
mov r1, sr_workgroup_id_x
mov r2, sr_workgroup_size_x
imad r3, r1, r2, r0
shl r4, r3, 2
shl r5, r0, 2
";

/// A correct kernel.
pub(crate) struct Kernel {
    name: &'static str,
    text: String,
    grid: [u32; 3],
    workgroup: [u32; 3],
    widths: &'static [u32],
    input: Vec<u32>,
    result: Vec<u32>,
    /// Whether the toolchain has all instructions of the kernel.
    in_toolchain: bool,
}

impl Kernel {
    /// A kernel with this body for 64 threads. Each thread has a word of input that differs from all others.
    pub(crate) fn new(name: &'static str, body: &str) -> Kernel {
        Kernel {
            name,
            text: format!(
                ".kernel {name}\n.registers 32\n.local_memory 1024\n{BEGINNING}{body}\nhalt\n.end\n"
            ),
            grid: [1; 3],
            workgroup: [64, 1, 1],
            widths: &[1, 2, 4, 8, 16, 32, 64, 7],
            input: numbers(0..64).collect(),
            result: Vec::new(),
            in_toolchain: true,
        }
    }

    pub(crate) fn grid(self, grid: [u32; 3], workgroup: [u32; 3]) -> Kernel {
        Kernel { grid, workgroup, ..self }
    }

    pub(crate) fn widths(self, widths: &'static [u32]) -> Kernel {
        Kernel { widths, ..self }
    }

    pub(crate) fn input(self, input: impl IntoIterator<Item = u32>) -> Kernel {
        Kernel { input: input.into_iter().collect(), ..self }
    }

    pub(crate) fn gives(self, result: impl IntoIterator<Item = u32>) -> Kernel {
        Kernel { result: result.into_iter().collect(), ..self }
    }

    pub(crate) fn only_in_the_guide(self) -> Kernel {
        Kernel { in_toolchain: false, ..self }
    }

    fn launch(&self, width: u32) -> LaunchConfig {
        let mut memory = device_memory(3 * RESULT as u32);
        let bytes: Vec<u8> = self.input.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.bytes_mut(0, bytes.len() as u64).expect("it is that large").copy_from_slice(&bytes);
        LaunchConfig { memory, ..launch_config(self.grid, self.workgroup, width) }
    }
}

/// Arbitrary-looking numbers below 1000.
pub(crate) fn numbers(range: Range<u32>) -> impl Iterator<Item = u32> + Clone {
    range.map(|at| (at.wrapping_mul(2_654_435_761) >> 12) % 1000)
}

pub(crate) fn floats(values: impl IntoIterator<Item = f32>) -> impl Iterator<Item = u32> {
    values.into_iter().map(f32::to_bits)
}

fn code(text: &str) -> hir::Code {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    let mut codes = file.items().map(hir::lower);
    codes.find(|code| code.kernel.is_some()).expect("a kernel")
}

fn simulate(code: &hir::Code, launch: LaunchConfig) -> RunResult {
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    run(&decode(code), launch, &options, Control::none()).expect("not cancelled")
}

fn in_toolchain_spelling(text: &str) -> String {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::wave::LANGUAGE, text);
    let edits =
        host.snapshot().rewrite_in_dialect(FileId(0), Dialect::Toolchain).expect("nothing changes").edits;
    warplens_ide::edited(text, &edits)
}

fn check(kernel: &Kernel, text: &str) {
    let code = code(text);
    for width in kernel.widths {
        let place = format!("{} in waves of {width}", kernel.name);
        let result = simulate(&code, kernel.launch(*width));
        assert_eq!(result.status, Status::Finished, "{place}: {:?}\n{text}", result.findings);
        // Slow code is still correct.
        let findings: Vec<_> =
            result.findings.iter().filter(|found| found.kind != FindingKind::ScatteredBreak).collect();
        assert!(findings.is_empty(), "{place}: {findings:?}\n{text}");
        let bytes = result.memory.bytes(RESULT, 4 * kernel.result.len() as u64).expect("it is that large");
        let words: Vec<_> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words, kernel.result, "{place}\n{text}");
    }
}

fn all() -> impl Iterator<Item = Kernel> {
    alone::kernels().into_iter().chain(branching::kernels()).chain(together::kernels())
}

#[test]
fn right_kernels_run_as_they_should() {
    assert!(all().count() >= 30);
    all().for_each(|kernel| check(&kernel, &kernel.text));
}

#[test]
fn right_kernels_run_as_they_should_in_the_toolchains_dialect() {
    for kernel in all().filter(|kernel| kernel.in_toolchain) {
        let text = in_toolchain_spelling(&kernel.text);
        if let Err(error) = wave_asm::assemble(&text, kernel.name) {
            panic!("{}: {error}\n{text}", kernel.name);
        }
        check(&kernel, &text);
    }
}

#[test]
fn a_mistake_is_found_once_where_it_is() {
    faulty::check_all();
}
