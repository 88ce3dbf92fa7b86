//! The source lines of statements, from `.loc`, and what is said of a line.

use std::sync::Arc;

use text_size::TextSize;
use warplens_ide_lanes::Reporter;
use warplens_ide_lanes::json::Position;
use warplens_sim_warp::{Severity, StatementId};

use crate::findings_of_launch::{kernel, run};

fn lines(body: &str) -> Vec<Option<u64>> {
    let launch = "grid = [1], block = [1], args = [{ buffer = 'u32', len = 4 }]";
    let text = kernel("sm_90", launch, ".param .u64 x", body) + ".file 1 \"k.py\"\n";
    let (prepared, _) = run(&text);
    prepared.statements.iter().map(|statement| Some(statement.source.as_ref()?.line.line)).collect()
}

#[test]
fn lines_of_inline_assembly_are_those_before_it() {
    let of = |number: u64| Some(number);
    assert_eq!(
        lines(
            ".loc 1 8 0\nld.param.u64 %rd1, [x];\n.loc 1 11 9\n// begin inline asm\n.loc 1 11 9\nmov.u32 %r2, 0;\n.loc 1 12 9\nmov.u32 %r3, 0;\n\
             .loc 1 13 9\nmov.u32 %r4, 0;\n// end inline asm\nadd.u32 %r5, %r2, %r3;\n.loc 1 12 5\nst.global.u32 [%rd1], %r5;\nret;"
        ),
        [of(8), of(11), of(11), of(11), of(11), of(12), of(12)]
    );
    // Two in a row, one without a line before it.
    assert_eq!(
        lines(
            "// begin inline asm\n.loc 1 5 1\nmov.u32 %r2, 0;\n// end inline asm\n// begin inline asm\n.loc 1 6 1\nmov.u32 %r3, 0;\n\
             // end inline asm\n.loc 1 7 1\nret;"
        ),
        [None, None, of(7)]
    );
    // An end that is missing, in a text that is being edited, hides nothing.
    assert_eq!(lines("// begin inline asm\n.loc 1 5 1\nmov.u32 %r2, 0;\nret;"), [of(5), of(5)]);
    // Blocks.
    assert_eq!(
        lines(
            ".loc 1 3 1\n{\n// begin inline asm\n{\n.loc 1 9 1\nmov.u32 %r2, 0;\n}\n// end inline asm\nmov.u32 %r3, 0;\n}\nret;"
        ),
        [of(3), of(3), of(3)]
    );
}

/// A quotient by zero of which one is used, and one is not.
#[test]
fn the_most_severe_finding_of_a_line_is_shown() {
    let launch = "grid = [1], block = [1], args = [{ u32 = 0 }, { buffer = 'u32', len = 4 }]";
    let body = ".loc 1 6 1\nld.param.u32 %r2, [n];\nld.param.u64 %rd1, [x];\n.loc 1 7 1\ndiv.u32 %r3, %r2, %r2;\ndiv.u32 %r4, %r2, %r2;\n\
                .loc 1 8 1\nst.global.u32 [%rd1], %r4;\nret;";
    let text = kernel("sm_90", launch, ".param .u32 n, .param .u64 x", body) + ".file 1 \"k.py\"\n";
    let (prepared, result) = run(&text);
    let severities: Vec<_> = result.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(severities, [Severity::Information, Severity::Warning]);
    let sources = |id: StatementId| prepared.statements.get(id.index())?.source.as_deref();
    let reported = Reporter::new(&prepared.resolved, 32).findings(&result, None, &sources);
    assert_eq!(
        reported.iter().map(|reported| reported.finding.severity).collect::<Vec<_>>(),
        [Severity::Warning]
    );
}

/// The lanes of a line are those of all of its statements; a branch that diverged gives it its label.
#[test]
fn source_lines_have_the_lanes_of_their_statements() {
    let launch = "grid = [1], block = [32], args = [{ buffer = 'u32', len = 64 }]";
    let body = ".loc 1 5 1\nld.param.u64 %rd1, [x];\nmov.u32 %r1, %tid.x;\n.loc 1 6 1\nsetp.lt.u32 %p1, %r1, 12;\n\
                .loc 1 7 1\n@%p1 mov.u32 %r2, 1;\n@!%p1 bra DONE;\n.loc 1 8 1\nmov.u32 %r2, 2;\n\
                .loc 1 9 1\n@!%p1 mov.u32 %r3, 1;\nDONE:\n.loc 1 10 1\nret;\n.loc 1 11 1\nret;";
    let text = kernel("sm_90", launch, ".param .u64 x", body) + ".file 1 \"k.cu\"\n";
    let (prepared, result) = run(&text);
    let shown = prepared.show(Arc::new(result), None);
    let at = |offset: TextSize| Position { line: 0, character: offset.into() };
    let masks = serde_json::to_value(shown.masks(1, true, false, &at)).expect("JSON");
    let lines: Vec<_> = masks["sources"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            assert_eq!(line["file"], "k.cu");
            format!("{} {} {} {}", line["line"], text("active"), text("executed"), text("label"))
        })
        .collect();
    assert_eq!(
        lines,
        [
            "5 ffffffff ffffffff 32",
            "6 ffffffff ffffffff 32",
            "7 ffffffff ffffffff split 20|12  tid.x >= 12",
            "8 00000fff 00000fff 12/32",
            "9 00000fff 00000000 0 of 12",
            "10 ffffffff ffffffff 32",
        ]
    );
    let each = serde_json::to_value(shown.masks(1, false, false, &at)).expect("JSON");
    assert_eq!(each["sources"], serde_json::Value::Null);
}
