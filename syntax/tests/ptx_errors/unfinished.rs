//! Lines that end before their statement does.

use expect_test::expect;

use crate::check_bodies;

#[test]
fn an_unfinished_line_is_underlined_itself() {
    check_bodies(
        &[
            "  add.s32 %r1, %r2,\n  ret;",
            "  add.s32 %r1, %r2,\n  bra L;",
            "  add.s32 %r1, %r2,\n  call f, (%r1);",
            "  add.s32 %r1, %r2,\nL: ret;",
            "  mov.u32 %r1,\n  @%p1 bra L;",
            "  mov.u32 %r1, 3 +\n  add.s32 %r1, %r2, %r3;",
            "  ld.global.u32 %r1, [\n  ret;",
            "  ld.global.u32 %r1, [\n  add.s32 %r1, %r2, %r3;",
            "  ld.global.u32 %r1, [%rd1+\n  add.s32 %r1, %r2, %r3;",
            "  mov.b64 %rd1, {%r1,\n  add.s32 %r1, %r2, %r3;",
            "  call (%r1), f, (\n  add.s32 %r1, %r2, %r3;",
            "  bra\n  ret;",
            "  .reg .b32\n  add.s32 %r1, %r2, %r3;",
            "  .shared .align\n  add.s32 %r1, %r2, %r3;",
            "  .shared .b32 tile[\n  add.s32 %r1, %r2, %r3;",
            "T: .branchtargets L,\n  add.s32 %r1, %r2, %r3;",
            "  add.\n  add.s32 %r1, %r2, %r3;",
            "  @\n  add.s32 %r1, %r2, %r3;",
        ],
        expect![[r#"
              add.s32 %r1, %r2,
                              ^ expected an operand after this `,`
              ret;
            --
              add.s32 %r1, %r2,
                              ^ expected an operand after this `,`
              bra L;
            --
              add.s32 %r1, %r2,
                              ^ expected an operand after this `,`
              call f, (%r1);
            --
              add.s32 %r1, %r2,
                              ^ expected an operand after this `,`
            L: ret;
            --
              mov.u32 %r1,
                         ^ expected an operand after this `,`
              @%p1 bra L;
            --
              mov.u32 %r1, 3 +
                             ^ expected a value after this
              add.s32 %r1, %r2, %r3;
            --
              ld.global.u32 %r1, [
                                 ^ expected an address after `[`
              ret;
            --
              ld.global.u32 %r1, [
                                 ^ expected an address after `[`
              add.s32 %r1, %r2, %r3;
            --
              ld.global.u32 %r1, [%rd1+
                                      ^ expected a value after this
              add.s32 %r1, %r2, %r3;
            --
              mov.b64 %rd1, {%r1,
                                ^ expected an operand after this `,`
              add.s32 %r1, %r2, %r3;
            --
              call (%r1), f, (
                             ^ missing `)` after the arguments
              add.s32 %r1, %r2, %r3;
            --
              bra
                ^ missing `;` after this instruction
              ret;
            --
              .reg .b32
                      ^ expected a name to declare
              add.s32 %r1, %r2, %r3;
            --
              .shared .align
                           ^ `.align` takes a number of bytes
              add.s32 %r1, %r2, %r3;
            --
              .shared .b32 tile[
                               ^ expected a value after this
              add.s32 %r1, %r2, %r3;
            --
            T: .branchtargets L,
                               ^ expected an operand after this `,`
              add.s32 %r1, %r2, %r3;
            --
              add.
                 ^ unexpected `.`: expected an operand
              add.s32 %r1, %r2, %r3;
            --
              @
              ^ expected a predicate register after `@`
              add.s32 %r1, %r2, %r3;
            --
        "#]],
    );
}
