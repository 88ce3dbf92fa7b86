//! Every instruction of the tables in each dialect: its diagnostics under each setting, and that the fixed code assembles and has
//! equal semantics.

use warplens_hir::wave as hir;
use warplens_ide::{Accepts, AnalysisHost, Diagnostic, Dialect, FileId, Severity, edited};
use warplens_isa::Simulation;
use warplens_isa::wave::{self as isa, Availability, Instruction};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, RunOptions, RunResult, Status};
use warplens_sim_wave::{decode, device_memory, launch_config, reference, run};

const FILE: FileId = FileId(0);

/// The diagnostics that only exist because a dialect was selected.
const ABOUT_LANGUAGE: [&str; 3] = ["not-in-toolchain", "toolchain-fault", "toolchain-spelling"];

/// A kernel that fills the registers, runs an instruction, and stores the registers. Small numbers also serve as
/// addresses.
fn kernel(line: &str, seed: &str) -> String {
    let (before, after) = match line.split(' ').next().unwrap_or_default() {
        "if" => ("", "iadd r1, r1, r2\nendif\n"),
        "else" => ("if p1\nmov r3, r2\n", "mov r1, r2\nendif\n"),
        "endif" => ("if p1\nmov r1, r2\n", ""),
        "loop" => ("", "break p1\nucmp_lt p1, r0, r0\nbreak p1\nicmp_eq p1, r0, r0\nendloop\n"),
        "endloop" => ("loop\nicmp_eq p2, r0, r0\nbreak p2\n", ""),
        "break" => ("loop\n", "icmp_eq p1, r0, r0\nendloop\n"),
        "continue" => ("loop\nbreak p2\nicmp_eq p2, r0, r0\n", "mov r1, r2\nendloop\n"),
        "call" => ("", "return\n"),
        _ => ("", ""),
    };
    let mut text = String::from(
        ".kernel k\n.registers 24\n.local_memory 2048\nmov_sr r0, sr_lane_id\nmov_imm r20, 16\n",
    );
    for register in 1..9 {
        text += &format!("mov_imm r{register}, {register}\n{seed}\n").replace("rX", &format!("r{register}"));
    }
    text += "mov_imm r20, 4\nicmp_lt p1, r0, r20\n";
    text += before;
    text += line;
    text += "\n";
    text += after;
    text += "mov_imm r20, 64\nimul r21, r0, r20\nmov_imm r20, 1024\niadd r21, r21, r20\nmov_imm r20, 4\nmov_imm r22, 1\nmov_imm r23, 0\n";
    for register in 0..9 {
        text += &format!("device_store_u32 r21, r{register}\niadd r21, r21, r20\n");
    }
    for predicate in 0..4 {
        text += &format!(
            "mov r1, r22\n@!p{predicate} mov r1, r23\ndevice_store_u32 r21, r1\niadd r21, r21, r20\n"
        );
    }
    text + "halt\n.end\n"
}

/// Ways to fill a register: with addresses, floats, halves, large numbers.
const SEEDS: [&str; 4] = [
    "imul rX, rX, r20\nimul rX, rX, r0",
    "cvt_f32_f16 rX, rX\nmov_imm r20, 0x3fc00000\niadd rX, rX, r20\nmov_imm r20, 0x00a00000\nimad rX, r0, r20, rX",
    "mov_imm r20, 0x3c023d13\nimad rX, r0, r20, rX",
    "mov_imm r20, 0x9e3779b9\niadd rX, rX, r0\nimul rX, rX, r20",
];

fn launch() -> LaunchConfig {
    LaunchConfig { memory: device_memory(4096), ..launch_config([1; 3], [8, 1, 1], 8) }
}

fn lowered(text: &str) -> hir::Code {
    hir::lower(
        warplens_syntax::parse_file(warplens_syntax::wave::LANGUAGE, text)
            .items()
            .next()
            .expect("there is a kernel"),
    )
}

/// The final contents of device memory, with all NaNs made equal; `None` if the kernel does not finish
/// correctly.
fn memory(result: &RunResult) -> Option<Vec<u32>> {
    let bytes = (result.status == Status::Finished).then(|| result.memory.bytes(0, 4096))??;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let nan_as_one = |bits: u32| if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits };
    Some(bytes.chunks_exact(4).map(|bytes| nan_as_one(word(bytes))).collect())
}

fn structured(text: &str) -> Option<Vec<u32>> {
    memory(
        &run(&decode(&lowered(text)), launch(), &RunOptions::default(), Control::none())
            .expect("not cancelled"),
    )
}

fn emulated(text: &str) -> Option<Vec<u32>> {
    let program = reference::decode(&[&lowered(text)], 0, &|_| String::new());
    let result = reference::run(&program, launch(), &RunOptions::default(), Control::none(), None);
    memory(&result.expect("not cancelled"))
}

fn host(text: &str, accepts: Accepts) -> AnalysisHost {
    let mut host = AnalysisHost::new();
    host.set_accepts(accepts);
    host.open(FILE, warplens_syntax::wave::LANGUAGE, text);
    host
}

fn diagnostics(text: &str, accepts: Accepts) -> Vec<Diagnostic> {
    host(text, accepts).snapshot().diagnostics(FILE).expect("not edited")
}

/// The diagnostics about code that the toolchain rejects, or runs differently than intended.
fn departures(text: &str) -> Vec<String> {
    let found = diagnostics(text, Accepts::Toolchain).into_iter();
    found.filter(|found| ABOUT_LANGUAGE.contains(&found.code)).map(|found| found.message).collect()
}

/// The text after all quick fixes, applied one after another.
fn fixed(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let found = diagnostics(&text, Accepts::Toolchain).into_iter();
        let wanted = |it: &Diagnostic| ABOUT_LANGUAGE.contains(&it.code) || it.code == "missing-scope";
        let fix = found.filter(wanted).find_map(|found| found.fixes.first().cloned());
        match fix {
            Some(fix) => text = fix.applied(&text),
            None => break,
        }
    }
    text
}

/// Whether the emulator differs regardless of how the instruction is written: it divides by zero and clamps in its own
/// way.
fn is_unsound(entry: &Instruction) -> bool {
    matches!(entry.mnemonic, "fdiv" | "iclamp" | "fclamp")
}

/// Whether toolchain 0.1.2 has no equivalent of an instruction, according to the tables.
fn has_no_form(entry: &Instruction) -> bool {
    let absent = entry.available != Availability::Crates && entry.replacement.is_empty();
    absent || entry.mnemonic.ends_with("_cas")
}

/// An example of an instruction in each dialect.
fn variants(entry: &Instruction) -> Vec<&'static str> {
    let toolchain = Some(entry.toolchain_example).filter(|it| !it.is_empty() && *it != entry.example);
    std::iter::once(entry.example).chain(toolchain).collect()
}

#[test]
fn each_language_says_what_it_does_not_write() {
    for entry in isa::instructions() {
        for line in variants(entry) {
            let text = kernel(line, SEEDS[0]);
            let errors =
                diagnostics(&text, Accepts::Both).into_iter().filter(|it| it.severity == Severity::Error);
            assert_eq!(errors.count(), 0, "{line}");
            let start = text.find(&format!("\n{line}\n")).expect("it is there") + 1;
            let is_here = |at: usize| (start..start + line.len()).contains(&at);
            let of_line = |accepts| {
                let found =
                    diagnostics(&text, accepts).into_iter().filter(|it| is_here(it.range.start().into()));
                found.map(|it| it.code).filter(|code| ABOUT_LANGUAGE.contains(code)).collect::<Vec<_>>()
            };
            assert_eq!(of_line(Accepts::Both), [""; 0], "{line}");
            let is_guides = line.contains(entry.mnemonic);
            assert_eq!(of_line(Accepts::Guide).is_empty(), is_guides, "{line}");
            let toolchains =
                entry.toolchain.is_some_and(|name| line.contains(name)) && entry.replacement.is_empty();
            let is_reported = !toolchains || has_no_form(entry) || entry.mnemonic == "continue";
            assert_eq!(
                !of_line(Accepts::Toolchain).is_empty(),
                is_reported,
                "{line}: {:?}",
                of_line(Accepts::Toolchain)
            );
        }
    }
}

#[test]
fn fixes_assemble_and_keep_the_semantics() {
    for entry in isa::instructions() {
        for line in variants(entry) {
            let mut ran = false;
            for seed in SEEDS {
                let text = kernel(line, seed);
                let rewritten = host(&text, Accepts::Both)
                    .snapshot()
                    .rewrite_in_dialect(FILE, Dialect::Toolchain)
                    .unwrap();
                assert_eq!(!rewritten.left.is_empty(), has_no_form(entry), "{line}: {:?}", rewritten.left);
                if has_no_form(entry) {
                    continue;
                }
                let expected = structured(&text);
                ran |= expected.is_some();
                let fixed = [SEEDS[0], SEEDS[2]].contains(&seed).then(|| fixed(&text));
                for written in [edited(&text, &rewritten.edits)].into_iter().chain(fixed) {
                    assert!(wave_asm::assemble(&written, "k.wave").is_ok(), "{written}");
                    assert_eq!(departures(&written), [""; 0], "{written}");
                    let Some(expected) = &expected else { continue };
                    assert_eq!(structured(&written).as_ref(), Some(expected), "{text}\nis not\n{written}");
                    if !is_unsound(entry) {
                        assert_eq!(emulated(&written).as_ref(), Some(expected), "{text}\nis not\n{written}");
                    }
                }
            }
            let runs = matches!(entry.simulation, Simulation::Simulated | Simulation::NoOp(_));
            assert!(ran || has_no_form(entry) || !runs, "{line} never ran");
        }
    }
}
