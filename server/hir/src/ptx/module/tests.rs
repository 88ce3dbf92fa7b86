//! Repeated declarations of a name, which must be accepted exactly where the assembler accepts them.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_syntax::{ItemList, parse_item};

use super::ModuleNames;
use crate::ptx::Header;

fn module(text: &str) -> ModuleNames {
    let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
    let trees: Vec<_> =
        items.iter().map(|item| parse_item(warplens_syntax::ptx::LANGUAGE, &item.text)).collect();
    let headers: Vec<_> = trees.iter().map(|tree| Header::lower(tree.root())).collect();
    ModuleNames::of_headers(&headers)
}

/// Checks the clashes in each file, one file per line.
fn check(files: &str, expect: Expect) {
    let mut out = String::new();
    for text in files.lines() {
        let module = module(text);
        let clashes: Vec<_> = module.clashes().iter().map(|clash| format!("{:?}", clash.kind)).collect();
        writeln!(out, "{text} // {}", clashes.join(" ")).unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn functions() {
    check(
        "\
.func g(); .func g(); .func g() { ret; }
.func g() { ret; } .func g();
.func g() { ret; } .func g() { ret; }
.entry g(); .entry g() { ret; }
.func g(); .entry g() { ret; }
.extern .func g(); .func g() { ret; }
.extern .func g(); .extern .func g();
.func g(); .visible .func g() { ret; }
.visible .func g(); .func g() { ret; }
.extern .func g(); .extern .func g() { ret; }
.weak .func g() { ret; } .weak .func g() { ret; }
.func g() { ret; } .func h(); .alias h, g;
.func g() { ret; } .func h(); .alias h, g; .func h();
.func g() { ret; } .func h(); .alias h, g; .func h() { ret; }
.func g() { ret; } .func h() { ret; } .alias h, g;
.func g() { ret; } .func h(); .alias h, g; .alias h, g;
.func f() { ret; } .global .b32 f;
",
        expect![[r#"
            .func g(); .func g(); .func g() { ret; } // 
            .func g() { ret; } .func g(); // Duplicate
            .func g() { ret; } .func g() { ret; } // Duplicate
            .entry g(); .entry g() { ret; } // 
            .func g(); .entry g() { ret; } // Duplicate
            .extern .func g(); .func g() { ret; } // Linkage
            .extern .func g(); .extern .func g(); // 
            .func g(); .visible .func g() { ret; } // Linkage
            .visible .func g(); .func g() { ret; } // 
            .extern .func g(); .extern .func g() { ret; } // Linkage
            .weak .func g() { ret; } .weak .func g() { ret; } // Duplicate
            .func g() { ret; } .func h(); .alias h, g; // 
            .func g() { ret; } .func h(); .alias h, g; .func h(); // 
            .func g() { ret; } .func h(); .alias h, g; .func h() { ret; } // 
            .func g() { ret; } .func h() { ret; } .alias h, g; // Duplicate
            .func g() { ret; } .func h(); .alias h, g; .alias h, g; // Duplicate
            .func f() { ret; } .global .b32 f; // Duplicate
        "#]],
    );
}

#[test]
fn variables() {
    check(
        "\
.global .b32 v; .global .b32 v;
.extern .global .b32 v; .visible .global .b32 v;
.extern .global .b32 v; .weak .global .b32 v;
.extern .global .b32 v; .global .b32 v;
.global .b32 v; .extern .global .b32 v;
.common .global .b32 v; .common .global .b32 v;
.extern .shared .b32 v[]; .extern .shared .b32 v[];
.global .b32 r<3>; .global .b32 r1;
.global .b32 r<3>; .global .b32 r3;
.global .b32 r1; .global .b32 r<3>;
.global .b32 r; .global .b32 r<3>;
.global .b32 r<3>, r<5>;
.global .b32 a, a;
",
        expect![[r#"
            .global .b32 v; .global .b32 v; // Duplicate
            .extern .global .b32 v; .visible .global .b32 v; // 
            .extern .global .b32 v; .weak .global .b32 v; // 
            .extern .global .b32 v; .global .b32 v; // Linkage
            .global .b32 v; .extern .global .b32 v; // 
            .common .global .b32 v; .common .global .b32 v; // Duplicate
            .extern .shared .b32 v[]; .extern .shared .b32 v[]; // 
            .global .b32 r<3>; .global .b32 r1; // Duplicate
            .global .b32 r<3>; .global .b32 r3; // 
            .global .b32 r1; .global .b32 r<3>; // Duplicate
            .global .b32 r; .global .b32 r<3>; // 
            .global .b32 r<3>, r<5>; // Duplicate
            .global .b32 a, a; // Duplicate
        "#]],
    );
}

#[test]
fn a_name_is_visible_from_its_declaration_on() {
    let module = module(
        ".global .b32 v, r<3>;\n.func f();\n.section .debug_str { info: .b8 1 }\n.func f() { ret; }\n",
    );
    assert!(module.is_visible("v", 0));
    assert!(module.is_visible("r2", 3));
    assert!(!module.is_visible("r3", 3));
    assert!(!module.is_visible("f", 0));
    assert!(module.is_visible("f", 1));
    assert!(module.is_visible("info", 2));
    assert_eq!(module.definition("f").map(|symbol| symbol.item), Some(3));
    assert_eq!(module.declarations("f").count(), 2);
}

#[test]
fn the_first_declaration_of_each_kind() {
    let module = module(".func f();\n.func f();\n.func f() { ret; }\n.func f();\n.func f() { ret; }\n");
    assert_eq!(module.kinds("f").map(|symbol| symbol.item).collect::<Vec<_>>(), [0, 2]);
    let clashing: Vec<_> = (0..5).filter(|symbol| module.is_clashing(*symbol)).collect();
    assert_eq!(clashing, [3, 4]);
}
