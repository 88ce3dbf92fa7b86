//! The shape of trees, one snippet for each construct.

use expect_test::{Expect, expect};
use warplens_syntax::{NodeOrToken, SyntaxNode, parse_file};

/// The tree without trivia, one node per line with its own tokens.
fn dump(node: &SyntaxNode, depth: usize, out: &mut String) {
    let tokens = node.children_with_tokens().filter_map(NodeOrToken::into_token);
    let tokens: Vec<_> =
        tokens.filter(|token| !token.kind().is_trivia()).map(|token| token.to_string()).collect();
    out.push_str(&format!("{}{:?} {}", "  ".repeat(depth), node.kind(), tokens.join(" ")));
    out.truncate(out.trim_end().len());
    out.push('\n');
    for child in node.children() {
        dump(&child, depth + 1, out);
    }
}

fn check(source: &str, expect: Expect) {
    let parse = parse_file(warplens_syntax::ptx::LANGUAGE, source);
    assert_eq!(parse.green().to_string(), source);
    assert_eq!(parse.errors(), &[]);
    let mut out = String::new();
    parse.syntax().children().flat_map(|item| item.children()).for_each(|child| dump(&child, 0, &mut out));
    expect.assert_eq(&out);
}

/// Dumps the statements of a body.
fn check_body(body: &str, expect: Expect) {
    let source = format!(".func f {{ {body} }}");
    let parse = parse_file(warplens_syntax::ptx::LANGUAGE, &source);
    assert_eq!(parse.errors(), &[]);
    let mut out = String::new();
    let block = parse.syntax().descendants().find(|node| node.kind() == warplens_syntax::SyntaxKind::BLOCK);
    block.unwrap().children().for_each(|statement| dump(&statement, 0, &mut out));
    expect.assert_eq(&out);
}

#[test]
fn module_directives() {
    check(
        ".version 8.5\n.target sm_90a, debug\n.address_size 64\n.file 1 \"a.cu\", 17, 4",
        expect![[r#"
        VERSION_DIRECTIVE .version 8.5
        TARGET_DIRECTIVE .target sm_90a , debug
        ADDRESS_SIZE_DIRECTIVE .address_size 64
        FILE_DIRECTIVE .file 1 "a.cu" , 17 , 4
    "#]],
    );
    check(
        ".alias new, old;\n.pragma \"a\", \"b\";\n@@DWARF .byte 1\n.alien 5;",
        expect![[r#"
        ALIAS_DIRECTIVE .alias , ;
          NAME_REF new
          NAME_REF old
        PRAGMA_DIRECTIVE .pragma "a" , "b" ;
        DWARF_DIRECTIVE @@DWARF .byte 1
        UNKNOWN_DIRECTIVE .alien 5 ;
    "#]],
    );
    check(
        ".section .debug_str { L: .b8 1,2 .b32 L+4 .b64 L-K .b32 .debug_info }",
        expect![[r#"
        SECTION_DIRECTIVE .section .debug_str { }
          LABEL :
            NAME L
          SECTION_DATA .b8 1 , 2
          SECTION_DATA .b32
            BIN_EXPR +
              NAME_REF L
              LITERAL 4
          SECTION_DATA .b64
            BIN_EXPR -
              NAME_REF L
              NAME_REF K
          SECTION_DATA .b32
            WORD_OPERAND .debug_info
    "#]],
    );
}

#[test]
fn variables() {
    check(
        ".visible .global .attribute(.unified(1, 2)) .align 8 .v2 .f32 a[2][], b<3>;",
        expect![[r#"
        VARIABLE , ;
          LINKAGE .visible
          STATE_SPACE .global
          ATTRIBUTE .attribute ( .unified ( 1 , 2 ) )
          ALIGNMENT .align
            LITERAL 8
          VECTOR_SIZE .v2
          TYPE_NAME .f32
          DECLARATOR
            NAME a
            DIMENSION [ ]
              LITERAL 2
            DIMENSION [ ]
          DECLARATOR
            NAME b
            NAME_COUNT < >
              LITERAL 3
    "#]],
    );
    check(
        ".const .u8 m[] = {0xff(s), {1, -2}, generic(s)+4, f};",
        expect![[r#"
        VARIABLE ;
          STATE_SPACE .const
          TYPE_NAME .u8
          DECLARATOR
            NAME m
            DIMENSION [ ]
            INITIALIZER =
              INITIALIZER_LIST { , , , }
                CALL_EXPR ( )
                  LITERAL 0xff
                  NAME_REF s
                INITIALIZER_LIST { , }
                  LITERAL 1
                  PREFIX_EXPR -
                    LITERAL 2
                BIN_EXPR +
                  CALL_EXPR ( )
                    NAME_REF generic
                    NAME_REF s
                  LITERAL 4
                NAME_REF f
    "#]],
    );
}

#[test]
fn functions() {
    check(
        ".extern .func (.param .b32 r) f (.reg .u32 a, .param .align 4 .b8 b[8]) .noreturn;",
        expect![[r#"
        FUNCTION .func ;
          LINKAGE .extern
          RETURN_LIST ( )
            PARAM
              STATE_SPACE .param
              TYPE_NAME .b32
              DECLARATOR
                NAME r
          NAME f
          PARAM_LIST ( , )
            PARAM
              STATE_SPACE .reg
              TYPE_NAME .u32
              DECLARATOR
                NAME a
            PARAM
              STATE_SPACE .param
              ALIGNMENT .align
                LITERAL 4
              TYPE_NAME .b8
              DECLARATOR
                NAME b
                DIMENSION [ ]
                  LITERAL 8
          FUNCTION_DIRECTIVE .noreturn
    "#]],
    );
    check(
        ".weak .entry k(.param .u64 .ptr .global .align 16 p) .maxntid 8, (2*2) .pragma \"x\"; {}",
        expect![[r#"
            FUNCTION .entry
              LINKAGE .weak
              NAME k
              PARAM_LIST ( )
                PARAM
                  STATE_SPACE .param
                  TYPE_NAME .u64
                  POINTER .ptr
                    STATE_SPACE .global
                    ALIGNMENT .align
                      LITERAL 16
                  DECLARATOR
                    NAME p
              FUNCTION_DIRECTIVE .maxntid ,
                LITERAL 8
                PAREN_EXPR ( )
                  BIN_EXPR *
                    LITERAL 2
                    LITERAL 2
              PRAGMA_DIRECTIVE .pragma "x" ;
              BLOCK { }
        "#]],
    );
}

#[test]
fn instructions() {
    check_body(
        "@!%p1 ld.global.L1::evict_last.v2.f32 {%f1, _}, [%rd1+-4];",
        expect![[r#"
        INSTRUCTION ld .global .L1::evict_last .v2 .f32 , ;
          GUARD @ !
            NAME_REF %p1
          VECTOR { , }
            NAME_REF %f1
            SINK _
          ADDRESS [ ]
            BIN_EXPR +
              NAME_REF %rd1
              PREFIX_EXPR -
                LITERAL 4
    "#]],
    );
    check_body(
        "setp.eq.u32 %p1|_, %tid.x, 1; vadd.s32 r, a.b0, -b.h1;",
        expect![[r#"
        INSTRUCTION setp .eq .u32 , , ;
          PAIR |
            NAME_REF %p1
            SINK _
          MEMBER .x
            NAME_REF %tid
          LITERAL 1
        INSTRUCTION vadd .s32 , , ;
          NAME_REF r
          MEMBER .b0
            NAME_REF a
          PREFIX_EXPR -
            MEMBER .h1
              NAME_REF b
    "#]],
    );
    check_body(
        "tex.2d.v4.f32.f32 {a, b, c, d}, [t, s, {x, y}];",
        expect![[r#"
        INSTRUCTION tex .2d .v4 .f32 .f32 , ;
          VECTOR { , , , }
            NAME_REF a
            NAME_REF b
            NAME_REF c
            NAME_REF d
          ADDRESS [ , , ]
            NAME_REF t
            NAME_REF s
            VECTOR { , }
              NAME_REF x
              NAME_REF y
    "#]],
    );
    check_body(
        "call.uni (r), f, (a, 1), proto; call f; ret;",
        expect![[r#"
        INSTRUCTION call .uni , , , ;
          ARG_LIST ( )
            NAME_REF r
          NAME_REF f
          ARG_LIST ( , )
            NAME_REF a
            LITERAL 1
          NAME_REF proto
        INSTRUCTION call ;
          NAME_REF f
        INSTRUCTION ret ;
    "#]],
    );
    check_body(
        "mov.u64 a, sym+4; mov.u64 a, sym[%r1+2]; add.b32 add, !p, ~1;",
        expect![[r#"
        INSTRUCTION mov .u64 , ;
          NAME_REF a
          BIN_EXPR +
            NAME_REF sym
            LITERAL 4
        INSTRUCTION mov .u64 , ;
          NAME_REF a
          INDEX_EXPR [ ]
            NAME_REF sym
            BIN_EXPR +
              NAME_REF %r1
              LITERAL 2
        INSTRUCTION add .b32 , , ;
          NAME_REF add
          PREFIX_EXPR !
            NAME_REF p
          PREFIX_EXPR ~
            LITERAL 1
    "#]],
    );
}

#[test]
fn expressions() {
    check_body(
        "mov.u32 a, 1 + 2 * 3 << 4 == 5 || 6;",
        expect![[r#"
        INSTRUCTION mov .u32 , ;
          NAME_REF a
          BIN_EXPR ||
            BIN_EXPR ==
              BIN_EXPR <<
                BIN_EXPR +
                  LITERAL 1
                  BIN_EXPR *
                    LITERAL 2
                    LITERAL 3
                LITERAL 4
              LITERAL 5
            LITERAL 6
    "#]],
    );
    check_body(
        "mov.u32 a, (1 + 2) * WARP_SZ; mov.u32 a, (.s64) 1 ? 2 : 3 ? 4 : 5;",
        expect![[r#"
        INSTRUCTION mov .u32 , ;
          NAME_REF a
          BIN_EXPR *
            PAREN_EXPR ( )
              BIN_EXPR +
                LITERAL 1
                LITERAL 2
            NAME_REF WARP_SZ
        INSTRUCTION mov .u32 , ;
          NAME_REF a
          TERNARY_EXPR ? :
            CAST_EXPR ( .s64 )
              LITERAL 1
            LITERAL 2
            TERNARY_EXPR ? :
              LITERAL 3
              LITERAL 4
              LITERAL 5
    "#]],
    );
    check_body(
        "mov.u32 a, 10 - 4 - 3; mov.f32 a, -1.5e3; mov.u32 a, (5);",
        expect![[r#"
        INSTRUCTION mov .u32 , ;
          NAME_REF a
          BIN_EXPR -
            BIN_EXPR -
              LITERAL 10
              LITERAL 4
            LITERAL 3
        INSTRUCTION mov .f32 , ;
          NAME_REF a
          PREFIX_EXPR -
            LITERAL 1.5e3
        INSTRUCTION mov .u32 , ;
          NAME_REF a
          ARG_LIST ( )
            LITERAL 5
    "#]],
    );
}

#[test]
fn other_statements() {
    check_body(
        "L: { .reg .pred %p<2>; M: }",
        expect![[r#"
        LABEL :
          NAME L
        BLOCK { }
          VARIABLE ;
            STATE_SPACE .reg
            TYPE_NAME .pred
            DECLARATOR
              NAME %p
              NAME_COUNT < >
                LITERAL 2
          LABEL :
            NAME M
    "#]],
    );
    check_body(
        "t: .branchtargets L, M<5>; c: .calltargets f;",
        expect![[r#"
        BRANCH_TARGETS .branchtargets , ;
          LABEL :
            NAME t
          NAME_REF L
          NAME_RANGE
            NAME_REF M
            NAME_COUNT < >
              LITERAL 5
        CALL_TARGETS .calltargets ;
          LABEL :
            NAME c
          NAME_REF f
    "#]],
    );
    check_body(
        "p: .callprototype (.param .b32 _) _ (.param .b8 _[4]) .noreturn;",
        expect![[r#"
        CALL_PROTOTYPE .callprototype _ ;
          LABEL :
            NAME p
          RETURN_LIST ( )
            PARAM
              STATE_SPACE .param
              TYPE_NAME .b32
              DECLARATOR _
          PARAM_LIST ( )
            PARAM
              STATE_SPACE .param
              TYPE_NAME .b8
              DECLARATOR _
                DIMENSION [ ]
                  LITERAL 4
          FUNCTION_DIRECTIVE .noreturn
    "#]],
    );
    check_body(
        ".loc 1 2 3, function_name $L+4, inlined_at 1 5 6\n",
        expect![[r#"
        LOC_DIRECTIVE .loc 1 2 3
          LOC_ATTRIBUTE , function_name
            BIN_EXPR +
              NAME_REF $L
              LITERAL 4
          LOC_ATTRIBUTE , inlined_at 1 5 6
    "#]],
    );
}
