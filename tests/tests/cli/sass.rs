//! Listings of machine code in a terminal.

use std::fmt::Write;

use crate::support::transcript::check;
use crate::support::{Folder, run};
use expect_test::expect;

/// A function of a fat file: each thread stores its lane, half of them after a detour.
fn function(target: u16, opcode: &str) -> String {
    let mut text = format!("\tcode for sm_{target}\n\t\tFunction : k\n");
    let body = [
        "MOV R1, c[0x0][0x28]",
        "S2R R0, SR_LANEID",
        "MOV R3, 0x4",
        "ISETP.LT.AND P0, PT, R0, 0x10, PT",
        "BSSY B0, 0x80",
        "@P0 BRA 0x70",
        opcode,
        "BSYNC B0",
        "IMAD.WIDE R2, R0, R3, c[0x0][0x160]",
        "STG.E [R2], R0",
        "EXIT",
    ];
    for (index, line) in body.iter().enumerate() {
        writeln!(text, "        /*{:04x}*/                   {line} ;", 16 * index).expect("text");
    }
    text + "\t\t..........\n"
}

fn kernel() -> String {
    function(80, "IADD3 R0, R0, 0x1, RZ")
}

#[test]
fn a_listing_is_checked() {
    let folder = Folder::new();
    folder.write("k.sass", kernel());
    check(
        folder.path(),
        &["check", "k.sass"],
        "",
        expect![[r#"
        1 file checked: no errors, no warnings
        --
        exit 0
    "#]],
    );
    folder.write("k.sass", kernel().replace("BRA 0x70", "BRA 0x74"));
    check(
        folder.path(),
        &["check", "k.sass"],
        "",
        expect![[r#"
        warning[missing-target]: there is not an instruction at 0x74
         --> k.sass:8:44
          |
        8 |         /*0050*/                   @P0 BRA 0x74 ;
          |                                            ^^^^

        1 warning
        --
        exit 0
    "#]],
    );
}

#[test]
fn a_listing_runs() {
    let folder = Folder::new();
    folder.write("k.sass", kernel());
    check(
        folder.path(),
        &["sim", "k.sass"],
        "",
        expect![[r#"
        k: inferred launch (no launch configured), grid 1, block 32, model barriers
        args: {"name":"p0","buffer":"u32","len":32768,"fill":"zero"}
        warp 0 of 1

         1          code for sm_80
         2                  Function : k
         3          /*0000*/                   MOV R1, c[0x0][0x28] ;
         4          /*0010*/                   S2R R0, SR_LANEID ;
         5          /*0020*/                   MOV R3, 0x4 ;
         6          /*0030*/                   ISETP.LT.AND P0, PT, R0, 0x10, PT ;
         7          /*0040*/                   BSSY B0, 0x80 ;
         8          /*0050*/                   @P0 BRA 0x70 ;                         split 16 | 16
         9          /*0060*/                   IADD3 R0, R0, 0x1, RZ ;                16/32 16-31
        10          /*0070*/                   BSYNC B0 ;                             2 visits, 16 lanes each
        11          /*0080*/                   IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;  join 32
        12          /*0090*/                   STG.E [R2], R0 ;
        13          /*00a0*/                   EXIT ;
        14                  ..........

        finished: 12 warp instructions, 336 thread instructions (16 predicated off)
        --
        exit 0
    "#]],
    );
}

#[test]
fn a_float_instruction_that_is_not_simulated() {
    let folder = Folder::new();
    folder.write("k.sass", function(80, "MUFU.EX2.F16 R0, R0"));
    check(
        folder.path(),
        &["sim", "k.sass"],
        "",
        expect![[r#"
            k: inferred launch (no launch configured), grid 1, block 32, model barriers
            args: {"name":"p0","buffer":"u32","len":32768,"fill":"zero"}
            warp 0 of 1

             1          code for sm_80
             2                  Function : k
             3          /*0000*/                   MOV R1, c[0x0][0x28] ;
             4          /*0010*/                   S2R R0, SR_LANEID ;
             5          /*0020*/                   MOV R3, 0x4 ;
             6          /*0030*/                   ISETP.LT.AND P0, PT, R0, 0x10, PT ;
             7          /*0040*/                   BSSY B0, 0x80 ;
             8          /*0050*/                   @P0 BRA 0x70 ;                         split 16 | 16
             9          /*0060*/                   MUFU.EX2.F16 R0, R0 ;                  16/32 16-31
            10          /*0070*/                   BSYNC B0 ;                             2 visits, 16 lanes each
            11          /*0080*/                   IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;  join 32
            12          /*0090*/                   STG.E [R2], R0 ;
            13          /*00a0*/                   EXIT ;                                 not run
            14                  ..........

            error[unsupported]: Unsupported instruction: an unknown value is used as an address in lanes 16-31
              --> k.sass:12:9
               |
             9 |         /*0060*/                   MUFU.EX2.F16 R0, R0 ;
               |         ------------------------------------------------ the value is computed here
            ...
            12 |         /*0090*/                   STG.E [R2], R0 ;
               |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               |
               = note: it comes from the unsupported instruction `MUFU.EX2.F16`: its function is not simulated; the run stops here
               = note: threads (16,0,0) to (31,0,0) of block (0,0,0): lanes 16-31 of warp 0

            warning[unsupported]: Unsupported instruction: `MUFU.EX2.F16`: its function is not simulated
             --> k.sass:9:9
              |
            9 |         /*0060*/                   MUFU.EX2.F16 R0, R0 ;
              |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: its result is not known; the run continues, and stops where a branch or an address depends on it
              = note: threads (16,0,0) to (31,0,0) of block (0,0,0): lanes 16-31 of warp 0

            stopped: unsupported instruction: 11 warp instructions, 304 thread instructions (16 predicated off)
            coverage: 10 of 11 statements, 2 of 2 branch sides
            verdict: incomplete (unsupported)
            --
            exit 3
        "#]],
    );
}

#[test]
fn the_other_model() {
    let folder = Folder::new();
    folder.write("k.sass", kernel());
    check(
        folder.path(),
        &["sim", "k.sass", "--model", "tokens"],
        "",
        expect![[r#"
        k: inferred launch (no launch configured), grid 1, block 32, model tokens
        args: {"name":"p0","buffer":"u32","len":32768,"fill":"zero"}
        warp 0 of 1

         1          code for sm_80
         2                  Function : k
         3          /*0000*/                   MOV R1, c[0x0][0x28] ;
         4          /*0010*/                   S2R R0, SR_LANEID ;
         5          /*0020*/                   MOV R3, 0x4 ;
         6          /*0030*/                   ISETP.LT.AND P0, PT, R0, 0x10, PT ;
         7          /*0040*/                   BSSY B0, 0x80 ;
         8          /*0050*/                   @P0 BRA 0x70 ;                         split 16 | 16
         9          /*0060*/                   IADD3 R0, R0, 0x1, RZ ;                16/32 16-31
        10          /*0070*/                   BSYNC B0 ;                             2 visits, 16 lanes each
        11          /*0080*/                   IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;  join 32
        12          /*0090*/                   STG.E [R2], R0 ;
        13          /*00a0*/                   EXIT ;
        14                  ..........

        finished: 12 warp instructions, 336 thread instructions (16 predicated off)
        --
        exit 0
    "#]],
    );
}

#[test]
fn a_fat_file_has_kernels_of_one_name() {
    let folder = Folder::new();
    let text = function(75, "IADD3 R0, R0, 0x1, RZ") + &function(80, "IADD3 R0, R0, 0x2, RZ");
    folder.write("k.sass", text);
    for (entry, first) in [("k", 2), ("k@sm_75", 2), ("k@sm_80", 16)] {
        let output = run(folder.path(), &["sim", "k.sass", "--entry", entry, "--format", "json"], b"");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["warps"][0]["lines"][0]["line"], first, "{entry}: {output:?}");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    // Without a name, the first kernel runs.
    let output = run(folder.path(), &["sim", "k.sass"], b"");
    assert!(output.stdout.starts_with(b"k: inferred launch"), "{output:?}");
    let output = run(folder.path(), &["sim", "k.sass", "--entry", "k@sm_90"], b"");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("unknown kernel `k@sm_90`: the file has `k`, `k@sm_80`"), "{output:?}");
}

#[test]
fn an_opcode_is_explained() {
    let folder = Folder::new();
    check(
        folder.path(),
        &["explain", "--language", "sass", "BSSY"],
        "",
        expect![[r#"
        BSSY · SASS · control flow · Volta and later

        Puts the active lanes into a convergence barrier; names the join address.

            BSSY [[!]Pp,] Bx, target

        Puts the executing lanes into the barrier register. The target is the
        instruction after the BSYNC; nothing branches.

        *Certainty:* executed; the results equal those of the PTX that the code was
        assembled from.

        Modifiers

        • .RECONVERGENT: ordinary join (sm_100 on)
        • .RELIABLE: join that a BREAK may leave (sm_100 on)

        Notes

        • A divergent branch needs one before it where the lanes should reconverge; it
          may be absent where the branch is uniform or one path exits.

        Example

            BSSY.RELIABLE B7, 0x5c0
        --
        exit 0
    "#]],
    );
    check(
        folder.path(),
        &["explain", "--language", "sass", "bra"],
        "",
        expect![[r#"
        --
        warplens: `bra` is not a SASS name; it exists in PTX
        exit 1
    "#]],
    );
}

#[test]
fn listings_are_not_formatted() {
    let folder = Folder::new();
    folder.write("k.sass", kernel());
    check(
        folder.path(),
        &["fmt", "k.sass"],
        "",
        expect![[r#"
        --
        warplens: k.sass: SASS is read-only: a tool prints it, and it is not formatted
        exit 2
    "#]],
    );
}
