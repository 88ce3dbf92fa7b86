use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

/// The diagnostics of a WAVE source, which has warnings, and what allowing each would write.
fn check(source: &str, expect: Expect) {
    let (fixture, analysis) = open(source);
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        shown += &format!("{} {:?} {}\n", fixture.show(found.range), found.severity, found.code);
        let Some(fix) = analysis.allow_fix(FILE, &found).unwrap() else { continue };
        let text = fix.applied(&fixture.text);
        let line = fixture.text[..usize::from(fix.edits[0].range.start())].matches('\n').count();
        shown += &format!("    {}: {}\n", fix.title, text.lines().nth(line).unwrap_or_default().trim());
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_comment_at_the_end_of_a_line_is_about_it() {
    check(
        "
.kernel k
    not p0, p0 ; warplens: allow(unwritten-register)
    @p0 iadd r1, r2, r3 ; warplens: allow(guard-p0)
    @p0 iadd r1, r2, r3
    @p0 iadd r1, r2, r3 ; because; warplens: allow(endless-loop , guard-p0)
    halt
.end
",
        expect![[r#"
            5:`@p0` Warning guard-p0
                Allow `guard-p0` on this line: @p0 iadd r1, r2, r3 ; warplens: allow(guard-p0)
        "#]],
    );
}

#[test]
fn a_comment_alone_on_a_line_is_about_the_next() {
    check(
        "
.kernel k
    icmp.lt p0, r0, r1
    ; warplens: allow(guard-p0)
    @p0 iadd r1, r2, r3
    @p0 iadd r1, r2, r3
    iadd r1, r2, r3 ; warplens: allow(guard-p0)
.end ; warplens: allow(missing-halt)
.kernel m
    icmp.lt p0, r0, r1
    @p0 iadd r1, r2, r3 ; is a note
    @p0 iadd r1, r2, r3 ; warplens: allow()
    iadd r1, r2, r3
.end ; warplens: allow(endless-loop)
",
        expect![[r#"
            6:`@p0` Warning guard-p0
                Allow `guard-p0` on this line: @p0 iadd r1, r2, r3 ; warplens: allow(guard-p0)
            11:`@p0` Warning guard-p0
                Allow `guard-p0` on this line: @p0 iadd r1, r2, r3 ; is a note warplens: allow(guard-p0)
            12:`@p0` Warning guard-p0
                Allow `guard-p0` on this line: @p0 iadd r1, r2, r3 ; warplens: allow(guard-p0)
            12:`` Warning invalid-allow
            14:`.end` Warning missing-halt
                Allow `missing-halt` on this line: .end ; warplens: allow(endless-loop, missing-halt)
        "#]],
    );
}

#[test]
fn names_that_are_none() {
    check(
        "
.version 8.5 // warplens: allow(unknown-modifer)
.target sm_90 /* warplens: allow(syntax-error, */
.file 1 \"warplens: allow(nothing)\"
",
        expect![[r#"
            2:`unknown-modifer` Warning invalid-allow
            3:`(` Warning invalid-allow
        "#]],
    );
}

#[test]
fn errors_are_allowed_only_by_hand() {
    check(
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() {\n  addd; // warplens: allow(unknown-instruction)\n  addd;\n  ret;\n}\n",
        expect![[r#"
            6:`addd` Error unknown-instruction
        "#]],
    );
}

#[test]
fn former_names_are_accepted() {
    check(
        "
.kernel k
    iadd.cached r1, r2, r3
    iadd.cached r1, r2, r3 ; warplens: allow(unused-cache-hint)
    iadd.cached r1, r2, r3 ; warplens: allow(idle-cache-hint)
    halt
.end
",
        expect![[r#"
            3:`.cached` Warning unused-cache-hint
                Allow `unused-cache-hint` on this line: iadd.cached r1, r2, r3 ; warplens: allow(unused-cache-hint)
        "#]],
    );
}
