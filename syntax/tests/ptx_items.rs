//! Where PTX items begin and end, with their kinds and names.

use expect_test::{Expect, expect};
use warplens_syntax::ItemList;

/// One line per item: kind, name, and its text with newlines escaped.
fn check(text: &str, expect: Expect) {
    let list = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
    assert_eq!(list.text(), text);
    let line = |item: &warplens_syntax::Item| {
        format!("{:?} {:?} {:?}\n", item.kind, item.name.as_deref().unwrap_or("-"), item.text)
    };
    expect.assert_eq(&list.iter().map(line).collect::<String>());
}

#[test]
fn every_kind() {
    check(
        "// Head.\n.version 8.5\n.target sm_90,\n  debug\n.address_size 64",
        expect![[r#"
        Directive "-" "// Head.\n.version 8.5"
        Directive "-" "\n.target sm_90,\n  debug"
        Directive "-" "\n.address_size 64"
    "#]],
    );
    check(
        ".version 8.5 .target sm_90 .address_size 64 .file 1 \"a.cu\", 5, 6",
        expect![[r#"
        Directive "-" ".version 8.5"
        Directive "-" " .target sm_90"
        Directive "-" " .address_size 64"
        Directive "-" " .file 1 \"a.cu\", 5, 6"
    "#]],
    );
    check(
        ".global .u32 a, b[2] = {1, {2}};.extern .shared .b8 s[];",
        expect![[r#"
        Variable "a" ".global .u32 a, b[2] = {1, {2}};"
        Variable "s" ".extern .shared .b8 s[];"
    "#]],
    );
    check(
        ".visible\n.entry\nk\n(\n.param .u64 p\n)\n.maxntid 5\n{ ret; } // end\n",
        expect![[r#"
        Kernel "k" ".visible\n.entry\nk\n(\n.param .u64 p\n)\n.maxntid 5\n{ ret; }"
        Other "-" " // end\n"
    "#]],
    );
    check(
        ".func (.param .u32 r) f (.param .u32 a);\n.func g { { } L: }",
        expect![[r#"
        Function "f" ".func (.param .u32 r) f (.param .u32 a);"
        Function "g" "\n.func g { { } L: }"
    "#]],
    );
    check(
        ".section .debug_str {\n.b8 1\n}\n.pragma \"a\";.alias a, b;@@DWARF x {\n",
        expect![[r#"
        Directive ".debug_str" ".section .debug_str {\n.b8 1\n}"
        Directive "-" "\n.pragma \"a\";"
        Directive "a" ".alias a, b;"
        Directive "-" "@@DWARF x {"
        Other "-" "\n"
    "#]],
    );
    check(
        ".entry k() .pragma \"a\"; .maxntid 1 { ret; }",
        expect![[r#"
        Kernel "k" ".entry k() .pragma \"a\"; .maxntid 1 { ret; }"
    "#]],
    );
    check("", expect![]);
    check(
        " // only this\n",
        expect![[r#"
        Other "-" " // only this\n"
    "#]],
    );
}

#[test]
fn braces_in_other_tokens() {
    check(
        ".entry k() { mov.b64 {a, b}, c; // }\n /* } */ .pragma \"}\";\n# 5 \"}\"\n}\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() { mov.b64 {a, b}, c; // }\n /* } */ .pragma \"}\";\n# 5 \"}\"\n}"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
    check(
        ".entry k() { .loc 1 2 3\n { ret; } }\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() { .loc 1 2 3\n { ret; } }"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
    check(
        ".entry k() { mma.sync\n {a, b},\n {c}; }\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() { mma.sync\n {a, b},\n {c}; }"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
}

#[test]
fn what_closes_a_body() {
    check(
        ".entry k() { mov.b64 {a, b;\n}\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() { mov.b64 {a, b;\n}"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
    check(
        ".entry k() {\n ret;\n// l\n.visible .entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() {\n ret;"
        Kernel "l" "\n// l\n.visible .entry l() {}"
    "#]],
    );
    check(
        ".entry k() {\n add a, b\n.func l {}",
        expect![[r#"
        Kernel "k" ".entry k() {\n add a, b"
        Function "l" "\n.func l {}"
    "#]],
    );
    check(
        ".entry k() { ld.weak.u32 a,\n [b]; st\n.weak.u32 [c], d; }\n",
        expect![[r#"
        Kernel "k" ".entry k() { ld.weak.u32 a,\n [b]; st\n.weak.u32 [c], d; }"
        Other "-" "\n"
    "#]],
    );
    check(
        ".entry k() { ret; .version 8.5\n.target sm_90\n",
        expect![[r#"
        Kernel "k" ".entry k() { ret;"
        Directive "-" " .version 8.5"
        Directive "-" "\n.target sm_90"
        Other "-" "\n"
    "#]],
    );
    check(
        ".entry k() { /* no end\n ret; }\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() { /* no end\n ret; }"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
    check(
        ".entry k() { .pragma \"no end\n; }\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k() { .pragma \"no end\n; }"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
}

#[test]
fn what_a_missing_end_takes() {
    check(
        ".global .u32 a\n.visible .global .u32 b;\n.entry k() {}",
        expect![[r#"
        Variable "a" ".global .u32 a"
        Variable "b" "\n.visible .global .u32 b;"
        Kernel "k" "\n.entry k() {}"
    "#]],
    );
    check(
        ".func f (.param .u32 a)\n.func g ()\n.global .u32 c;",
        expect![[r#"
        Function "f" ".func f (.param .u32 a)"
        Function "g" "\n.func g ()"
        Variable "c" "\n.global .u32 c;"
    "#]],
    );
    check(
        ".entry k()\n.reg .u32 a;\nret;\n}\n.entry l() {}",
        expect![[r#"
        Kernel "k" ".entry k()\n.reg .u32 a;\nret;\n}"
        Kernel "l" "\n.entry l() {}"
    "#]],
    );
    check(
        "}\nret;\n.global .u32 a;",
        expect![[r#"
        Other "-" "}\nret;"
        Variable "a" "\n.global .u32 a;"
    "#]],
    );
    check(
        ".vsible .entry k() { ret; }\n.visible .entyr l() { ret; }",
        expect![[r#"
        Kernel "k" ".vsible .entry k() { ret; }"
        Directive "l" "\n.visible .entyr l() { ret; }"
    "#]],
    );
}
