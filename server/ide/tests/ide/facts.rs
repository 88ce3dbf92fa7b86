//! Facts of the specifications that the documentation of a name states.

use text_size::TextSize;
use warplens_ide::{AnalysisHost, explain};
use warplens_ide_db::FileId;
use warplens_syntax::{Language, ptx, wave};

/// Checks that the hover at the mark `$0` contains these phrases.
fn check_hover(source: &str, phrases: &[&str]) {
    let at = source.find("$0").expect("a mark");
    let mut host = AnalysisHost::new();
    host.open(FileId(0), ptx::LANGUAGE, &source.replace("$0", ""));
    let at = TextSize::try_from(at).expect("test sources are short");
    let hover = host.snapshot().hover(FileId(0), at).expect("not cancelled").expect("a hover").markdown;
    for phrase in phrases {
        assert!(hover.contains(phrase), "the hover does not say \"{phrase}\":\n{hover}");
    }
}

/// Checks the hover at the mark in a line of a kernel.
fn check_statement(line: &str, phrases: &[&str]) {
    let source = format!(
        "\
.version 8.0
.target sm_80
.address_size 64
.func f() {{ ret; }}
.func g() {{ ret; }}
.const .u64 tab[2] = {{ g, f }};
.visible .entry k() .maxntid 64 .minnctapersm 2
{{
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
list: .calltargets f, g;
labels: .branchtargets DONE, L<2>;
L0: L1:
    mov.u64 %rd1, f;
    {line}
DONE:
    ret;
}}
"
    );
    check_hover(&source, phrases);
}

#[test]
fn hovers_of_statements_say_the_same() {
    for (line, phrases) in [
        ("$0@!%p1 bra DONE;", &["@!p, the negation"][..]),
        ("@$0!%p1 bra DONE;", &["@!p, the negation"]),
        ("@!%p1 $0bra DONE;", &["no longer accepted; use brx.idx"]),
        ("$0{ mov.u32 %r1, 0; }", &["Groups statements", "open a scope"]),
        ("{ mov.u32 %r1, 0; $0}", &["Groups statements"]),
        ("$0call %rd1, list;", &["complete list of functions", "call{.uni} fptr, fproto"]),
        ("$0brx.idx %r1, labels;", &["zero-based", "PTX 5.1 (documented from 6.0), sm_30"]),
        ("brx.idx %r1, $0labels;", &["- 0: `DONE`\n- 1: `L0`\n- 2: `L1`"]),
    ] {
        check_statement(line, phrases);
    }
}

#[test]
fn a_call_table_lists_its_functions() {
    check_statement("call %rd1, $0list;", &["Functions:\n\n- 0: `f`\n- 1: `g`"]);
    check_statement("call %rd1, $0tab;", &["Functions by index:\n\n- 0: `g`\n- 1: `f`"]);
    check_statement("{ .global .u64 own[] = {f}; call %rd1, $0own; }", &["Functions by index:\n\n- 0: `f`"]);
}

#[test]
fn hovers_of_directives_say_the_same() {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for (line, phrases) in [
        (".entry k() $0.maxnreg 32 { ret; }", &["guaranteed upper limit", "takes precedence"]),
        (".entry k() $0.maxntid 32 { ret; }", &["Omitted dimensions are 1", "for all targets"]),
        (".pragma $0\"nounrol\";", &["is not a pragma", "code generation fails"]),
        ("$0.pragma \"nounroll\";", &["does not change the semantics", "code generation fails"]),
    ] {
        check_hover(&format!("{head}{line}\n"), phrases);
    }
}

/// Checks that the page of each name contains its phrases.
fn check(language: Language, facts: &[(&str, &[&str])]) {
    for (name, phrases) in facts {
        let page = explain(name, Some(language)).unwrap_or_else(|| panic!("no page for `{name}`"));
        for phrase in *phrases {
            assert!(page.contains(phrase), "the page of `{name}` does not say \"{phrase}\":\n{page}");
        }
    }
}

#[test]
fn ptx_control_flow() {
    check(
        ptx::LANGUAGE,
        &[
            ("{", &["Groups statements", "open a scope"]),
            ("}", &["Groups statements"]),
            ("@p", &["executes the instruction where p is true"]),
            ("@!%p1", &["the negation, where p is false"]),
            ("bra", &["indirect branch", "no longer accepted"]),
            (
                "brx.idx",
                &["zero-based", "PTX 5.1 (documented from 6.0) · sm_30", "beyond the table is undefined"],
            ),
            (
                ".branchtargets",
                &["PTX 5.1 (documented from 6.0) · sm_30", "The index 0 selects the first label"],
            ),
            (
                "call",
                &[
                    "passed by value",
                    "complete list of functions",
                    "follows the ABI",
                    "checked against the parameters",
                    "a mismatch in a call through a pointer is undefined",
                    "in .const or .global, at module scope or in a body",
                    "call{.uni} fptr, flist",
                    "call{.uni} fptr, fproto",
                    "PTX 2.1, sm_20",
                ],
            ),
            (".calltargets", &["complete list", "use .callprototype"]),
            (".callprototype", &["follows the ABI", "must match"]),
        ],
    );
}

#[test]
fn ptx_performance_directives() {
    check(
        ptx::LANGUAGE,
        &[
            (
                ".maxnreg",
                &[
                    "guaranteed upper limit",
                    "may use fewer",
                    "may limit the registers further",
                    "takes precedence over a limit for the whole module",
                    "Since PTX 1.3, for all targets",
                ],
            ),
            (".maxntid", &["Omitted dimensions are 1", "Since PTX 1.3, for all targets"]),
            (".reqntid", &["Omitted dimensions are 1", "Since PTX 2.1, for all targets"]),
            (
                ".minnctapersm",
                &[
                    "more threads than a multiprocessor",
                    "replaces .maxnctapersm",
                    "Since PTX 2.0, for all targets",
                ],
            ),
            (
                ".maxnctapersm",
                &[
                    "largest number of CTAs on a multiprocessor",
                    "bounds the registers",
                    "may still run more",
                    "renamed",
                ],
            ),
            (
                ".pragma",
                &["does not change the semantics", "code generation fails", "Since PTX 2.0, for all targets"],
            ),
            (".abi_preserve", &["live general-purpose values of the callers"]),
            (".abi_preserve_control", &["divergent program points", "call tree", "largest number is 11"]),
        ],
    );
}

#[test]
fn wave_control_flow() {
    check(
        wave::LANGUAGE,
        &[
            ("p0", &["one bit a lane", "p0 to p3"]),
            ("icmp", &["`icmp.eq`", "`icmp.ge`"]),
            ("fcmp", &["`fcmp.lt`", "`fcmp.ord`", "`fcmp.unord`"]),
            (
                "if",
                &[
                    "write no registers and access no memory",
                    "else is optional",
                    "one entry of the divergence stack",
                ],
            ),
            ("loop", &["until all lanes have left it", "one entry of the divergence stack"]),
            ("select", &["All active lanes execute it", "without divergence"]),
        ],
    );
}

#[test]
fn a_form_is_shown_once() {
    for (language, name, form) in [
        (ptx::LANGUAGE, "and", "and.{pred,b16,b32,b64} d, a, b"),
        (wave::LANGUAGE, "and", "and rd, rs1, rs2"),
        (wave::LANGUAGE, "not", "not rd, rs1"),
    ] {
        let page = explain(name, Some(language)).expect("a page");
        assert_eq!(page.lines().filter(|line| *line == form).count(), 1, "{page}");
    }
}

#[test]
fn no_name_has_no_page() {
    for language in [None, Some(ptx::LANGUAGE), Some(wave::LANGUAGE)] {
        assert_eq!(explain("", language), None);
        assert_eq!(explain(" ; ", language), None);
    }
}
