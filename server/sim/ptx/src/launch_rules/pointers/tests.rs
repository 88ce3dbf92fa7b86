use expect_test::{Expect, expect};
use warplens_syntax::parse_item;

use super::*;

/// Prints, for every parameter of a kernel, what its body reveals about it.
fn check(params: &str, body: &str, expect: Expect) {
    check_all(&[&format!(".entry k({params})\n{{\n{REGISTERS}\n{body}\n}}")], expect);
}

const REGISTERS: &str = ".reg .b64 %rd<20>;\n.reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .pred %p;";

/// Like [`check`], for the first of several functions.
fn check_all(functions: &[&str], expect: Expect) {
    let functions: Vec<_> = functions
        .iter()
        .map(|text| {
            let parse = parse_item(warplens_syntax::ptx::LANGUAGE, text);
            assert!(parse.errors().is_empty(), "{:?}", parse.errors());
            Function::lower(parse.root()).expect("a function")
        })
        .collect();
    let functions: Vec<_> = functions.iter().collect();
    let Body { params, dynamic_shared, is_cooperative, .. } = body(&functions, &|name| name == "dynamic");
    let access = |access: Option<Access>| match access {
        Some(Access { element, loaded: true, .. }) => format!("loads {element}"),
        Some(Access { element, loaded: false, .. }) => format!("stores {element}"),
        None => "-".to_owned(),
    };
    let used = |part: &Part| match part.table {
        Some(table) if part.access.is_none() => format!("{table:?}").to_lowercase(),
        _ => access(part.access),
    };
    let parts = |parts: Vec<Part>| match &parts[..] {
        [] => "-".to_owned(),
        [whole @ Part { at: 0, .. }] => used(whole),
        _ => {
            let part = |part: &Part| format!("{} {}: {}", part.at, part.kind, used(part));
            format!("({})", parts.iter().map(part).collect::<Vec<_>>().join(", "))
        }
    };
    let mut answer: Vec<_> = params.into_iter().map(parts).collect();
    if let Some(reach) = dynamic_shared {
        answer.push(format!("dynamic shared to {reach}"));
    }
    if is_cooperative {
        answer.push("cooperative".to_owned());
    }
    expect.assert_eq(&answer.join(", "));
}

const POINTERS: &str = ".param .u64 a, .param .u64 b, .param .u32 n";

#[test]
fn through_cvta_and_add() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];
         ld.param.u64 %rd2, [b];
         ld.param.u32 %r1, [n];
         cvta.to.global.u64 %rd3, %rd1;
         mul.wide.s32 %rd4, %r1, 4;
         add.s64 %rd5, %rd3, %rd4;
         ld.global.nc.f32 %f1, [%rd5+8];
         st.global.f32 [%rd2], %f1;",
        expect!["loads f32, stores f32, -"],
    );
}

#[test]
fn through_mad_selp_sub_and_mov() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];
         ld.param.u64 %rd2, [b];
         mad.wide.u32 %rd3, %r1, 8, %rd1;
         selp.b64 %rd4, %rd2, %rd3, %p;
         mov.b64 %rd5, %rd4;
         sub.s64 %rd6, %rd5, 16;
         ld.global.v2.u32 {%r1, %r2}, [%rd6];",
        expect!["loads u32, loads u32, -"],
    );
}

#[test]
fn against_the_order_of_the_text() {
    check(
        POINTERS,
        "bra START;
         LOOP: ld.global.s8 %r1, [%rd2];
         add.u64 %rd2, %rd2, 1;
         bra LOOP;
         START: ld.param.u64 %rd1, [a];
         mov.u64 %rd2, %rd1;
         bra LOOP;",
        expect!["loads s8, -, -"],
    );
}

#[test]
fn the_first_load_decides() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];
         st.global.u8 [%rd1], %r1;
         ld.global.u16 %r1, [%rd1];
         ld.global.f32 %f1, [%rd1];
         ld.param.u64 %rd2, [b];
         atom.global.add.u32 %r1, [%rd2], 1;",
        expect!["loads u16, stores u32, -"],
    );
}

#[test]
fn numbers_are_not_addresses() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];
         shl.b64 %rd2, %rd1, 2;
         ld.param.u64 %rd3, [b];
         mad.lo.s64 %rd4, %rd1, 4, %rd3;
         ld.global.b32 %r1, [%rd4];
         ld.global.b32 %r1, [%rd2];",
        expect!["-, loads b32, -"],
    );
    check(
        ".param .align 8 .b8 s[16]",
        "ld.param.u64 %rd1, [s+8];\nld.global.u32 %r1, [%rd1];",
        expect!["(8 u64: loads u32)"],
    );
}

#[test]
fn offsets_into_other_spaces_are_not_addresses() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];
         mov.u64 %rd2, dynamic;
         add.u64 %rd3, %rd2, %rd1;
         ld.shared.u32 %r1, [%rd3];
         st.local.u32 [%rd1], %r1;",
        expect!["-, -, -, dynamic shared to 0"],
    );
}

#[test]
fn dynamic_shared_memory() {
    check("", "mov.u32 %r1, dynamic;", expect!["dynamic shared to 0"]);
    check("", "mov.u32 %r1, other;", expect![[""]]);
    check("", ".extern .shared .align 16 .b8 mine[];", expect!["dynamic shared to 0"]);
}

/// A call as compilers write it: `callee(a, b)`.
fn call(callee: &str, arguments: [&str; 2]) -> String {
    let [a, b] = arguments;
    format!(
        "{{ .param .b64 param0; st.param.b64 [param0+0], {a};
           .param .b64 param1; st.param.b64 [param1], {b};
           call.uni {callee}, (param0, param1); }}"
    )
}

#[test]
fn into_calls() {
    let kernel = format!(
        ".entry k(.param .u64 a, .param .u64 b)\n{{\n{REGISTERS}
         ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n{}\n}}",
        call("f", ["%rd2", "%rd1"]),
    );
    let callee = format!(
        ".func f(.param .b64 first, .param .b64 second)\n{{\n{REGISTERS}
         ld.param.u64 %rd1, [first];\nld.param.u64 %rd2, [second];
         ld.f32 %f1, [%rd1];\nst.u8 [%rd2], %r1;\n{}\n}}",
        // Calls itself with the arguments swapped.
        call("f", ["%rd1", "%rd1"]),
    );
    check_all(&[&kernel, &callee], expect!["stores u8, loads f32"]);
    check_all(&[&kernel], expect!["-, -"]);
}

#[test]
fn fields_of_structures() {
    check(
        ".param .align 8 .b8 s[24], .param .u32 n",
        "ld.param.v2.u64 {%rd1, %rd2}, [s];
         ld.param.u32 %r1, [s+16];
         cvta.to.global.u64 %rd3, %rd1;
         ld.global.f32 %f1, [%rd3];
         st.global.f32 [%rd2], %f1;",
        expect!["(0 u64: loads f32, 8 u64: stores f32, 16 u32: -), -"],
    );
}

#[test]
fn how_far_dynamic_shared_memory_reaches() {
    check(
        "",
        "mov.u32 %r1, dynamic;
         add.s32 %r2, %r1, 4096;
         st.shared.f32 [%r2+8192], %f1;
         add.s32 %r3, %r4, 100000;",
        expect!["dynamic shared to 8192"],
    );
}

#[test]
fn the_workspace_of_a_cooperative_launch() {
    check("", "mov.u32 %r1, %envreg0;", expect![[""]]);
    check("", "mov.u32 %r1, %envreg1;", expect!["cooperative"]);
}

#[test]
fn through_the_stack_frame() {
    check(
        POINTERS,
        ".local .align 8 .b8 depot[32];
         mov.u64 %rd1, depot;
         cvta.local.u64 %rd2, %rd1;
         ld.param.u64 %rd3, [a];
         ld.param.u64 %rd4, [b];
         ld.param.u32 %r1, [n];
         st.u64 [%rd2], %rd3;
         st.u64 [%rd2+8], %rd4;
         st.u32 [%rd2+16], %r1;
         ld.u64 %rd5, [%rd2];
         add.u64 %rd6, %rd2, 8;
         ld.u64 %rd7, [%rd6];
         ld.f32 %f1, [%rd5];
         st.f32 [%rd7], %f1;",
        expect!["loads f32, stores f32, -"],
    );
}

/// Builds without optimization capture by reference: a frame has addresses of its own slots.
#[test]
fn through_two_levels_of_the_stack_frame() {
    let store = |pointer: &str| format!("st.u64 [{pointer}], %rd3;\nst.u64 [{pointer}+8], {pointer};\n");
    let frame = "ld.param.u64 %rd3, [a];\n.local .align 8 .b8 frame[32];\nmov.u64 %rd1, frame;\n\
                 cvta.local.u64 %rd2, %rd1;\n";
    let load = "ld.u64 %rd4, [%rd2+8];\nld.u64 %rd5, [%rd4];\nld.f32 %f1, [%rd5+4];";
    check(POINTERS, &format!("{frame}{}{load}", store("%rd2")), expect!["loads f32, -, -"]);
    // The address has a constant in the statement that takes it.
    let sum = "ld.param.u64 %rd3, [a];\n.local .align 8 .b8 frame[32];\nmov.u64 %rd2, frame+16;\n\
               st.local.u64 [%rd2], %rd3;\nld.local.u64 %rd4, [frame+16];\nst.global.u32 [%rd4], %r1;";
    check(POINTERS, sum, expect!["stores u32, -, -"]);
    // An array of pointers with a computed index.
    let array = "ld.param.u64 %rd3, [a];\nld.param.u64 %rd4, [b];\n.local .align 8 .b8 frame[16];\n\
                 mov.u64 %rd1, frame;\nst.local.v2.u64 [%rd1], {%rd3, %rd4};\nmul.wide.u32 %rd5, %r1, 8;\n\
                 add.s64 %rd6, %rd1, %rd5;\nld.local.u64 %rd7, [%rd6];\nld.global.f32 %f1, [%rd7];";
    check(POINTERS, array, expect!["loads f32, loads f32, -"]);
    // Only one of two slots is an address.
    let numbers = "ld.param.u64 %rd3, [a];\nld.param.u64 %rd4, [b];\n.local .align 8 .b8 frame[16];\n\
                   st.local.u64 [frame], %rd3;\nst.local.u64 [frame+8], %rd4;\nld.local.u64 %rd5, [frame+8];\n\
                   ld.global.f32 %f1, [%rd5];";
    check(POINTERS, numbers, expect!["-, loads f32, -"]);
}

/// A kernel that stores `a` at 0 and `n` at 8 of a closure at 16 of its frame, with the argument list of a call of `f`.
fn captures(set_up: &str, call: &str, callee: &str, expect: Expect) {
    let kernel = format!(
        ".entry k(.param .u64 a, .param .u64 n)\n{{\n{REGISTERS}\n.local .align 8 .b8 frame[64];
         ld.param.u64 %rd3, [a];\nld.param.u64 %rd4, [n];\nmov.u64 %rd1, frame;\ncvta.local.u64 %rd2, %rd1;
         {set_up}\n{{ .param .align 8 .b8 p0[16]; .param .b64 v;\n{call}\n}}\n}}"
    );
    check_all(&[&kernel, &format!("{callee}\n}}")], expect);
}

#[test]
fn captured_by_reference() {
    let callee = |body: &str| {
        format!(".func (.param .b64 r) f(.param .b64 p)\n{{\n{REGISTERS}\nld.param.b64 %rd1, [p];\n{body}")
    };
    let (one, closure) = ("st.param.b64 [p0], %rd2;\ncall (v), f, (p0);", "add.s64 %rd2, %rd2, 16;\n");
    let members = "add.s64 %rd5, %rd2, 16;\nst.u64 [%rd5], %rd3;\nst.u64 [%rd5+8], %rd4;";
    captures(
        members,
        "st.param.b64 [p0], %rd5;\ncall (v), f, (p0);",
        &callee("ld.u64 %rd2, [%rd1];\nld.u64 %rd3, [%rd1+8];\nadd.s64 %rd2, %rd2, 4;\nld.f32 %f1, [%rd2];"),
        expect!["loads f32, -"],
    );
    // The callee keeps its argument in a frame of its own.
    captures(
        "st.u64 [%rd2], %rd3;",
        one,
        &callee(
            ".local .align 8 .b8 own[16];\nst.local.u64 [own+8], %rd1;\nld.local.u64 %rd2, [own+8];
             ld.u64 %rd3, [%rd2];\nst.f32 [%rd3], %f1;",
        ),
        expect!["stores f32, -"],
    );
    // The callee returns what it loads.
    captures(
        &format!("{closure}st.u64 [%rd2], %rd3;"),
        &format!("{one}\nld.param.b64 %rd7, [v];\nld.u8 %r1, [%rd7];"),
        &callee("ld.u64 %rd2, [%rd1];\nst.param.b64 [r], %rd2;"),
        expect!["loads u8, -"],
    );
    // The callee stores an address where the caller loads it.
    captures(
        "st.u64 [%rd2], %rd2;\nst.u64 [%rd2+8], %rd3;",
        &format!("{one}\nld.u64 %rd7, [%rd2+24];\nld.u8 %r1, [%rd7];"),
        &callee("ld.u64 %rd2, [%rd1];\nld.u64 %rd3, [%rd2+8];\nst.u64 [%rd1+24], %rd3;"),
        expect!["loads u8, -"],
    );
}

#[test]
fn captured_by_value() {
    captures(
        "",
        "st.param.b64 [p0], %rd4;\nst.param.b64 [p0+8], %rd3;\ncall (v), f, (p0);",
        &format!(
            ".func (.param .b64 r) f(.param .align 8 .b8 p[16])\n{{\n{REGISTERS}\nld.param.b64 %rd1, [p+8];\n\
             ld.param.b64 %rd2, [p];\nld.f32 %f1, [%rd1];"
        ),
        expect!["loads f32, -"],
    );
    // In registers.
    captures(
        "",
        "call (%rd7), f, (%rd4, %rd3);\nld.u8 %r1, [%rd7];",
        &format!(
            ".func (.reg .b64 r) f(.reg .b64 x, .reg .b64 y)\n{{\n{REGISTERS}\nadd.s64 %rd1, y, 8;\nmov.b64 r, %rd1;"
        ),
        expect!["loads u8, -"],
    );
}

#[test]
fn sizes_of_tables() {
    check(
        ".param .u64 a, .param .u32 mask, .param .u64 slots, .param .u32 n",
        "ld.param.u32 %r1, [mask];
         ld.param.u64 %rd1, [slots];
         ld.param.u32 %r2, [n];
         and.b32 %r3, %r4, %r1;
         add.s64 %rd2, %rd1, -1;
         and.b64 %rd3, %rd2, %rd4;
         and.b32 %r5, %r2, 31;
         mov.u32 %r6, 7;
         and.b32 %r7, %r2, %r6;",
        expect!["-, mask, slots, -"],
    );
    check(
        ".param .align 8 .b8 s[16]",
        "ld.param.v2.u32 {%r1, %r2}, [s+8];\nsub.u32 %r2, %r2, 1;\ncvt.u64.u32 %rd1, %r2;\nand.b64 %rd2, %rd3, %rd1;",
        expect!["(8 u32: -, 12 u32: slots)"],
    );
}

#[test]
fn through_copies() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];
         ld.param.u64 %rd2, [b];
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r2];
         cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 64;",
        expect!["loads b32, stores b32, -"],
    );
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];\ncp.async.bulk.prefetch.L2.global [%rd1], 64;",
        expect!["loads b32, -, -"],
    );
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];\ncp.async.ca.shared.global [%r1], [%rd1], 16;",
        expect!["loads b32, -, -"],
    );
}

#[test]
fn tensor_maps() {
    let text = format!(
        ".entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .align 64 .b8 c[128])\n{{\n{REGISTERS}\n\
         mov.b64 %rd1, a;\ncvta.param.u64 %rd2, %rd1;\nmbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r1], 2048;\n\
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd2, {{%r3, %r4}}], [%r1];\n\
         cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [b, {{%r3, %r4, %r5}}], [%r2];\n}}"
    );
    let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
    let function = Function::lower(parse.root()).expect("a function");
    let maps = body(&[&function], &|_| false).maps;
    let load = warplens_sim_launch::body::MapUse { rank: 2, bytes: Some(2048), loaded: true };
    let store = warplens_sim_launch::body::MapUse { rank: 3, bytes: None, loaded: false };
    assert_eq!(maps, [Some(load), Some(store), None]);
}

/// However long a chain is, and whatever its order in the text.
#[test]
fn long_chains_of_moves() {
    let registers = ".reg .b64 %c<8001>;\n";
    let moves: String = (0..8000).rev().map(|to| format!("mov.u64 %c{}, %c{to};\n", to + 1)).collect();
    check(
        POINTERS,
        &format!(
            "{registers}bra START;\nBACK:\n{moves}ld.global.f32 %f1, [%c8000];\nret;\nSTART:\nld.param.u64 %c0, [a];\nbra BACK;"
        ),
        expect!["loads f32, -, -"],
    );
}

#[test]
fn a_pointer_that_is_loaded_with_a_cache_policy() {
    check(
        POINTERS,
        "ld.param.u64 %rd1, [a];\nld.global.L2::cache_hint.u64 %rd2, [%rd1], %rd9;\nld.param.u64 %rd3, [b];\n\
         st.global.L2::cache_hint.u64 [%rd1], %rd3, %rd9;\nld.global.u64 %rd4, [%rd1];\nst.global.f32 [%rd4], %f1;",
        expect!["loads u64, stores f32, -"],
    );
}

/// A number that is scaled before it is compared, though the text has the comparison first.
#[test]
fn numbers_that_are_compared() {
    let compared = |body: &str| {
        let text = format!(".entry k({POINTERS})\n{{\n{REGISTERS}\nld.param.u32 %r1, [n];\n{body}\n}}");
        let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
        let function = Function::lower(parse.root()).expect("a function");
        super::body(&[&function], &|_| false).params[2].iter().any(|part| part.is_compared)
    };
    assert!(compared("setp.lt.u32 %p, %r2, %r1;"));
    assert!(compared(
        "L:\nsetp.lt.u32 %p, %r2, %r3;\nmul.lo.u32 %r3, %r4, 4;\nshl.b32 %r4, %r1, 2;\n@%p bra L;"
    ));
    assert!(!compared("mul.lo.u32 %r3, %r1, 4;\nsetp.lt.u32 %p, %r2, %r5;"));
}
