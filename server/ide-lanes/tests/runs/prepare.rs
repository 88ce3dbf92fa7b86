//! From a request to a run that shows something.

use std::sync::Arc;

use expect_test::{Expect, expect};
use text_size::{TextRange, TextSize};
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::text::Style;
use warplens_ide_lanes::{
    Choice, DocumentName, HostFile, LaneHint, LaneView, LaunchFile, LaunchFiles, LaunchProblem, LensStyle,
    Prepared, RunRequest, hover,
};
use warplens_sim_launch::{Format, Launch};
use warplens_sim_warp::{Control, RunOptions, TraceRequest, WarpId};
use warplens_syntax::Language;

const PTX: &str = "\
.version 8.0
.target sm_70
.address_size 64
.extern .shared .align 4 .b8 scratch[];
.func helper() { .reg .b32 %r; mov.u32 %r, scratch; ret; }
.visible .entry first(.param .u64 x, .param .u32 n)
{
	.reg .pred	%p;
	.reg .b32	%r<4>;
	.reg .b64	%rd<4>;
	mov.u32	%r1, %tid.x;
	ld.param.u32	%r2, [n];
	setp.lt.u32	%p, %r1, 8;
	@%p bra	SMALL;
	add.u32	%r1, %r1, 1;
SMALL:
	ld.param.u64	%rd1, [x];
	mul.wide.u32	%rd2, %r1, 4;
	add.u64	%rd3, %rd1, %rd2;
	st.global.u32	[%rd3], %r1;
	ret;
}
";

const SECOND: &str = "\
// @launch { name = 'commented', grid = [2], block = [8] }
.entry second() { call helper; exit; }
";

fn open(text: &str, language: Language) -> (AnalysisHost, FileId) {
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.open(file, language, text);
    (host, file)
}

fn request(entry: Option<&str>, launch: Choice) -> RunRequest {
    RunRequest {
        entry: entry.map(str::to_owned),
        launch,
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunOptions { registers: true, ..RunOptions::default() },
    }
}

fn toml(text: &str) -> LaunchFiles {
    let file = LaunchFile {
        text: text.into(),
        format: Format::Toml,
        path: "warplens.toml".to_owned(),
        document: DocumentName::relative("k.ptx"),
    };
    file.into()
}

const WAVE: &str = "\
.kernel parts
.workgroup_size 64, 1, 1
    mov r1, sr_lane_id
    mov_imm r2, 8
    icmp_lt p1, r1, r2
    if p1
        iadd r0, r0, r1
    else
        isub r0, r0, r1
    endif
    halt
.end
";

fn prepared(text: &str, request: &RunRequest, launches: Option<&str>) -> Result<Prepared, LaunchProblem> {
    let language = if text.starts_with(".kernel") {
        warplens_syntax::wave::LANGUAGE
    } else {
        warplens_syntax::ptx::LANGUAGE
    };
    let (host, file) = open(text, language);
    let launches = launches.map(toml);
    host.snapshot()
        .prepare_run(file, request, launches.as_ref(), &|path| Err(format!("no {path}").into()))
        .unwrap()
}

/// The launch that is chosen, or why there is none.
fn check(text: &str, request: &RunRequest, launches: Option<&str>, expect: Expect) {
    let answer = match prepared(text, request, launches) {
        Ok(run) => {
            format!("{}: {}", run.source.as_str(), serde_json::to_string(&run.resolved.launch).unwrap())
        }
        Err(problem) => problem.to_string(),
    };
    expect.assert_eq(&answer);
}

#[test]
fn the_model_is_asked_for_or_written_or_usual() {
    let launches = |model: &str| format!("[[launch]]\nname = 'filed'\nfile = 'k.ptx'\n{model}\n");
    let text = "// @launch { name = 'named', grid = [1], block = [8], model = 'structured' }\n.entry k() { exit; }\n";
    let of = |request: &RunRequest, model: &str| {
        prepared(text, request, Some(&launches(model)))
            .map(|run| run.model.name())
            .map_err(|problem| problem.to_string())
    };
    let filed = || request(None, Choice::of_name("filed"));
    let its = warplens_ide::model(warplens_syntax::ptx::LANGUAGE, "its").ok();
    assert_eq!(of(&filed(), ""), Ok("stack"));
    assert_eq!(of(&RunRequest { usual_model: its, ..filed() }, ""), Ok("its"));
    assert_eq!(of(&RunRequest { usual_model: its, ..filed() }, "model = 'frontier'"), Ok("frontier"));
    assert_eq!(of(&RunRequest { model: its, ..filed() }, "model = 'frontier'"), Ok("its"));
    expect!["warplens.toml:4:9: unknown model `fast`: PTX has `stack`, `ipdom`, `frontier` and `its`"]
        .assert_eq(&of(&filed(), "model = 'fast'").unwrap_err());
    expect!["line 1, column 63: the model `structured` is for WAVE: PTX has `stack`, `ipdom`, `frontier` and `its`"].assert_eq(&of(&request(None, Choice::of_name("named")), "").unwrap_err());
}

const FILE: &str = "[[launch]]\nname = 'filed'\nfile = 'k.ptx'\nentry = 'first'\nargs = [{ buffer = 'u32', len = 64 }, { u32 = 1 }]\n";

#[test]
fn the_first_configured_launch_or_else_the_inferred_one() {
    check(
        PTX,
        &request(None, Choice::First),
        None,
        expect![[
            r#"inferred: {"name":"inferred","entry":"first","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"x","buffer":"u32","len":32768,"fill":"zero"},{"name":"n","u32":32}]}"#
        ]],
    );
    check(
        PTX,
        &request(None, Choice::First),
        Some(FILE),
        expect![[
            r#"toml: {"name":"filed","file":"k.ptx","entry":"first","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"x","buffer":"u32","len":64,"fill":"zero"},{"name":"n","u32":1}]}"#
        ]],
    );
    check(
        PTX,
        &request(None, Choice::Inferred),
        Some(FILE),
        expect![[
            r#"inferred: {"name":"inferred","entry":"first","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"x","buffer":"u32","len":32768,"fill":"zero"},{"name":"n","u32":32}]}"#
        ]],
    );
    check(
        &(PTX.to_owned() + SECOND),
        &request(None, Choice::First),
        None,
        expect![[r#"comment: {"name":"commented","entry":"second","grid":[2,1,1],"block":[8,1,1]}"#]],
    );
    check(
        &(PTX.to_owned() + SECOND),
        &request(Some("first"), Choice::First),
        None,
        expect![[
            r#"inferred: {"name":"inferred","entry":"first","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"x","buffer":"u32","len":32768,"fill":"zero"},{"name":"n","u32":32}]}"#
        ]],
    );
}

#[test]
fn dynamic_shared_memory_of_callees_counts() {
    check(
        &(PTX.to_owned() + SECOND),
        &request(Some("second"), Choice::Inferred),
        None,
        expect![[
            r#"inferred: {"name":"inferred","entry":"second","grid":[1,1,1],"block":[32,1,1],"dynamic_shared":49152}"#
        ]],
    );
}

#[test]
fn named_and_given() {
    let text = PTX.to_owned() + SECOND;
    check(
        &text,
        &request(None, Choice::of_name("filed")),
        Some(FILE),
        expect![[
            r#"toml: {"name":"filed","file":"k.ptx","entry":"first","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"x","buffer":"u32","len":64,"fill":"zero"},{"name":"n","u32":1}]}"#
        ]],
    );
    check(
        &text,
        &request(None, Choice::of_name("other")),
        Some(FILE),
        expect!["unknown launch `other`: the file has `filed`, `commented` and `inferred`"],
    );
    check(
        PTX,
        &request(None, Choice::of_name("other")),
        None,
        expect!["unknown launch `other`: the file has only `inferred`"],
    );
    let given = Launch { name: "g".to_owned(), grid: Some([3, 1, 1]), ..Launch::default() };
    check(
        &text,
        &request(Some("second"), Choice::Given(Box::new(given.clone()))),
        None,
        expect![[
            r#"given: {"name":"g","entry":"second","grid":[3,1,1],"block":[32,1,1],"dynamic_shared":49152}"#
        ]],
    );
    check(
        &text,
        &request(None, Choice::Given(Box::new(given))),
        None,
        expect!["the file has several kernels; name one (`--entry` or `entry`): `first`, `second`"],
    );
}

#[test]
fn why_not() {
    check("", &request(None, Choice::First), None, expect!["the file has no kernel"]);
    let two = PTX.to_owned() + ".entry second() { exit; }\n";
    check(
        &two,
        &request(None, Choice::First),
        None,
        expect!["the file has several kernels; name one (`--entry` or `entry`): `first`, `second`"],
    );
    check(
        PTX,
        &request(Some("third"), Choice::First),
        None,
        expect!["unknown kernel `third`: the file has `first`"],
    );
    check(
        PTX,
        &request(None, Choice::First),
        Some("[[launch]]\nname = 'a'\nfile = 'k.ptx'\ngird = [1]\n"),
        expect!["warplens.toml:4:1: a launch has no key `gird`: did you mean `grid`?"],
    );
    check(
        PTX,
        &request(None, Choice::First),
        Some("[[launch]]\nname = 'a'\nfile = 'k.ptx'\nargs = [{ u32 = 1 }]\n"),
        expect!["warplens.toml:4:8: `first` has 2 parameters (x, n), but the launch passes 1"],
    );
    check(
        PTX,
        &request(None, Choice::First),
        Some("x = \n"),
        expect!["warplens.toml:1:5: invalid TOML: string values must be quoted, expected literal string"],
    );
    let comment = PTX.replace(".visible", "// @launch { block = [2000], args = [] }\n.visible");
    check(
        &comment,
        &request(None, Choice::First),
        None,
        expect!["line 6, column 22: a block has at most 1024 threads (64 in z), and 2000 exceeds the limit"],
    );
    let wide = RunRequest { wave_width: Some(8), ..request(None, Choice::First) };
    check(
        PTX,
        &wide,
        None,
        expect!["the wave width is allowed for WAVE kernels only: a PTX warp has 32 lanes"],
    );
}

/// The lines with hints.
fn annotated(text: &str, shown: &LaneView) -> String {
    let size = |offset: usize| TextSize::try_from(offset).unwrap();
    let line_end = |offset: TextSize| {
        let at = usize::from(offset);
        size(at + text[at..].find('\n').unwrap_or(0))
    };
    let hints = shown.hints(TextRange::up_to(TextSize::of(text)), Style::default(), &line_end);
    let line = |hint: &LaneHint| {
        let end = usize::from(hint.offset);
        let start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        format!("{} <{}>\n", text[start..end].trim(), hint.text)
    };
    hints.iter().map(line).collect()
}

fn shown(text: &str, request: &RunRequest) -> LaneView {
    let run = prepared(text, request, None).unwrap();
    let values = run.trace_warp(TraceRequest::at(WarpId { cta: [0; 3], warp: 0 }), Control::none()).unwrap();
    run.show(Arc::new(run.run(Control::none()).unwrap()), None).with_values(values.map(Arc::new), None)
}

#[test]
fn a_run_shows_its_lanes_and_values() {
    let shown = shown(PTX, &request(None, Choice::First));
    expect![[r#"
        @%p bra	SMALL; <split 8 | 24>
        add.u32	%r1, %r1, 1; <24/32 8-31>
        ld.param.u64	%rd1, [x]; <join 32>
    "#]]
    .assert_eq(&annotated(PTX, &shown));
    let at = PTX.find("mul.wide").unwrap();
    let hover = hover(&shown, TextSize::try_from(at).unwrap(), "", &|_| 0).unwrap();
    expect![[r#"
        **All 32 lanes** reached this line, once.

        Launch *inferred*, block 0,0,0, warp 0, model `stack`.

        ```text
        %rd2
        lane   +0   +1   +2   +3   +4   +5   +6   +7
           0    0    4    8   12   16   20   24   28
           8   36   40   44   48   52   56   60   64
          16   68   72   76   80   84   88   92   96
          24  100  104  108  112  116  120  124  128
        ```"#]]
    .assert_eq(&hover.markdown);
}

#[test]
fn a_branch_through_a_table_splits_several_ways() {
    let switch = ".version 8.0
.target sm_70
.address_size 64
.entry k() {
	.reg .b32 %r<3>;
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
	min.u32 %r2, %r2, 2;
table: .branchtargets A, B, C;
	brx.idx %r2, table;
A:	add.u32 %r1, %r1, 1;
	bra JOIN;
B:	add.u32 %r1, %r1, 2;
	bra JOIN;
C:	add.u32 %r1, %r1, 3;
JOIN:
	exit;
}
";
    expect![[r#"
        brx.idx %r2, table; <split 8 | 8 | 16>
        A:	add.u32 %r1, %r1, 1; <8/32 every 4th>
        bra JOIN; <8/32 every 4th>
        B:	add.u32 %r1, %r1, 2; <8/32 every 4th from 1>
        bra JOIN; <8/32 every 4th from 1>
        C:	add.u32 %r1, %r1, 3; <16/32 2-3,6-7,10-11..>
        exit; <join 32>
    "#]]
    .assert_eq(&annotated(switch, &shown(switch, &request(None, Choice::First))));
}

#[test]
fn wave_kernels_too() {
    check(
        WAVE,
        &request(None, Choice::First),
        None,
        expect![[
            r#"inferred: {"name":"inferred","entry":"parts","grid":[1,1,1],"block":[64,1,1],"wave_width":32}"#
        ]],
    );
    expect![[r#"
        if p1 <split 8 | 24>
        iadd r0, r0, r1 <8/32 0-7>
        else <24/32 8-31>
        isub r0, r0, r1 <24/32 8-31>
        endif <join 32>
    "#]]
    .assert_eq(&annotated(WAVE, &shown(WAVE, &request(None, Choice::First))));
    let wide = RunRequest { wave_width: Some(64), ..request(None, Choice::First) };
    expect![[r#"
        if p1 <split 8 | 56>
        iadd r0, r0, r1 <8/64 0-7>
        else <56/64 8-63>
        isub r0, r0, r1 <56/64 8-63>
        endif <join 64>
    "#]]
    .assert_eq(&annotated(WAVE, &shown(WAVE, &wide)));
    let without_size = WAVE.replace(".workgroup_size 64, 1, 1\n", "");
    check(
        &without_size,
        &RunRequest { wave_width: Some(8), ..wide },
        None,
        expect![[
            r#"inferred: {"name":"inferred","entry":"parts","grid":[1,1,1],"block":[8,1,1],"wave_width":8}"#
        ]],
    );
}

#[test]
fn only_what_runs_makes_another_run() {
    let first = request(None, Choice::First);
    let run = prepared(PTX, &first, None).unwrap();
    let commented = format!("// hello\n{PTX}");
    let moved = prepared(&commented, &first, None).unwrap();
    assert!(run.same_run(&moved));
    assert_ne!(run.statements[0].range, moved.statements[0].range);
    let changed = prepared(&PTX.replace("%r1, 8", "%r1, 9"), &first, None).unwrap();
    assert!(!run.same_run(&changed));
    let larger = prepared(&PTX.replace(".entry first(", ".entry first(/**/"), &first, Some(FILE)).unwrap();
    assert!(!run.same_run(&larger));
}

mod any_text {
    use proptest::prelude::*;

    use super::*;
    use warplens_ide_lanes::json::Position;

    const EXAMPLES: [(&str, Language); 5] = [
        (include_str!("../../../../examples/divergence.ptx"), warplens_syntax::ptx::LANGUAGE),
        (include_str!("../../../../examples/saxpy.ptx"), warplens_syntax::ptx::LANGUAGE),
        (include_str!("../../../../examples/collatz.ptx"), warplens_syntax::ptx::LANGUAGE),
        (include_str!("../../../../examples/divergence.wave"), warplens_syntax::wave::LANGUAGE),
        (WAVE, warplens_syntax::wave::LANGUAGE),
    ];

    /// Prepares, runs and shows a document, and asks everything that can be asked of it.
    fn survive(host: &AnalysisHost, file: FileId, text: &str, point: usize) {
        let limits = warplens_sim_warp::Limits { max_steps: 2000, ..warplens_sim_warp::Limits::default() };
        let options = RunOptions {
            limits,
            registers: true,
            checks: warplens_sim_warp::Checks::ALL,
            counters: true,
            ..RunOptions::default()
        };
        let analysis = host.snapshot();
        let lenses = analysis.lenses(file, None, None, LensStyle::Extension).unwrap();
        assert!(lenses.iter().all(|lens| usize::from(lens.range.end()) <= text.len()));
        // Of the two models of WAVE, an edit at an even place tries the one, an odd place the other.
        let model = (point % 2 == 1)
            .then(|| warplens_ide::model(warplens_syntax::wave::LANGUAGE, "wave-emu").unwrap());
        let model = model.filter(|_| {
            analysis.language(file).is_ok_and(|language| language == Some(warplens_syntax::wave::LANGUAGE))
        });
        let request = RunRequest { options, model, ..request(None, Choice::First) };
        let Ok(run) = analysis.prepare_run(file, &request, None, &|_| Err(String::new().into())).unwrap()
        else {
            return;
        };
        let mut shown = run.show(Arc::new(run.run(Control::none()).unwrap()), None);
        for statement in shown.statements() {
            assert!(
                text.get(std::ops::Range::<usize>::from(statement.range)).is_some(),
                "{:?}",
                statement.range
            );
        }
        for compact in [false, true] {
            let masks =
                shown.masks(1, compact, false, &|offset| Position { line: 0, character: offset.into() });
            assert!(serde_json::to_string(&masks).is_ok());
        }
        let point = TextSize::try_from(point.min(text.len())).unwrap();
        let _ = hover(&shown, point, "%r1", &|_| 0);
        shown.edit(TextRange::new(point, TextSize::of(text)), 1.into());
        let _ = shown.hints(TextRange::up_to(point), Style::default(), &|offset| offset);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn can_be_prepared_run_and_shown(
            example in 0..EXAMPLES.len(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, 0usize..8), 1..5),
        ) {
            const INSERTS: [&str; 8] = ["", "}", "\n", "@%p1 ", "loop\n", ";", "0x", "bra LOOP;"];
            let (text, language) = EXAMPLES[example];
            let mut text = text.to_owned();
            let (mut host, file) = open(&text, language);
            for (at, len, insert) in edits {
                let start = text.floor_char_boundary(at.index(text.len() + 1));
                let end = text.floor_char_boundary((start + len).min(text.len())).max(start);
                let range = TextRange::new(TextSize::try_from(start).unwrap(), TextSize::try_from(end).unwrap());
                host.edit(file, range, INSERTS[insert]).unwrap();
                text.replace_range(start..end, INSERTS[insert]);
                survive(&host, file, &text, start);
            }
        }
    }
}

const SAXPY: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry saxpy(.param .u32 n, .param .s32 step, .param .f32 a, .param .u64 x)
{
    .reg .pred p;
    .reg .b32 i, n32, tid, block, size;
    .reg .f32 v, f;
    .reg .b64 at, base;
    ld.param.u32 n32, [n];
    ld.param.u64 base, [x];
    ld.param.f32 f, [a];
    mov.u32 tid, %tid.x;
    mov.u32 block, %ctaid.x;
    mov.u32 size, %ntid.x;
    mad.lo.u32 i, block, size, tid;
    setp.ge.u32 p, i, n32;
    @p ret;
    mad.wide.u32 at, i, 4, base;
    ld.global.f32 v, [at];
    mul.f32 v, v, f;
    st.global.f32 [at], v;
    ret;
}
";

fn code(name: &str, text: &str) -> HostFile {
    let host = warplens_host::by_extension(name.rsplit('.').next().unwrap()).unwrap();
    HostFile::new(format!("/code/{name}").into(), host, text.into())
}

/// Launches whose kernel, block, template arguments or number of arguments do not fit are not offered.
#[test]
fn launches_of_host_code_come_before_the_inferred_ones() {
    let kernels = ".version 8.5\n.target sm_90\n.address_size 64\n\
                   .entry _Z5saxpyifPf(.param .u32 n, .param .f32 a, .param .u64 x)\n{\n    ret;\n}\n\
                   .entry other(.param .u64 x)\n.reqntid 64\n{\n    ret;\n}\n";
    let text = "\
const int n = 1000;
void run(int m) {
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x);
  saxpy<<<m, 256>>>(n, 2.0f, x);
  saxpy<<<1, 32>>>(x);
  other<<<2, 64>>>(x);
  other<<<2, 128>>>(x);
  missing<<<2, 128>>>(x);
}
";
    let (host, file) = open(kernels, warplens_syntax::ptx::LANGUAGE);
    let files = LaunchFiles { file: None, hosts: vec![code("k.cu", text), code("k.py", "saxpy[(4,)](x)")] };
    let found = host.snapshot().launches(file, Some(&files)).unwrap();
    let shown = found.iter().map(|launch| {
        let (source, entry) = (launch.source.as_str(), launch.entry.as_deref().unwrap_or_default());
        format!("{source} {}: {entry} {:?} {:?}\n", launch.name, launch.grid, launch.block)
    });
    expect![[r#"
        host from k.cu:3: _Z5saxpyifPf [4, 1, 1] [256, 1, 1]
        host from k.cu:6: other [2, 1, 1] [64, 1, 1]
        inferred inferred: _Z5saxpyifPf [1, 1, 1] [32, 1, 1]
        inferred inferred: other [1, 1, 1] [64, 1, 1]
    "#]]
    .assert_eq(&shown.collect::<String>());
}

/// The size and the numbers are those of the host code, the buffer is inferred; no other size is tried. The default is still the inferred
/// launch.
#[test]
fn a_launch_of_host_code_is_run_as_it_is_written() {
    let (host, file) = open(SAXPY, warplens_syntax::ptx::LANGUAGE);
    let text = "void f() { const int n = 300; saxpy<<<(n + 127) / 128, 128, 64>>>(n, -1, 2, d_x); }";
    let files = LaunchFiles { file: None, hosts: vec![code("saxpy.cu", text)] };
    let run = |launch: Choice| {
        let request = request(None, launch);
        let prepared = host.snapshot().prepare_run(file, &request, Some(&files), &|_| Err("none".into()));
        let (ran, result) = prepared.unwrap().unwrap().run_adjusted(Control::none()).unwrap();
        let launch = serde_json::to_string(&ran.resolved.launch).unwrap();
        format!("{} {}: {launch}", ran.source.as_str(), result.findings.len())
    };
    expect![[r#"host 0: {"name":"from saxpy.cu:1","entry":"saxpy","grid":[3,1,1],"block":[128,1,1],"dynamic_shared":64,"args":[{"name":"n","u32":300},{"name":"step","s32":-1},{"name":"a","f32":2.0},{"name":"x","buffer":"f32","len":393216,"fill":"iota"}]}"#]]
        .assert_eq(&run(Choice::of_name("from saxpy.cu:1")));
    assert!(run(Choice::First).starts_with("inferred"));
}
