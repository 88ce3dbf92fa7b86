//! Quick fixes of accesses by threads beyond the data, and of reads of what these threads did not store.

use expect_test::expect;

use crate::corrections::check_text;

/// A kernel whose buffer has `n` elements, 40 for 64 threads: `%r1` is the thread, `%r2` is `n`, and `%rd1` the address of its element.
fn with_length(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         // @launch {{ block = [64], args = [{{ buffer = \"u32\", len = 40 }}, {{ u32 = 40 }}] }}\n\
         .visible .entry k(.param .u64 out, .param .u32 n)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.shared .b32 tile[64];\n\
         mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [out];\nld.param.u32 %r2, [n];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n\
         shl.b32 %r3, %r1, 2;\nmov.u32 %r4, tile;\nadd.u32 %r3, %r3, %r4;\n{body}ret;\n}}\n"
    )
}

#[test]
fn accesses_beyond_the_length() {
    check_text(
        with_length("st.global.u32 [%rd1], %r1;\n"),
        expect![[r#"
        ["out-of-bounds"]
        line 14: .reg .pred %in_bounds;
        []
    "#]],
    );
    // The last element is loaded and stored by a thread that should do neither.
    check_text(
        with_length("ld.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd1], %r5;\n"),
        expect![[r#"
            ["out-of-bounds", "out-of-bounds"]
            line 14: .reg .pred %in_bounds;
            []
        "#]],
    );
    // All threads take part in the shuffle, so that none may leave.
    check_text(
        with_length("shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\nst.global.u32 [%rd1], %r5;\n"),
        expect![[r#"
            ["out-of-bounds"]
            line 14: .reg .pred %in_bounds;
            []
        "#]],
    );
    check_text(
        with_length(
            "shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\nsetp.ne.u32 %p1, %r5, 3;\n@%p1 st.global.u32 [%rd1], %r5;\n",
        ),
        expect![[r#"
            ["out-of-bounds"]
            line 14: .reg .pred %in_bounds;
            []
        "#]],
    );
    check_text(
        with_length("setp.gt.u32 %p1, %r1, %r2;\n@%p1 bra DONE;\nst.global.u32 [%rd1], %r1;\nDONE:\n"),
        expect![[r#"
            ["out-of-bounds"]
            line 19: setp.ge.u32 %p1, %r1, %r2;
            []
        "#]],
    );
}

#[test]
fn zeros_where_not_all_threads_store() {
    let read =
        "bar.sync 0;\nxor.b32 %r5, %r3, 252;\nld.shared.u32 %r5, [%r5];\n@%p1 st.global.u32 [%rd1], %r5;\n";
    check_text(
        with_length(&format!("setp.lt.u32 %p1, %r1, %r2;\n@%p1 st.shared.u32 [%r3], %r1;\n{read}")),
        expect![[r#"
            ["uninitialized-read"]
            line 20: st.shared.u32 [%r3], 0;
            []
        "#]],
    );
    let branch = "setp.lt.u32 %p1, %r1, %r2;\n@!%p1 bra NEXT;\nadd.u32 %r6, %r1, 1;\nst.shared.u32 [%r3], %r6;\nNEXT:\n";
    check_text(
        with_length(&format!("{branch}{read}")),
        expect![[r#"
        ["uninitialized-read"]
        line 20: st.shared.u32 [%r3], 0;
        []
    "#]],
    );
}
