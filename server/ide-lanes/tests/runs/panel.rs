//! The numbers of the panel are those of `warplens sim --format json` of the same launch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use warplens_ide::{AnalysisHost, FileId, Language};
use warplens_ide_lanes::json::{Options, Position, Report};
use warplens_ide_lanes::panel::{
    BufferRequest, MomentRequest, Page, Panel, PanelError, PanelQuery, WhyRequest,
};
use warplens_ide_lanes::{
    Choice, DocumentName, LaunchFile, LaunchFiles, Model, Prepared, RunRequest, WarpId,
};
use warplens_sim_launch::Format;
use warplens_sim_warp::{Control, Limits, RunOptions, RunResult, StatementId, Status};
use warplens_syntax::{ptx, sass, wave};

use crate::presentation::OneThread;

const FILE: FileId = FileId(0);

const FIRST: WarpId = WarpId { cta: [0; 3], warp: 0 };

/// The whole run in at most 2,000 columns.
const ALL: Page = Page { from: 0, to: None, bins: None, fold: false };

/// A launch of a document.
struct Run {
    text: String,
    prepared: Prepared,
    result: Arc<RunResult>,
    panel: Panel,
    /// The panel as an editor has it: the steps of its warp were recorded with the values.
    of_editor: Panel,
}

impl Run {
    fn new(
        text: &str,
        language: Language,
        choice: Choice,
        model: Option<&str>,
        launches: Option<&LaunchFiles>,
    ) -> Option<Run> {
        let mut host = AnalysisHost::new();
        host.open(FILE, language, text);
        let limits = Limits { max_steps: 20_000, ..Limits::default() };
        let options = RunOptions { counters: true, registers: true, limits, ..RunOptions::default() };
        let model: Option<Model> = model.map(|model| warplens_ide::model(language, model).expect("a model"));
        let request =
            RunRequest { entry: None, launch: choice, wave_width: None, model, usual_model: None, options };
        let prepared = host.snapshot().prepare_run(FILE, &request, launches, &|_| Err("no files".into()));
        let prepared = prepared.expect("not cancelled").ok()?;
        let request = prepared.warp_request(None, None);
        let outcome = prepared.execute(None, request, &|| false, &|_| {}, &OneThread).expect("not cancelled");
        let of_editor = Panel::of_outcome(&prepared, &outcome);
        let (prepared, result) = prepared.run_adjusted(Control::none()).expect("not cancelled");
        let result = Arc::new(result);
        let panel = Panel::new(prepared.clone(), Arc::clone(&result));
        Some(Run { text: text.to_owned(), prepared, result, panel, of_editor })
    }

    fn at(&self, statement: StatementId) -> Option<Position> {
        let offset = usize::from(self.prepared.statements.get(statement.index())?.opcode.start());
        let before = &self.text[..offset];
        let line = before.matches('\n').count() as u32;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Some(Position { line, character: (offset - start) as u32 })
    }

    fn text_of(&self, statement: StatementId) -> String {
        let range = self.prepared.statements.get(statement.index()).map(|statement| statement.range);
        range.map_or_else(String::new, |range| self.text[range].to_owned())
    }

    /// The output of `warplens sim --format json --counters --registers --dump all`.
    fn report(&self) -> Value {
        let coverage = self.prepared.coverage(&self.result);
        let verdict = self.prepared.verdict(&self.result, &[], &coverage);
        let options = Options {
            model: self.prepared.model.name(),
            dump: &self.prepared.resolved.buffers,
            saved: None,
            warp: None,
            statements: &self.prepared.statements,
            failures: &[],
            verdict: &verdict,
            coverage: &coverage,
        };
        let at = |statement| self.at(statement);
        json!(Report::new(&self.prepared.resolved, &self.result, &options, &at))
    }

    fn query<T>(&self, warp: WarpId, query: impl FnOnce(PanelQuery<'_>) -> T) -> T {
        self.query_of(&self.panel, warp, query)
    }

    fn query_of<T>(&self, panel: &Panel, warp: WarpId, query: impl FnOnce(PanelQuery<'_>) -> T) -> T {
        let at = |id| self.at(id);
        let text = |id: StatementId| self.text_of(id);
        query(PanelQuery { panel, warp, at: &at, text: &text, control: Control::none() })
    }

    fn timeline(&self, warp: WarpId, page: Page) -> Value {
        json!(self.query(warp, |query| query.timeline(page)).expect("a time line"))
    }

    fn graph(&self, warp: WarpId) -> Value {
        json!(self.query(warp, |query| query.graph()).expect("a graph"))
    }

    fn registers(&self, warp: WarpId, place: MomentRequest, pins: &[&str]) -> Result<Value, PanelError> {
        let pins: Vec<String> = pins.iter().map(|pin| (*pin).to_owned()).collect();
        self.query(warp, |query| query.registers(place, &pins, false)).map(|value| json!(value))
    }

    fn accesses(&self, warp: WarpId, place: Option<MomentRequest>) -> Value {
        json!(self.query(warp, |query| query.accesses(place)).expect("accesses"))
    }

    fn buffers(&self, request: &BufferRequest) -> Value {
        json!(self.query(FIRST, |query| query.buffers(request)).expect("buffers"))
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn mask(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap_or_default(), 16).expect("a mask")
}

fn ones(value: &Value) -> u64 {
    u64::from(mask(value).count_ones())
}

/// Compares every number of a run.
fn check(run: &Run, context: &str) {
    let report = run.report();
    for warp in list(&report["warps"]).iter().take(2) {
        let id = WarpId {
            cta: serde_json::from_value(warp["cta"].clone()).expect("a block"),
            warp: number(&warp["warp"]) as u32,
        };
        let context = &format!("{context}, warp {id:?}");
        check_timeline(run, id, warp, context);
        check_graph(run, id, warp, context);
        check_moments(run, id, warp, context);
    }
    check_worst(run, &report, context);
    check_buffers(run, &report, context);
}

fn check_timeline(run: &Run, id: WarpId, warp: &Value, context: &str) {
    let lines = list(&warp["lines"]);
    let steps: u64 = lines.iter().map(|line| number(&line["count"])).sum();
    let timeline = run.timeline(id, ALL);
    assert_eq!(number(&timeline["steps"]), steps, "{context}: steps");
    assert_eq!(timeline["launched"], warp["launched"], "{context}");
    let of_editor = run.query_of(&run.of_editor, id, |query| query.timeline(ALL));
    assert_eq!(json!(of_editor.expect("a time line")), timeline, "{context}: recorded steps");
    let is_whole = lines.iter().all(|line| line["truncated"] != json!(true));
    if is_whole {
        let visit = |visit: &Value| number(&visit["repeat"]) * ones(&visit["active"]);
        let active: u64 = lines.iter().flat_map(|line| list(&line["visits"])).map(visit).sum();
        assert_eq!(number(&timeline["active"]), active, "{context}: active lanes");
        let lanes: u64 = list(&timeline["lanes"]).iter().map(number).sum();
        assert_eq!(lanes, active, "{context}: lanes");
        let average = number(&timeline["overview_steps"]);
        let sum: f64 = (0..)
            .zip(list(&timeline["overview"]))
            .map(|(at, value)| value.as_f64().unwrap_or_default() * average.min(steps - at * average) as f64)
            .sum();
        assert!((sum - active as f64).abs() <= 0.001 * steps as f64 + 0.5, "{context}: {sum}, not {active}");
    }
    // All pages together are the run; each has every step once.
    let (mut from, mut visits) = (0, BTreeMap::<(u64, u64), u64>::new());
    while from < steps {
        let page = run.timeline(id, Page { from, to: Some(from + 2_000), bins: Some(2_000), fold: false });
        let runs = list(&page["runs"]);
        let mut expected = from;
        for run in runs {
            assert_eq!(number(&run["step"]), expected, "{context}: a gap");
            for masks in list(&run["masks"]) {
                *visits.entry((mask(&masks[0]), mask(&masks[1]))).or_default() += number(&masks[2]);
                expected += number(&masks[2]);
            }
        }
        assert_eq!(expected, number(&page["to"]), "{context}: the end of the page");
        from = expected;
    }
    if is_whole {
        let mut expected = BTreeMap::<(u64, u64), u64>::new();
        for visit in lines.iter().flat_map(|line| list(&line["visits"])) {
            *expected.entry((mask(&visit["active"]), mask(&visit["executed"]))).or_default() +=
                number(&visit["repeat"]);
        }
        assert_eq!(visits, expected, "{context}: masks");
    }
    let coarse = run.timeline(id, Page { bins: Some(7), ..ALL });
    let columns = list(&coarse["columns"]).len() as u64;
    assert!(columns <= 7 && (columns > 0 || steps <= 7), "{context}: {columns} columns");
}

fn check_graph(run: &Run, id: WarpId, warp: &Value, context: &str) {
    let graph = run.graph(id);
    let blocks = list(&graph["blocks"]);
    let steps: u64 = blocks.iter().map(|block| number(&block["steps"])).sum();
    assert_eq!(
        steps,
        list(&warp["lines"]).iter().map(|line| number(&line["count"])).sum::<u64>(),
        "{context}"
    );
    let counts: BTreeMap<u64, u64> = list(&warp["lines"]).iter().fold(BTreeMap::new(), |mut all, line| {
        *all.entry(number(&line["line"])).or_default() += number(&line["count"]);
        all
    });
    let in_lines = |block: &&Value| !block["lines"].is_null();
    for block in blocks.iter().filter(in_lines) {
        let (first, last) = (number(&block["lines"][0]), number(&block["lines"][1]));
        // Statements of other blocks may share the first and the last line.
        let count: u64 = counts.range(first..=last).map(|(_, count)| count).sum();
        assert!(number(&block["steps"]) <= count, "{context}: {block}");
    }
    // The lanes that enter a block come from other blocks, or start there.
    let mut entered = vec![0; blocks.len()];
    for edge in list(&graph["edges"]) {
        entered[number(&edge["to"]) as usize] += number(&edge["threads"]);
    }
    for (block, entered) in blocks.iter().zip(&entered).skip(1) {
        let threads = number(&block["threads"]);
        assert!(*entered <= threads, "{context}: {entered} lanes enter {block}");
    }
    if let Some(first) = blocks.first().filter(|first| number(&first["visits"]) > 0) {
        let started = number(&first["threads"]).checked_sub(entered[0]);
        assert_eq!(started, Some(ones(&warp["launched"])), "{context}: lanes that start");
    }
}

/// Registers and accesses at some steps, and the final registers.
fn check_moments(run: &Run, id: WarpId, warp: &Value, context: &str) {
    let steps: u64 = list(&warp["lines"]).iter().map(|line| number(&line["count"])).sum();
    let finished = run.result.status == Status::Finished;
    let lines: Vec<&Value> = list(&warp["lines"]).iter().collect();
    for line in lines.iter().step_by(lines.len() / 5 + 1) {
        let place = MomentRequest::Line(number(&line["line"]) as u32, Some(1));
        let Ok(registers) = run.registers(id, place, &[]) else {
            assert!(!finished, "{context}: no registers at {line}");
            continue;
        };
        assert_eq!(registers["line"], line["line"], "{context}");
        assert_eq!(registers["visit"], json!(1), "{context}");
        let visits = list(&warp["lines"]).iter().filter(|other| other["line"] == line["line"]);
        assert!(visits.clone().any(|line| line["count"] == registers["visits"]), "{context}: {line}");
        let first = visits.clone().find(|line| line["count"] == registers["visits"]);
        let first = first.map(|line| &line["visits"][0]).filter(|visit| !visit.is_null());
        if let Some(first) = first
            && visits.count() == 1
        {
            assert_eq!(first["active"], registers["active"], "{context}: {line}");
            assert_eq!(first["executed"], registers["executed"], "{context}: {line}");
        }
        let by_step =
            run.registers(id, MomentRequest::Step(number(&registers["step"])), &[]).expect("the same step");
        assert_eq!(by_step, registers, "{context}");
        run.accesses(id, Some(place));
    }
    if let Some(last) = steps.checked_sub(1).filter(|_| finished && id == FIRST) {
        let final_values = warp["registers"].as_object().expect("registers");
        let names: Vec<&str> = final_values.keys().map(String::as_str).take(64).collect();
        let registers = run.registers(id, MomentRequest::Step(last), &names).expect("the last step");
        for row in list(&registers["rows"]).iter().filter(|row| row["role"] != json!("before")) {
            let name = row["name"].as_str().unwrap_or_default();
            if let Some(values) = final_values.get(name) {
                // The report has a value also for registers that no lane wrote, in languages in which these are 0.
                let pairs = list(&row["bits"]).iter().zip(list(values));
                for (found, value) in pairs.filter(|(found, _)| !found.is_null()) {
                    assert_eq!(found, value, "{context}: {name}");
                }
            }
        }
    }
}

fn check_worst(run: &Run, report: &Value, context: &str) {
    if report["warps_truncated"] == json!(true) {
        return;
    }
    let mut expected = BTreeMap::<(u64, u64, &str), [u64; 3]>::new();
    for line in list(&report["warps"]).iter().flat_map(|warp| list(&warp["lines"])) {
        for (space, cost) in [("global", "sectors"), ("shared", "wavefronts")] {
            let counters = &line[space];
            if counters.is_null() {
                continue;
            }
            let key = (number(&line["line"]), number(&line["character"]), space);
            let sums = expected.entry(key).or_default();
            for (sum, name) in sums.iter_mut().zip(["requests", cost, "ideal"]) {
                *sum += number(&counters[name]);
            }
        }
    }
    let accesses = run.accesses(FIRST, None);
    let mut worst = BTreeMap::new();
    for access in list(&accesses["worst"]) {
        let space = access["space"].as_str().unwrap_or_default();
        let sums = ["requests", "cost", "ideal"].map(|name| number(&access[name]));
        worst.insert((number(&access["line"]), number(&access["character"]), space), sums);
    }
    assert!(expected.len() > 200 || worst == expected, "{context}: {worst:?}, not {expected:?}");
}

fn check_buffers(run: &Run, report: &Value, context: &str) {
    let all = run.buffers(&BufferRequest::default());
    let names: Vec<&str> =
        list(&all["buffers"]).iter().filter_map(|buffer| buffer["name"].as_str()).collect();
    let dumped: BTreeSet<&str> =
        report["buffers"].as_object().expect("buffers").keys().map(String::as_str).collect();
    assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), dumped, "{context}");
    for buffer in list(&all["buffers"]) {
        let name = buffer["name"].as_str().unwrap_or_default();
        let expected = list(&report["buffers"][name]["values"]);
        assert_eq!(number(&buffer["length"]), expected.len() as u64, "{context}: {name}");
        let request = BufferRequest { name: Some(name.to_owned()), ..BufferRequest::default() };
        let page = &run.buffers(&request)["page"];
        let after = list(&page["after"]);
        assert_eq!(after, &expected[..after.len()], "{context}: {name}");
        assert!(after.len() == expected.len().min(1_024), "{context}: {name}");
    }
}

/// Files below a folder.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const PTX_MODELS: [&str; 4] = ["stack", "ipdom", "frontier", "its"];
const WAVE_MODELS: [&str; 2] = ["structured", "wave-emu"];
const SASS_MODELS: [&str; 2] = ["barriers", "tokens"];

fn check_file(path: &Path, language: Language, models: &[&str], launches: Option<&LaunchFiles>) -> usize {
    let text = std::fs::read_to_string(path).expect("a text");
    let mut host = AnalysisHost::new();
    host.open(FILE, language, &text);
    let offers = host.snapshot().launches(FILE, launches).expect("not cancelled");
    let mut names: Vec<String> = offers.into_iter().map(|offer| offer.name).collect();
    names.dedup();
    let mut checked = 0;
    for name in names.iter().take(1) {
        for model in models {
            let context = format!("{}, {name}, {model}", path.display());
            if let Some(run) = Run::new(&text, language, Choice::of_name(name), Some(model), launches) {
                check(&run, &context);
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn the_numbers_of_the_examples_are_those_of_the_report() {
    let examples = root().join("examples");
    let text = std::fs::read_to_string(examples.join("warplens.toml")).expect("a launch file");
    for (language, extension, models) in
        [(ptx::LANGUAGE, "ptx", &PTX_MODELS[..]), (wave::LANGUAGE, "wave", &WAVE_MODELS[..])]
    {
        let mut found = Vec::new();
        files(&examples, extension, &mut found);
        let mut checked = 0;
        for path in found {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let launches = LaunchFile {
                text: text.as_str().into(),
                format: Format::Toml,
                path: "warplens.toml".to_owned(),
                document: DocumentName::relative(name),
            };
            checked += check_file(&path, language, models, Some(&launches.into()));
        }
        assert!(checked >= models.len(), "{extension}: {checked} runs");
    }
}

#[test]
fn the_numbers_of_other_kernels_are_those_of_the_report() {
    warplens_test_support::corpora("").iter().for_each(|corpus| check_corpus(corpus));
}

fn check_corpus(corpus: &Path) {
    for (language, folder, extension, models) in [
        (ptx::LANGUAGE, "ptx-exec/kernels", "ptx", &PTX_MODELS[..]),
        (wave::LANGUAGE, "wave", "wave", &WAVE_MODELS[..]),
        (sass::LANGUAGE, "sass-exec/sass", "sass", &SASS_MODELS[..]),
    ] {
        let mut found = Vec::new();
        files(&corpus.join(folder), extension, &mut found);
        let step = (found.len() / 3).max(1);
        let checked: usize =
            found.iter().step_by(step).map(|path| check_file(path, language, models, None)).sum();
        eprintln!("{folder}: {checked} runs of {} files", found.len());
    }
}

/// Loads an element of a buffer with one NaN.
const LOADS: &str = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'nan', block = [4], args = [{ name = 'x', buffer = 'f32', values = ['nan', 1, 2, 3] }] }
.visible .entry k(.param .u64 x)
{
    .reg .f32 %f<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    ret;
}
";

#[test]
fn all_registers_with_a_value_are_listed_and_addresses_name_their_buffer() {
    let run = Run::new(LOADS, ptx::LANGUAGE, Choice::of_name("nan"), None, None).expect("it runs");
    let all = run.query(FIRST, |query| query.registers(MomentRequest::Line(13, None), &[], true));
    let all = json!(all.expect("registers"));
    let rows: Vec<String> = list(&all["rows"])
        .iter()
        .map(|row| format!("{} {} {}", row["name"], row["role"], row["form"]).replace('"', ""))
        .collect();
    let expected = [
        "%f1 after null",
        "%f1 before null",
        "%rd3 before = x+4*lane",
        "%rd1 other = x",
        "%r1 other = lane",
        "%rd2 other = 4*lane",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_chain_leads_from_a_register_or_an_element_to_its_origin() {
    let source = LOADS.replace(
        "    ret;\n",
        "    add.f32 %f1, %f1, 0f3F800000;\n    st.global.f32 [%rd3], %f1;\n    ret;\n",
    );
    let run = Run::new(&source, ptx::LANGUAGE, Choice::of_name("nan"), None, None).expect("it runs");
    let ask = |request: WhyRequest, moment: Option<MomentRequest>| {
        let answer = json!(run.query(FIRST, |query| query.why(&request, moment)).expect("a chain"));
        let text = |link: &Value| {
            let text = link["text"].as_str().expect("a text").to_owned();
            (
                text,
                number(&link["line"]),
                number(&link["step"]),
                link["value"].as_str().expect("digits").to_owned(),
            )
        };
        list(&answer["chain"]).iter().map(text).collect::<Vec<_>>()
    };
    let sum = ("add.f32 %f1, %f1, 0f3F800000;".to_owned(), 14, 5, "40000000".to_owned());
    let load = ("ld.global.f32 %f1, [%rd3];".to_owned(), 13, 4, "3f800000".to_owned());
    let element = WhyRequest { buffer: Some("x".to_owned()), element: 1, ..WhyRequest::default() };
    assert_eq!(ask(element, None), [sum.clone(), load.clone()]);
    let register =
        |after| WhyRequest { lane: 1, register: Some("%f1".to_owned()), after, ..WhyRequest::default() };
    assert_eq!(ask(register(true), Some(MomentRequest::Line(14, None))), [sum, load.clone()]);
    assert_eq!(ask(register(false), Some(MomentRequest::Step(5))), [load]);
    let unknown = WhyRequest { register: Some("%nope".to_owned()), ..WhyRequest::default() };
    assert!(run.query(FIRST, |query| query.why(&unknown, Some(MomentRequest::Step(0)))).is_err());
}

#[test]
fn elements_that_are_not_a_number_are_counted() {
    let run = Run::new(LOADS, ptx::LANGUAGE, Choice::of_name("nan"), None, None).expect("it runs");
    assert_eq!(run.buffers(&BufferRequest::default())["buffers"][0]["nan"], 1);
}

/// Every lane repeats three statements 5,000 times.
const POLLS: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    mov.u32 %r1, 0;
AGAIN:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 5000;
    @%p1 bra AGAIN;
    ret;
}
";

#[test]
fn equal_iterations_are_listed_once() {
    let run = Run::new(POLLS, ptx::LANGUAGE, Choice::of_name("inferred"), None, None).expect("it runs");
    let page = run.timeline(FIRST, Page { bins: Some(500), fold: true, ..ALL });
    let repeats = list(&page["repeats"]);
    assert_eq!(repeats.len(), 1, "{page}");
    let [step, length, count] = ["step", "length", "count"].map(|key| number(&repeats[0][key]));
    assert_eq!(length, 3);
    assert!(count >= 4_998 && step <= 7, "{repeats:?}");
    let steps = |runs: &Value| -> u64 {
        let masks = list(runs).iter().flat_map(|run| list(&run["masks"]));
        masks.map(|mask| number(&mask[2])).sum()
    };
    assert_eq!(steps(&page["runs"]) + (count - 1) * length, number(&page["steps"]));
    let zoomed = run.timeline(FIRST, Page { from: 300, to: Some(400), bins: Some(500), fold: true });
    assert!(zoomed["repeats"].is_null() && steps(&zoomed["runs"]) == 100, "steps are wide: {zoomed}");
}
