use std::path::PathBuf;

use clap::Parser;
use expect_test::{Expect, expect};

use super::*;

mod findings;
mod requested_warp;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    arguments: Arguments,
}

/// The output of the command without colors, and its outcome.
fn answer(flags: &[&str]) -> (String, Outcome) {
    let flags = Flags::try_parse_from([&["sim"], flags].concat());
    let arguments = match flags {
        Ok(flags) => flags.arguments,
        Err(error) => return (error.to_string(), Outcome::Unusable),
    };
    let file = arguments.file.clone().expect("no batch");
    let (mut out, mut refused) = (Vec::new(), None);
    let outcome = run_kernels(&arguments, &file, &mut out, &mut |error| {
        refused.get_or_insert(error.to_string());
        Outcome::Unusable
    });
    let outcome = outcome.expect("memory does not fail");
    let text = refused.unwrap_or_else(|| String::from_utf8(out).expect("text"));
    (anstream::adapter::strip_str(&text).to_string(), outcome)
}

fn example(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

/// A temporary folder. Dropping it removes it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("warplens-sim-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        for (name, text) in files {
            std::fs::write(path.join(name), text).expect("a file for the test");
        }
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// The output with the path of the folder as `~`.
    fn answer(&self, flags: &[&str]) -> (String, Outcome) {
        let folder = self.0.display().to_string();
        let flags: Vec<String> = flags.iter().map(|flag| flag.replace('~', &folder)).collect();
        let (text, outcome) = answer(&flags.iter().map(String::as_str).collect::<Vec<_>>());
        let canonical = self.0.canonicalize().expect("the folder exists").display().to_string();
        (text.replace(&canonical, "~").replace(&folder, "~"), outcome)
    }

    fn check(&self, flags: &[&str], outcome: Outcome, expect: Expect) {
        let (text, ended) = self.answer(flags);
        expect.assert_eq(&text);
        assert_eq!(ended, outcome);
    }

    /// Checks the message about unusable input.
    fn refuses(&self, flags: &[&str], expect: Expect) {
        self.check(flags, Outcome::Unusable, expect);
    }

    /// Checks the lines before and after the listing of a successful run.
    fn check_around_listing(&self, flags: &[&str], expect: Expect) {
        let (text, ended) = self.answer(flags);
        let is_listed = |line: &&str| {
            line.is_empty() || line.trim_start().starts_with(|first: char| first.is_ascii_digit())
        };
        let around: String =
            text.lines().filter(|line| !is_listed(line)).map(|line| format!("{line}\n")).collect();
        expect.assert_eq(&around);
        assert!(matches!(ended, Outcome::Success | Outcome::Incomplete), "{ended:?}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_listing() {
    let (text, outcome) = answer(&[&example("divergence.ptx")]);
    expect![[r#"
        divergence: launch one warp (from the launch file), grid 1, block 32, model stack
        warp 0 of 1

         1  // The lanes of one warp diverge and reconverge, three times. Run the code lens above the kernel, or
         2  //     warplens sim examples/divergence.ptx
         3  // and read the lanes at the end of each line.
         4  
         5  .version 7.0
         6  .target sm_70
         7  .address_size 64
         8  
         9  .visible .entry divergence(
        10          .param .u64 .ptr .global .align 4 out
        11  )
        12  {
        13          .reg .pred      %p<4>;
        14          .reg .b32       %r<5>;
        15          .reg .b64       %rd<4>;
        16  
        17          mov.u32         %r1, %tid.x;
        18  
        19          // An if with an else: even lanes take the branch, odd lanes do not, and all reconverge at JOIN.
        20          and.b32         %r2, %r1, 1;
        21          setp.eq.u32     %p1, %r2, 0;
        22          @%p1 bra        EVEN;            split 16 | 16
        23          mul.lo.u32      %r3, %r1, 3;     16/32 odd
        24          bra     JOIN;                    16/32 odd
        25  EVEN:
        26          add.u32         %r3, %r1, 100;   16/32 even
        27  JOIN:
        28          shr.u32         %r4, %r1, 3;     join 32
        29  
        30          // A loop with a divergent exit: lane 0 executes one iteration, lane 31 four.
        31  LOOP:
        32          add.u32         %r3, %r3, 1;     x4 32>24>16>8
        33          setp.ne.u32     %p2, %r4, 0;     x4 32>24>16>8
        34          sub.u32         %r4, %r4, 1;     x4 32>24>16>8
        35          @%p2 bra        LOOP;            x4 32>24>16>8
        36  
        37          // All lanes have reconverged. A guard needs no branch: only the last four lanes execute this add.
        38          setp.ge.u32     %p3, %r1, 28;    join 32
        39          @%p3 add.u32    %r3, %r3, 1000;  4 of 32 @ 28-31
        40  
        41          ld.param.u64    %rd1, [out];
        42          mul.wide.u32    %rd2, %r1, 4;
        43          add.u64         %rd3, %rd1, %rd2;
        44          st.global.u32   [%rd3], %r3;
        45          ret;
        46  }

        finished: 31 warp instructions, 752 thread instructions (76 predicated off), 1 of 1 checks passed
    "#]].assert_eq(&text);
    assert_eq!(outcome, Outcome::Success);
}

const KERNEL: &str = ".version 8.0\n.target sm_70\n.address_size 64\n.entry k(.param .u32 n) {\n\t.reg .b32 %r;\n\tmov.u32 %r, 7;\n\texit;\n}\n";

#[test]
fn each_step_of_a_warp() {
    let (text, outcome) = answer(&[&example("divergence.ptx"), "--trace"]);
    expect![[r#"
        divergence: launch one warp (from the launch file), grid 1, block 32, model stack
        warp 0 of 1

        step  line  instruction                   lanes                       written
           1    17  mov.u32 %r1, %tid.x;          lanes 0-31                  %r1 = 0..31
           2    20  and.b32 %r2, %r1, 1;          lanes 0-31                  %r2 = 0x00000000 x16, 0x00000001 x16
           3    21  setp.eq.u32 %p1, %r2, 0;      lanes 0-31                  %p1 = 16 of 32
           4    22  @%p1 bra EVEN;                even lanes of lanes 0-31
           5    23  mul.lo.u32 %r3, %r1, 3;       odd lanes                   %r3 = 3*lane
           6    24  bra JOIN;                     odd lanes
           7    26  add.u32 %r3, %r1, 100;        even lanes                  %r3 = 100..130
           8    28  shr.u32 %r4, %r1, 3;          lanes 0-31                  %r4 = 4 values
           9    32  add.u32 %r3, %r3, 1;          lanes 0-31                  %r3 = 32 values
          10    33  setp.ne.u32 %p2, %r4, 0;      lanes 0-31                  %p2 = 24 of 32
          11    34  sub.u32 %r4, %r4, 1;          lanes 0-31                  %r4 = 4 values
          12    35  @%p2 bra LOOP;                lanes 8-31 of lanes 0-31
          13    32  add.u32 %r3, %r3, 1;          lanes 8-31                  %r3 = 24 values
          14    33  setp.ne.u32 %p2, %r4, 0;      lanes 8-31                  %p2 = 16 of 24
          15    34  sub.u32 %r4, %r4, 1;          lanes 8-31                  %r4 = 4294967295 x8, 0 x8, 1 x8
          16    35  @%p2 bra LOOP;                lanes 16-31 of lanes 8-31
          17    32  add.u32 %r3, %r3, 1;          lanes 16-31                 %r3 = 16 values
          18    33  setp.ne.u32 %p2, %r4, 0;      lanes 16-31                 %p2 = 8 of 16
          19    34  sub.u32 %r4, %r4, 1;          lanes 16-31                 %r4 = 4294967295 x8, 0 x8
          20    35  @%p2 bra LOOP;                lanes 24-31 of lanes 16-31
          21    32  add.u32 %r3, %r3, 1;          lanes 24-31                 %r3 = 8 values
          22    33  setp.ne.u32 %p2, %r4, 0;      lanes 24-31                 %p2 = false
          23    34  sub.u32 %r4, %r4, 1;          lanes 24-31                 %r4 = 4294967295
          24    35  @%p2 bra LOOP;                none of lanes 24-31
          25    38  setp.ge.u32 %p3, %r1, 28;     lanes 0-31                  %p3 = 4 of 32
          26    39  @%p3 add.u32 %r3, %r3, 1000;  lanes 28-31 of lanes 0-31   %r3 = 4 values
          27    41  ld.param.u64 %rd1, [out];     lanes 0-31                  %rd1 = 0x10000000
          28    42  mul.wide.u32 %rd2, %r1, 4;    lanes 0-31                  %rd2 = 4*lane
          29    43  add.u64 %rd3, %rd1, %rd2;     lanes 0-31                  %rd3 = 4*lane+0x10000000
          30    44  st.global.u32 [%rd3], %r3;    lanes 0-31
          31    45  ret;                          lanes 0-31

        finished: 31 warp instructions, 752 thread instructions (76 predicated off), 1 of 1 checks passed
    "#]].assert_eq(&text);
    assert_eq!(outcome, Outcome::Success);
}

#[test]
fn each_step_of_a_wave() {
    let (text, outcome) = answer(&[&example("divergence.wave"), "--trace"]);
    expect![[r#"
        divergence: launch one wave (from a comment), grid 1, block 32, model structured
        warp 0 of 1

        step  line  instruction              lanes                               written
           1    12  mov_sr r1, sr_lane_id    lanes 0-31                          r1 = 0..31
           2    15  and r3, r1, 1            lanes 0-31                          r3 = 0 x16, 1 x16
           3    16  icmp.eq p1, r3, 0        lanes 0-31                          p1 = 16 of 32
           4    17  if p1                    even lanes of lanes 0-31
           5    18  iadd r2, r1, 100         even lanes                          r2 = 100..130
           6    19  else                     odd lanes
           7    20  imul r2, r1, 3           odd lanes                           r2 = 3*lane
           8    21  endif                    lanes 0-31
           9    25  shr r3, r1, 3            lanes 0-31                          r3 = 4 values
          10    26  loop                     lanes 0-31
          11    27  icmp.eq p2, r3, 0        lanes 0-31                          p2 = 8 of 32
          12    28  if p2                    lanes 0-7 of lanes 0-31
          13    29  iadd r2, r2, 1000        lanes 0-7                           r2 = 8 values
          14    30  break p2                 lanes 0-7
          15    31  endif                    lanes 8-31
          16    32  isub r3, r3, 1           lanes 8-31                          r3 = 0 x8, 1 x8, 2 x8
          17    35  imod r4, r1, 3           lanes 8-31                          r4 = 2 x8, 0 x8, 1 x8
          18    36  icmp.eq p3, r4, 0        lanes 8-31                          p3 = 8 of 24
          19    37  continue p3              lanes 9,12,15,18.. of lanes 8-31
          20    38  iadd r2, r2, 1           lanes 8,10-11,13-14,16-17..         r2 = 16 values
    "#]]
    .assert_eq(&text.lines().take(24).map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(outcome, Outcome::Success);
}

/// One line for each step, then the report.
#[test]
fn each_step_as_json() {
    let (text, _) = answer(&[&example("divergence.ptx"), "--trace", "--format", "json"]);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object on each line")).collect();
    let (report, steps) = lines.split_last().expect("at least the report");
    assert_eq!(report["status"], "finished");
    let numbers: Vec<u64> = steps.iter().filter_map(|step| step["step"].as_u64()).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u64));
    let guarded = steps.iter().find(|step| step["line"] == 38).expect("the guarded addition");
    let mut guarded = guarded.clone();
    let values = guarded["written"]["%r3"].as_array_mut().expect("a value for each lane").split_off(27);
    guarded["written"]["%r3"] = values.into();
    expect![[r#"{"active":"ffffffff","character":6,"cta":[0,0,0],"executed":"f0000000","line":38,"step":26,"visit":1,"warp":0,"written":{"%r3":[null,"0000046c","00000443","0000046e","00000449"]}}"#]].assert_eq(&guarded.to_string());
}

#[test]
fn an_inferred_launch() {
    let folder = Folder::new("inferred", &[("k.ptx", KERNEL)]);
    folder.check(
        &["~/k.ptx"],
        Outcome::Success,
        expect![[r#"
            k: inferred launch (no launch configured), grid 1, block 32, model stack
            args: {"name":"n","u32":32}
            warp 0 of 1

            1  .version 8.0
            2  .target sm_70
            3  .address_size 64
            4  .entry k(.param .u32 n) {
            5          .reg .b32 %r;
            6          mov.u32 %r, 7;
            7          exit;
            8  }

            finished: 2 warp instructions, 64 thread instructions
        "#]],
    );
}

#[test]
fn every_kernel_of_a_file_without_launches() {
    let two = format!("{KERNEL}.entry other() {{ exit; }}\n");
    let folder = Folder::new("kernels", &[("two.ptx", &two)]);
    folder.check_around_listing(
        &["~/two.ptx"],
        expect![[r#"
        k: inferred launch (no launch configured), grid 1, block 32, model stack
        args: {"name":"n","u32":32}
        warp 0 of 1
        finished: 2 warp instructions, 64 thread instructions
        other: inferred launch (no launch configured), grid 1, block 32, model stack
        warp 0 of 1
         …
        finished: 1 warp instruction, 32 thread instructions
    "#]],
    );
    folder.check_around_listing(
        &["~/two.ptx", "--entry", "other"],
        expect![[r#"
        other: inferred launch (no launch configured), grid 1, block 32, model stack
        warp 0 of 1
         …
        finished: 1 warp instruction, 32 thread instructions
    "#]],
    );
    let (json, _) = folder.answer(&["~/two.ptx", "--format", "json"]);
    let entry = |line: &str| {
        let report: serde_json::Value = serde_json::from_str(line).expect("a report on each line");
        report["entry"].as_str().map(str::to_owned)
    };
    assert_eq!(json.lines().map(entry).collect::<Vec<_>>(), [Some("k".to_owned()), Some("other".to_owned())]);
}

#[test]
fn a_launch_selects_its_kernel() {
    let two = format!(
        "// @launch {{ entry = \"other\", grid = [1], block = [32] }}\n{KERNEL}.entry other() {{ exit; }}\n"
    );
    let folder = Folder::new("kernel-of-launch", &[("two.ptx", &two)]);
    folder.check_around_listing(
        &["~/two.ptx"],
        expect![[r#"
        other: launch 1 x 32 (from a comment), grid 1, block 32, model stack
        warp 0 of 1
         …
        finished: 1 warp instruction, 32 thread instructions
    "#]],
    );
}

#[test]
fn invalid_arguments() {
    let two = format!("{KERNEL}.entry other() {{ exit; }}\n");
    let folder =
        Folder::new("wrong", &[("k.ptx", KERNEL), ("two.ptx", &two), ("none.ptx", ".version 8.0\n")]);
    folder.refuses(&["~/none.ptx"], expect!["~/none.ptx: the file has no kernel"]);
    folder.refuses(
        &["~/missing.ptx"],
        expect!["~/missing.ptx: cannot be read: No such file or directory (os error 2)"],
    );
    folder.refuses(
        &["~/two.ptx", "--block", "64"],
        expect!["~/two.ptx: the file has several kernels; name one (`--entry` or `entry`): `k`, `other`"],
    );
    folder.refuses(
        &["~/two.ptx", "--format", "html"],
        expect!["~/two.ptx: the file has several kernels; name one (`--entry` or `entry`): `k`, `other`"],
    );
    folder.refuses(&["~/k.ptx", "--entry", "z"], expect!["~/k.ptx: unknown kernel `z`: the file has `k`"]);
    folder.refuses(
        &["~/k.ptx", "--launch", "z"],
        expect!["~/k.ptx: unknown launch `z`: the file has only `inferred`"],
    );
    folder.refuses(
        &["~/k.ptx", "--arg", "n=f32:1"],
        expect!["~/k.ptx: argument `n`: the parameter is .u32, and f32 does not fit it: write u32 = …"],
    );
    folder.refuses(&["~/k.ptx", "--arg", "n=i33:1"], expect!["--arg n=i33:1: `i33` is not a type; write n=u32:100, x=f32[100]:iota, y=f32:[1,2,3], b=bytes:00ff or z=@x (the name is optional)"]);
    folder.refuses(
        &["~/k.ptx", "--grid", "2", "--arg", "u32:1", "--arg", "u32:2"],
        expect!["~/k.ptx: `k` has 1 parameter (n), but the launch passes 2"],
    );
    folder.refuses(
        &["~/k.ptx", "--model", "structured"],
        expect!["the model `structured` is for WAVE: PTX has `stack`, `ipdom`, `frontier` and `its`"],
    );
    folder.refuses(
        &["~/k.ptx", "--wave-width", "8"],
        expect!["~/k.ptx: the wave width is allowed for WAVE kernels only: a PTX warp has 32 lanes"],
    );
    folder.refuses(
        &["~/k.ptx", "--warp", "0,0,0:1"],
        expect!["--warp: unknown warp: the launch has blocks 0,0,0 to 0,0,0 and warps 0 to 0 in each"],
    );
    folder.refuses(
        &["~/k.ptx", "--launches", "~/none.toml"],
        expect!["~/none.toml: cannot be read: No such file or directory (os error 2)"],
    );
}

#[test]
fn launch_files_are_found_and_their_errors_have_positions() {
    let launches = "[[launch]]\nname = 'l'\nfile = 'k.ptx'\nargs = [{ f32 = 1 }]\n";
    let folder = Folder::new("file", &[("k.ptx", KERNEL), ("warplens.toml", launches)]);
    folder.refuses(
        &["~/k.ptx"],
        expect![
            "~/warplens.toml:4:9: argument `n`: the parameter is .u32, and f32 does not fit it: write u32 = …"
        ],
    );
    folder.check_around_listing(
        &["~/k.ptx", "--launch", "inferred", "--max-steps", "1"],
        expect![[r#"
            k: inferred launch (no launch configured), grid 1, block 32, model stack
            args: {"name":"n","u32":32}
            warp 0 of 1
            note[step-limit]: Step limit: reached after 0 of 1 blocks
            --> ~/k.ptx
             = note: the limit is 1 warp instructions; launch fewer blocks, or raise it
             = note: with inferred arguments: write a launch to check it
            stopped at the step limit (--max-steps): 1 warp instruction, 32 thread instructions
            coverage: 1 of 2 statements
            verdict: incomplete (step-limit)
        "#]],
    );
    let json = r#"{"launch":[{"name":"j","file":"k.ptx","args":[{"u32":1}]}]}"#;
    std::fs::write(folder.path("other.json"), json).expect("a file for the test");
    folder.check_around_listing(
        &["~/k.ptx", "--launches", "~/other.json", "--arg", "n=u32:3"],
        expect![[r#"
            k: launch from the command line, grid 1, block 32, model stack
            args: {"name":"n","u32":3}
            warp 0 of 1
            finished: 2 warp instructions, 64 thread instructions
        "#]],
    );
    folder.check_around_listing(
        &["~/k.ptx", "--launches", "~/other.json"],
        expect![[r#"
            k: launch j (from the launch file), grid 1, block 32, model stack
            warp 0 of 1
            finished: 2 warp instructions, 64 thread instructions
        "#]],
    );
}

#[test]
fn the_reference_emulator_and_its_divergence() {
    let text = ".kernel k\n    mov_sr r0, sr_lane_id\n    mov_imm r1, 2\n    icmp_lt p0, r0, r1\n    @p0 iadd r2, r0, r1\n    halt\n.end\n";
    let guide = ".kernel k\n    iadd r0, r0, 1\n    halt\n.end\n";
    let folder = Folder::new("reference", &[("k.wave", text), ("guide.wave", guide)]);
    let with = |file| ["--wave-width", "4", "--model", "wave-emu", file];
    folder.check(
        &with("~/k.wave"),
        Outcome::Success,
        expect![[r#"
            k: inferred launch (no launch configured), grid 1, block 4, model wave-emu
            warp 0 of 1
            differs from `structured` at line 5, visit 1: `@p0` is encoded as no guard: all lanes execute

            1  .kernel k
            2      mov_sr r0, sr_lane_id
            3      mov_imm r1, 2
            4      icmp_lt p0, r0, r1
            5      @p0 iadd r2, r0, r1
            6      halt
            7  .end

            finished: 5 warp instructions, 20 thread instructions
        "#]],
    );
    folder.check(
        &with("~/guide.wave"),
        Outcome::Errors,
        expect![[r#"
            k: inferred launch (no launch configured), grid 1, block 4, model wave-emu
            warp 0 of 1

            1  .kernel k
            2      iadd r0, r0, 1
            3      halt
            4  .end

            error[not-assembled]: Not assembled: toolchain 0.1.2 accepts a number in `mov_imm` only
             --> ~/guide.wave:2:5
              |
            2 |     iadd r0, r0, 1
              |     ^^^^^^^^^^^^^^
              |
              = note: move it into a register first

            stopped: unsupported instruction: 0 warp instructions, 0 thread instructions
            coverage: 0 of 2 statements
        "#]],
    );
}

const PRINTS: &str = "// @launch { block = [2] }
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 list);
.global .align 1 .b8 text[9] = {108, 97, 110, 101, 32, 37, 100, 10};
.entry k() {
\t.local .align 8 .b8 list[8];
\t.reg .b32 %r<3>; .reg .b64 %rd<4>; .param .b64 a; .param .b64 b; .param .b32 r;
\tmov.u32 %r1, %tid.x;
\tst.local.u32 [list], %r1;
\tcvta.global.u64 %rd1, text; cvta.local.u64 %rd2, list;
\tst.param.b64 [a], %rd1; st.param.b64 [b], %rd2;
\tcall (r), vprintf, (a, b);
\texit;
}
";

#[test]
fn output_of_the_kernel() {
    let folder = Folder::new("prints", &[("k.ptx", PRINTS)]);
    let (text, _) = answer(&[&folder.path("k.ptx")]);
    let (_, ending) = text.rsplit_once("}\n").expect("a listing");
    expect![[r#"

        printed:
            lane 0
            lane 1
        finished: 8 warp instructions, 16 thread instructions
    "#]]
    .assert_eq(ending);
    let (json, _) = answer(&[&folder.path("k.ptx"), "--format", "json"]);
    assert!(json.contains(r#""output":"lane 0\nlane 1\n""#), "{json}");
}

#[test]
fn a_size_alone_infers_the_arguments() {
    let kernel = ".version 8.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 x, .param .u32 n)\n{\n\t.reg .b64 %a;\n\tld.param.u64 %a, [x];\n\tst.global.u32 [%a], 1;\n\tret;\n}\n";
    let folder = Folder::new("size", &[("k.ptx", kernel)]);
    folder.check_around_listing(
        &["~/k.ptx", "--block", "64"],
        expect![[r#"
            k: launch from the command line, grid 1, block 64, model stack
            args: {"name":"x","buffer":"u32","len":65536,"fill":"zero"} {"name":"n","u32":64}
            warp 0 of block 0,0,0; 2 warps in total (--warp X,Y,Z:W, divergent or worst selects another)
            finished: 6 warp instructions, 192 thread instructions
        "#]],
    );
    // The arguments are repaired like those of an inferred launch.
    let stops = kernel.replace("\tld.param", "\t.reg .pred %p;\n\t.reg .b32 %n;\n\tld.param.u32 %n, [n];\n\tsetp.gt.u32 %p, %n, 8;\n\t@%p trap;\n\tld.param");
    let folder = Folder::new("repaired-size", &[("k.ptx", &stops)]);
    folder.check_around_listing(&["~/k.ptx", "--block", "64"], expect![[r#"
        k: launch from the command line (with n = 1, since the first guess had findings), grid 1, block 64, model stack
        args: {"name":"x","buffer":"u32","len":65536,"fill":"zero"} {"name":"n","u32":1}
        warp 0 of block 0,0,0; 2 warps in total (--warp X,Y,Z:W, divergent or worst selects another)
        finished: 12 warp instructions, 384 thread instructions (64 predicated off)
        coverage: 5 of 6 statements, 1 of 2 branch sides (line 11 is never taken)
    "#]]);
}

#[test]
fn a_run_that_stops_at_an_error_in_the_program() {
    let folder = Folder::new(
        "broken",
        &[("k.ptx", ".version 8.0\n.target sm_70\n.entry k()\n{\n\tad.u32 %r;\n\tret;\n}\n")],
    );
    folder.check(&["~/k.ptx"], Outcome::Errors, expect![[r#"
        k: inferred launch (no launch configured), grid 1, block 32, model stack
        warp 0 of 1

        1  .version 8.0
        2  .target sm_70
        3  .entry k()
        4  {
        5          ad.u32 %r;
        6          ret;  not run
        7  }

        error[unsupported]: Unsupported instruction: `ad.u32`
         --> ~/k.ptx:5:2
          |
        5 |     ad.u32 %r;
          |     ^^^^^^^^^^
          |
          = note: the instruction is unknown
          = note: threads (0,0,0) to (31,0,0) of block (0,0,0): lanes 0-31 of warp 0

        stopped at an error in the program (run `warplens check` to show it): 1 warp instruction, 32 thread instructions
        coverage: 1 of 2 statements
        verdict: findings (unsupported, text-errors)
    "#]]);
}

#[test]
fn a_link_is_printed_instead_of_a_run() {
    let file = example("divergence.ptx");
    let (fragment, outcome) = answer(&[&file, "--link"]);
    assert_eq!(outcome, Outcome::Success);
    assert!(fragment.starts_with("1.") && fragment.lines().count() == 1, "{fragment}");
    let (link, _) = answer(&[&file, "--link", "--link-base", "https://example.org/lanes/#old"]);
    assert_eq!(link, format!("https://example.org/lanes/#{fragment}"));
    let (with_warp, _) = answer(&[&file, "--link", "--warp", "0"]);
    assert_ne!(with_warp, fragment);
    for (flags, reason) in [
        (["--warp", "worst"], "--link runs nothing, so `--warp` must be a number"),
        (["--warp", "7"], "--warp: unknown warp"),
        (["--format", "json"], "cannot be used with"),
    ] {
        let (refusal, outcome) = answer(&[&[file.as_str(), "--link"], &flags[..]].concat());
        assert_eq!(outcome, Outcome::Unusable, "{refusal}");
        assert!(refusal.contains(reason), "{refusal}");
    }
}
