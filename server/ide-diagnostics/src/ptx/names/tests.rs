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

#[test]
fn each_misspelled_name_is_a_mistake_of_its_own() {
    check(
        "    .reg .b32 %alpha, %beta, %gamma, %delta;\n    mov.b32 %alpa, %betta;\n    add.s32 %gama, %dleta, 1;",
        expect![[r#"
            6:`%alpa` undeclared register `%alpa`; did you mean `%alpha`?
                Replace with `%alpha`: ["%alpha"] at 6:`%alpa`
                Declare `.reg .b32 %alpa`: ["\n\t.reg .b32 %alpa;"] at 3:``
            6:`%betta` undeclared register `%betta`; did you mean `%beta`?
                Replace with `%beta`: ["%beta"] at 6:`%betta`
                Declare `.reg .b32 %betta`: ["\n\t.reg .b32 %betta;"] at 3:``
            7:`%gama` undeclared register `%gama`; did you mean `%gamma`?
                Replace with `%gamma`: ["%gamma"] at 7:`%gama`
                Declare `.reg .s32 %gama`: ["\n\t.reg .s32 %gama;"] at 3:``
            7:`%dleta` undeclared register `%dleta`; did you mean `%delta`?
                Replace with `%delta`: ["%delta"] at 7:`%dleta`
                Declare `.reg .s32 %dleta`: ["\n\t.reg .s32 %dleta;"] at 3:``
        "#]],
    );
    // One missing line may have declared these.
    check(
        "    mov.b32 %alpha, %beta;\n    add.s32 %gamma, %delta, 1;",
        expect![[r#"
        5:`%alpha` undeclared register `%alpha`
            Declare `.reg .b32 %alpha`: ["\n\t.reg .b32 %alpha;"] at 3:``
        5:`%beta` undeclared register `%beta`
            Declare `.reg .b32 %beta`: ["\n\t.reg .b32 %beta;"] at 3:``
        6:`%gamma` undeclared names: `%gamma` and `%delta`
            6:`%delta` `%delta` here
    "#]],
    );
}

#[test]
fn a_suggestion_is_of_the_kind_of_the_operand() {
    check(
        "    .reg .b32 %total, totals; .reg .pred total, %go;
    .reg .b64 address;
    bra totall;
    @%goo bra total1;
    mov.b32 totall, 1;
total1:
table1: .branchtargets total1, totl1;
    brx.idx %total, totabl1;
    brx.idx %total, table;
    call adress;
    mov.b64 adress, 1;",
        expect![[r#"
            7:`totall` undeclared label `totall`; did you mean `total1`?
                9:`totall` used here too
                Replace with `total1`: ["total1"] at 7:`totall`
            8:`%goo` undeclared register `%goo`; did you mean `%go`?
                Replace with `%go`: ["%go"] at 8:`%goo`
                Declare `.reg .pred %goo`: ["\n\t.reg .pred %goo;"] at 3:``
            11:`totl1` undeclared label `totl1`; did you mean `total1`?
                Replace with `total1`: ["total1"] at 11:`totl1`
            12:`totabl1` undeclared table `totabl1`
            13:`table` undeclared table `table`; did you mean `table1`?
                Replace with `table1`: ["table1"] at 13:`table`
            14:`adress` undeclared function `adress`; did you mean `address`?
                15:`adress` used here too
                Replace with `address`: ["address"] at 14:`adress`
        "#]],
    );
}

#[test]
fn declarations_after_the_use() {
    let (fixture, analysis) = open(
        "\
.version 8.5
.target sm_90
.entry k() {
    mov.b32 %early, 1;
    mov.b32 %r3, 1;
    .reg .b32 %early, %r<4>;
    brx.idx %early, table;
    brx.idx %early, L1;
    mov.b32 %early, L1;
    .reg .b64 %f;
    call %f, (), prototype;
    { mov.b32 %inner, 1; }
    { .reg .b32 %inner; mov.b32 %inner, 1; }
L1:
table: .branchtargets L1;
prototype: .callprototype _ ();
    ret;
}
",
    );
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        if found.severity == warplens_ide_db::Severity::Error {
            shown += &format!("{} {}: {}\n", fixture.show(found.range), found.code, found.message);
        }
    }
    expect![[r#"
        4:`%early` use-before-declaration: `%early` is declared after its use; move the declaration before it
        5:`%r3` use-before-declaration: `%r3` is declared after its use; move the declaration before it
        7:`table` use-before-declaration: `table` is declared after its use; move the table before the `brx.idx`
        8:`L1` invalid-branch: `L1` is a label; `brx.idx` takes a table of labels. Declare one before it, `table: .branchtargets L1;`
        11:`prototype` use-before-declaration: `prototype` is declared after its use; move the prototype before the call
        12:`%inner` unresolved-name: undeclared register `%inner`
    "#]].assert_eq(&shown);
}

#[test]
fn a_suggestion_has_the_kind_of_the_operand() {
    check(
        "\t.reg .pred %p;\n\tmov.u32 %r1, %tidx;\n\tsetp.lt.u32 %pm9, %r1, 3;\n\tsetp.lt.u32 %pp, %r1, 3;\n\tmov.u32 %clok, 1;",
        expect![[r#"
            6:`%tidx` undeclared register `%tidx`; did you mean `%tid.x`?
                Replace with `%tid.x`: ["%tid.x"] at 6:`%tidx`
                Declare `.reg .u32 %tidx`: ["\n\t.reg .u32 %tidx;"] at 3:``
            7:`%pm9` undeclared register `%pm9`
                Declare `.reg .pred %pm9`: ["\n\t.reg .pred %pm9;"] at 3:``
            8:`%pp` undeclared register `%pp`; did you mean `%p`?
                Replace with `%p`: ["%p"] at 8:`%pp`
                Declare `.reg .pred %pp`: ["\n\t.reg .pred %pp;"] at 3:``
            9:`%clok` undeclared register `%clok`
                Declare `.reg .u32 %clok`: ["\n\t.reg .u32 %clok;"] at 3:``
        "#]],
    );
}
