//! Rewrites of WAVE from one dialect into the other: the result, that it assembles, and that its semantics are
//! unchanged.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use warplens_hir::wave as hir;
use warplens_ide::{Accepts, AnalysisHost, Dialect, FileId, NotRewritten, edited};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, RunOptions, RunResult, Status};
use warplens_sim_wave::{decode, device_memory, launch_config, reference, run};

const FILE: FileId = FileId(0);

fn rewritten(text: &str, dialect: Dialect) -> String {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::wave::LANGUAGE, text);
    edited(text, &host.snapshot().rewrite_in_dialect(FILE, dialect).unwrap().edits)
}

/// The text in the toolchain's dialect, and the code without an equivalent.
fn for_toolchain(text: &str) -> (String, Vec<NotRewritten>) {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::wave::LANGUAGE, text);
    let rewritten = host.snapshot().rewrite_in_dialect(FILE, Dialect::Toolchain).unwrap();
    (edited(text, &rewritten.edits), rewritten.left)
}

/// Code that toolchain 0.1.2 rejects or runs differently, and that can be written differently.
fn departures(text: &str) -> Vec<String> {
    let mut host = AnalysisHost::new();
    host.set_accepts(Accepts::Toolchain);
    host.open(FILE, warplens_syntax::wave::LANGUAGE, text);
    let found = host.snapshot().diagnostics(FILE).unwrap();
    let about_it = |code: &str| {
        [
            "not-in-toolchain",
            "toolchain-fault",
            "guard-p0",
            "ignored-half",
            "special-operand",
            "missing-scope",
            "unused-cache-hint",
        ]
        .contains(&code)
    };
    let counts = found.into_iter().filter(|found| about_it(found.code));
    counts.map(|found| format!("{}: {}", &text[found.range], found.message)).collect()
}

/// Rewrites the body of a kernel for the toolchain, and checks that the result assembles.
fn check(body: &str, expected: &Expect) {
    let text = format!(".kernel k\n    .registers 32\n{body}    halt\n.end\n");
    let written = rewritten(&text, Dialect::Toolchain);
    let body = written.split_once("32\n").and_then(|(_, rest)| rest.rsplit_once("    halt\n"));
    let lines = body.expect("the frame stays").0.lines();
    expected.assert_eq(&lines.map(|line| format!("{}\n", &line[4..])).collect::<String>());
    assert_eq!(departures(&written), [""; 0], "in\n{written}");
    if let Err(error) = wave_asm::assemble(&written, "k.wave") {
        panic!("{error:?} in\n{written}");
    }
}

#[test]
fn names_and_orders() {
    check(
        "    icmp.lt p1, r0, r1 ; less\n    @!p1 local_store.u32 r0, r1\n    device_load.u32.cached r2, r1\n    \
         atomic_add.system r3, r1, r2\n    atomic_sub r1, r2\n    fence_acquire.device\n",
        &expect![[r#"
            icmp_lt p1, r0, r1 ; less
            @!p1 local_store_u32 r1, r0
            device_load_u32.cached r2, r1
            atomic_add r3, r1, r2, .system
            atomic_sub r1, r2, .device
            fence_acquire.device
        "#]],
    );
}

#[test]
fn numbers_go_into_free_registers() {
    check(
        "    iadd r1, r0, 1\n    @p1 fma r1, 2, r1, 0.5\n    hadd r2, r1, 1.5\n    dadd r4, r4, 2\n    \
         device_store.u64 5, r0\n    mov_imm r6, 1.5\n    select r1, p0, 7, r0\n",
        &expect![[r#"
            mov_imm r3, 1
            iadd r1, r0, r3
            mov_imm r3, 0x40000000
            mov_imm r7, 0x3f000000
            @p1 fma r1, r3, r1, r7
            mov_imm r3, 0x3e00
            hadd r2, r1, r3
            mov_imm r7, 0x0
            mov_imm r8, 0x40000000
            dadd r4, r4, r7
            mov_imm r3, 0x5
            mov_imm r4, 0x0
            device_store_u64 r0, r3
            mov_imm r6, 0x3fc00000
            mov_imm r3, 7
            select r1, p0, r3, r0
        "#]],
    );
}

#[test]
fn a_number_is_moved_once_while_its_register_holds_it() {
    check(
        "    iadd r1, r0, 10\n    @p1 imul r2, r1, 10\n    icmp.lt p1, r2, 10\n    if p1\n        iadd r1, r1, 10\n        \
         imul r1, r1, 10\n    endif\n    iadd r1, r1, 10\n    iadd r1, r1, 11\n    iadd r1, r1, 10\n",
        &expect![[r#"
            mov_imm r3, 10
            iadd r1, r0, r3
            @p1 imul r2, r1, r3
            icmp_lt p1, r2, r3
            if p1
                mov_imm r3, 10
                iadd r1, r1, r3
                imul r1, r1, r3
            endif
            mov_imm r3, 10
            iadd r1, r1, r3
            mov_imm r3, 11
            iadd r1, r1, r3
            mov_imm r3, 10
            iadd r1, r1, r3
        "#]],
    );
    // The register is written between the two instructions, or the lines between them may write any register.
    check(
        "    iadd r1, r0, 10\n    mov r2, r1\n    iadd r2, r2, 10\n    mov r3, r2\n    hadd r4.hi, r3, 1.5\n    iadd r3, r4, 10\n",
        &expect![[r#"
            mov_imm r5, 10
            iadd r1, r0, r5
            mov r2, r1
            iadd r2, r2, r5
            mov r3, r2
            mov_imm r7, 0x3e00
            hadd r5, r3, r7
            mov_imm r6, 0xffff
            and r5, r5, r6
            mov_imm r6, 16
            shl r5, r5, r6
            mov_imm r6, 0xffff
            and r6, r4, r6
            or r4, r6, r5
            mov_imm r5, 10
            iadd r3, r4, r5
        "#]],
    );
}

#[test]
fn comparisons_that_the_toolchain_lacks() {
    check(
        "    ucmp.ge p0, r1, r2\n    @p1 ucmp.gt p0, r1, 5\n    ucmp.eq p0, r1, r2\n    fcmp.ge p0, r1, 1.0\n    \
         umin r1, r2, r3\n    @!p1 umax r1, r2, 3\n    wave_shuffle_idx r1, r2, r3\n",
        &expect![[r#"
            ucmp_le p0, r2, r1
            mov_imm r0, 5
            @p1 ucmp_lt p0, r0, r1
            icmp_eq p0, r1, r2
            mov_imm r0, 0x3f800000
            fcmp_le p0, r0, r1
            ucmp_lt p2, r2, r3
            select r1, p2, r2, r3
            mov_imm r0, 3
            ucmp_lt p2, r2, r0
            @!p1 select r1, p2, r0, r2
            wave_shuffle r1, r2, r3
        "#]],
    );
}

#[test]
fn logic_on_predicates() {
    check(
        "    and p2, p0, p1\n    and p1, p1, !p0\n    or p1, p1, p0\n    xor p2, p0, !p1\n    not p2, p1\n    not p1, p1\n    \
         @!p0 or p2, p0, p1\n    and p0, !p0, p0\n",
        &expect![[r#"
            icmp_eq p2, r0, r0
            @!p0 icmp_ne p2, r0, r0
            @!p1 icmp_ne p2, r0, r0
            if p0
                icmp_ne p1, r0, r0
            endif
            if p0
                icmp_eq p1, r0, r0
            endif
            if p0
                icmp_ne p2, r0, r0
                @p1 icmp_eq p2, r0, r0
            else
                icmp_ne p2, r0, r0
                @!p1 icmp_eq p2, r0, r0
            endif
            icmp_ne p2, r0, r0
            @!p1 icmp_eq p2, r0, r0
            if p1
                icmp_ne p1, r0, r0
            else
                icmp_eq p1, r0, r0
            endif
            if p0
            else
                icmp_eq p2, r0, r0
                @!p0 icmp_ne p2, r0, r0
                @p1 icmp_eq p2, r0, r0
            endif
            if p0
                icmp_ne p0, r0, r0
            else
            endif
        "#]],
    );
}

#[test]
fn opposites() {
    check(
        "    loop\n        icmp.ge p1, r0, 4\n        break !p1\n    endloop\n    if !p1\n        iadd r0, r0, r1\n    endif\n    \
         if !p1 ; no\n        nop\n    else\n        nop\n    endif\n",
        &expect![[r#"
            loop
                mov_imm r2, 4
                icmp_ge p1, r0, r2
                icmp_ne p0, r0, r0
                @!p1 icmp_eq p0, r0, r0
                break p0
            endloop
            if p1
            else
                iadd r0, r0, r1
            endif
            icmp_ne p0, r0, r0
            @!p1 icmp_eq p0, r0, r0
            if p0 ; no
                nop
            else
                nop
            endif
        "#]],
    );
}

#[test]
fn faults() {
    check(
        "    @p0 iadd r1, r0, r0\n    icmp_lt p0, r0, r1\n    select r1, p0, r20, r21\n    hadd r2, r1.hi, r3.lo\n    \
         iadd r1, sr_lane_id, r0\n    mov.uncached r1, r2\n",
        &expect![[r#"
            @p1 iadd r1, r0, r0
            icmp_lt p1, r0, r1
            mov r4, r21
            select r1, p1, r20, r4
            mov_imm r4, 16
            shr r4, r1, r4
            mov_imm r5, 0xffff
            and r5, r3, r5
            hadd r2, r4, r5
            mov_sr r4, sr_lane_id
            iadd r1, r4, r0
            mov r1, r2
        "#]],
    );
}

/// Collects the programs of the corpus that some toolchain assembles.
fn corpus(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            corpus(&path, found);
        } else if path.extension().is_some_and(|it| it == "wave") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

#[test]
fn there_and_back_again() {
    warplens_test_support::corpora("wave").iter().for_each(|folder| check_both_ways(folder));
}

fn check_both_ways(folder: &Path) {
    let mut programs = Vec::new();
    corpus(folder, &mut programs);
    let (mut assembled, mut unchanged) = (0, 0);
    for (path, text) in programs {
        let first = rewritten(&text, Dialect::Toolchain);
        let guide = rewritten(&text, Dialect::Guide);
        assert_eq!(rewritten(&guide, Dialect::Toolchain), first, "{}", path.display());
        assert_eq!(rewritten(&guide, Dialect::Guide), guide, "{}", path.display());
        assert_eq!(rewritten(&first, Dialect::Toolchain), first, "{}", path.display());
        if wave_asm::assemble(&text, "k.wave").is_ok() {
            assert!(wave_asm::assemble(&first, "k.wave").is_ok(), "{}", path.display());
            assembled += 1;
            unchanged += usize::from(first == text);
        }
    }
    assert!(
        unchanged * 100 > assembled * 84,
        "only {unchanged} of {assembled} are as the toolchain wants them"
    );
}

/// Lowers a file with one kernel.
fn lowered(text: &str) -> hir::Code {
    let file = warplens_syntax::parse_file(warplens_syntax::wave::LANGUAGE, text);
    hir::lower(file.items().next().expect("there is a kernel"))
}

fn launch() -> LaunchConfig {
    LaunchConfig { memory: device_memory(4096), ..launch_config([1; 3], [8, 1, 1], 8) }
}

/// The contents of device memory after a kernel with waves of eight lanes.
fn memory(text: &str) -> Vec<u8> {
    let program = decode(&lowered(text));
    let result = run(&program, launch(), &RunOptions::default(), Control::none()).expect("not cancelled");
    left_in_memory(&result, text)
}

/// Like `memory`, under the model of the reference emulator.
fn emulated(text: &str) -> Vec<u8> {
    let program = reference::decode(&[&lowered(text)], 0, &|_| String::new());
    let result = reference::run(&program, launch(), &RunOptions::default(), Control::none(), None);
    left_in_memory(&result.expect("not cancelled"), text)
}

fn left_in_memory(result: &RunResult, text: &str) -> Vec<u8> {
    assert_eq!(result.status, Status::Finished, "{:?} in\n{text}", result.findings);
    result.memory.bytes(0, 4096).expect("that much was asked for").to_vec()
}

/// A number, or a register to read.
fn source() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (0..6u8).prop_map(|index| format!("r{index}")),
        1 => (-9..99i32).prop_map(|number| number.to_string()),
        1 => Just("0x3f800000".to_owned()),
        1 => Just("1.5".to_owned()),
    ]
}

fn predicate() -> impl Strategy<Value = String> {
    (any::<bool>(), 0..3u8).prop_map(|(negated, index)| format!("{}p{index}", if negated { "!" } else { "" }))
}

fn guard() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => predicate().prop_map(|predicate| format!("@{predicate} "))]
}

fn plain() -> impl Strategy<Value = String> {
    let target = || 0..6u8;
    let integer = prop::sample::select(vec!["iadd", "isub", "imul", "and", "xor", "umin", "umax", "shl"]);
    let float = prop::sample::select(vec!["fadd", "fmul", "hadd", "hmul2", "badd", "bmul2"]);
    let compare = prop::sample::select(vec![
        "icmp.lt", "icmp_ge", "ucmp.ge", "ucmp.gt", "ucmp.eq", "ucmp.ne", "fcmp.ge",
    ]);
    let conversion = prop::sample::select(vec![
        "cvt_f32_i32",
        "cvt_f32_u32",
        "cvt_i32_f32",
        "cvt_u32_f32",
        "cvt_f32_bf16",
        "cvt_bf16_f32",
    ]);
    let logic = prop::sample::select(vec!["and", "or", "xor"]);
    prop_oneof![
        (integer, target(), source(), source()).prop_map(|(name, d, a, b)| format!("{name} r{d}, {a}, {b}")),
        (float, target(), source(), source()).prop_map(|(name, d, a, b)| format!("{name} r{d}, {a}, {b}")),
        (compare, 0..3u8, source(), source()).prop_map(|(name, d, a, b)| format!("{name} p{d}, {a}, {b}")),
        (logic, 0..3u8, predicate(), predicate())
            .prop_map(|(name, d, a, b)| format!("{name} p{d}, {a}, {b}")),
        (0..3u8, predicate()).prop_map(|(d, a)| format!("not p{d}, {a}")),
        (target(), 0..3u8, source(), source())
            .prop_map(|(d, p, a, b)| format!("select r{d}, p{p}, {a}, {b}")),
        (target(), target()).prop_map(|(d, a)| format!("hadd r{d}, r{a}.hi, r{a}.lo")),
        target().prop_map(|d| format!("mov r{d}, sr_lane_id")),
        target().prop_map(|d| format!("mov_imm r{d}, 2.5")),
        (conversion, target(), source()).prop_map(|(name, d, a)| format!("{name} r{d}, {a}")),
    ]
}

/// Lines that are only useful in a loop, or that exit the kernel.
fn leave() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => predicate().prop_map(|p| format!("break {p}")),
        3 => predicate().prop_map(|p| format!("continue {p}")),
        1 => Just("halt".to_owned()),
        1 => predicate().prop_map(|p| format!("@{p} halt")),
    ]
}

/// Statements, some of them in constructs.
fn body() -> impl Strategy<Value = Vec<String>> {
    let plain = (guard(), plain()).prop_map(|(guard, plain)| vec![format!("{guard}{plain}")]);
    let statement = prop_oneof![5 => plain, 1 => leave().prop_map(|leave| vec![leave])];
    let block = |inner: BoxedStrategy<Vec<String>>| {
        let choice =
            (predicate(), inner.clone(), prop::option::of(inner.clone())).prop_map(move |(p, yes, no)| {
                let mut lines = vec![format!("if {p}")];
                lines.extend(yes);
                if let Some(no) = no {
                    lines.push("else".into());
                    lines.extend(no);
                }
                lines.push("endif".into());
                lines
            });
        let trip = inner.prop_map(|lines| [vec!["loop".to_owned()], lines, vec!["endloop".into()]].concat());
        prop_oneof![2 => choice, 1 => trip]
    };
    let nested = statement.boxed().prop_recursive(4, 32, 5, move |inner| {
        let several = prop::collection::vec(inner, 1..5).prop_map(|all| all.concat()).boxed();
        block(several)
    });
    prop::collection::vec(nested, 1..8).prop_map(|all| all.concat())
}

/// The lines, indented, with occasional comments and blank lines. Every loop counts its iterations, and lines that exit a loop
/// occur only in loops.
fn laid_out(body: &[String]) -> String {
    let (mut text, mut depth, mut loops) = (String::new(), 1, 0_usize);
    for (number, line) in body.iter().enumerate() {
        let word = line.split(' ').next().unwrap_or_default();
        if matches!(word, "break" | "continue") && loops == 0 {
            continue;
        }
        depth -= usize::from(matches!(word, "else" | "endif" | "endloop"));
        let indent = "    ".repeat(depth);
        let counter = 10 + loops;
        if word == "loop" {
            text += &format!("{indent}mov_imm r{counter}, 3\n");
        }
        let comment = if number % 5 == 0 { " ; why" } else { "" };
        text += &format!("{indent}{line}{comment}\n");
        if number % 7 == 0 {
            text += &format!("\n{indent}# {number}\n");
        }
        if word == "loop" {
            text += &format!(
                "{indent}    icmp.le p2, r{counter}, 0\n{indent}    break p2\n{indent}    isub r{counter}, r{counter}, 1\n"
            );
        }
        depth += usize::from(matches!(word, "else" | "if" | "loop"));
        loops = loops + usize::from(word == "loop") - usize::from(word == "endloop");
    }
    text
}

/// A kernel with this body that stores its registers, and `predicates` predicates, to device memory.
fn kernel(body: &[String], predicates: u8) -> String {
    let mut text = String::from(
        ".kernel k\n    .registers 24\n    mov_sr r1, sr_lane_id\n    mov_imm r2, 0x40a00000\n    mov_imm r3, 3\n    mov_imm r5, 5\n",
    );
    text += &laid_out(body);
    text += "    mov_sr r8, sr_lane_id\n    imul r8, r8, 64\n";
    for index in 0..6 {
        text += &format!("    device_store.u32 r{index}, r8\n    iadd r8, r8, 4\n");
    }
    for index in 0..predicates {
        text += &format!("    select r9, p{index}, 1, 0\n    device_store.u32 r9, r8\n    iadd r8, r8, 4\n");
    }
    text + "    halt\n.end\n"
}

/// The comments of a text, except exits that a rewrite turned into comments, and the number of blank lines.
fn remarks(text: &str) -> (Vec<&str>, usize) {
    let is_exit = |words: &&str| {
        let name = words.split(' ').find(|word| !word.starts_with('@'));
        matches!(name, Some("halt" | "return" | "break" | "continue"))
    };
    let comments = text.lines().filter_map(|line| {
        let exit = line.trim_start().strip_prefix("; ").filter(is_exit);
        let code = exit.unwrap_or(line);
        code.find([';', '#']).map(|at| &code[at..])
    });
    (comments.collect(), text.lines().filter(|line| line.trim().is_empty()).count())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_meaning_stays(body in body(), predicates in 0..=3u8, high in any::<bool>()) {
        let mut text = kernel(&body, predicates);
        if high {
            text = text.replace("registers 24", "registers 64").replace("r5", "r50").replace("r3", "r63");
        }
        let (written, left) = for_toolchain(&text);
        let guide = rewritten(&written, Dialect::Guide);
        let expected = memory(&text);
        prop_assert!(memory(&written) == expected, "{text}\nis not\n{written}");
        prop_assert!(memory(&guide) == expected, "{text}\nis not\n{guide}");
        prop_assert_eq!(remarks(&written), remarks(&text), "in {}", written);
        prop_assert!(left.is_empty(), "{left:?} in\n{text}\nas\n{written}");
        prop_assert_eq!(departures(&written), [""; 0], "in\n{}", written);
        prop_assert!(wave_asm::assemble(&written, "k.wave").is_ok(), "{written}");
        prop_assert!(emulated(&written) == expected, "{text}\nis for the emulator not\n{written}");
    }
}
