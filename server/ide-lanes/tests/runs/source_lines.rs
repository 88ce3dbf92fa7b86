//! The source lines of statements, from `.loc`.

use crate::findings_of_launch::{kernel, run};

fn lines(body: &str) -> Vec<Option<u64>> {
    let launch = "grid = [1], block = [1], args = [{ buffer = 'u32', len = 4 }]";
    let text = kernel("sm_90", launch, ".param .u64 x", body) + ".file 1 \"k.py\"\n";
    let (prepared, _) = run(&text);
    prepared.statements.iter().map(|statement| Some(statement.source.as_ref()?.line.line)).collect()
}

#[test]
fn lines_of_inline_assembly_are_those_before_it() {
    let of = |number: u64| Some(number);
    assert_eq!(
        lines(
            ".loc 1 8 0\nld.param.u64 %rd1, [x];\n.loc 1 11 9\n// begin inline asm\n.loc 1 11 9\nmov.u32 %r2, 0;\n.loc 1 12 9\nmov.u32 %r3, 0;\n\
             .loc 1 13 9\nmov.u32 %r4, 0;\n// end inline asm\nadd.u32 %r5, %r2, %r3;\n.loc 1 12 5\nst.global.u32 [%rd1], %r5;\nret;"
        ),
        [of(8), of(11), of(11), of(11), of(11), of(12), of(12)]
    );
    // Two in a row, one without a line before it.
    assert_eq!(
        lines(
            "// begin inline asm\n.loc 1 5 1\nmov.u32 %r2, 0;\n// end inline asm\n// begin inline asm\n.loc 1 6 1\nmov.u32 %r3, 0;\n\
             // end inline asm\n.loc 1 7 1\nret;"
        ),
        [None, None, of(7)]
    );
    // An end that is missing, in a text that is being edited, hides nothing.
    assert_eq!(lines("// begin inline asm\n.loc 1 5 1\nmov.u32 %r2, 0;\nret;"), [of(5), of(5)]);
    // Blocks.
    assert_eq!(
        lines(
            ".loc 1 3 1\n{\n// begin inline asm\n{\n.loc 1 9 1\nmov.u32 %r2, 0;\n}\n// end inline asm\nmov.u32 %r3, 0;\n}\nret;"
        ),
        [of(3), of(3), of(3)]
    );
}
