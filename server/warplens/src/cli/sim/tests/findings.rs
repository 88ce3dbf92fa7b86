//! Findings with their code, failed checks, and the summary of warps.

use super::*;

#[test]
fn faults_and_failed_checks() {
    let store = ".entry k(.param .u64 x) {\n\t.reg .b64 %rd;\n\tld.param.u64 %rd, [x];\n\tst.global.u32 [%rd+4], 5;\n\texit;\n}\n";
    let with = |arguments: &str| {
        format!(".version 8.0\n.target sm_70\n.address_size 64\n// @launch {{ {arguments} }}\n{store}")
    };
    let mismatch =
        with("block = [1], args = [{ buffer = 'u32', len = 2 }], expect = [{ name = 'x', values = [0, 6] }]");
    let short = with("block = [1], args = [{ buffer = 'u32', len = 1 }]");
    let folder = Folder::new("faults", &[("mismatch.ptx", &mismatch), ("short.ptx", &short)]);
    folder.check(&["~/mismatch.ptx", "--dump", "all"], Outcome::Errors, expect![[r#"
        k: launch 1 x 1 (from a comment), grid 1, block 1, model stack
        warp 0 of 1

         1  .version 8.0
         2  .target sm_70
         3  .address_size 64
         4  // @launch { block = [1], args = [{ buffer = 'u32', len = 2 }], expect = [{ name = 'x', values = [0, 6] }] }
         5  .entry k(.param .u64 x) {
         6          .reg .b64 %rd;
         7          ld.param.u64 %rd, [x];
         8          st.global.u32 [%rd+4], 5;
         9          exit;
        10  }

        note[check-coverage]: Coverage: x: 1 of 2 elements never written
        --> ~/mismatch.ptx
         = note: store to all of them, or give the contents in the launch, such as `fill = "zero"`, if the kernel need not write them

        error[expect-failed]: `x`[1] is 5, expected 6
         --> ~/mismatch.ptx:8:2
          |
        8 |     st.global.u32 [%rd+4], 5;
          |     ^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: stored by thread (0,0,0) of block (0,0,0): lane 0 of warp 0

        x: u32[2]
               0  0 5
        finished: 3 warp instructions, 3 thread instructions, 0 of 1 checks passed
        verdict: findings (outputs-unwritten)
    "#]]);
    folder.check(
        &["~/short.ptx"],
        Outcome::Errors,
        expect![[r#"
            k: launch 1 x 1 (from a comment), grid 1, block 1, model stack
            warp 0 of 1

             1  .version 8.0
             2  .target sm_70
             3  .address_size 64
             4  // @launch { block = [1], args = [{ buffer = 'u32', len = 1 }] }
             5  .entry k(.param .u64 x) {
             6          .reg .b64 %rd;
             7          ld.param.u64 %rd, [x];
             8          st.global.u32 [%rd+4], 5;
             9          exit;  not run
            10  }

            error[out-of-bounds]: Out of bounds: `x[1]` is beyond `x`, which has 1 element
             --> ~/short.ptx:8:2
              |
            8 |     st.global.u32 [%rd+4], 5;
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: `x` has 4 bytes, this store of 4 bytes needs 8; guard the access, or make the buffer larger
              = note: thread (0,0,0) of block (0,0,0): lane 0 of warp 0

            faulted: 2 warp instructions, 2 thread instructions
            coverage: 2 of 3 statements
        "#]],
    );
}

/// An unrolled sequence from one source line in a header, with one mistake.
const UNROLLED: &str = r#"// @launch { block = [64], grid = [2] }
.version 8.0
.target sm_70
.address_size 64
.file 1 "/home/user/reduce.cu"
.file 2 "/usr/local/cuda/include/sum.h"
.entry k() {
	.reg .b32 %r<5>; .reg .pred %p;
	.loc 1 7 3
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p, %r1, 16;
	@!%p bra DONE;
	.loc 1 9 5
	.loc 2 30 1, function_name F, inlined_at 1 9 5
	vote.sync.ballot.b32 %r2, %p, 0xff;
	vote.sync.ballot.b32 %r3, %p, 0xff;
	vote.sync.ballot.b32 %r4, %p, 0xff;
DONE:
	exit;
}
.section .debug_str { F: .b8 102, 0 }
"#;

#[test]
fn one_finding_a_cause() {
    let folder = Folder::new("unrolled", &[("k.ptx", UNROLLED)]);
    let (text, _) = folder.answer(&["~/k.ptx"]);
    let (_, ending) = text.rsplit_once("}\n").expect("a listing");
    expect![[r#"

        error[wrong-membermask]: Invalid member mask: it does not include all lanes that execute the instruction
          --> ~/k.ptx:15:2
           |
        15 |     vote.sync.ballot.b32 %r2, %p, 0xff;
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = note: the mask of lane 8 is 0xff and misses lanes 8-15; include each of them
           = note: threads (8,0,0) to (15,0,0) of block (0,0,0): lanes 8-15 of warp 0; also in 3 warps of 2 blocks; also at 2 statements of this source line
           = note: source: reduce.cu:9 (inlined: sum.h:30)

        warps: fewest active lanes 79 % (warp 0 of block 0,0,0)
        finished: 28 warp instructions, 704 thread instructions (64 predicated off)
    "#]].assert_eq(ending);
    let (json, _) = folder.answer(&["~/k.ptx", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    expect![[r#"
        [
          {
            "also": {
              "blocks": 2,
              "lines": [
                15,
                16
              ],
              "warps": 3
            },
            "code": "wrong-membermask",
            "cta": [
              0,
              0,
              0
            ],
            "lanes": "0000ff00",
            "line": 14,
            "message": "Invalid member mask: it does not include all lanes that execute the instruction\nthe mask of lane 8 is 0xff and misses lanes 8-15; include each of them",
            "related": [],
            "severity": "error",
            "source": {
              "file": "/home/user/reduce.cu",
              "inlined": {
                "file": "/usr/local/cuda/include/sum.h",
                "line": 30
              },
              "line": 9
            },
            "visit": 1,
            "warp": 0
          }
        ]"#]].assert_eq(&format!("{:#}", json["findings"]));
}

/// Of two blocks, the second loops; its first warp has lanes that leave the loop early.
#[test]
fn the_extreme_warps() {
    let kernel = ".version 8.0
.target sm_80
.address_size 64
.entry k() {
    .reg .pred %p; .reg .b32 %r<4>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    min.u32 %r2, %r2, 40;
    mad.lo.u32 %r2, %r1, %r2, 1;
    L: sub.u32 %r2, %r2, 1;
    setp.gt.s32 %p, %r2, 0;
    @%p bra L;
    ret;
}
";
    let folder = Folder::new("extremes", &[("k.ptx", kernel)]);
    let path = folder.path("k.ptx");
    let shown = |choice: &str| {
        let (text, _) = answer(&[&path, "--grid", "2", "--block", "64", "--warp", choice]);
        let wanted = |line: &&str| line.starts_with("warp");
        text.lines().filter(wanted).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        warp 0 of block 1,0,0; 4 warps in total (--warp X,Y,Z:W, divergent or worst selects another)
        warps: fewest active lanes 54 % (warp 0 of block 1,0,0), most instructions 128 (warp 1 of block 1,0,0)"#]].assert_eq(&shown("divergent"));
    expect![[r#"
        warp 1 of block 1,0,0; 4 warps in total (--warp X,Y,Z:W, divergent or worst selects another)
        warps: fewest active lanes 54 % (warp 0 of block 1,0,0), most instructions 128 (warp 1 of block 1,0,0)"#]].assert_eq(&shown("worst"));
}

/// As in a terminal of 60 columns that shows block characters: strips before the code, and messages that wrap.
#[test]
fn a_terminal() {
    let kernel = ".version 8.0
.target sm_80
.address_size 64
// @launch { grid = [1], block = [32], args = [{ buffer = 'u32', len = 2 }] }
.entry k(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<3>;
    mov.u32 %r, %tid.x;
    setp.gt.u32 %p, %r, 3;
    @%p ret;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r, 4;
    add.u64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r;
    ret;
}
";
    let folder = Folder::new("terminal", &[("k.ptx", kernel)]);
    let flags = Flags::parse_from(["sim", &folder.path("k.ptx")]);
    let file = flags.arguments.file.clone().expect("a file");
    let (source, requests, launches) = read(&flags.arguments, &file).expect("readable");
    let run = simulate(&flags.arguments, &source, &requests[0], &launches).expect("a run");
    let mut out = Vec::new();
    Listing { run: &run, width: Some(60), strips: true }.write(&mut out).expect("memory does not fail");
    let text = String::from_utf8(out).expect("text").replace(&folder.0.display().to_string(), "~");
    expect![[r#"
        k: launch 1 x 32 (from a comment), grid 1, block 32, model stack
        warp 0 of 1

         1            .version 8.0
         2            .target sm_80
         3            .address_size 64
         4            // @launch { grid = [1], block = [32], args = [{ buffer = 'u32', len = 2 }] }
         5            .entry k(.param .u64 out) {
         6                .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<3>;
         7  ████████      mov.u32 %r, %tid.x;
         8  ████████      setp.gt.u32 %p, %r, 3;
         9  ·███████      @%p ret;                   28 of 32
        10  █·······      ld.param.u64 %rd1, [out];  4/32
        11  █·······      mul.wide.u32 %rd2, %r, 4;  4/32
        12  █·······      add.u64 %rd2, %rd1, %rd2;  4/32
        13  █·······      st.global.u32 [%rd2], %r;  4/32
        14  ········      ret;                       not run
        15            }

        error[out-of-bounds]: Out of bounds: `out[2]` is beyond
                              `out`, which has 2 elements
          --> ~/k.ptx:13:5
           |
        13 |     st.global.u32 [%rd2], %r;
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = note: `out` has 8 bytes, this store of 4 bytes needs
                   12; guard the access, or make the buffer
                   larger
           = note: threads (2,0,0) to (3,0,0) of block (0,0,0):
                   lanes 2-3 of warp 0

        faulted: 7 warp instructions, 112 thread instructions (4 predicated off)
        coverage: 7 of 8 statements, 2 of 2 branch sides
    "#]]
    .assert_eq(&anstream::adapter::strip_str(&text).to_string());
}
