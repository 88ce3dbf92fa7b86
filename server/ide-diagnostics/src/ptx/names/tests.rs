use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

use crate::codes;

/// The names that are missing in the body of a function, where else each is used, and what its fixes put in.
fn check(body: &str, expect: Expect) {
    let (fixture, analysis) = open(&format!(
        ".version 8.5\n.target sm_90\n.entry k() {{\n\t.reg .b32 %r<2>;\n{body}\n\tret;\n}}\n"
    ));
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        if found.code != codes::UNRESOLVED_NAME {
            continue;
        }
        shown += &format!("{} {}\n", fixture.show(found.range), found.message);
        for related in found.related {
            shown += &format!("    {} {}\n", fixture.show(related.range), related.message);
        }
        for fix in found.fixes {
            let inserted: Vec<&str> = fix.edits.iter().map(|edit| edit.insert.as_str()).collect();
            shown += &format!("    {}: {inserted:?} at {}\n", fix.title, fixture.show(fix.edits[0].range));
        }
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_range_that_is_too_small_is_one_mistake() {
    check(
        "\tadd.u32 %r1, %r2, %r9;\n\tadd.u32 %r2, %r1, %r2;",
        expect![[r#"
            5:`%r2` `%r2` and `%r9` are not declared: `%r<2>` declares `%r0` to `%r1`
                5:`%r9` used here too
                6:`%r2` used here too
                6:`%r2` used here too
                Declare `%r<10>`: ["10"] at 4:`2`
        "#]],
    );
}

#[test]
fn registers_without_a_declaration_are_one_mistake() {
    check(
        "\tmov.u64 %rd1, 8;\n\tmov.u64 %rd2, %rd1;\n\tadd.s64 %rd3, %rd1, %rd2;",
        expect![[r#"
            5:`%rd1` undeclared names: `%rd1`, `%rd2` and 1 more
                6:`%rd2` used here too
                6:`%rd1` used here too
                7:`%rd3` used here too
                7:`%rd1` used here too
                7:`%rd2` used here too
                Declare `.reg .u64 %rd<4>`: ["\n\t.reg .u64 %rd<4>;"] at 3:``
        "#]],
    );
}

#[test]
fn the_first_use_says_the_type() {
    let declares = |statement: &str, declaration: &str| {
        let (_, analysis) =
            open(&format!(".version 8.5\n.target sm_90\n.entry k() {{\n    {statement}\n}}\n"));
        let found = analysis.diagnostics(FILE).unwrap();
        let fixes = found.into_iter().flat_map(|found| found.fixes);
        let titles: Vec<String> = fixes.map(|fix| fix.title).collect();
        assert!(titles.contains(&format!("Declare `{declaration}`")), "{statement}: {titles:?}");
    };
    declares("@%go ret;", ".reg .pred %go");
    declares("mov.f32 %sum, 0f00000000;", ".reg .f32 %sum");
    declares("ld.global.f32 _, [%address];", ".reg .b64 %address");
    declares("mul.wide.u32 %wide, 1, 2;", ".reg .u64 %wide");
    declares("fma.rn.bf16x2 %pair, %pair, %pair, %pair;", ".reg .b32 %pair");
    declares("setp.eq.u32 %equal|%other, 1, 2;", ".reg .pred %equal");
}
