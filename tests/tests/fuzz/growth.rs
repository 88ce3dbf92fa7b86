//! Deep nesting, lines without an end, and statements that do much work: no command and no request takes long or much memory.

use fastrand::Rng;
use warplens_ide::lanes::launch_text::{LaunchHome, documentation, suggestions};
use warplens_ide::lanes::{Choice, RunSettings};
use warplens_ide::{Language, TextSize, languages};
use warplens_sim_launch::{Format, Launch};
use warplens_sim_warp::Control;

use super::budget;
use super::runs::{FILE, open, prepared, request};

/// The size of a text in bytes, and the memory in megabytes that no text of this size may need.
const MAX_TEXT: usize = 10_000;
const MAX_MEMORY: u64 = 500;

/// What may be repeated: language, start, repeated text, middle, repeated end, end.
const SHAPES: [[&str; 6]; 20] = [
    ["wave", ".kernel k\n", "loop\n", "mov r0, 1\n", "endloop\n", "halt\n.end\n"],
    ["wave", ".kernel k\n", "if p1\n", "mov r0, r1\n", "else\nmov r0, 2\nendif\n", "halt\n.end\n"],
    ["wave", ".kernel k\n", "loop\nif p1\n", "break p0\n", "endloop\nendif\n", ".end\n"],
    ["ptx", "BODY", "{\n", ".reg .b32 %r1; mov.u32 %r1, 1;\n", "}\n", "ret; }\n"],
    ["ptx", "BODY", "(", "1", ")", "; ret; }\n"],
    ["ptx", "BODY mov.u32 %r1, ", "1?(", "2", "):3", "; ret; }\n"],
    ["ptx", "BODY mov.b64 ", "{", "%r1", "}", ", 1; ret; }\n"],
    ["ptx", "HEAD.global .b32 a[1] = ", "{", "1", "}", ";\n"],
    ["ptx", "BODY", "x\n", "", "", "}\n"],
    ["ptx", "BODY", "add.u32 %r1, %r2, 1\n", "", "", "}\n"],
    ["ptx", "BODY", "@%p1 add.u32 %r1, %r2, 1\n", "", "", "}\n"],
    ["ptx", "BODY", "call f, (\n", "", "", "}\n"],
    ["ptx", "BODY", "ld.global.u32 %r1, [%d1\n", "", "", "}\n"],
    ["ptx", "BODY", ".pragma \"a\n", "", "", "}\n"],
    ["ptx", "HEAD", ".reg .b32 %r1\n", "", "", ""],
    ["ptx", "HEAD.visible .entry _Z1f1A1BIS_S_E", "S0_IS1_S1_E", "", "", "() { ret; }\n"],
    ["ptx", "BODY mov.u64 %d1, s; L:", "st.bulk.weak.shared::cta [%d1], 32768, 0;\n", "bra L;", "", "}\n"],
    [
        "ptx",
        "BODY mov.u64 %d1, s; mov.u32 %r1, s; L:",
        "cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r1], 32768;\n",
        "bra L;",
        "",
        "}\n",
    ],
    ["ptx", "BODY L:", "call d;\n", "bra L;", "", "}\n"],
    ["toml", "[[launch]]\nname = 'a'\nargs = [", "{ fields = [", "{ le", "] }", ""],
];

const HEAD: &str = ".version 8.6\n.target sm_100a\n.address_size 64\n";
const BODY: &str = ".shared .align 128 .b8 s[32768];\n.func d() { .local .b8 l[400000]; ret; }\n.visible .entry k() {\n\
                    .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p<4>;\n";

/// A text of a shape, and the offset of its middle.
fn text(shape: [&str; 6], rng: &mut Rng) -> (String, usize) {
    let [_, start, repeated, middle, close, end] = shape;
    let start = start.replace("BODY", &format!("{HEAD}{BODY}")).replace("HEAD", HEAD);
    let most = (MAX_TEXT - start.len() - middle.len() - end.len()) / (repeated.len() + close.len());
    let count = rng.usize(1..=most);
    let at = start.len() + count * repeated.len();
    (start + &repeated.repeat(count) + middle + &close.repeat(count) + end, at)
}

fn requests(language: Language, text: &str, at: usize) {
    let (analysis, offset) = (open(language, text), TextSize::new(at as u32));
    analysis.diagnostics(FILE).expect("not cancelled");
    analysis.symbols(FILE).expect("not cancelled");
    analysis.folds(FILE).expect("not cancelled");
    analysis.tokens(FILE).expect("not cancelled");
    analysis.syntax_tree(FILE).expect("not cancelled");
    assert!(analysis.selection(FILE, offset).expect("not cancelled").len() <= 128);
    analysis.hover(FILE, offset).expect("not cancelled");
    analysis.completions(FILE, offset).expect("not cancelled");
    analysis.signature_help(FILE, offset).expect("not cancelled");
    analysis.format(FILE).expect("not cancelled");
    let settings = RunSettings { max_steps: 100, ..RunSettings::default() };
    for offer in analysis.launches(FILE, None).expect("not cancelled").into_iter().take(2) {
        let launch = Launch { entry: offer.entry.clone(), block: Some([32, 1, 1]), ..Launch::default() };
        let request = request(offer.entry, Choice::Given(Box::new(launch)), settings);
        if let Some(prepared) = prepared(&analysis, &request, None) {
            prepared.run_adjusted(Control::none()).expect("not cancelled");
        }
    }
}

#[test]
fn repeated_texts() {
    budget::run("growth", SHAPES.len() as u64, |case| {
        let shape = SHAPES[(case.seed() % SHAPES.len() as u64) as usize];
        let (text, at) = text(shape, &mut case.rng);
        case.input(&text);
        match languages().find(|language| language.id == shape[0]) {
            Some(language) => requests(language, &text, at),
            None => {
                suggestions(&text, LaunchHome::File(Format::Toml), at, &[]);
                documentation(&text, LaunchHome::File(Format::Toml), at, &[]);
            }
        }
        1
    });
    let memory = budget::peak_megabytes();
    assert!(memory < MAX_MEMORY, "{memory} MB");
}
