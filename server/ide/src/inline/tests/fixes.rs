//! Fixes in literals of host languages.

use expect_test::{Expect, expect};

use super::{FILE, open_host};

/// The text after the first fix of the first diagnostic.
fn fixed(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let found = analysis.diagnostics(FILE).unwrap();
    let fix = found.iter().find_map(|found| found.fixes.first()).expect("a fix");
    expect.assert_eq(&format!("{}\n{}", fix.title, fix.applied(&fixture.text)));
}

#[test]
fn fixes_keep_the_quoting() {
    fixed(
        "cuda-cpp",
        r#"
__device__ void f(int a) { asm("addd.u32 %0, %0, 1;" : "+r"(a)); }
"#,
        expect![[r#"
            Replace with `add`

            __device__ void f(int a) { asm("add.u32 %0, %0, 1;" : "+r"(a)); }
        "#]],
    );
    fixed(
        "cuda-cpp",
        r#"
__device__ void f(int a) { asm("add.u32 %0, %0, %%lanid;" : "+r"(a)); }
"#,
        expect![[r#"
            Replace with `%laneid`

            __device__ void f(int a) { asm("add.u32 %0, %0, %%laneid;" : "+r"(a)); }
        "#]],
    );
    fixed(
        "rust",
        r##"
unsafe fn f(x: u32) { asm!(r#"ad.u32 {x}, {x}, 1;"#, x = inout(reg32) x); }
"##,
        expect![[r##"
            Replace with `add`

            unsafe fn f(x: u32) { asm!(r#"add.u32 {x}, {x}, 1;"#, x = inout(reg32) x); }
        "##]],
    );
    fixed(
        "python",
        r#"
r = tl.inline_asm_elementwise("mov.u33 $0, $1;", "=r,r", [x], tl.int32, True, 1)
"#,
        expect![[r#"
            Replace with `.u32`

            r = tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [x], tl.int32, True, 1)
        "#]],
    );
}

#[test]
fn a_semicolon_is_inserted_in_the_literal_before_it() {
    fixed(
        "rust",
        r#"
unsafe fn f() { asm!("mov.u32 {0}, %laneid", "mov.u32 {0}, 1;", out(reg32) a); }
"#,
        expect![[r#"
            Insert `;`

            unsafe fn f() { asm!("mov.u32 {0}, %laneid;", "mov.u32 {0}, 1;", out(reg32) a); }
        "#]],
    );
    fixed(
        "cuda-cpp",
        r#"
__device__ void f(int a) { asm("add.u32 %0, %0, 1" "\n\tadd.u32 %0, %0, 2;" : "+r"(a)); }
"#,
        expect![[r#"
            Insert `;`

            __device__ void f(int a) { asm("add.u32 %0, %0, 1;" "\n\tadd.u32 %0, %0, 2;" : "+r"(a)); }
        "#]],
    );
}

#[test]
fn no_comment_is_offered_inside_a_literal() {
    let (_, analysis) = open_host(
        "julia",
        r#"
f() = @asmcall("""
mov.u32 \$0, %clock;
""", "=r", UInt32, Tuple{})
"#,
    );
    let found = analysis.diagnostics(FILE).unwrap();
    let found: Vec<_> = found.iter().map(|found| (found.code, found.fixes.len())).collect();
    assert_eq!(found, [("asm-volatile", 0)]);
}
