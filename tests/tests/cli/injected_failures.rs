//! Failures that a checker must not pass over: kernels that compute nothing or too little, runs that end early, and launches that
//! are not what their author meant. Only the first run is clean.

use std::fmt::Write;
use std::path::Path;

use expect_test::expect;
use serde_json::Value;

use crate::support::run;

/// Adds 1 to each of `n` numbers. It has a thread for each element of `out`.
const KERNEL: &str = "\
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [out];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.u32 %r5, %r2, %r3, %r4;
setp.ge.u32 %p1, %r5, %r1;
@%p1 bra DONE;
mul.wide.u32 %rd3, %r5, 4;
add.u64 %rd4, %rd1, %rd3;
ld.global.u32 %r6, [%rd4];
add.u32 %r6, %r6, 1;
add.u64 %rd5, %rd2, %rd3;
st.global.u32 [%rd5], %r6;
DONE:
ret;
";

const LAUNCH: &str = "grid = [2], block = [4], args = [{ buffer = 'u32', len = 8, fill = 'iota' }, { buffer = 'u32', len = 8 }, \
                      { u32 = 8 }]";

struct Injected {
    kernel: String,
    launch: String,
    options: &'static [&'static str],
}

impl Injected {
    fn nothing() -> Injected {
        Injected { kernel: KERNEL.to_owned(), launch: LAUNCH.to_owned(), options: &[] }
    }

    /// Replaces a part of the kernel.
    fn code(from: &str, to: &str) -> Injected {
        assert!(KERNEL.contains(from), "{from}");
        Injected { kernel: KERNEL.replace(from, to), ..Injected::nothing() }
    }

    /// Replaces a part of the launch.
    fn launch(from: &str, to: &str) -> Injected {
        assert!(LAUNCH.contains(from), "{from}");
        Injected { launch: LAUNCH.replacen(from, to, 1), ..Injected::nothing() }
    }

    fn expecting(values: &str) -> Injected {
        let launch = format!("{LAUNCH}, expect = [{{ name = 'out', values = {values} }}]");
        Injected { launch, ..Injected::nothing() }
    }

    fn options(options: &'static [&'static str]) -> Injected {
        Injected { options, ..Injected::nothing() }
    }

    /// The exit code, the verdict with its reasons, and the findings; or the error.
    fn verdict(&self) -> String {
        let Injected { kernel, launch, options } = self;
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n// @launch {{ {launch} }}\n\
             .visible .entry k(.param .u64 a, .param .u64 out, .param .u32 n) {{\n\
             .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n{kernel}}}\n"
        );
        let arguments = [&["sim", "-", "--language", "ptx", "--format", "json"], *options].concat();
        let output = run(Path::new("."), &arguments, text.as_bytes());
        let code = output.status.code().unwrap_or(-1);
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
            return format!("{code} {}", String::from_utf8_lossy(&output.stderr).trim_end());
        };
        let words = |list: &Value, key: Option<&str>| -> Vec<String> {
            let words = list.as_array().into_iter().flatten();
            words.map(|word| key.map_or(word, |key| &word[key]).as_str().unwrap_or("").to_owned()).collect()
        };
        let reasons = words(&report["reasons"], None).join(", ");
        let findings = words(&report["findings"], Some("code")).join(", ");
        format!("{code} {} [{reasons}] [{findings}]", report["verdict"].as_str().unwrap_or(""))
    }
}

#[test]
fn no_injected_failure_is_clean() {
    let body = |text: &str| Injected { kernel: text.to_owned(), ..Injected::nothing() };
    let cases = [
        ("nothing", Injected::nothing()),
        ("empty kernel", body("ret;\n")),
        ("kernel exits first", body(&format!("exit;\n{KERNEL}"))),
        ("branch over everything", body(&format!("bra DONE;\n{KERNEL}"))),
        ("trap", body(&format!("trap;\n{KERNEL}"))),
        ("endless loop", body("L: bra L;\n")),
        ("loop without iterations", body(&format!("setp.eq.u32 %p2, 0, 0;\n@%p2 bra DONE;\n{KERNEL}"))),
        (
            "wait for nobody",
            body(
                "ld.param.u64 %rd1, [out];\nL: ld.volatile.global.u32 %r6, [%rd1];\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra L;\nret;\n",
            ),
        ),
        ("unsupported instruction", body(&format!("suld.b.1d.b32.trap {{%r1}}, [%rd1, {{%r2}}];\n{KERNEL}"))),
        ("guard is always true", Injected::code("%r5, %r1;\n@%p1", "%r5, 0;\n@%p1")),
        ("guard is inverted", Injected::code("setp.ge", "setp.lt")),
        ("one element too few", Injected::code("setp.ge.u32 %p1, %r5, %r1", "setp.ge.u32 %p1, %r5, 7")),
        (
            "first thread of a block only",
            Injected::code("st.global", "setp.eq.u32 %p2, %r4, 0;\n@%p2 st.global"),
        ),
        ("store to the input", Injected::code("%rd5, %rd2", "%rd5, %rd1")),
        (
            "store of every element to the first",
            Injected::code("add.u64 %rd5, %rd2, %rd3", "mov.u64 %rd5, %rd2"),
        ),
        (
            "every second element",
            Injected::code(
                "add.u64 %rd5, %rd2, %rd3",
                "shl.b64 %rd5, %rd3, 1;\nand.b64 %rd5, %rd5, 31;\nadd.u64 %rd5, %rd2, %rd5",
            ),
        ),
        ("one byte of each word", Injected::code("st.global.u32", "st.global.u8")),
        ("half of each word", Injected::code("st.global.u32", "st.global.u16")),
        (
            "load instead of the store",
            Injected::code("st.global.u32 [%rd5], %r6", "ld.global.u32 %r7, [%rd5]"),
        ),
        (
            "update that never happens",
            Injected::code(
                "st.global.u32 [%rd5]",
                "setp.gt.u32 %p3, %r6, 99;\n@%p3 red.global.add.u32 [%rd5]",
            ),
        ),
        ("value is never set", Injected::code("ld.global.u32 %r6, [%rd4];\n", "")),
        ("division by zero", Injected::code("add.u32 %r6, %r6, 1", "div.u32 %r6, %r6, 0")),
        ("n is 0", Injected::launch("u32 = 8", "u32 = 0")),
        ("one block too few", Injected::launch("grid = [2]", "grid = [1]")),
        ("one thread", Injected::launch("block = [4]", "block = [1]")),
        ("buffer too short", Injected::launch("len = 8 }", "len = 7 }")),
        ("buffer too long", Injected::launch("len = 8 }", "len = 9 }")),
        ("narrow buffer", Injected::launch("buffer = 'u32', len = 8 }", "buffer = 'u8', len = 33 }")),
        ("no block at all", Injected::launch("grid = [2]", "grid = [0]")),
        ("unknown kernel", Injected::launch("grid", "entry = 'other', grid")),
        (
            "expectation that the initial contents meet",
            Injected { kernel: "ret;\n".to_owned(), ..Injected::expecting("[0, 0]") },
        ),
        ("wrong result", Injected::expecting("[1, 2, 4]")),
        (
            "expectation is not reached",
            Injected { options: &["--max-steps", "9"], ..Injected::expecting("[1]") },
        ),
        ("checks are off", Injected::options(&["--no-checks"])),
        ("text that no assembler accepts", Injected::code("DONE:\n", "DONE:\n.reg .b32 %r1;\n")),
        ("limit of steps", Injected::options(&["--max-steps", "9"])),
        ("unknown launch", Injected::options(&["--launch", "other"])),
        ("unknown model", Injected::options(&["--model", "other"])),
    ];
    let mut text = String::new();
    for (name, injected) in &cases {
        writeln!(text, "{name}: {}", injected.verdict()).expect("text");
    }
    expect![[r#"
        nothing: 0 clean [] []
        empty kernel: 3 incomplete [outputs-unwritten] [check-coverage]
        kernel exits first: 3 incomplete [outputs-unwritten] [check-coverage]
        branch over everything: 3 incomplete [outputs-unwritten] [check-coverage]
        trap: 1 findings [] [trap]
        endless loop: 1 findings [] [no-progress]
        loop without iterations: 3 incomplete [outputs-unwritten] [check-coverage]
        wait for nobody: 1 findings [] [no-progress]
        unsupported instruction: 3 incomplete [unsupported] [unsupported]
        guard is always true: 3 incomplete [outputs-unwritten] [check-coverage]
        guard is inverted: 3 incomplete [outputs-unwritten] [check-coverage]
        one element too few: 3 incomplete [outputs-unwritten] [check-coverage]
        first thread of a block only: 3 incomplete [outputs-unwritten] [check-coverage]
        store to the input: 3 incomplete [outputs-unwritten] [check-coverage]
        store of every element to the first: 1 findings [outputs-unwritten] [data-race, check-coverage]
        every second element: 1 findings [outputs-unwritten] [data-race, check-coverage]
        one byte of each word: 3 incomplete [outputs-unwritten] [check-coverage]
        half of each word: 3 incomplete [outputs-unwritten] [check-coverage]
        load instead of the store: 3 incomplete [outputs-unwritten] [check-coverage]
        update that never happens: 3 incomplete [outputs-unwritten] [check-coverage]
        value is never set: 1 findings [] [uninitialized-read]
        division by zero: 1 findings [] [division-by-zero]
        n is 0: 3 incomplete [outputs-unwritten] [check-coverage]
        one block too few: 3 incomplete [outputs-unwritten] [check-coverage]
        one thread: 3 incomplete [outputs-unwritten] [check-coverage]
        buffer too short: 1 findings [] [out-of-bounds]
        buffer too long: 3 incomplete [outputs-unwritten] [check-coverage]
        narrow buffer: 3 incomplete [outputs-unwritten] [check-coverage]
        no block at all: 2 warplens: -:4:22: `grid` must be between 1 and 2147483647, not 0
        unknown kernel: 2 warplens: -:4:22: unknown kernel `other`: the file has `k`
        expectation that the initial contents meet: 3 incomplete [outputs-unwritten] [check-coverage]
        wrong result: 1 findings [] [expect-failed]
        expectation is not reached: 3 incomplete [step-limit, expect-not-reached] [step-limit]
        checks are off: 3 incomplete [checks-off] []
        text that no assembler accepts: 3 incomplete [text-errors] []
        limit of steps: 3 incomplete [step-limit] [step-limit]
        unknown launch: 2 warplens: -: unknown launch `other`: the file has `2 x 4` and `inferred`
        unknown model: 2 warplens: unknown model `other`: PTX has `stack`, `ipdom`, `frontier` and `its`
    "#]]
    .assert_eq(&text);
    let clean: Vec<&str> = text.lines().filter(|line| line.contains(": 0 ")).collect();
    assert_eq!(clean, ["nothing: 0 clean [] []"]);
}
