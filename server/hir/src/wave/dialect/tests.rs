use expect_test::{Expect, expect};
use warplens_syntax::parse_file;

use super::{Accepts, departures};

/// The departures of a kernel's body, a line each.
fn check(accepts: Accepts, body: &str, expected: &Expect) {
    let text = format!(".kernel k\n{body}.end\n");
    let file = parse_file(warplens_syntax::wave::LANGUAGE, &text);
    let code = crate::wave::lower(file.items().next().expect("there is a kernel"));
    let line = |found: &super::Departure| {
        format!("{:?} `{}`: {:?}\n", found.severity(), &text[found.range], found.kind)
    };
    expected.assert_eq(&departures(&code, accepts).iter().map(line).collect::<String>());
}

#[test]
fn what_the_toolchain_does_not_take() {
    check(
        Accepts::Toolchain,
        "\
.workgroup_size 64
icmp.lt p0, r1, r2
ucmp.ge p0, r1, 5
umin r1, r2, r3
badd r1, r2, r3
and p1, p0, !p2
if !p0
endif
atomic_add.device r1, r2, r3
fadd r40, r1, 1.5
local_store.u32 r1, r2
halt
",
        &expect![[r#"
            Error `.workgroup_size 64`: toolchain 0.1.2 wants three numbers: x, y and z
            Error `icmp.lt`: toolchain 0.1.2 writes `icmp_lt`
            Error `ucmp.ge`: toolchain 0.1.2 has no `ucmp.ge`: write `ucmp_le pd, rs2, rs1`
            Error `5`: toolchain 0.1.2 takes a number in `mov_imm` only: put it into a register first
            Error `umin`: toolchain 0.1.2 has no `umin`: write `ucmp_lt pN, rs1, rs2`, then `select rd, pN, rs1, rs2`
            Error `badd`: toolchain 0.1.2 has no `badd`: several lines in single precision do the same
            Error `and`: toolchain 0.1.2 has no logic on predicates: set the result by guarded comparisons
            Error `!p0`: toolchain 0.1.2 takes no `!` before an operand: invert the comparison
            Error `.device`: toolchain 0.1.2 takes the scope as the last operand
            Error `r40`: toolchain 0.1.2 has the general registers r0 to r31 only: use one of those
            Error `1.5`: toolchain 0.1.2 takes a number in `mov_imm` only: put it into a register first
            Error `local_store.u32`: toolchain 0.1.2 writes `local_store_u32`
        "#]],
    );
}

#[test]
fn what_the_toolchain_runs_otherwise() {
    check(
        Accepts::Toolchain,
        "\
.registers 64
mov_imm r1, 1.0
hadd r1.lo, r2, r3
cvt_f32_i32 r1, r2
select r1, p0, r20, r21
atomic_cas r1, r2, r3, r4, .device
loop
    if p1
        break p2
    endif
    continue p1
    if p1
        break p2
    endif
endloop
if p0
    halt
endif
halt
",
        &expect![[r#"
            Warning `.registers 64`: toolchain 0.1.2 has 32 registers and caps the number: ask for 32
            Warning `1.0`: toolchain 0.1.2 takes the low half of a double for this: write the bits of the binary32
            Warning `cvt_f32_i32`: toolchain 0.1.2 runs this conversion the other way round, from the first format to the second: convert by way of a double
            Warning `r21`: toolchain 0.1.2 encodes r16 and above wrongly here: take a register below r16
            Warning `atomic_cas`: toolchain 0.1.2 assembles this as an atomic add, and has nothing that compares and stores in one step: take a lock with `atomic_exchange`
            Warning `break`: toolchain 0.1.2 lets these lanes run on after the `endif`: `break` outside of the `if`
            Warning `continue`: toolchain 0.1.2 loses lanes at a `continue` and hangs when none is left: put the rest of the loop under an `if`
            Warning `halt`: where only some lanes come here, or none, toolchain 0.1.2 ends all of them, or lets those that ended run on: end them together
        "#]],
    );
}

#[test]
fn what_the_guide_writes_otherwise() {
    check(
        Accepts::Guide,
        "icmp_lt p0, r1, r2\nlocal_store_u32 r1, r2\nhalt\n",
        &expect![[r#"
        Hint `icmp_lt`: the guide writes `icmp.lt`
        Hint `local_store_u32`: the guide writes `local_store.u32`
    "#]],
    );
    check(Accepts::Both, "icmp_lt p0, r1, r2\nfadd r40, r1, 1.5\nhalt\n", &expect![[""]]);
}
