//! Statements with an error in the text, at which a run stops.

use expect_test::{Expect, expect};
use warplens_ide::AnalysisHost;
use warplens_ide::fixture::FILE;
use warplens_ide_lanes::{Choice, RunRequest};
use warplens_sim_warp::{Control, RunOptions};

const PTX: &str = "\
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k()
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 8;
    @%p bra SMALL;
    TYPED
    add.u32 %r1, %r1, 1;
SMALL:
    ret;
}
";

const WAVE: &str = "\
.kernel k
.registers 8
    mov r1, sr_lane_id
    TYPED
    iadd r1, r1, r1
    halt
.end
";

/// How a run ends while `typed` is in the text, and the words at which errors of the text explain it.
fn ending(template: &str, typed: &str) -> String {
    let language =
        if template == WAVE { warplens_syntax::wave::LANGUAGE } else { warplens_syntax::ptx::LANGUAGE };
    let text = template.replace("TYPED", typed);
    let mut host = AnalysisHost::new();
    host.open(FILE, language, &text);
    let request = RunRequest {
        entry: None,
        launch: Choice::Inferred,
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunOptions::default(),
    };
    let prepared =
        host.snapshot().prepare_run(FILE, &request, None, &|path| Err(path.into())).unwrap().unwrap();
    let result = prepared.run(Control::none()).unwrap();
    let broken = prepared.broken.iter().map(|id| text[prepared.statements[id.index()].range].trim_end());
    let broken = broken.collect::<Vec<_>>().join(" | ");
    let stopped = if prepared.stopped_at_error(&result) { " at an error" } else { "" };
    let shown = prepared.show(std::sync::Arc::new(result), None);
    let findings = host.snapshot().findings(FILE, &shown).unwrap();
    let findings: Vec<_> = findings.iter().map(|found| found.code).collect();
    let line =
        format!("{typed:22} {}{stopped} [{broken}] {}", shown.result.status.as_str(), findings.join(" "));
    line.trim_end().to_owned() + "\n"
}

fn check(template: &str, typed: &[&str], expected: Expect) {
    expected.assert_eq(&typed.iter().map(|typed| ending(template, typed)).collect::<String>());
}

#[test]
fn what_is_half_typed_and_what_is_not_simulated() {
    check(
        PTX,
        &[
            "",
            "ad",
            "add",
            "add.u3",
            "add.u32 %r2",
            "add.u32 %r2, ",
            "add.u32 %r2, %r1, %",
            "add.u32 %r2, %r1, %r9;",
            "add.u32 %r2, %r1, 1",
            "bra SMAL;",
            "@%p bra",
            "@%p",
            "ld.global.u32 %r2, [",
            "call foo;",
            "tcgen05.shift.cta_group::1.down [%r1];",
        ],
        expect![[r#"
                                   finished []
            ad                     unsupported at an error [ad]
            add                    unsupported at an error [add]
            add.u3                 unsupported at an error [add.u3]
            add.u32 %r2            unsupported at an error [add.u32 %r2]
            add.u32 %r2,           unsupported at an error [add.u32 %r2,]
            add.u32 %r2, %r1, %    unsupported at an error [add.u32 %r2, %r1, %]
            add.u32 %r2, %r1, %r9; unsupported at an error [add.u32 %r2, %r1, %r9;]
            add.u32 %r2, %r1, 1    finished []
            bra SMAL;              unsupported at an error [bra SMAL;]
            @%p bra                finished [@%p bra]
            @%p                    finished []
            ld.global.u32 %r2, [   unsupported at an error [ld.global.u32 %r2, []
            call foo;              unsupported at an error [call foo;]
            tcgen05.shift.cta_group::1.down [%r1]; unsupported [] unsupported
        "#]],
    );
}

#[test]
fn in_functions_that_the_run_reaches() {
    let helper = ".func helper()\n{\n    .reg .b32 %r;\n    HERE\n    ret;\n}\n";
    let template = |here: &str| PTX.replace(".visible", &format!("{}.visible", helper.replace("HERE", here)));
    check(
        &template("mov.u32 %r"),
        &["call helper;", "mov.u32 %r2, 1;"],
        expect![[r#"
            call helper;           unsupported at an error [mov.u32 %r]
            mov.u32 %r2, 1;        finished []
        "#]],
    );
}

#[test]
fn a_declaration_that_is_half_typed_breaks_what_uses_it() {
    check(
        &PTX.replace(".reg .b32 %r<4>;", "TYPED").replacen("    TYPED\n    add", "    add", 1),
        &[".reg .b32 %r<4>;", ".reg .b32 %r<;", ".reg .b32 %r<"],
        expect![[r#"
            .reg .b32 %r<4>;       finished []
            .reg .b32 %r<;         unsupported at an error [mov.u32 %r1, %tid.x; | setp.lt.u32 %p, %r1, 8; | add.u32 %r1, %r1, 1;]
            .reg .b32 %r<          unsupported at an error [mov.u32 %r1, %tid.x; | setp.lt.u32 %p, %r1, 8; | add.u32 %r1, %r1, 1;]
        "#]],
    );
}

#[test]
fn wave() {
    check(
        WAVE,
        &["", "ia", "iadd", "iadd r1, ", "iadd r1, r1, r99", "if p0", "break p0", "endif", "branch"],
        expect![[r#"
                                   finished []
            ia                     unsupported at an error [ia]
            iadd                   unsupported at an error [iadd]
            iadd r1,               unsupported at an error [iadd r1,]
            iadd r1, r1, r99       finished []
            if p0                  unsupported at an error [if p0]
            break p0               unsupported at an error [break p0]
            endif                  unsupported at an error [endif]
            branch                 unsupported at an error [branch]
        "#]],
    );
}
