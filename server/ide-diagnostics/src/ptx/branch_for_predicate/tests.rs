//! Statements of a kernel, then what the lint says and what its rewrite makes of them.

use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

use crate::codes;

fn check(statements: &str, expected: Expect) {
    let start = ".entry k(.param .u64 out) {\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n\
                 mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 7;\n";
    let (fixture, analysis) =
        open(&format!(".version 8.5\n.target sm_90\n.address_size 64\n{start}{statements}\n    ret;\n}}\n"));
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        if found.code != codes::BRANCH_FOR_PREDICATE {
            continue;
        }
        shown += &format!("{}: {}\n", fixture.show(found.range), found.message);
        for fix in found.fixes {
            shown += &format!("  {}\n", fix.title);
            let text = fix.applied(&fixture.text);
            let lines = text.lines().skip(10).take_while(|line| line.trim() != "ret;");
            lines.for_each(|line| shown += &format!("  |{line}\n"));
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn one_side() {
    check(
        "
    @%p1 bra DONE;  // near
    .loc 1 2 3
    add.u32 %r1, %r1, 8;  // far
    ld.global.u32 %r2, [%rd1];
DONE:
    add.u32 %r1, %r1, 8;
    @!%p1 bra AGAIN; add.u32 %r1, %r1, 8;
AGAIN: add.u32 %r1, %r1, 8;
",
        expect![[r#"
            11:`@%p1 bra DONE;`: this branch is divergent (`%p1` ← `setp` ← `%r1` ← `%tid.x`), and it skips 2 instructions: guard each with `@!%p1`, and the warp does not diverge and saves the branch
              Predicate them with `@!%p1`
              |    // near
              |    .loc 1 2 3
              |    @!%p1 add.u32 %r1, %r1, 8;  // far
              |    @!%p1 ld.global.u32 %r2, [%rd1];
              |    add.u32 %r1, %r1, 8;
              |    @!%p1 bra AGAIN; add.u32 %r1, %r1, 8;
              |AGAIN: add.u32 %r1, %r1, 8;
              |
            17:`@!%p1 bra AGAIN;`: this branch is divergent (`%p1` ← `setp` ← `%r1` ← `%tid.x`), and it skips one instruction: guard it with `@%p1`, and the warp does not diverge and saves the branch
              Predicate it with `@%p1`
              |    @%p1 bra DONE;  // near
              |    .loc 1 2 3
              |    add.u32 %r1, %r1, 8;  // far
              |    ld.global.u32 %r2, [%rd1];
              |DONE:
              |    add.u32 %r1, %r1, 8;
              |    @%p1 add.u32 %r1, %r1, 8;
              |add.u32 %r1, %r1, 8;
              |
        "#]],
    );
}

#[test]
fn two_sides() {
    check(
        "
    @%p1 bra ELSE;
    add.u32 %r1, %r1, 8;
    xor.b32 %r2, %r1, 8;
    bra.uni END;
ELSE:
    sub.u32 %r1, %r1, 8;
END:
    st.global.u32 [%rd1], %r1;
    @%p1 bra LEAVE;
    st.global.u32 [%rd1], %r1;
LEAVE:
",
        expect![[r#"
            11:`@%p1 bra ELSE;`: this branch is divergent (`%p1` ← `setp` ← `%r1` ← `%tid.x`), and its two paths have 2 instructions and one instruction: guard them with `@!%p1` and `@%p1`, and the warp does not diverge and saves two branches
              Predicate them with `@!%p1` and `@%p1`
              |    @!%p1 add.u32 %r1, %r1, 8;
              |    @!%p1 xor.b32 %r2, %r1, 8;
              |    @%p1 sub.u32 %r1, %r1, 8;
              |    st.global.u32 [%rd1], %r1;
              |    @%p1 bra LEAVE;
              |    st.global.u32 [%rd1], %r1;
              |LEAVE:
              |
        "#]],
    );
}

#[test]
fn labels_that_others_go_to() {
    check(
        "
    @%p1 bra DONE;
    @%p2 bra DONE;
    add.u32 %r1, %r1, 8;
DONE:
    @%p1 bra ELSE;
    add.u32 %r1, %r1, 8;
    bra END;
ELSE:
    sub.u32 %r1, %r1, 8;
END:
    setp.eq.u32 %p2, %r1, 7;
    @%p2 bra ELSE;
    @%p1 bra LAST;
    add.u32 %r1, %r1, 8;
LAST:
    @%p2 bra LAST;
",
        expect![[r#"
            12:`@%p2 bra DONE;`: this branch is divergent (`%p2` ← `setp` ← `%r1` ← `add` ← `%r1` ← `%tid.x`), and it skips one instruction: guard it with `@!%p2`, and the warp does not diverge and saves the branch
              Predicate it with `@!%p2`
              |    @%p1 bra DONE;
              |    @!%p2 add.u32 %r1, %r1, 8;
              |DONE:
              |    @%p1 bra ELSE;
              |    add.u32 %r1, %r1, 8;
              |    bra END;
              |ELSE:
              |    sub.u32 %r1, %r1, 8;
              |END:
              |    setp.eq.u32 %p2, %r1, 7;
              |    @%p2 bra ELSE;
              |    @%p1 bra LAST;
              |    add.u32 %r1, %r1, 8;
              |LAST:
              |    @%p2 bra LAST;
              |
            23:`@%p1 bra LAST;`: this branch is divergent (`%p1` ← `setp` ← `%r1` ← `%tid.x`), and it skips one instruction: guard it with `@!%p1`, and the warp does not diverge and saves the branch
              Predicate it with `@!%p1`
              |    @%p1 bra DONE;
              |    @%p2 bra DONE;
              |    add.u32 %r1, %r1, 8;
              |DONE:
              |    @%p1 bra ELSE;
              |    add.u32 %r1, %r1, 8;
              |    bra END;
              |ELSE:
              |    sub.u32 %r1, %r1, 8;
              |END:
              |    setp.eq.u32 %p2, %r1, 7;
              |    @%p2 bra ELSE;
              |    @!%p1 add.u32 %r1, %r1, 8;
              |LAST:
              |    @%p2 bra LAST;
              |
        "#]],
    );
}

#[test]
fn sides_that_stay_as_they_are() {
    check(
        "
    @%p1 bra A;
    setp.eq.u32 %p1, %r1, 7;
A:
    @%p1 bra B;
    @%p2 add.u32 %r1, %r1, 8;
B:
    @%p1 bra C;
    bar.warp.sync 0xff;
C:
    @%p1 bra D;
    atom.global.add.u32 %r1, [%rd1], 1;
D:
    @%p1 bra E;
    { .reg .u32 %x; add.u32 %x, %r1, 1; }
E:
    @%p1 bra F;
    add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;
    add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;
F:
    mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p2, %r2, 7;
    @%p2 bra G;
    add.u32 %r1, %r1, 1;
G:
    @%p1 bra.uni H;
    add.u32 %r1, %r1, 1;
H:
",
        expect![""],
    );
}
