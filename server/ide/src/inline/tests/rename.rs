//! Renames inside the strings.

use super::*;

/// The text after a rename of what follows `before` in a line of text, or why it is refused.
fn renamed(host: &str, source: &str, before: &str, name: &str) -> String {
    let column = source.find(before).expect("it is there") + before.len();
    let (fixture, analysis) = open_host(host, &format!("\n{source}\n{:column$}|\n", ""));
    if let Err(reason) = analysis.prepare_rename(FILE, fixture.cursor()).unwrap() {
        return format!("not prepared: {reason}");
    }
    match analysis.rename(FILE, fixture.cursor(), name).unwrap() {
        Ok(edits) => {
            let mut text = fixture.text.clone();
            for edit in edits.iter().rev() {
                text.replace_range(
                    usize::from(edit.range.start())..usize::from(edit.range.end()),
                    &edit.insert,
                );
            }
            text.trim().to_owned()
        }
        Err(reason) => reason.to_string(),
    }
}

#[test]
fn names_are_renamed_in_their_statement() {
    let pieces =
        r#"void f() { asm("{ .reg .u32 t; mov.u32 t, %1;" " add.u32 %0, t, t; }" : "=r"(x) : "r"(t)); }"#;
    let percent =
        r#"void f() { asm("{ .reg .u32 %%t; mov.u32 %%t, %1; mov.u32 %0, %%t; }" : "=r"(x) : "r"(y)); }"#;
    let named = r#"void f() { asm("mov.u32 %0, %[in];" : "=r"(x) : [in] "r"(in)); }"#;
    let numbered = r#"void f() { asm("mov.u32 %0, %1;" : "=r"(x) : "r"(in)); }"#;
    let shared = r#"void f() { asm(".reg .u32 t;"); asm("mov.u32 t, 1;"); }"#;
    let rust = r#"fn f() { asm!("add.u32 {y}, {x}, {x};", y = out(reg32) y, x = in(reg32) x); }"#;
    for (host, source, before, name, expected) in [
        (
            "cuda-cpp",
            pieces,
            ".u32 ",
            "sum",
            r#"void f() { asm("{ .reg .u32 sum; mov.u32 sum, %1;" " add.u32 %0, sum, sum; }" : "=r"(x) : "r"(t)); }"#,
        ),
        ("cuda-cpp", percent, "mov.u32 ", "%%s", &percent.replace("%%t", "%%s")),
        ("cuda-cpp", named, "%[", "value", &named.replace("[in]", "[value]")),
        ("cuda-cpp", named, ": [", "value", &named.replace("[in]", "[value]")),
        (
            "rust",
            rust,
            "{y}, {",
            "left",
            r#"fn f() { asm!("add.u32 {y}, {left}, {left};", y = out(reg32) y, left = in(reg32) x); }"#,
        ),
        ("rust", rust, "{y}, {", "y", "this statement already has an operand `y`"),
        (
            "cuda-cpp",
            numbered,
            "%0, ",
            "value",
            "not prepared: `%1` is the number of an operand: rename the variable in the code around the statement",
        ),
        (
            "cuda-cpp",
            shared,
            ".u32 ",
            "value",
            "not prepared: other statements of inline PTX in this file have the name `t` too, perhaps for the same register",
        ),
    ] {
        assert_eq!(renamed(host, source, before, name), expected, "{source}");
    }
}
