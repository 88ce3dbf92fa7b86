mod contraction;
mod corpus;
mod reduce;

use std::path::PathBuf;

use clap::Parser;
use expect_test::{Expect, expect};

use super::*;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    arguments: Arguments,
}

/// Doubles the elements below `n`. The faulty variant compares with `ge` instead of `gt`.
const SCALE: &str = "\
.version 8.5
.target sm_90
.address_size 64
// @launch { name = \"small\", grid = [2], block = [64], args = [{ buffer = \"f32\", len = 128, fill = \"iota\" }, { u32 = 100 }] }
.visible .entry scale(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<2>; .reg .u32 %r<5>; .reg .f32 %f<3>; .reg .u64 %rd<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r2, 64, %r3;
    setp.ge.u32 %p1, %r4, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd3], %f2;
DONE:
    ret;
}
";

/// Lanes below 8 and lanes 8 to 15 reach `INSIDE` on different paths. Some models execute it once for all, others once for each path.
const MASK: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry mask(.param .u64 out)
{
    .reg .pred %p<3>; .reg .u32 %r<5>; .reg .u64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 0;
    setp.lt.u32 %p1, %r1, 8;
    setp.ge.u32 %p2, %r1, 16;
    @%p1 bra INSIDE;
    @%p2 bra JOIN;
INSIDE:
    activemask.b32 %r2;
JOIN:
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

/// A lock that every lane takes.
const LOCK: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry lock(.param .u64 m)
{
    .reg .pred %p<2>; .reg .u32 %r<3>; .reg .u64 %rd<2>;
    ld.param.u64 %rd1, [m];
TAKE:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra TAKE;
    atom.global.exch.b32 %r2, [%rd1], 0;
    ret;
}
";

/// A temporary folder. Dropping it removes it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::Builder::new().prefix(&format!("warplens-compare-{name}-")).tempdir();
        let path = folder.expect("a folder for the test").keep();
        for (name, text) in files {
            std::fs::write(path.join(name), text).expect("a file for the test");
        }
        Folder(path)
    }

    /// Checks the output with the path of the folder as `~`, and the outcome. A file among the flags begins with `~/`.
    fn check(&self, flags: &[&str], outcome: Outcome, expect: Expect) {
        let folder = self.0.display().to_string();
        let flags: Vec<String> = flags.iter().map(|flag| flag.replace('~', &folder)).collect();
        let flags = flags.iter().map(String::as_str);
        let (text, ended) = answer(&std::iter::once("compare").chain(flags).collect::<Vec<_>>());
        expect.assert_eq(&text.replace(&folder, "~"));
        assert_eq!(ended, outcome);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The output of the command without colors, and its outcome.
fn answer(flags: &[&str]) -> (String, Outcome) {
    let arguments = match Flags::try_parse_from(flags) {
        Ok(flags) => flags.arguments,
        Err(error) => return (error.to_string(), Outcome::Unusable),
    };
    let (mut out, mut outcome) = (Vec::new(), Outcome::Success);
    let ended = compare(&arguments, &mut |compared, reduced| {
        write(&compared, reduced.as_ref(), arguments.format, &mut out).expect("memory does not fail");
        outcome = outcome.max(outcome_of(&compared));
    });
    match ended {
        Err(error) => (error.to_string(), Outcome::Unusable),
        Ok(()) => {
            let text = String::from_utf8(out).expect("text");
            (anstream::adapter::strip_str(&text).to_string(), outcome)
        }
    }
}

/// Another kernel, whose comparison is wrong and whose parameters have other names.
fn off_by_one() -> String {
    let renamed =
        SCALE.replace("entry scale", "entry scale_fast").replace("u64 x,", "u64 y,").replace("[x]", "[y]");
    renamed.replace("setp.ge", "setp.gt")
}

#[test]
fn two_kernels() {
    let folder = Folder::new("kernels", &[("a.ptx", SCALE), ("b.ptx", &off_by_one())]);
    folder.check(
        &["~/a.ptx", "~/b.ptx", "--launch", "small"],
        Outcome::Errors,
        expect![[r#"
            ~/a.ptx and ~/b.ptx: launch small, grid 2, block 64
              ~/a.ptx: finished, 52 warp instructions
              ~/b.ptx: finished, 52 warp instructions

            x[100] differs; 1 of 128 elements differ
              ~/a.ptx: 100.0, its initial value: no thread stored it
              ~/b.ptx: 200.0, stored by thread (36,0,0) of block (1,0,0), lane 4 of warp 1
                ~/b.ptx:19: st.global.f32 [%rd3], %f2;

            different results
            compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
}

#[test]
fn two_kernels_of_one_file() {
    let other = off_by_one();
    let (_, kernel) = other.split_once(".visible").expect("a kernel");
    let both = format!("{SCALE}.visible{kernel}");
    let folder = Folder::new("one-file", &[("k.ptx", &both)]);
    let flags = ["~/k.ptx", "--entry", "scale", "--other-entry", "scale_fast", "--launch", "small"];
    folder.check(
        &flags,
        Outcome::Errors,
        expect![[r#"
            scale and scale_fast: launch small, grid 2, block 64
              scale: finished, 52 warp instructions
              scale_fast: finished, 52 warp instructions

            x[100] differs; 1 of 128 elements differ
              scale: 100.0, its initial value: no thread stored it
              scale_fast: 200.0, stored by thread (36,0,0) of block (1,0,0), lane 4 of warp 1
                ~/k.ptx:37: st.global.f32 [%rd3], %f2;

            different results
            compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
}

/// Two overloads, in a different order in the other file. Each must be compared with itself.
#[test]
fn overloads() {
    let (integer, float) = (SCALE.replace("scale", "_Z1ki"), off_by_one().replace("scale_fast", "_Z1kf"));
    let kernel = |text: &str| format!(".visible{}", text.split_once(".visible").expect("a kernel").1);
    let (one, other) = (format!("{integer}{}", kernel(&float)), format!("{float}{}", kernel(&integer)));
    let folder = Folder::new("overloads", &[("a.ptx", &one), ("b.ptx", &other)]);
    for entry in ["_Z1ki", "_Z1kf"] {
        let (text, outcome) = {
            let path = |name: &str| folder.0.join(name).display().to_string();
            answer(&["compare", &path("a.ptx"), &path("b.ptx"), "--entry", entry, "--launch", "inferred"])
        };
        assert!(text.contains("same results in 1 buffer"), "{entry}: {text}");
        assert_eq!(outcome, Outcome::Success);
    }
}

#[test]
fn equal_results() {
    let folder = Folder::new("equal", &[("a.ptx", SCALE)]);
    folder.check(
        &["~/a.ptx", "~/a.ptx", "--models", "its"],
        Outcome::Success,
        expect![[r#"
            its and its: launch small, grid 2, block 64
              its: finished, 52 warp instructions
              its: finished, 52 warp instructions

            same results in 1 buffer
            compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
    folder.check(
        &["~/a.ptx", "--models", "stack,its"],
        Outcome::Success,
        expect![[r#"
            stack and its: launch small, grid 2, block 64
              stack: finished, 52 warp instructions
              its: finished, 52 warp instructions

            same results in 1 buffer
            compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
}

#[test]
fn a_tolerance_is_not_negative() {
    assert_eq!(tolerance("0.5"), Ok(0.5));
    for text in ["nan", "-1", "x"] {
        assert!(tolerance(text).is_err(), "{text}");
    }
}

#[test]
fn floats_within_the_tolerance() {
    let near = SCALE.replace("add.f32 %f2, %f1, %f1", "fma.rn.f32 %f2, %f1, 0f40000008, 0f00000000");
    let folder = Folder::new("near", &[("a.ptx", SCALE), ("b.ptx", &near)]);
    folder.check(
        &["~/a.ptx", "~/b.ptx"],
        Outcome::Errors,
        expect![[r#"
            ~/a.ptx and ~/b.ptx: launch small, grid 2, block 64
              ~/a.ptx: finished, 52 warp instructions
              ~/b.ptx: finished, 52 warp instructions

            x[1] differs; 99 of 128 elements differ
              ~/a.ptx: 2.0, stored by thread (1,0,0) of block (0,0,0), lane 1 of warp 0
                ~/a.ptx:19: st.global.f32 [%rd3], %f2;
              ~/b.ptx: 2.000002, stored by thread (1,0,0) of block (0,0,0), lane 1 of warp 0
                ~/b.ptx:19: st.global.f32 [%rd3], %f2;

            different results
            compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
    folder.check(
        &["~/a.ptx", "~/b.ptx", "--tolerance", "0.01"],
        Outcome::Success,
        expect![[r#"
            ~/a.ptx and ~/b.ptx: launch small, grid 2, block 64
              ~/a.ptx: finished, 52 warp instructions
              ~/b.ptx: finished, 52 warp instructions

            same results in 1 buffer
            compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
}

#[test]
fn one_kernel_under_two_models() {
    let folder = Folder::new("models", &[("k.ptx", MASK)]);
    folder.check(
        &["~/k.ptx", "--models", "stack,ipdom"],
        Outcome::Errors,
        expect![[r#"
            stack and ipdom: launch inferred, grid 1, block 32
              stack: finished, 12 warp instructions
              ipdom: finished, 13 warp instructions

            out[0] differs; 16 of 32768 elements differ
              stack: 65535, stored by thread (0,0,0) of block (0,0,0), lane 0 of warp 0
                ~/k.ptx:19: st.global.u32 [%rd3], %r2;
              ipdom: 255, stored by thread (0,0,0) of block (0,0,0), lane 0 of warp 0
                ~/k.ptx:19: st.global.u32 [%rd3], %r2;

            first different step of thread (0,0,0) of block (0,0,0), lane 0 of warp 0
              stack: %r2 = 65535 (visit 1)
                ~/k.ptx:15: activemask.b32 %r2;
              ipdom: %r2 = 255 (visit 1)
                ~/k.ptx:15: activemask.b32 %r2;

            different results
            compared: 1 launch, 1 buffer, 32768 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
    folder.check(&["~/k.ptx", "--models", "stack,ipdom", "--format", "json"], Outcome::Errors, expect![[r#"
        {"equal":false,"launch":{"name":"inferred","entry":"mask","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"out","buffer":"u32","len":32768,"fill":"zero"}]},"difference":{"buffer":"out","element":0,"a":65535,"b":255,"a_writer":{"line":18,"character":4,"cta":[0,0,0],"warp":0,"lane":0},"b_writer":{"line":18,"character":4,"cta":[0,0,0],"warp":0,"lane":0}},"compared":{"launches":1,"buffers":1,"elements":32768},"not_compared":["timing","the order of atomics on floats"],"runs":[{"path":"~/k.ptx","entry":"mask","model":"stack","status":"finished","warp_instructions":12,"error":null},{"path":"~/k.ptx","entry":"mask","model":"ipdom","status":"finished","warp_instructions":13,"error":null}],"buffers":[{"name":"out","index":0,"values":["65535","255"],"stores":[{"line":18,"character":4,"cta":[0,0,0],"warp":0,"lane":0},{"line":18,"character":4,"cta":[0,0,0],"warp":0,"lane":0}],"differing":16,"elements":32768}],"lane":{"cta":[0,0,0],"warp":0,"lane":0,"steps":[{"line":14,"character":4,"visit":1,"executed":true,"written":["%r2 = 65535"]},{"line":14,"character":4,"visit":1,"executed":true,"written":["%r2 = 255"]}]}}
    "#]]);
}

#[test]
fn a_run_that_does_not_finish() {
    let folder = Folder::new("lock", &[("k.ptx", LOCK)]);
    folder.check(&["~/k.ptx", "--models", "its,stack"], Outcome::Errors, expect![[r#"
        its and stack: launch inferred, grid 1, block 32
          its: finished, 6113 warp instructions
          stack: no forward progress, 55 warp instructions
            ~/k.ptx:9: warning[no-progress]: Deadlock: lanes 1-31 of warp 0 poll `m[0]` (value 1), which does not change

        first different step of thread (1,0,0) of block (0,0,0), lane 1 of warp 0
          its: %r1 = 1 (visit 19)
            ~/k.ptx:9: atom.global.cas.b32 %r1, [%rd1], 0, 1;
          stack: no further step

        different: only one of the runs finished
    "#]]);
}

#[test]
fn runs_that_do_not_finish_are_not_equal() {
    let folder = Folder::new("locks", &[("k.ptx", LOCK)]);
    folder.check(&["~/k.ptx", "--models", "ipdom,stack"], Outcome::Errors, expect![[r#"
        ipdom and stack: launch inferred, grid 1, block 32
          ipdom: no forward progress, 55 warp instructions
            ~/k.ptx:9: warning[no-progress]: Deadlock: lanes 1-31 of warp 0 poll `m[0]` (value 1), which does not change
          stack: no forward progress, 55 warp instructions
            ~/k.ptx:9: warning[no-progress]: Deadlock: lanes 1-31 of warp 0 poll `m[0]` (value 1), which does not change

        not compared: neither run finished
    "#]]);
}

#[test]
fn printed_text() {
    let print = |text: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n\
             .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
             .global .align 1 .b8 format[4] = {{{text}, 10, 0}};\n\
             .visible .entry k()\n{{\n    .reg .b64 %rd<3>; .reg .b32 %r<2>;\n    .param .b32 r; .param .b64 f; \
             .param .b64 a;\n    mov.u64 %rd1, format;\n    cvta.global.u64 %rd2, %rd1;\n    st.param.b64 [f], %rd2;\n    \
             st.param.b64 [a], 0;\n    call (r), vprintf, (f, a);\n    ret;\n}}\n"
        )
    };
    let folder = Folder::new("print", &[("a.ptx", &print("104, 105")), ("b.ptx", &print("104, 111"))]);
    folder.check(
        &["~/a.ptx", "~/b.ptx", "--block", "1"],
        Outcome::Errors,
        expect![[r#"
            ~/a.ptx and ~/b.ptx: launch command line, grid 1, block 1
              ~/a.ptx: finished, 6 warp instructions
              ~/b.ptx: finished, 6 warp instructions

            line 1 of the printed text differs
              ~/a.ptx: hi
              ~/b.ptx: ho

            different results
            compared: 1 launch, 0 buffers, 0 elements; not compared: timing, the order of atomics on floats
        "#]],
    );
}

#[test]
fn invalid_arguments() {
    let folder = Folder::new("invalid", &[("k.ptx", SCALE)]);
    folder.check(
        &["~/k.ptx"],
        Outcome::Unusable,
        expect!["nothing to compare: name another file, `--other-entry`, or two models with `--models`"],
    );
    folder.check(
        &["~/k.ptx", "--models", "its"],
        Outcome::Unusable,
        expect!["nothing to compare: name another file, `--other-entry`, or two models with `--models`"],
    );
    folder.check(
        &["~/k.ptx", "--models", "its,stack,ipdom"],
        Outcome::Unusable,
        expect!["--models: 3 models are named; two runs have at most two"],
    );
    folder.check(
        &["~/k.ptx", "--models", "its,fast"],
        Outcome::Unusable,
        expect!["unknown model `fast`: PTX has `stack`, `ipdom`, `frontier` and `its`"],
    );
    folder.check(
        &["~/k.ptx", "--other-entry", "scal"],
        Outcome::Unusable,
        expect!["~/k.ptx: unknown kernel `scal`: the file has `scale`"],
    );
}
