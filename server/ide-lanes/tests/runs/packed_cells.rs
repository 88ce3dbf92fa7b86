//! `.pack::16b` and `.unpack::16b`: which columns of tensor memory the halves of a register come from.

use crate::findings_of_launch::{kernel, run};

/// The words that thread 0 to 31 load, from a kernel that stores and loads with these instructions. The address of 64 columns is `%r3`, a
/// value of the thread `%r4`, and the result `%r5`.
fn loaded(body: &str) -> Vec<u32> {
    let text = kernel(
        "sm_100a",
        "grid = [1], block = [32], args = [{ name = 'out', buffer = 'u32', len = 32, fill = 'zero' }]",
        ".param .u64 out",
        &format!(
            ".shared .align 16 .b32 at[4];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, at;\n\
             tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 64;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n\
             ld.shared.u32 %r3, [at];\nadd.u32 %r4, %r1, 100;\nshl.b32 %r4, %r4, 16;\nor.b32 %r4, %r4, %r1;\n\
             {body}\n\
             mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.b32 [%rd3], %r5;\n\
             tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 64;\nret;"
        ),
    );
    let (prepared, result) = run(&text);
    let found: Vec<&str> = result.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(found, [""; 0]);
    let bytes = prepared.resolved.buffers[0].bytes(&result);
    bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

const WAIT: &str = "tcgen05.wait::st.sync.aligned;\n";
const WAIT_LOAD: &str = "tcgen05.wait::ld.sync.aligned;\n";

fn own(thread: u32) -> u32 {
    thread | (thread + 100) << 16
}

/// PTX ISA, `tcgen05.st`: `immHalfSplitoff` counts columns. Triton 3.9 writes this for an accumulator of 64 x 32 halves.
#[test]
fn the_second_half_of_16x32bx2_does_not_move_with_packing() {
    let registers = "{%r4, %r4, %r4, %r4, %r4, %r4, %r4, %r4}";
    let results = "{%r5, %r6, %r7, %r8, %r10, %r11, %r12, %r13}";
    let both = loaded(&format!(
        "tcgen05.st.sync.aligned.16x32bx2.x8.unpack::16b.b32 [%r3], 16, {registers};\n{WAIT}\
         tcgen05.ld.sync.aligned.16x32bx2.x8.pack::16b.b32 {results}, [%r3], 16;\n{WAIT_LOAD}"
    ));
    assert_eq!(both, (0..32).map(own).collect::<Vec<u32>>());
    // Threads 16 to 31 hold lane t - 16 from column 16 on; the low half of their first register is column 16, the high half 17.
    let column = |column: u32| {
        loaded(&format!(
            "tcgen05.st.sync.aligned.16x32bx2.x8.unpack::16b.b32 [%r3], 16, {registers};\n{WAIT}add.u32 %r14, %r3, {column};\n\
             tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {{%r5}}, [%r14], 0;\n{WAIT_LOAD}"
        ))
    };
    let lanes = |value: fn(u32) -> u32| (0..32).map(|thread| value(thread % 16)).collect::<Vec<u32>>();
    assert_eq!(column(0), lanes(|lane| lane));
    assert_eq!(column(1), lanes(|lane| lane + 100));
    assert_eq!(column(16), lanes(|lane| lane + 16));
    assert_eq!(column(17), lanes(|lane| lane + 116));
}

/// With the other shapes, all columns of the table double.
#[test]
fn other_shapes_double_their_columns() {
    for (shape, registers, results) in [
        ("32x32b.x2", "{%r4, %r4}", "{%r5, %r6}"),
        ("16x64b.x2", "{%r4, %r4}", "{%r5, %r6}"),
        ("16x128b.x1", "{%r4, %r4}", "{%r5, %r6}"),
        ("16x256b.x1", "{%r4, %r4, %r4, %r4}", "{%r5, %r6, %r7, %r8}"),
    ] {
        let both = loaded(&format!(
            "tcgen05.st.sync.aligned.{shape}.unpack::16b.b32 [%r3], {registers};\n{WAIT}\
             tcgen05.ld.sync.aligned.{shape}.pack::16b.b32 {results}, [%r3];\n{WAIT_LOAD}"
        ));
        assert_eq!(both, (0..32).map(own).collect::<Vec<u32>>(), "{shape}");
    }
    // Register 1 of `32x32b` is columns 2 and 3.
    let third = loaded(&format!(
        "mov.u32 %r6, 7;\ntcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r3], {{%r6, %r4}};\n{WAIT}add.u32 %r14, %r3, 3;\n\
         tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r5}}, [%r14];\n{WAIT_LOAD}"
    ));
    assert_eq!(third, (100..132).collect::<Vec<u32>>());
}
