//! Synthetic PTX files of unusual shape: very many functions, and a very large one.

use std::fmt::Write as _;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Synthetic {
    /// 30,000 kernels of ten statements.
    Kernels,
    /// One kernel of 10 MB with 45,000 loops, each with a divergent branch, and a barrier after each hundred.
    Loops,
}

impl Synthetic {
    pub(crate) fn text(self) -> String {
        let mut text = String::from(".version 8.0\n.target sm_80\n.address_size 64\n");
        match self {
            Synthetic::Kernels => (0..30_000).for_each(|number| kernel(&mut text, number)),
            Synthetic::Loops => loops(&mut text, 45_000),
        }
        text
    }
}

fn kernel(text: &mut String, number: u32) {
    let _ = write!(
        text,
        "
.visible .entry kernel_{number}(
\t.param .u64 kernel_{number}_param_0,
\t.param .u32 kernel_{number}_param_1
)
{{
\t.reg .pred %p<2>;
\t.reg .b32 %r<4>;
\t.reg .b64 %rd<4>;

\tld.param.u64 %rd1, [kernel_{number}_param_0];
\tld.param.u32 %r1, [kernel_{number}_param_1];
\tmov.u32 %r2, %tid.x;
\tsetp.ge.u32 %p1, %r2, %r1;
\t@%p1 bra $L__done;
\tmul.wide.u32 %rd2, %r2, 4;
\tadd.s64 %rd3, %rd1, %rd2;
\tst.global.u32 [%rd3], %r2;
$L__done:
\tret;
}}
"
    );
}

fn loops(text: &mut String, count: u32) {
    text.push_str(
        "
.visible .entry loops(.param .u64 loops_param_0)
{
\t.reg .pred %p<3>;
\t.reg .b32 %r<6>;
\t.reg .b64 %rd<2>;

\tld.param.u64 %rd1, [loops_param_0];
\tmov.u32 %r1, %tid.x;
\tmov.u32 %r4, 0;
",
    );
    for number in 0..count {
        let _ = write!(
            text,
            "$L_{number}:
\tld.global.u32 %r2, [%rd1+{}];
\tsetp.gt.u32 %p1, %r2, %r1;
\t@%p1 bra $E_{number};
\tadd.u32 %r3, %r2, {number};
\txor.b32 %r1, %r1, %r3;
$E_{number}:
\tadd.u32 %r4, %r4, 1;
\tsetp.lt.u32 %p2, %r4, {};
\t@%p2 bra $L_{number};
",
            4 * number,
            number + 5
        );
        if number % 100 == 0 {
            text.push_str("\tbar.sync 0;\n");
        }
    }
    text.push_str("\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n");
}
