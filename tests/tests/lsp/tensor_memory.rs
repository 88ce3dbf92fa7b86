//! Hovers of addresses in tensor memory: before a run, after it, in another warp, and up to a selected visit.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::support::{Client, File};

/// Each of four warps stores three times to its lanes, each time further to the right.
const TEXT: &str = "\
.version 8.6
.target sm_100a
.address_size 64
.entry k() {
    .reg .b32 %r<9>;
    .reg .pred %p<3>;
    .shared .align 4 .b8 slot[4];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
ALLOCATED:
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    tcgen05.fence::after_thread_sync;
    ld.shared.b32 %r2, [slot];
    and.b32 %r3, %r1, 96;
    shl.b32 %r3, %r3, 16;
    add.u32 %r4, %r2, %r3;
    mov.b32 %r5, 0;
MORE:
    tcgen05.st.sync.aligned.32x32b.x2.b32 [%r4 + 0x4], {%r1, %r5};
    add.u32 %r4, %r4, 8;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 3;
    @%p2 bra MORE;
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    @%p1 bra FREED;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;
FREED:
    ret;
}
";

/// The hover of a word of the store, without the documentation of its register.
fn check(client: &mut Client, file: &File, word: &str, expected: Expect) {
    let line = TEXT.lines().position(|line| line.contains("tcgen05.st")).expect("such a line");
    let start = TEXT.lines().nth(line).and_then(|text| text.find(word)).expect("such a word");
    let hover = client.hover(&file.at(line as u32, start as u32 + 1)).expect("there is a hover");
    let parts: Vec<&str> = hover.split("\n\n---\n\n").collect();
    expected.assert_eq(parts[..parts.len() - 1].join("\n---\n").trim());
}

fn select(client: &mut Client, file: &File, warp: u32) {
    let launch = json!({ "name": "one", "block": [128], "args": [] });
    let argument = json!({ "uri": file.uri, "launch": launch, "warp": warp });
    client.command("warplens.selectLaunch", argument).expect("it can be run");
    let masks: Value = client.request("warplens/laneMasks", file.params());
    assert_eq!(masks["findings"], json!([]));
}

#[test]
fn pointing_at_an_address_shows_tensor_memory() {
    let mut client = Client::start();
    let file = client.open("cells.ptx", TEXT);
    check(
        &mut client,
        &file,
        "%r4",
        expect![
            "Address in tensor memory of the destination of `tcgen05.st`: the lane in bits 31 to 16, the column in bits 15 to 0."
        ],
    );
    check(
        &mut client,
        &file,
        "0x4",
        expect![
            "`0x00000004`: **lane 0, column 4** of tensor memory. Address in tensor memory of the destination of `tcgen05.st`: the lane in bits 31 to 16, the column in bits 15 to 0."
        ],
    );
    select(&mut client, &file, 0);
    check(
        &mut client,
        &file,
        "%r4",
        expect![[r#"
            **`%r4`** = 16, after this line, visit 3 of 3.

            `0x00000010`: **lane 0, column 16** of tensor memory. Address in tensor memory of the destination of `tcgen05.st`: the lane in bits 31 to 16, the column in bits 15 to 0. With the offset 0x4 it is lane 0, column 20.

            **All 32 lanes** reached this line, 3 times.

            Launch *one*, block 0,0,0, warp 0, model `stack`.

            **Tensor memory** (a character is a column, `x` only loaded, stored or copied, `.` not used):

            ```text
            lanes     0       8       16      24
            > 0-31    ....xx......xx......xx..........
              32-127  ....xx......xx......xx..........
            ```

            - columns 0 to 31: allocated by warp 0 (line 11), freed (line 31)
            - stored to: lanes 0 to 127, columns 4 to 5: 4 times (line 22)
            - stored to: lanes 0 to 127, columns 12 to 13: 4 times (line 22)
            - stored to: lanes 0 to 127, columns 20 to 21: 4 times (line 22)
            - `>`: warp 0 reaches lanes 0 to 31 (32 * (0 % 4))"#]],
    );
    select(&mut client, &file, 3);
    check(
        &mut client,
        &file,
        "%r4",
        expect![[r#"
            **`%r4`** = 6291472, after this line, visit 3 of 3.

            `0x00600010`: **lane 96, column 16** of tensor memory. Address in tensor memory of the destination of `tcgen05.st`: the lane in bits 31 to 16, the column in bits 15 to 0. With the offset 0x4 it is lane 96, column 20.

            **All 32 lanes** reached this line, 3 times.

            Launch *one*, block 0,0,0, warp 3, model `stack`.

            **Tensor memory** (a character is a column, `x` only loaded, stored or copied, `.` not used):

            ```text
            lanes     0       8       16      24
              0-95    ....xx......xx......xx..........
            > 96-127  ....xx......xx......xx..........
            ```

            - columns 0 to 31: allocated by warp 0 (line 11), freed (line 31)
            - stored to: lanes 0 to 127, columns 4 to 5: 4 times (line 22)
            - stored to: lanes 0 to 127, columns 12 to 13: 4 times (line 22)
            - stored to: lanes 0 to 127, columns 20 to 21: 4 times (line 22)
            - `>`: warp 3 reaches lanes 96 to 127 (32 * (3 % 4))"#]],
    );
    let visit = json!({ "uri": file.uri, "line": 21, "visit": 2 });
    client.command("warplens.selectVisit", visit).expect("there is such a visit");
    client.request("warplens/laneMasks", file.params());
    check(
        &mut client,
        &file,
        "%r4",
        expect![[r#"
            **`%r4`** = 6291464, after this line, visit 2 of 3.

            `0x00600008`: **lane 96, column 8** of tensor memory. Address in tensor memory of the destination of `tcgen05.st`: the lane in bits 31 to 16, the column in bits 15 to 0. With the offset 0x4 it is lane 96, column 12.

            **All 32 lanes** reached this line, 3 times. Visit 2 of 3 is shown: 32 of 32 lanes executed, lanes 0-31.

            Launch *one*, block 0,0,0, warp 3, model `stack`.

            Up to visit 2 of line 22, which is chosen:

            **Tensor memory** (a character is a column, `x` only loaded, stored or copied, `.` not used):

            ```text
            lanes     0       8       16      24
              0-95    ....xx......xx......xx..........
            > 96-127  ....xx......xx..................
            ```

            - columns 0 to 31, not freed: allocated by warp 0 (line 11)
            - stored to: lanes 0 to 127, columns 4 to 5: 4 times (line 22)
            - stored to: lanes 0 to 127, columns 12 to 13: 4 times (line 22)
            - stored to: lanes 0 to 95, columns 20 to 21: 3 times (line 22)
            - `>`: warp 3 reaches lanes 96 to 127 (32 * (3 % 4))"#]],
    );
    client.finish();
}
