use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};
use warplens_ide_db::{Diagnostic, Tag};

use crate::codes;
use crate::item::MAX_DIAGNOSTICS;

/// All diagnostics, with their related places indented below them. What is about control flow
/// or only fades has tests of its own.
pub(super) fn check(source: &str, expect: Expect) {
    let (fixture, analysis) = open(source);
    let mut shown = String::new();
    let is_omitted =
        |found: &Diagnostic| found.tags.contains(&Tag::Unnecessary) || found.code == codes::MISSING_RETURN;
    for found in analysis.diagnostics(FILE).unwrap().into_iter().filter(|found| !is_omitted(found)) {
        let place = fixture.show(found.range);
        shown.push_str(&format!("{place} {:?} {}: {}\n", found.severity, found.code, found.message));
        for related in found.related {
            shown.push_str(&format!("    {} {}\n", fixture.show(related.range), related.message));
        }
    }
    expect.assert_eq(&shown);
}

/// What each fix does, with the lines that it changes.
fn check_fixes(source: &str, expect: Expect) {
    let (fixture, analysis) = open(source);
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        shown += &format!("{} {}\n", fixture.show(found.range), found.code);
        for fix in found.fixes {
            let star = if fix.preferred { " *" } else { "" };
            shown += &format!("    {}{star}\n", fix.title);
            let text = fix.applied(&fixture.text);
            let old: Vec<&str> = fixture.text.lines().collect();
            let new = text.lines().filter(|line| !old.contains(line));
            new.for_each(|line| shown += &format!("        {}\n", line.trim_end()));
        }
    }
    expect.assert_eq(&shown);
}

#[test]
fn fixes() {
    check_fixes(
        "
.version 8.5
.target sm_90
.address_size 64
.entry k() .maxtid 4 {
    .reg .q32 %x;
    .reg .b32 %count;
    addd.s32 %count, %count, 1;
    ADD.s32 %count, %coutn, 1
    add.s33 %count, %count 1;
    mov.u32 %count, %laneic;
    bra DOEN;
DONE:
    ret;
}
",
        expect![[r#"
            5:`.maxtid` unknown-directive
                Replace with `.maxntid`
                    .entry k() .maxntid 4 {
            6:`.q32` unknown-type
                Replace with `.u32`
                        .reg .u32 %x;
            6:`%x` unused-register
            8:`addd` unknown-instruction
                Replace with `add`
                        add.s32 %count, %count, 1;
            9:`%coutn` unresolved-name
                Replace with `%count`
                        ADD.s32 %count, %count, 1
            9:`1` syntax-error
                Insert `;` *
                        ADD.s32 %count, %coutn, 1;
            10:`t` syntax-error
                Insert `,`
                        add.s33 %count, %count, 1;
            11:`%laneic` unresolved-name
                Replace with `%laneid`
                        mov.u32 %count, %laneid;
                Declare `.reg .u32 %laneic`
                        .reg .u32 %laneic;
            12:`DOEN` unresolved-name
                Replace with `DONE`
                        bra DONE;
            13:`DONE` unused-label
        "#]],
    );
    check_fixes(
        ".version 8.5\n.target sm_90\n// The caller.\n.entry k() { call (), f, (1); ret; }\n.visible .func f(.reg .u32 %a) // what it does\n{ ret; }\n",
        expect![[r#"
            4:`f` use-before-declaration
                Insert a prototype of `f`
                    .visible .func f(.reg .u32 %a);
        "#]],
    );
    check_fixes(
        ".kernel k\n    mov_special r1, r2\n    iadd r1, r2, r3\n.end\n",
        expect![[r#"
        2:`mov_special` unknown-instruction
            Replace with `mov_sr`
                    mov_sr r1, r2
        4:`.end` missing-halt
            Insert `halt` *
                    halt
    "#]],
    );
}

/// A kernel around some statements.
fn check_body(statements: &str, expect: Expect) {
    check(
        &format!(".entry k(.param .u64 out) {{\n.reg .b32 %r<4>; .reg .pred %p;\n{statements}\n}}\n"),
        expect,
    );
}

#[test]
fn a_good_module_has_none() {
    check(
        "
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 tile[];
.global .u32 total;
.func (.param .b32 r) f(.param .b32 a);
.visible .entry k(.param .u64 out) .maxntid 64 {
    .reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 4;
    @%p1 bra L;
    atom.global.add.u32 %r2, [total], 1;
L:  st.global.u32 [%rd1+4], %r1;
    ret;
}
.func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 0; ret; }
",
        expect![""],
    );
}

#[test]
fn syntax() {
    check_body(
        "add.s32 %r1, %r2 %r3;\nsub.s32 %r1, %r2, 1;",
        expect![[r#"
        3:`2` Error syntax-error: missing `,` after this operand
    "#]],
    );
}

#[test]
fn instructions() {
    check_body(
        "ad.s32 %r1, %r2, %r3;",
        expect![[r#"
            3:`ad` Error unknown-instruction: unknown instruction `ad`; did you mean `add`?
        "#]],
    );
    check_body(
        "MOV.u32 %r1, %r2;",
        expect![[r#"
            3:`MOV` Error unknown-instruction: unknown instruction `MOV`; opcodes are lower case: write `mov`
        "#]],
    );
    check_body(
        "frobnicate %r1;",
        expect![[r#"
            3:`frobnicate` Error unknown-instruction: unknown instruction `frobnicate`
        "#]],
    );
    check_body(
        "add.s33 %r1, %r2, %r3;",
        expect![[r#"
        3:`.s33` Error unknown-modifier: `add` has no modifier `.s33`; did you mean `.s32`?
    "#]],
    );
    check_body(
        "mul.wide.u32.wid %r1, %r2, %r3;",
        expect![[r#"
        3:`.wid` Error unknown-modifier: `mul` has no modifier `.wid`; did you mean `.wide`?
    "#]],
    );
}

#[test]
fn components() {
    check_body(
        "mov.u32 %r1, %tid.q;\nmov.u32 %r1, %laneid.foo;\nmov.u32 %r1, %tid.r;",
        expect![[r#"
            3:`.q` Error unknown-component: `%tid` has no component `.q`; it has `.x`, `.y`, `.z`, `.w`
            4:`.foo` Error unknown-component: `%laneid` has no components; remove `.foo`
        "#]],
    );
}

#[test]
fn directives() {
    check(
        ".entry k() .maxtid 4 { .prgma \"x\"; ret; }\n.function f() { ret; }\n.verion 8.0\n",
        expect![[r#"
            1:`.maxtid` Error unknown-directive: `.maxtid` is not a directive; did you mean `.maxntid`?
            1:`.prgma` Error unknown-directive: `.prgma` is not a directive; did you mean `.pragma`?
            2:`.function` Error syntax-error: unknown directive `.function`: a function starts with `.entry` or `.func`
            3:`.verion` Error unknown-directive: `.verion` is not a directive; did you mean `.version`?
        "#]],
    );
}

#[test]
fn unresolved_names() {
    check_body(
        "mov.u32 %r1, %r4;",
        expect![[r#"
        3:`%r4` Error unresolved-name: `%r4` is not declared: `%r<4>` declares `%r0` to `%r3`
    "#]],
    );
    check_body(
        "mov.u32 %r1, %x;",
        expect![[r#"
            3:`%x` Error unresolved-name: undeclared register `%x`
        "#]],
    );
    check_body(
        "mov.u32 %r1, %laneic;",
        expect![[r#"
            3:`%laneic` Error unresolved-name: undeclared register `%laneic`; did you mean `%laneid`?
        "#]],
    );
    check_body(
        "bra DOEN;\nDONE: ret;",
        expect![[r#"
            3:`DOEN` Error unresolved-name: undeclared label `DOEN`; did you mean `DONE`?
        "#]],
    );
    check_body(
        "ld.param.u32 %r1, [ou];",
        expect![[r#"
            3:`ou` Error unresolved-name: undeclared name `ou`; did you mean `out`?
        "#]],
    );
}

#[test]
fn one_mistake_is_one_diagnostic() {
    // A misspelled branch may still name a later label.
    check_body(
        "@%p brq END;\nmov.u32 %r1, 2;\nEND: ret;",
        expect![[r#"
            3:`brq` Error unknown-instruction: unknown instruction `brq`; did you mean `bra`?
        "#]],
    );
    check_body(
        "bra L;\n{\nbra M;\nL: ret;\nM: ret;",
        expect![[r#"
            4:`{` Error syntax-error: missing `}` for this `{`: the last `}` closes this block and leaves the function open
        "#]],
    );
    check_body(
        "bra L;\n}\nbra M;\nL: ret;\nM: ret;",
        expect![[r#"
        5:`bra` Error syntax-error: statement outside a function: is there an extra `}`, or a missing `{`, before it?
    "#]],
    );
    check_body(
        "bra L;\nL: ret;\nL2: bra L3;",
        expect![[r#"
            5:`L3` Error unresolved-name: undeclared label `L3`
        "#]],
    );
}

#[test]
fn names_of_the_module() {
    check(
        "
.entry k() { call f; call g; ld.global.u32 %r1, [later]; }
.func f() { ret; }
.global .u32 later;
",
        expect![[r#"
            2:`f` Error use-before-declaration: `f` is declared after its use; insert a prototype before the use, or move the function up
                3:`f` declared here
            2:`g` Error unresolved-name: undeclared function `g`
            2:`%r1` Error unresolved-name: undeclared register `%r1`
            2:`later` Error use-before-declaration: `later` is declared after its use; move the declaration up
                4:`later` declared here
        "#]],
    );
    check(
        ".global .u32 x;\n.func x() { ret; }\n.entry x() { ret; }",
        expect![[r#"
        2:`x` Error duplicate-name: `x` is already declared in this module; rename one of them
            1:`x` first declared here
        3:`x` Error duplicate-name: `x` is already declared in this module; rename one of them
            1:`x` first declared here
    "#]],
    );
    check(".func f();\n.func f();\n.func f() { ret; }\n.extern .global .u32 y;\n", expect![[""]]);
}

#[test]
fn duplicate_names_of_a_function() {
    check_body(
        ".reg .u32 a; .reg .f32 a;\nL: { .reg .u32 a; }\nL: ret;",
        expect![[r#"
            3:`a` Error duplicate-name: `a` is already declared in this scope; rename one of them
                3:`a` first declared here
            5:`L` Error duplicate-name: `L` is already declared in this scope; rename one of them
                4:`L` first declared here
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        ".global .align 3 .u32 a;\n.global .q32 b;\n.global .u32 c[1/0];\n.global .f32 d = 1 + 2.0;\n",
        expect![[r#"
            1:`3` Error invalid-alignment: the alignment 3 is not a power of two
            2:`.q32` Error unknown-type: `.q32` is not a type; did you mean `.u32`?
            3:`1/0` Error invalid-constant: this constant expression divides by zero
            4:`1 + 2.0` Error invalid-constant: a constant expression cannot mix integers and floats; write both operands as the same kind
        "#]],
    );
}

#[test]
fn wave() {
    check(
        "
.kernel k
    .registers 8
    icmp.lt p1, r0, r9
    if p1
    loop
    endif
    brake p1
    call nowhere
    iadd r0, r1
.end
.kernel k
x:  halt
.end
.kernel m
x:  break p0
    halt
.end
",
        expect![[r#"
            4:`r9` Warning register-beyond-count: the kernel has 8 registers: this one reads as 0 and writes to it are lost
                3:`.registers 8` the number of registers
            6:`loop` Error unclosed-structure: missing `endloop`: this `loop` is not closed
            8:`brake` Error unknown-instruction: unknown instruction `brake`
            9:`nowhere` Error unresolved-name: undefined label `nowhere`
            10:`iadd` Error operand-count: this instruction takes 3 operands, found 2
            11:`.end` Warning missing-halt: lanes execute past the end of the kernel: end it with `halt` or `return`
            12:`k` Warning duplicate-name: duplicate kernel `k`
                2:`k` first declared here
            16:`x` Error duplicate-name: duplicate label `x`
                13:`x` first declared here
            16:`break` Error outside-loop: `break` outside a loop
        "#]],
    );
}

#[test]
fn labels_belong_to_the_file() {
    check(
        ".kernel a\ncall f\ncall g\nhalt\nf: return\n.end\nh:\n.kernel b\ncall h\nf: return\nx: x: nop\nreturn\n.end\n.kernel a\nhalt\n.end",
        expect![[r#"
            3:`g` Error unresolved-name: undefined label `g`
            10:`f` Error duplicate-name: duplicate label `f`
                5:`f` first declared here
            11:`x` Error duplicate-name: duplicate label `x`
                11:`x` first declared here
            14:`a` Warning duplicate-name: duplicate kernel `a`
                1:`a` first declared here
        "#]],
    );
}

#[test]
fn only_so_many_are_listed() {
    let body = "frob;\n".repeat(MAX_DIAGNOSTICS + 7);
    let (_, analysis) = open(&format!(".entry k() {{\n{body}ret; }}\n.entry m() {{ frob; ret; }}\n"));
    let found = analysis.diagnostics(FILE).unwrap();
    assert_eq!(found.len(), MAX_DIAGNOSTICS + 1);
    let last = found.last().unwrap();
    expect!["too-many-problems Information 8 more problems of this file are not listed; fix the first 500"]
        .assert_eq(&format!("{} {:?} {}", last.code, last.severity, last.message));
}

#[test]
fn the_label_of_a_misspelled_call() {
    check_fixes(
        ".kernel k\n    call fooo\n    call fobar\n    call xyz\n    halt\nfoo:\n    return\nfoobar:\n    return\n.end\n",
        expect![[r#"
            2:`fooo` unresolved-name
                Replace with `foo`
                        call foo
            3:`fobar` unresolved-name
                Replace with `foobar`
                        call foobar
            4:`xyz` unresolved-name
        "#]],
    );
    check(
        ".kernel k\n    call fooo\n    halt\nfoo:\n    return\n.end\n",
        expect![[r#"
        2:`fooo` Error unresolved-name: undefined label `fooo`; did you mean `foo`?
    "#]],
    );
}

#[test]
fn names_of_cuda() {
    check_body(
        "__syncthreads();\n__syncwarp;\n__shfl_sync(%r1, %r2);\n__syncwarp(%r1);",
        expect![[r#"
            3:`__syncthreads` Error unknown-instruction: unknown instruction `__syncthreads`, a function of CUDA C++; in PTX it is `bar.sync 0`
            4:`__syncwarp` Error unknown-instruction: unknown instruction `__syncwarp`, a function of CUDA C++; in PTX it is `bar.warp.sync 0xffffffff`
            5:`__shfl_sync` Error unknown-instruction: unknown instruction `__shfl_sync`, a function of CUDA C++; in PTX it is `shfl.sync.idx.b32`
            6:`__syncwarp` Error unknown-instruction: unknown instruction `__syncwarp`, a function of CUDA C++; in PTX it is `bar.warp.sync 0xffffffff`
        "#]],
    );
    check_fixes(
        ".version 8.0\n.target sm_80\n.entry k() {\n__syncthreads();\n__threadfence;\nret;\n}\n",
        expect![[r#"
        4:`__syncthreads` unknown-instruction
            Replace with `bar.sync 0`
                bar.sync 0;
        5:`__threadfence` unknown-instruction
            Replace with `membar.gl`
                membar.gl;
    "#]],
    );
}

#[test]
fn names_in_parentheses() {
    check_body(
        "mov.u32 %r1, (%r2);\nmov.u32 %r1, (5);\nmov.b64 {%r1, (%r2)}, 5;\nmov.u32 %r1, (1, 2);",
        expect![[r#"
        3:`(%r2)` Error invalid-operand: only constants are allowed in parentheses: remove them from `(%r2)`
        5:`(%r2)` Error invalid-operand: only constants are allowed in parentheses: remove them from `(%r2)`
        6:`(1, 2)` Error operand-kind: this is an argument list; `mov.u32` takes a register, a special register, a constant or a variable or function here
    "#]],
    );
}

#[test]
fn names_in_capitals() {
    check_body(
        "mov.u32 %r1, %TID.x;\nmov.u32 %r2, %Laneid;\nmov.u32 %r3, %tid.X;",
        expect![[r#"
        3:`%TID` Error unresolved-name: undeclared register `%TID`; special registers are lower case: write `%tid`
        4:`%Laneid` Error unresolved-name: undeclared register `%Laneid`; special registers are lower case: write `%laneid`
        5:`.X` Error unknown-component: `%tid` has no component `.X`; it has `.x`, `.y`, `.z`, `.w`
    "#]],
    );
}

#[test]
fn tables_without_a_label() {
    check_body(
        ".branchtargets L;\n.callprototype _ (.param .b32 x);\nL: ret;",
        expect![[r#"
        3:`.branchtargets` Error misplaced-directive: `.branchtargets` needs a label before it, such as `table: .branchtargets`
        4:`.callprototype` Error misplaced-directive: `.callprototype` needs a label before it, such as `table: .callprototype`
    "#]],
    );
}

#[test]
fn an_alias_before_its_declaration() {
    check(
        ".version 8.0\n.target sm_90\n.func f() { ret; }\n.alias g, f;\n.func g();\n.alias h, f;\n.extern .func h();\n",
        expect![[r#"
            4:`g` Error invalid-alias: `g` is declared after its alias; move the declaration before it
                5:`g` declared here
            6:`h` Error invalid-alias: `h` is declared after its alias; move the declaration before it
                7:`h` declared here
        "#]],
    );
}

#[test]
fn types_below_a_byte() {
    check_fixes(
        ".version 8.6\n.target sm_90\n.global .align 1 .u2 flag = 1;\n.shared .s4 tile[32];\n.global .e2m1x2 packed;\n",
        expect![[r#"
            3:`.u2` invalid-declaration
                Replace with `.b8`
                    .global .align 1 .b8 flag = 1;
            4:`.s4` invalid-declaration
                Replace with `.b8`
                    .shared .b8 tile[32];
            5:`.e2m1x2` invalid-declaration
                Replace with `.b8` *
                    .global .b8 packed;
        "#]],
    );
    check_fixes(
        ".version 8.6\n.target sm_90\n.global .f32 flag = 2;\n.global .f32 other = 0x10;\n",
        expect![[r#"
            3:`2` invalid-initializer
                Write a float
                    .global .f32 flag = 2.0;
            4:`0x10` invalid-initializer
        "#]],
    );
}

#[test]
fn a_missing_exit_is_indented_as_the_statement_before_it() {
    check_fixes(
        ".version 8.6\n.target sm_90\n.entry k() {\n\t\tmembar.gl;\n}\n.entry l() {\n\tmembar.gl }\n",
        expect![[r#"
            5:`}` missing-return
                Add `exit;` *
                    		exit;
            7:`l` syntax-error
                Insert `;` *
                    	membar.gl; }
            7:`}` missing-return
        "#]],
    );
}

#[test]
fn textures_of_state_space_tex() {
    check(
        ".version 1.4\n.target sm_10\n.tex .u64 tex;\n.entry k(.param .u64 out) {\n.reg .f32 %f<8>;\n\
         tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex,{%f0,%f0,%f0,%f0}];\nexit;\n}\n",
        expect![""],
    );
}

#[test]
fn a_dump_of_cuobjdump() {
    check(
        "Fatbin ptx code:\n================\narch = sm_80\ncompile_size = 64bit\n\n//\n.version 8.0\n.target sm_80\n.entry k() { ret; }\n",
        expect![[r#"
            1:`Fatbin` Error syntax-error: a dump of `cuobjdump -ptx`; the module starts at line 7: delete the lines before it, or extract it with `-xptx`
        "#]],
    );
}
