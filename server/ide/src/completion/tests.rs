use expect_test::{Expect, expect};

use crate::fixture::{FILE, open};

/// Shows the first proposals at the cursor, one a line.
pub(crate) fn check(source: &str, expect: Expect) {
    let (_, found) = found(source);
    let shown = found.iter().take(6).map(|item| format!("{} → {}\n", item.label, item.snippet));
    expect.assert_eq(&shown.collect::<String>());
}

fn found(source: &str) -> (String, Vec<warplens_ide_db::CompletionItem>) {
    let (fixture, analysis) = open(source);
    let found = analysis.completions(FILE, fixture.cursor()).unwrap();
    (fixture.text, found)
}

pub(crate) fn labels(source: &str) -> Vec<String> {
    found(source).1.into_iter().map(|item| item.label).collect()
}

/// A kernel with a line to complete. The cursor is at the end of the line.
fn in_kernel(line: &str) -> String {
    let declarations = ".reg .b32 %r<4>; .reg .pred %p<2>; .reg .f32 x; .shared .b8 tile[4];";
    let cursor = " ".repeat(line.len()) + "|";
    format!(
        ".global .u32 total;\n.entry k(.param .u64 out) {{\n{declarations}\nL: mov.u32 %r3, 0;\n{line}\n{cursor}\n ret;\n}}\n"
    )
}

#[test]
fn opcodes_where_a_statement_starts() {
    for line in ["", "ad", "@%p1 ad", "@!%p1 "] {
        let labels = labels(&in_kernel(line));
        assert!(labels.iter().any(|label| label == "add"), "{line}: {labels:?}");
        assert!(labels.iter().any(|label| label == "cp.async.bulk"), "{line}");
    }
    check(
        &in_kernel("bra"),
        expect![[r#"
            add → add.
            sub → sub.
            mul → mul.
            mad → mad.
            clmad → clmad.
            mul24 → mul24.
        "#]],
    );
}

#[test]
fn a_forgotten_semicolon_does_not_reach_the_next_line() {
    let is_statement = |lines: &str| {
        let last = lines.lines().last().unwrap();
        let cursor = format!("{}|", " ".repeat(last.len()));
        let source = format!(".entry k() {{\n.reg .b32 %r<4>;\n{lines}\n{cursor}\nret;\n}}\n");
        labels(&source).iter().any(|label| label == "add")
    };
    assert!(is_statement("mov.u32 %r1, %r2\nad"));
    assert!(is_statement("mov.u32 %r1, %r2\n@%p1 ad"));
    assert!(!is_statement("mov.u32 %r1,\n%r"));
    assert!(!is_statement("mov.u32\n%r"));
}

#[test]
fn the_word_is_replaced() {
    let (text, found) = found(&in_kernel("add.rn.f"));
    assert_eq!(&text[found[0].replace], ".f");
}

#[test]
fn modifiers_in_order() {
    check(
        &in_kernel("setp."),
        expect![[r#"
        .eq → .eq
        .ne → .ne
        .lt → .lt
        .le → .le
        .gt → .gt
        .ge → .ge
    "#]],
    );
    check(
        &in_kernel("setp.lt."),
        expect![[r#"
        .and → .and
        .or → .or
        .xor → .xor
        .ftz → .ftz
        .b16 → .b16
        .b32 → .b32
    "#]],
    );
    check(
        &in_kernel("add.rn."),
        expect![[r#"
        .ftz → .ftz
        .sat → .sat
        .f32 → .f32
        .f32x2 → .f32x2
        .f64 → .f64
        .f16 → .f16
    "#]],
    );
    check(
        &in_kernel("ld."),
        expect![[r#"
        .weak → .weak
        .volatile → .volatile
        .relaxed → .relaxed
        .acquire → .acquire
        .mmio → .mmio
        .proxy::readonly → .proxy::readonly
    "#]],
    );
}

#[test]
fn operands_by_kind() {
    check(
        &in_kernel("add.s32 %"),
        expect![[r#"
            x → x
            %r3 → %r3
            %r0 → %r0
            %r1 → %r1
            %r2 → %r2
        "#]],
    );
    check(
        &in_kernel("add.f32 "),
        expect![[r#"
            x → x
            %r3 → %r3
            %r0 → %r0
            %r1 → %r1
            %r2 → %r2
        "#]],
    );
    check(
        &in_kernel("bra "),
        expect![[r#"
        L → L
    "#]],
    );
    check(
        &in_kernel("@"),
        expect![[r#"
            %p0 → %p0
            %p1 → %p1
        "#]],
    );
    check(
        &in_kernel("ld.param.u64 %r1, ["),
        expect![[r#"
            out → out
            %r3 → %r3
            %r0 → %r0
            %r2 → %r2
            tile → tile
            x → x
        "#]],
    );
    check(
        &in_kernel("ld.param.u64 %r1, "),
        expect![[r#"
            […] → [${1:address}]
            [out] → [out]
            [tile] → [tile]
        "#]],
    );
    check(
        &in_kernel("mov.u32 %r1, %tid."),
        expect![[r#"
        .x → .x
        .y → .y
        .z → .z
        .w → .w
    "#]],
    );
    assert!(labels(&in_kernel("mov.u32 %r1, %")).iter().any(|label| label == "%tid"));
}

#[test]
fn operands_that_fit_come_first() {
    let kernel = |line: &str| {
        let cursor = " ".repeat(line.len()) + "|";
        format!(
            ".global .u32 total;\n.entry k(.param .u64 out) {{\n.reg .b16 %h<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .f32 %f<2>;\n\
             .reg .f64 %d; .shared .b32 tile[4]; .local .b32 own[4];\nL: mov.u32 %r1, 0;\n{line}\n{cursor}\n ret;\n}}\n"
        )
    };
    let first = |line: &str, count: usize| labels(&kernel(line))[..count].join(" ");
    let all = |line: &str| labels(&kernel(line)).join(" ");
    assert_eq!(all("bra "), "L");
    expect!["tile %r0 %r2 %rd0 %rd1 %rd2"].assert_eq(&first("ld.shared.u32 %r1, [", 6));
    expect!["own %r1 %r0 %r2 %rd0 %rd1"].assert_eq(&first("st.local.u32 [", 6));
    expect!["out %r1 %r0 %r2 %rd0 %rd2"].assert_eq(&first("ld.param.u64 %rd1, [", 6));
    expect!["%rd0 %rd1 %rd2 total out tile"].assert_eq(&first("ld.global.u32 %r1, [", 6));
    expect!["%rd0 %rd1 %rd2 total out tile"].assert_eq(&first("ld.u32 %r1, [", 6));
    expect!["%rd0 %rd1 %rd2 total out tile"].assert_eq(&first("cp.async.ca.shared.global [tile], [", 6));
    expect!["%r0 %r2 %f0 %f1 L out tile own k %d"].assert_eq(&first("mov.u32 %r1, ", 10));
    expect!["%d %rd0 %rd2 L out tile own total k %r1"].assert_eq(&first("mov.b64 %rd1, ", 10));
    expect!["%rd0 %rd1 %rd2 %r1"].assert_eq(&first("fma.rn.f64 %d, ", 4));
    expect!["%d %rd0 %rd1 %rd2 L out tile own"].assert_eq(&first("mov.b64 {%r0, %r1}, ", 8));
}

#[test]
fn names_of_directives() {
    let cursor = |line: &str| " ".repeat(line.len()) + "|";
    let body =
        |line: &str| format!(".func f(); .func g();\n.entry k() {{\n{line}\n{}\nret;\n}}\n", cursor(line));
    assert_eq!(labels(&body("T: .calltargets ")), ["f", "g"]);
    assert_eq!(labels(&body("T: .calltargets f, ")), ["f", "g"]);
    assert_eq!(labels(&body(".pragma "))[0], "\"nounroll\"");
    assert_eq!(labels(&body(".pragma \"no"))[0], "nounroll");
    let module = ".version 8.0\n.target sm_80\n.pragma ";
    assert_eq!(labels(&format!("{module}\n{}", cursor(".pragma ")))[0], "\"nounroll\"");
}

#[test]
fn declarations() {
    check(
        &in_kernel(".re"),
        expect![[r#"
        .reg → .reg .${1:b32} %${2:r}<${3:8}>;
        .shared → .shared .${1:b32} ${2:name};
        .local → .local .${1:b32} ${2:name};
        .param → .param .${1:b32} ${2:name};
        .global → .global .${1:b32} ${2:name};
        .const → .const .${1:b32} ${2:name};
    "#]],
    );
    check(
        &in_kernel(".reg ."),
        expect![[r#"
            .u8 → .u8
            .u16 → .u16
            .u32 → .u32
            .u64 → .u64
            .s8 → .s8
            .s16 → .s16
        "#]],
    );
    check(
        ".version \n         |",
        expect![[r#"
            9.5 → 9.5
            9.4 → 9.4
            9.3 → 9.3
            9.2 → 9.2
            9.1 → 9.1
            9.0 → 9.0
        "#]],
    );
    check(
        ".version 8.0\n.target \n        |",
        expect![[r#"
            sm_90a → sm_90a
            sm_90 → sm_90
            sm_89 → sm_89
            sm_87 → sm_87
            sm_86 → sm_86
            sm_82 → sm_82
        "#]],
    );
    check(
        ".version 8.0\n.\n |",
        expect![[r#"
            .visible .entry → .visible .entry ${1:name}(
            	.param .u64 ${2:out}
            )
            {
            	.reg .b32 %r<${3:8}>;

            	${4:}
            	ret;
            \}
            .version → .version
            .target → .target
            .address_size → .address_size
            .language → .language
            .entry → .entry
        "#]],
    );
    check(
        ".visible .\n          |",
        expect![[r#"
            .entry → .entry
            .func → .func
            .global → .global .${1:b32} ${2:name};
            .const → .const .${1:b32} ${2:name};
            .shared → .shared .${1:b32} ${2:name};
        "#]],
    );
    check(
        ".entry k(.param .\n                 |",
        expect![[r#"
            .param → .param
            .u8 → .u8
            .u16 → .u16
            .u32 → .u32
            .u64 → .u64
            .s8 → .s8
        "#]],
    );
    check(
        ".entry k() .\n            |\n{ ret; }",
        expect![[r#"
        .maxnreg → .maxnreg
        .maxntid → .maxntid
        .reqntid → .reqntid
        .minnctapersm → .minnctapersm
        .noreturn → .noreturn
        .pragma → .pragma
    "#]],
    );
}

#[test]
fn nothing_in_comments_and_strings() {
    assert_eq!(labels(&in_kernel("// ad")), Vec::<String>::new());
    assert_eq!(labels(&in_kernel("/* ad */").replace("        |", "     |")), Vec::<String>::new());
    assert_eq!(labels(&in_kernel("ad \"no\";").replace("        |", "     |")), Vec::<String>::new());
}

#[test]
fn an_empty_file_begins() {
    let (_, analysis) = open("");
    assert!(analysis.completions(FILE, 0.into()).unwrap().iter().any(|item| item.label == ".version"));
}

/// Every proposal that refers to documentation has a page, after each opcode and wherever else words are proposed.
#[test]
fn what_is_proposed_is_explained() {
    let body =
        |line: &str| format!(".version 8.5\n.target sm_90\n.entry k() {{\n .reg .pred %p;\n {line}\n}}\n");
    let after_opcodes = warplens_isa::ptx::opcodes().iter().map(|opcode| body(&format!("{opcode}.$")));
    let others = ["$", ".$", ".reg .$", "mov.u32 %r, %$", ".pragma \"$"].map(body);
    let module = [".$", ".version 8.5\n.$", ".entry k() .$", ".global .$"].map(str::to_owned);
    for source in after_opcodes.chain(others).chain(module) {
        let offset = source.find('$').expect("there is a cursor");
        let mut host = crate::analysis::AnalysisHost::new();
        host.open(FILE, warplens_syntax::ptx::LANGUAGE, &source.replace('$', ""));
        let offset = text_size::TextSize::try_from(offset).expect("it is short");
        for item in host.snapshot().completions(FILE, offset).unwrap() {
            let Some(name) = item.explain else { continue };
            assert!(crate::explain(&name, None).is_some(), "{name} at {source}");
        }
    }
}

#[test]
fn the_functions_of_a_call_table() {
    let before = ".func foo() { ret; }\n.func bar() { ret; }\n.entry k() {\n";
    for line in ["ct: .calltargets ", "ct: .calltargets foo, "] {
        let cursor = " ".repeat(line.len()) + "|";
        let found = labels(&format!("{before}{line}\n{cursor}\nret;\n}}\n"));
        assert_eq!(found, ["foo", "bar"], "{line}");
    }
}

#[test]
fn the_strings_of_a_pragma() {
    for line in ["    .pragma \"", "    .pragma \"nounroll\", \"", "    .pragma \"nou"] {
        let cursor = " ".repeat(line.len()) + "|";
        let found = labels(&format!(".entry k() {{\n{line}\n{cursor}\nret;\n}}\n"));
        assert!(found.contains(&"nounroll".to_owned()), "{line}: {found:?}");
    }
    // Quotes that the editor has closed.
    let found = labels(".pragma \"\";\n         |\n.entry k() { ret; }\n");
    assert!(found.contains(&"nounroll".to_owned()), "{found:?}");
}
