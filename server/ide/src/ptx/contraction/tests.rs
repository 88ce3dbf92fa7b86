use expect_test::{Expect, expect};
use warplens_ide_db::edited;
use warplens_syntax::ptx::LANGUAGE;

use crate::analysis::AnalysisHost;
use crate::fixture::FILE;

/// Shows each sum that may be fused, with the statements of the way that ptxas chooses (`*`) and of others.
fn check(body: &str, expect: Expect) {
    let text = format!(
        ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .f32 %f<10>; .reg .f64 %d<9>; \
         .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n{body}\nret;\n}}\n"
    );
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, &text);
    let found = host.snapshot().contractions(FILE).expect("not cancelled");
    let mut lines = Vec::new();
    for sum in &found.sums {
        lines.push(text[sum.range].replace('\n', " "));
        for (way, fused) in sum.fused.iter().enumerate() {
            let mark = if sum.usual == Some(way) { '*' } else { '-' };
            lines.push(format!("  {mark} {}", fused.trim_end()));
        }
    }
    if lines.is_empty() {
        lines.push("no sum".to_owned());
    }
    expect.assert_eq(&(lines.join("\n") + "\n"));
    let usual: Vec<_> = found.sums.iter().map(|sum| sum.usual).collect();
    let fused = edited(&text, &found.edits(&usual));
    assert_eq!(fused.lines().count(), text.lines().count(), "{fused}");
}

#[test]
fn sums_and_differences() {
    check(
        "mul.f32 %f3, %f1, 0f3DCCCCCD; add.f32 %f4, %f3, %f2; sub.f32 %f5,\n %f3, 0f3F800000; sub.f32 %f6, %f2, %f3;",
        expect![[r#"
            add.f32 %f4, %f3, %f2;
              * { .reg .b32 %warplens_a, %warplens_b; mov.b32 %warplens_a, %warplens_0_0; mov.f32 %warplens_b, %f2; fma.rn.f32 %f4, %warplens_a, %warplens_0_1, %warplens_b; }
            sub.f32 %f5,  %f3, 0f3F800000;
              * { .reg .b32 %warplens_a, %warplens_b; mov.b32 %warplens_a, %warplens_0_0; mov.f32 %warplens_b, 0f3F800000; xor.b32 %warplens_b, %warplens_b, 0x80000000; fma.rn.f32 %f5, %warplens_a, %warplens_0_1, %warplens_b; }
            sub.f32 %f6, %f2, %f3;
              * { .reg .b32 %warplens_a, %warplens_b; mov.b32 %warplens_a, %warplens_0_0; xor.b32 %warplens_a, %warplens_a, 0x80000000; mov.f32 %warplens_b, %f2; fma.rn.f32 %f6, %warplens_a, %warplens_0_1, %warplens_b; }
        "#]],
    );
}

#[test]
fn types_copies_and_flags() {
    check(
        "mul.ftz.f16 %h3, %h1, %h2; neg.ftz.f16 %h4, %h3; mov.b16 %h5, %h4; add.ftz.sat.f16 %h6, %h5, %h1;
         mul.f32x2 %rd3, %rd1, %rd2; sub.f32x2 %rd4, %rd3, %rd1;",
        expect![[r#"
            add.ftz.sat.f16 %h6, %h5, %h1;
              * { .reg .b16 %warplens_a, %warplens_b; mov.b16 %warplens_a, %warplens_0_0; xor.b16 %warplens_a, %warplens_a, 0x8000; mov.b16 %warplens_b, %h1; fma.rn.ftz.sat.f16 %h6, %warplens_a, %warplens_0_1, %warplens_b; }
            sub.f32x2 %rd4, %rd3, %rd1;
              * { .reg .b64 %warplens_a, %warplens_b; mov.b64 %warplens_a, %warplens_1_0; mov.b64 %warplens_b, %rd1; xor.b64 %warplens_b, %warplens_b, 0x8000000080000000; fma.rn.f32x2 %rd4, %warplens_a, %warplens_1_1, %warplens_b; }
        "#]],
    );
}

/// A rounding modifier, another `.ftz` or type, a saturated product, an absolute value, a guard or another block prevent the fusion.
#[test]
fn products_that_stay() {
    check(
        "mul.rn.f32 %f3, %f1, %f2; add.f32 %f3, %f3, %f1; mul.f32 %f4, %f1, %f2; add.rn.f32 %f4, %f4, %f1;
         mul.ftz.f32 %f5, %f1, %f2; add.f32 %f5, %f5, %f1; mul.sat.f32 %f6, %f1, %f2; add.f32 %f6, %f6, %f1;
         mul.f32 %f7, %f1, %f2; abs.f32 %f7, %f7; add.f32 %f7, %f7, %f1; mul.f64 %d3, %d1, %d2; add.rz.f64 %d3, %d3, %d1;
         @%p1 mul.f32 %f8, %f1, %f2; add.f32 %f8, %f8, %f1; mul.f32 %f8, %f1, %f2; @%p1 add.f32 %f8, %f8, %f1;
         mul.f32 %f9, %f1, %f2; @%p1 bra L; add.f32 %f9, %f9, %f1; L: mul.lo.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r2;",
        expect![[r#"
            no sum
        "#]],
    );
}

/// ptxas fuses a product with all sums that read it or with none, and takes the first of two products.
#[test]
fn the_choice_of_ptxas() {
    let of_two = "mul.f32 %f4, %f1, %f2; mul.f32 %f5, %f2, %f3; add.f32 %f6, %f5, %f4;";
    let way = |product: u32, addend: &str| {
        format!(
            "{{ .reg .b32 %warplens_a, %warplens_b; mov.b32 %warplens_a, %warplens_{product}_0; mov.f32 %warplens_b, {addend}; \
             fma.rn.f32 %f6, %warplens_a, %warplens_{product}_1, %warplens_b; }}"
        )
    };
    let [first, second] = [way(1, "%f4"), way(0, "%f5")];
    let sum = "add.f32 %f6, %f5, %f4;";
    let usual = |body: &str| {
        let text = format!(
            ".version 8.6\n.target sm_90\n.entry k()\n{{\n.reg .f32 %f<10>; .reg .pred %p<2>;\n{body}\nret;\n}}\n"
        );
        let mut host = AnalysisHost::new();
        host.open(FILE, LANGUAGE, &text);
        let found = host.snapshot().contractions(FILE).expect("not cancelled");
        found.sums.into_iter().map(|sum| sum.usual.map(|way| sum.fused[way].clone())).collect::<Vec<_>>()
    };
    assert_eq!(usual(of_two), [Some(first)], "{sum}");
    assert_eq!(usual(&format!("{of_two} st.global.f32 [0], %f5;")), [Some(second)]);
    // Read by a sum that is fused with the other product, by another statement, in another block, or twice by one sum.
    let counts = |body: &str| usual(body).iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(counts(&format!("{of_two} sub.f32 %f7, %f4, %f1;")), [true, false]);
    let of_one = "mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;";
    assert_eq!(counts(&format!("{of_one} abs.f32 %f6, %f4;")), [false]);
    assert_eq!(counts(&format!("{of_one} @%p1 bra L; abs.f32 %f6, %f4; L:")), [false]);
    assert_eq!(
        counts(&format!("{of_one} @%p1 bra L; mov.f32 %f4, 0f00000000; L: abs.f32 %f6, %f5;")),
        [true]
    );
    assert_eq!(counts(&format!("{of_one} L: add.f32 %f6, %f4, %f1;")), [true, true]);
    assert_eq!(counts("mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f4;"), [false]);
    // The registers of the factors may have other values at the sum.
    assert_eq!(
        counts("mul.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3; mul.f32 %f1, %f1, %f1; sub.f32 %f1, %f2, %f1;"),
        [true, true]
    );
}
