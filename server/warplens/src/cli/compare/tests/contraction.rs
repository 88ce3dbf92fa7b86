//! Products and sums that an assembler may fuse.

use super::*;

/// Computes `statements` of `%f1` to `%f3`, which differ between the threads, and stores `%f4`.
fn kernel(statements: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_80
.address_size 64
// @launch {{ block = [64], args = [{{ buffer = \"f32\", len = 64, fill = \"random\" }}] }}
.visible .entry k(.param .u64 x)
{{
    .reg .u32 %r<2>; .reg .f32 %f<10>; .reg .u64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    mul.rn.f32 %f2, %f1, 0f3DCCCCCD;
    mul.rn.f32 %f3, %f1, 0f3F19999A;
    {statements}
    st.global.f32 [%rd3], %f4;
    ret;
}}
"
    )
}

/// The verdict on two kernels, and the lines after it up to the last one.
fn verdict(statements: [&str; 2], flags: &[&str]) -> (String, Outcome) {
    let [one, other] = statements.map(kernel);
    let folder = Folder::new("contraction", &[("a.ptx", &one), ("b.ptx", &other)]);
    let [one, other] = ["a.ptx", "b.ptx"].map(|name| folder.0.join(name).display().to_string());
    let (text, outcome) = answer(&[&["compare", &one, &other], flags].concat());
    let lines = text.replace(&folder.0.display().to_string(), "~");
    let lines = lines.lines().skip_while(|line| !line.ends_with("results") && !line.starts_with("same"));
    let lines = lines.filter(|line| !line.starts_with("compared:"));
    (lines.map(|line| format!("{line}\n")).collect(), outcome)
}

fn check(statements: [&str; 2], outcome: Outcome, expect: Expect) {
    let (text, ended) = verdict(statements, &[]);
    expect.assert_eq(&text);
    assert_eq!(ended, outcome);
}

#[test]
fn a_fused_sum_is_no_difference() {
    let sum = "mul.f32 %f5, %f1, %f2; sub.f32 %f4, %f3, %f5;";
    let fused = "neg.f32 %f5, %f1; fma.rn.f32 %f4, %f5, %f2, %f3;";
    let expected = expect![[r#"
        same results in 1 buffer
        contraction: fused: same; unfused: different
          ~/a.ptx:15: sub.f32 %f4, %f3, %f5;
          neither is wrong: without a rounding modifier, an assembler may fuse `mul` and `add` (PTX ISA, add); `.rn` forbids it
    "#]];
    check([sum, fused], Outcome::Success, expected);
    let (text, outcome) = verdict([sum, fused], &["--random", "4", "--seed", "1"]);
    assert!(
        text.contains("same results in 1 buffer of each of 4 launches\ncontraction: fused: same;"),
        "{text}"
    );
    assert_eq!(outcome, Outcome::Success);
    // The other kernel may be the one that is not fused.
    let (text, _) = verdict([fused, sum], &[]);
    assert!(text.contains("  ~/b.ptx:15: sub.f32 %f4, %f3, %f5;\n"), "{text}");
}

/// Some sums are fused in the other kernel and some are not.
#[test]
fn a_mixture_is_found() {
    check(
        [
            "mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; mul.f32 %f7, %f6, %f1; sub.f32 %f4, %f7, %f2;",
            "fma.rn.f32 %f6, %f1, %f2, %f3; mul.rn.f32 %f7, %f6, %f1; sub.rn.f32 %f4, %f7, %f2;",
        ],
        Outcome::Success,
        expect![[r#"
            same results in 1 buffer
            contraction: fused: different; unfused: different; some fused: same
              ~/a.ptx:15: add.f32 %f6, %f5, %f3;
              neither is wrong: without a rounding modifier, an assembler may fuse `mul` and `add` (PTX ISA, add); `.rn` forbids it
        "#]],
    );
}

#[test]
fn another_difference_stays_one() {
    let sum = "mul.f32 %f5, %f1, %f2; add.f32 %f4, %f5, %f3;";
    check(
        [sum, "fma.rn.f32 %f4, %f1, %f3, %f2;"],
        Outcome::Errors,
        expect![[r#"
            different results
            contraction: fused: different; unfused: different; some fused: different (1 selection)
        "#]],
    );
    let rounded = "mul.rn.f32 %f5, %f1, %f2; add.f32 %f4, %f5, %f3;";
    let expected = expect![[r#"
        different results
    "#]];
    check([rounded, "fma.rn.f32 %f4, %f1, %f2, %f3;"], Outcome::Errors, expected);
}

#[test]
fn json() {
    let statements = ["mul.f32 %f5, %f1, %f2; add.f32 %f4, %f5, %f3;", "fma.rn.f32 %f4, %f1, %f2, %f3;"];
    let [one, other] = statements.map(kernel);
    let folder = Folder::new("contraction-json", &[("a.ptx", &one), ("b.ptx", &other)]);
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (text, _) = answer(&["compare", &path("a.ptx"), &path("b.ptx"), "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let expected = serde_json::json!({
        "unfused": "different", "fused": "same", "tried": 0,
        "sums": [{ "run": 0, "line": 14, "character": 27, "text": "add.f32 %f4, %f5, %f3;" }],
    });
    assert_eq!((&document["contraction"], &document["equal"]), (&expected, &true.into()));
    assert!(document["difference"].is_null());
}

/// Another kernel of the same file has sums, too: only those of the kernel that runs are tried and shown.
#[test]
fn sums_of_other_kernels_do_not_count() {
    let statements = ["mul.f32 %f5, %f1, %f2; add.f32 %f4, %f5, %f3;", "fma.rn.f32 %f4, %f1, %f2, %f3;"];
    let [one, other] = statements.map(|statements| {
        let (header, entry) = kernel(statements)
            .split_once("// @launch")
            .map(|(header, entry)| (header.to_owned(), entry.to_owned()))
            .expect("a launch");
        let first = entry.replace(statements, "mul.f32 %f5, %f1, %f3; add.f32 %f4, %f5, %f2;");
        let second = entry.replace(".entry k(", ".entry second(");
        format!("{header}// @launch{first}// @launch{second}")
    });
    let folder = Folder::new("contraction-entry", &[("a.ptx", &one), ("b.ptx", &other)]);
    let [one, other] = ["a.ptx", "b.ptx"].map(|name| folder.0.join(name).display().to_string());
    let (text, outcome) = answer(&["compare", &one, &other, "--entry", "second"]);
    assert_eq!(outcome, Outcome::Success, "{text}");
    assert!(text.contains("contraction: fused: same; unfused: different\n"), "{text}");
    assert_eq!(text.matches("add.f32").count(), 1, "{text}");
    assert!(text.contains("add.f32 %f4, %f5, %f3;"), "{text}");
}
