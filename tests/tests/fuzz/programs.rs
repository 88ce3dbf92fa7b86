//! Mutated programs under every model: running blocks on several threads gives the same result as running
//! them one after another.

use warplens_ide::lanes::json::{Options, Report};
use warplens_ide::lanes::{Choice, Prepared, RunRequest, RunSettings};
use warplens_sim_launch::Launch;
use warplens_sim_warp::{Control, Workers};

use super::budget::{self, Case};
use super::files::language;
use super::mutation::mutated;
use super::runs::{FILE, open, prepared, request};
use super::texts;

/// Threads that start work immediately.
struct Eager;

impl Workers for Eager {
    fn count(&self) -> usize {
        3
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        std::thread::scope(|scope| {
            (0..3).for_each(|_| {
                scope.spawn(work);
            });
        });
    }

    fn worth(&self) -> u64 {
        0
    }
}

const MODELS: [&[&str]; 3] =
    [&["stack", "ipdom", "frontier", "its"], &["structured", "wave-emu"], &["tokens", "barriers"]];

fn result(prepared: &Prepared, control: Control<'_>) -> String {
    let result = prepared.run(control).expect("not cancelled");
    let coverage = prepared.coverage(&result);
    let verdict = prepared.verdict(&result, &[], &coverage);
    let options = Options {
        model: prepared.model.name(),
        dump: &prepared.resolved.buffers,
        saved: None,
        warp: None,
        statements: &prepared.statements,
        failures: &[],
        verdict: &verdict,
        coverage: &coverage,
    };
    serde_json::to_string(&Report::new(&prepared.resolved, &result, &options, &|_| None)).expect("JSON")
}

fn on_threads(case: &mut Case) -> u64 {
    let at = case.rng.usize(..3);
    let texts = &texts::all()[at];
    let of = &texts[case.rng.usize(..texts.len())];
    let text = if case.rng.bool() { mutated(&of.text, 3, &mut case.rng) } else { of.text.clone() };
    case.input(&text);
    let analysis = open(language(of), &text);
    let settings = RunSettings { max_steps: 4_000, ..RunSettings::default() };
    let grid = Some([case.rng.u32(1..=5), 1, 1]);
    let mut runs = 0;
    for offer in analysis.launches(FILE, None).expect("not cancelled").into_iter().take(2) {
        for model in MODELS[at] {
            let launch =
                Launch { entry: offer.entry.clone(), grid, block: Some([40, 1, 1]), ..Launch::default() };
            let request = RunRequest {
                model: Some(warplens_ide::model(language(of), model).expect("a model of the language")),
                ..request(offer.entry.clone(), Choice::Given(Box::new(launch)), settings)
            };
            let Some(prepared) = prepared(&analysis, &request, None) else { continue };
            case.input(&text);
            let alone = result(&prepared, Control::none());
            let together = result(&prepared, Control { workers: Some(&Eager), ..Control::none() });
            assert_eq!(alone, together, "{model}: {text:?}");
            runs += 1;
        }
    }
    runs
}

#[test]
fn blocks_on_threads() {
    budget::run("programs", 6, on_threads);
}
