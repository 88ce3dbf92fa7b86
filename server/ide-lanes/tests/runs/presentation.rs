//! What an editor shows of a run: the warp, the lens, the hover of an address, and the expectations of the launch.

use expect_test::{Expect, expect};
use text_size::{TextRange, TextSize};
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::text::Style;
use warplens_ide_lanes::{LaneView, LensStyle, Outcome, Prepared, RunRequest, RunSettings, hover};
use warplens_sim_warp::{Cancelled, WarpId, Workers};
use warplens_syntax::Language;

const FILE: FileId = FileId(0);

/// A kernel with the parameter `out`, whose address is in `%rd1`, and the thread in `%r1`.
fn kernel(launch: &str, body: &str) -> String {
    format!(
        "{launch}\n.version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 other[64];\n\
         .shared .align 4 .b8 tile[4096];\nmov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [out];\n{body}\nret;\n}}\n"
    )
}

/// One element for each of 32 threads: its number and 100.
const STORE: &str = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nadd.u32 %r2, %r1, 100;\nst.global.u32 [%rd3], %r2;";

struct Run {
    host: AnalysisHost,
    text: String,
    shown: LaneView,
}

fn run(text: &str, language: Language, model: Option<&str>, warp: Option<WarpId>) -> Run {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    let request = RunRequest {
        model: model.map(|name| warplens_ide::model(language, name).unwrap()),
        ..RunRequest::first(RunSettings::default().options())
    };
    let prepared = host.snapshot().prepare_run(FILE, &request, None, &|_| Err("no files".into()));
    let prepared: Prepared = prepared.unwrap().unwrap();
    let outcome = execute(&prepared, warp).unwrap();
    let shown = prepared.show_outcome(&outcome, warp);
    Run { host, text: text.to_owned(), shown }
}

/// No threads besides that of the run.
pub(crate) struct OneThread;

impl Workers for OneThread {
    fn count(&self) -> usize {
        1
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        work();
    }
}

fn execute(prepared: &Prepared, warp: Option<WarpId>) -> Result<Outcome, Cancelled> {
    let request = prepared.warp_request(warp, None);
    prepared.execute(None, request, &|| false, &|_| (), &OneThread)
}

impl Run {
    fn ptx(text: &str) -> Run {
        run(text, warplens_syntax::ptx::LANGUAGE, None, None)
    }

    fn lenses(&self) -> String {
        let lenses = self.host.snapshot().lenses(FILE, None, Some(&self.shown), LensStyle::Plain).unwrap();
        lenses.iter().map(|lens| format!("{}\n", lens.title)).collect()
    }

    fn findings(&self) -> String {
        let found = self.host.snapshot().findings(FILE, &self.shown).unwrap();
        let line = |range: TextRange| self.text[..usize::from(range.start())].matches('\n').count() + 1;
        found
            .iter()
            .map(|found| {
                let at = &self.text[found.range];
                format!(
                    "{}: `{at}` {} {}\n",
                    line(found.range),
                    found.code,
                    found.message.lines().next().unwrap()
                )
            })
            .collect()
    }

    /// The first paragraph of a hover.
    fn hover(&self, part: &str, word: &str, expect: Expect) {
        let at = self.text.find(part).unwrap() + part.find(word).unwrap();
        let hover = hover(&self.shown, TextSize::try_from(at).unwrap(), word, &|_| 0).unwrap();
        expect.assert_eq(hover.markdown.split("\n\n").next().unwrap());
    }

    fn hints(&self) -> usize {
        let line_end = |offset: TextSize| {
            let at = usize::from(offset);
            TextSize::try_from(at + self.text[at..].find('\n').unwrap_or(0)).unwrap()
        };
        self.shown.hints(TextRange::up_to(TextSize::of(&self.text)), Style::default(), &line_end).len()
    }
}

#[test]
fn a_failed_expectation_is_an_error_at_the_kernel() {
    let launch = |first: u32| {
        format!(
            "// @launch {{ name = 'checked', block = [32], args = [{{ name = 'out', buffer = 'u32', len = 32 }}], \
             expect = [{{ name = 'out', values = [{first}, 101] }}] }}"
        )
    };
    let failed = Run::ptx(&kernel(&launch(102), STORE));
    expect![[r#"
        checked: 7 warp instructions, 100% of lanes
        ✗ out[0] is 100, expected 102
        ■ Stop
        ▶ Run inferred 1 x 32
    "#]]
    .assert_eq(&failed.lenses());
    expect![[r#"
        18: `st.global.u32 [%rd3], %r2;` expect-failed Unexpected result: `out`[0] is 100, expected 102
    "#]]
    .assert_eq(&failed.findings());
    let passed = Run::ptx(&kernel(&launch(100), STORE));
    expect![[r#"
        checked: 7 warp instructions, 100% of lanes
        ✓ expected
        ■ Stop
        ▶ Run inferred 1 x 32
    "#]]
    .assert_eq(&passed.lenses());
    expect![].assert_eq(&passed.findings());
}

/// The memory of a run shows which outputs it has written.
#[test]
fn a_run_stays_incomplete_when_its_memory_is_dropped() {
    let launch = "// @launch { block = [32], args = [{ name = 'out', buffer = 'u32', len = 33 }] }\n";
    let Run { host, shown, .. } = Run::ptx(&kernel(launch, STORE));
    for shown in [&shown, &shown.alone()] {
        let lenses = host.snapshot().lenses(FILE, None, Some(shown), LensStyle::Extension).unwrap();
        assert_eq!(lenses[0].title, "○ 7 instr · 100 % active");
    }
}

#[test]
fn an_address_is_named_by_its_object() {
    let body = "mov.u32 %r3, tile;\nshl.b32 %r4, %r1, 7;\nadd.u32 %r4, %r3, %r4;\ncvt.rn.f32.u32 %f1, %r1;\n\
                st.shared.f32 [%r4], %f1;\nld.shared.f32 %f2, [%r3+4];\n";
    let shown = Run::ptx(&kernel("", &(body.to_owned() + STORE)));
    shown.hover("st.shared.f32 [%r4]", "%r4", expect!["**`%r4`** = tile+128*lane, after this line."]);
    shown.hover("ld.shared.f32 %f2, [%r3+4]", "%r3", expect!["**`%r3`** = tile, after this line."]);
    shown.hover("st.global.u32 [%rd3]", "%rd3", expect!["**`%rd3`** = out+4*lane, after this line."]);
    // Elsewhere it is a number.
    shown.hover("add.u32 %r4, %r3", "%r4", expect!["**`%r4`** = 128*lane + 64, after this line."]);
}

#[test]
fn the_warp_of_the_first_error_is_shown_unless_one_is_selected() {
    let launch =
        "// @launch { grid = [4], block = [64], args = [{ name = 'out', buffer = 'u32', len = 64 }] }";
    let body = "mov.u32 %r3, %ctaid.x;\nshr.u32 %r4, %r1, 5;\nadd.u32 %r5, %r3, %r4;\nsetp.ne.u32 %p1, %r5, 4;\n\
                @%p1 bra DONE;\nst.global.u32 [%rd1+4096], %r1;\nDONE:";
    let text = kernel(launch, body);
    let WarpId { cta, warp } = Run::ptx(&text).shown.warp;
    assert_eq!((cta, warp), ([3, 0, 0], 1));
    let selected = WarpId { cta: [1, 0, 0], warp: 0 };
    let shown = run(&text, warplens_syntax::ptx::LANGUAGE, None, Some(selected)).shown;
    assert_eq!(shown.warp, selected);
}

#[test]
fn a_launch_that_does_not_start_has_only_its_error() {
    let text = ".kernel k\n    and p1, p2, p3\n    halt\n.end\n";
    let rejected = run(text, warplens_syntax::wave::LANGUAGE, Some("wave-emu"), None);
    assert_eq!(rejected.hints(), 0);
    expect![[r#"
        2: `and p1, p2, p3` not-assembled Not assembled: toolchain 0.1.2 has no logic on predicates
    "#]]
    .assert_eq(&rejected.findings());
}
