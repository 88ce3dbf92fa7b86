//! Compares random WAVE programs with the reference toolchain: `wave-asm` assembles the same text and
//! `wave-emu` steps through it. The lanes of every visit of every instruction, the registers and both
//! memories must be equal.
//!
//! The programs use only the part of the language in which toolchain 0.1.2 follows the specification: no
//! `continue`, no `break` inside an `if`, guards only on plain instructions and on `halt` and never `@p0`, no
//! division by zero, ordered bounds of clamps, no compare-and-swap.
//!
//! The number of programs is the default of the tests; `--profile long` of nextest runs 100,000.

mod emulated;
mod emulator;
mod generator;
mod instructions;
mod ours;
mod stepped;
mod wild;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use warplens_sim_warp::Status;

proptest! {
    #![proptest_config(crate::long::config(100_000))]

    #[test]
    fn lanes_registers_and_memory_agree(program in generator::program()) {
        agree(&program)?;
    }

    /// Unrestricted programs under the model `wave-emu` give the emulator's result if it finishes, and an
    /// error if it does not.
    #[test]
    fn the_emulator_is_followed_everywhere(file in wild::file()) {
        follow(&file)?;
    }
}

fn follow(file: &wild::Wild) -> Result<(), TestCaseError> {
    let shape = Shape { device: 2048, local: 512, max_steps: 3000 };
    follow_kernel(&file.text(), file.kernel, &file.launch, &shape).map(|_| ())
}

struct Shape {
    device: usize,
    local: usize,
    max_steps: u64,
}

/// Returns whether the emulator finishes.
fn follow_kernel(
    text: &str,
    kernel: usize,
    launch: &generator::Launch,
    shape: &Shape,
) -> Result<bool, TestCaseError> {
    let items = emulated::items(text);
    let item = emulated::item_of(&items, kernel);
    let Shape { device, local, max_steps } = *shape;
    let sizes = emulated::sizes(&items[item]);
    let setting = stepped::Setting { kernel, sizes, device, local, max_steps };
    let theirs = stepped::run(text, launch, &setting);
    let (result, ours) = emulated::run(&items, launch, &setting);
    let place = format!("{launch:?} kernel {kernel} of\n{text}");
    match theirs {
        Ok(theirs) => {
            prop_assert_eq!(result.status, Status::Finished, "{:?} {}", result.findings, place);
            same(&ours, &theirs, &place)?;
            Ok(true)
        }
        Err(why) => {
            prop_assert!(result.status != Status::Finished, "{} {}", why, place);
            Ok(false)
        }
    }
}

/// The kernels of the shared corpus, under the model `wave-emu`.
#[test]
fn the_emulator_is_followed_through_the_corpus() {
    let corpora = warplens_test_support::corpora("wave");
    let folders = corpora.iter().flat_map(|corpus| std::fs::read_dir(corpus).expect("a folder"));
    let (mut ended, mut stopped) = (0, 0);
    for folder in folders.flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
            let path = file.path();
            if path.extension().is_none_or(|extension| extension != "wave") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("the file is there");
            let items = emulated::items(&text);
            let kernels = items.iter().filter(|code| code.kernel.is_some());
            for (kernel, code) in kernels.enumerate() {
                for width in [4, 32] {
                    let size =
                        code.resources.workgroup_size.map(|size| size.value).filter(|size| size[0] > 0);
                    let workgroup = size.unwrap_or([width + 3, 1, 1]);
                    let launch = generator::Launch { grid: [2, 1, 1], workgroup, width };
                    let shape = Shape { device: 65_536, local: 16_384, max_steps: 50_000 };
                    let followed = follow_kernel(&text, kernel, &launch, &shape);
                    let followed = followed.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    *(if followed { &mut ended } else { &mut stopped }) += 1;
                }
            }
        }
    }
    assert!(ended * 10 >= (ended + stopped) * 6, "{ended} runs finished, {stopped} did not");
}

fn agree(program: &generator::Program) -> Result<(), TestCaseError> {
    let (text, launch) = (program.text(), program.launch);
    let theirs = emulator::run(&text, &launch);
    let ours = ours::run(&text, &launch);
    same(&ours, &theirs, &format!("{launch:?}\n{text}"))
}

fn same(ours: &emulator::Outcome, theirs: &emulator::Outcome, what: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.waves.len(), theirs.waves.len());
    for (wave, (ours, theirs)) in ours.waves.iter().zip(&theirs.waves).enumerate() {
        prop_assert_eq!(ours.visits.len(), theirs.visits.len());
        for (at, (ours, theirs)) in ours.visits.iter().zip(&theirs.visits).enumerate() {
            prop_assert_eq!(ours, theirs, "lanes of instruction {} of wave {} of {}", at, wave, what);
        }
        for (lane, (ours, theirs)) in ours.registers.iter().zip(&theirs.registers).enumerate() {
            for (register, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                let place = format!("register {register} of lane {lane} of wave {wave}");
                prop_assert_eq!(ours, theirs, "{} of {}", place, what);
            }
        }
    }
    prop_assert!(ours.memory == theirs.memory, "memory after {}", what);
    Ok(())
}
