//! Registers of `tcgen05.ld` before `tcgen05.wait::ld`.

use crate::common::watched::watched;

/// Stores to tensor memory, then runs `body`, which loads from there.
fn found(body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b32 slot;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
    bar.sync 0;
    ld.shared.u32 %r2, [slot];
    tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {{%r1, %r1}};
    tcgen05.wait::st.sync.aligned;
    {body}
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r3;
    tcgen05.wait::ld.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    ret;
}}
"
    );
    let (_, _, result) = watched(&text, 1, 32);
    let line = |message: &str| message.lines().next().unwrap_or_default().to_owned();
    result.findings.iter().map(|finding| format!("{} {}", finding.kind, line(&finding.message))).collect()
}

const LOAD: &str = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3, %r4}, [%r2];";
const WAIT: &str = "tcgen05.wait::ld.sync.aligned;";

#[test]
fn a_register_has_its_value_after_the_wait() {
    assert_eq!(found(&format!("{LOAD}\n{WAIT}")), [""; 0]);
    assert_eq!(found(&format!("{LOAD}\n{LOAD}\n{WAIT}")), [""; 0]);
    // Instructions between that use other registers.
    assert_eq!(found(&format!("{LOAD}\nadd.u32 %r5, %r1, 1;\n{WAIT}\nadd.u32 %r4, %r3, %r5;")), [""; 0]);
}

#[test]
fn a_register_that_is_read_before_the_wait_has_its_value() {
    assert_eq!(found(LOAD), [""; 0]);
    assert_eq!(found(&format!("{LOAD}\nadd.u32 %r5, %r3, 1;\nmul.lo.u32 %r3, %r5, %r4;\n{WAIT}")), [""; 0]);
    // The instruction that overwrites the register depends on it.
    assert_eq!(found(&format!("{LOAD}\nadd.u32 %r3, %r3, 1;\nmov.u32 %r3, 7;\n{WAIT}")), [""; 0]);
}

#[test]
fn a_register_that_is_overwritten_before_the_wait() {
    let overwritten =
        "async-result Register race: `%r3` is overwritten while `tcgen05.ld` may still write it";
    assert_eq!(found(&format!("{LOAD}\nmov.u32 %r3, 7;\n{WAIT}")), [overwritten]);
    assert_eq!(found(&format!("{LOAD}\nadd.u32 %r3, %r4, 1;\n{WAIT}")), [overwritten]);
    assert_eq!(found(&format!("{LOAD}\ntcgen05.wait::st.sync.aligned;\nmov.u32 %r3, 7;")), [overwritten]);
}
