//! What is not certain: functions that may be left out, constants without a value, and text that is not known.

use warplens_ide::Severity;

use super::{assert_problems, found_in, severities_in};

/// The compiler leaves out a function that nothing calls, so a guard that admits an old target matters only where it is always compiled.
#[test]
fn a_guard_that_admits_an_old_target() {
    let wait = "#if __CUDA_ARCH__ >= 800\nasm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n#endif\n";
    for (head, tail, severity) in [
        ("__global__ void k() {\n", "}", Severity::Warning),
        ("extern \"C\" __device__ void f(int a) {\n", "}", Severity::Warning),
        ("namespace n { __device__ void f() { if (a) {\n", "} } }", Severity::Warning),
        ("__device__ __forceinline__ void f() {\n", "}", Severity::Hint),
        ("static __device__ void f() {\n", "}", Severity::Hint),
        ("CUTE_DEVICE void f() {\n", "}", Severity::Hint),
        ("template <class T> __device__ void f() {\n", "}", Severity::Hint),
        ("struct S { __device__ void f() {\n", "} };", Severity::Hint),
    ] {
        let text = format!("{head}{wait}{tail}");
        assert_eq!(severities_in(&text), [("needs-target", severity)], "{text}");
        assert_eq!(severities_in(&text.replace("800", "900")), [], "{text}");
    }
}

/// The value of a constant may be unknown; the instruction is not.
#[test]
fn constants_without_a_value() {
    let with = |text: &str| {
        format!(
            "template <int N> __device__ void f(unsigned a, void *p) {{ int o; asm volatile(\"{text}\" : \"=r\"(o) : \"n\"(N), \"r\"(a), \"l\"(p) : \"memory\"); }}"
        )
    };
    let rest = " mov.u32 %0, %2; prefetch.global.L2 [%3];";
    let wait = |name: &str| with(&format!("cp.async.{name} %1;{rest}"));
    assert_problems(
        "cu",
        &[
            (&wait("wait_groups"), &wait("wait_group"), "unknown-modifier"),
            (
                &wait("wait_groups").replace("\"n\"(N)", "CONSTANT(N)"),
                &wait("wait_group").replace("\"n\"(N)", "CONSTANT(N)"),
                "unknown-modifier",
            ),
            (
                &with(&format!("bar.sync %1, %2, 64;{rest}")),
                &with(&format!("bar.sync %1, 64;{rest}")),
                "operand-count",
            ),
        ],
    );
    // What follows an instruction makes no other word of it.
    let python = |text: &str| {
        format!(
            "import triton.language as tl\ndef k(v, n):\n    tl.inline_asm_elementwise(f\"{text}\", \"=r,r\", [v], tl.int32, True, 1)\n"
        )
    };
    assert_problems(
        "py",
        &[
            (&python("addd.u32 $0, $1, {n};"), &python("add.u32 $0, $1, {n};"), "unknown-instruction"),
            (&python("addd.u32 $0, $1, {n};"), &python("addd{n} $0, $1, 1;"), "unknown-instruction"),
            (&python("add{n} $0, $2;"), &python("{n} addd $0, $1;"), "asm-operand-index"),
        ],
    );
    for right in [
        "cp.async.cg.shared.global [%2], [%3], %1; mov.u32 %0, 1;",
        "{ .reg .b32 t<%1>; mov.b32 t4, %2; mov.b32 %0, t4; prefetch.global.L2 [%3]; }",
        "mma.sync.aligned.m8n8k%1.row.col.s32.s4.s4.s32 {%0, %0}, {%2}, {%2}, {%0, %0}; prefetch.global.L2 [%3];",
        "ld.global.u32 %0, [%3+%1]; mov.u32 %0, %2;",
    ] {
        let found = found_in("cu", &with(right));
        assert!(!found.iter().any(|found| !found.starts_with("asm-")), "{right}: {found:?}");
    }
}
