use expect_test::{Expect, expect};
use warplens_syntax::parse_file;

use super::{Accepts, departures};

/// Checks the departures in the body of a kernel, one per line.
fn check(accepts: Accepts, body: &str, expected: &Expect) {
    let text = format!(".kernel k\n{body}.end\n");
    let file = parse_file(warplens_syntax::wave::LANGUAGE, &text);
    let code = crate::wave::lower(file.items().next().expect("there is a kernel"));
    let line = |found: &super::Departure| {
        let kind = format!("{:?}", found.kind);
        let kind = kind.split('(').next().unwrap_or_default();
        format!("{:?} `{}`: {kind}\n", found.severity(), &text[found.range])
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
            Error `.workgroup_size 64`: ShortSize
            Error `icmp.lt`: GuideName
            Error `ucmp.ge`: Absent
            Error `5`: Immediate
            Error `umin`: Absent
            Error `badd`: Absent
            Error `and`: PredicateLogic
            Error `!p0`: NegatedPredicate
            Error `.device`: ScopeSuffix
            Error `r40`: HighRegister
            Error `1.5`: Immediate
            Error `local_store.u32`: GuideName
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
            Warning `.registers 64`: ManyRegisters
            Warning `1.0`: FloatLiteral
            Warning `cvt_f32_i32`: BackwardConversion
            Warning `r21`: HighFalseSource
            Warning `atomic_cas`: CompareAndSwap
            Warning `break`: BreakInIf
            Warning `continue`: Continue
            Warning `halt`: PartialEnd
        "#]],
    );
}

#[test]
fn what_the_guide_writes_otherwise() {
    check(
        Accepts::Guide,
        "icmp_lt p0, r1, r2\nlocal_store_u32 r1, r2\nhalt\n",
        &expect![[r#"
            Hint `icmp_lt`: ToolchainName
            Hint `local_store_u32`: ToolchainName
        "#]],
    );
    check(Accepts::Both, "icmp_lt p0, r1, r2\nfadd r40, r1, 1.5\nhalt\n", &expect![[""]]);
}
