//! Long functions, in which only the edited statements are lowered and checked again.

use std::fmt::Write as _;

use fastrand::Rng;
use text_size::{TextRange, TextSize};

use super::everything;
use crate::analysis::AnalysisHost;
use crate::fixture::FILE;

/// A module with a kernel of more than 64 KB that contains statements with problems, short branches and
/// directives.
fn module() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_70\n.address_size 64\n.global .u32 outside[4];\n.func stop() .noreturn { trap; }\n
.visible .entry long(.param .u64 values) {\n.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<20>; .reg .f32 %f<9>;
\tld.param.u64 %rd1, [values];\n\tmov.u32 %r1, %tid.x;\n",
    );
    for part in 0..220 {
        let next = part + 1;
        _ = write!(
            text,
            "L{part}:\n\tadd.s32 %r2, %r{}, {part};\n\tsetp.lt.s32 %p1, %r1, {part};\n\t@%p1 bra L{next};
\tld.global.u32 %r3, [%rd1+{part}];\n\tadd.f32 %f1, %f2, %f3;\n\tshl.b32 %r4, %r3, 3;\n\tshr.u32 %r5, %r3, 29;
\tsub.u32 %r6, %r4, %r5;\n\tst.global.u32 [outside+4], %r6;\n",
            part % 99
        );
        match part % 20 {
            3 => text.push_str("\t.pragma \"nounroll\";\n\t.reg .b32 %other;\n\tadd.s32 %rd1, %r1, %f1;\n"),
            7 => text.push_str(
                "{ .reg .b64 %r<9>;\n\tmov.b64 %r1, %rd2;\n\tmov.b32 %r2, %r3;\n\t.unknown 1;\n}\n",
            ),
            11 => text.push_str("\tcall stop;\n\tbar.sync 0;\n\tmov.u32 %r9, %nothing;\n"),
            15 => text.push_str("\tvote.all.pred %p1, %p2;\n\tadd.q32 %r1, %r2, %r3;\n\tmad.s32 %r1, %r2;\n"),
            _ => {}
        }
    }
    _ = writeln!(text, "L220:\n\tret;\n}}");
    text
}

const INSERTED: [&str; 24] = [
    "q",
    "1",
    "%r7",
    "%rd1",
    "%f1",
    " ",
    "\n",
    "L3",
    "@%p2 ",
    "[",
    "{",
    "}",
    ";",
    "\"",
    "/*",
    "//",
    ".",
    ".wide",
    "outside",
    "add.s32 %r1, %r2, 5;\n",
    "\n\tadd.s32 %rd1, %r1, 1;",
    ".pragma \"x\";",
    "K: ",
    ".reg .b32 %x;",
];

#[test]
fn edits_in_long_functions_answer_as_a_fresh_open() {
    let edits = std::env::var("EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(12);
    let mut random = Rng::with_seed(1);
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, &module());
    host.snapshot().diagnostics(FILE).unwrap();
    for number in 0..edits {
        if number % 9 == 8 {
            // Changes the target, which the checks of statements read.
            let text = host.text(FILE).unwrap();
            let at = TextSize::try_from(text.find("sm_").unwrap() + 3).unwrap();
            let number = ["50", "70", "90"][random.usize(..3)];
            host.edit(FILE, TextRange::at(at, TextSize::new(2)), number).unwrap();
        }
        let text = host.text(FILE).unwrap();
        let name = text.find("long(").filter(|_| number % 4 == 1);
        let start = match name {
            Some(name) => name + random.usize(..5),
            None => 400 + random.usize(..text.len() - 500),
        };
        let end = start + [0, 0, 0, 1, 1, 4][random.usize(..6)];
        let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
        let inserted = INSERTED[random.usize(..INSERTED.len())];
        host.edit(FILE, range, inserted).unwrap();
        let text = host.text(FILE).unwrap();
        let mut fresh = AnalysisHost::new();
        fresh.open(FILE, warplens_syntax::ptx::LANGUAGE, &text);
        let (found, whole) = (everything(&host.snapshot()), everything(&fresh.snapshot()));
        if found != whole {
            let mut lines = found.lines().zip(whole.lines());
            let differs = lines.find(|(one, other)| one != other);
            panic!("edit {number}, {inserted:?} at {range:?}: {differs:?}");
        }
        if number % 5 == 4 {
            // If a text has many mistakes, only the first ones are listed.
            host.edit(FILE, TextRange::up_to(TextSize::of(&*text)), &module()).unwrap();
            host.snapshot().diagnostics(FILE).unwrap();
        }
    }
}
