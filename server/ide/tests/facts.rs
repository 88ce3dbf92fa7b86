//! Facts of the specifications that the documentation of a name states.

use warplens_ide::explain;
use warplens_syntax::{Language, ptx, wave};

/// Names of a language, and a phrase that each one's page contains.
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
            ("brx.idx", &["zero-based", "accepts it from 5.1", "beyond the table is undefined"]),
            (".branchtargets", &["accepts both from 5.1", "The index 0 selects the first label"]),
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
                &["more threads than a multiprocessor", "replaces .maxnctapersm", "Since PTX 2.0, for all targets"],
            ),
            (
                ".maxnctapersm",
                &["largest number of CTAs on a multiprocessor", "bounds the registers", "may still run more", "renamed"],
            ),
            (".pragma", &["does not change the semantics", "code generation fails", "Since PTX 2.0, for all targets"]),
            (".abi_preserve", &["live general-purpose values of the callers"]),
            (".abi_preserve_control", &["divergent program points", "call tree", "above 11"]),
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
            ("if", &["write no registers and access no memory", "else is optional", "one entry of the divergence stack"]),
            ("loop", &["until all lanes have left it", "one entry of the divergence stack"]),
            ("select", &["All active lanes execute it", "without divergence"]),
        ],
    );
}

#[test]
fn a_form_is_shown_once() {
    let page = explain("and", Some(ptx::LANGUAGE)).expect("a page");
    assert_eq!(page.matches("and.{pred,b16,b32,b64} d, a, b").count(), 1, "{page}");
}

#[test]
fn no_name_has_no_page() {
    for language in [None, Some(ptx::LANGUAGE), Some(wave::LANGUAGE)] {
        assert_eq!(explain("", language), None);
        assert_eq!(explain(" ; ", language), None);
    }
}
