//! Runs the commands `check`, `fmt`, `explain` and `sim` on mutated files.

use fastrand::Rng;
use warplens_ide::lanes::{Choice, RunSettings};
use warplens_ide::{Analysis, Language, languages};
use warplens_sim_launch::Launch;
use warplens_sim_warp::Control;

use super::budget;
use super::mutation::mutated;
use super::runs::{FILE, open, prepared, request};
use super::texts::{self, Text};

/// Changes per file.
const CHANGES: usize = 12;

pub(crate) fn language(of: &Text) -> Language {
    languages().find(|language| language.id == of.language).expect("a language of the program")
}

fn commands(language: Language, text: &str, rng: &mut Rng) {
    let analysis = open(language, text);
    analysis.diagnostics(FILE).expect("not cancelled");
    analysis.symbols(FILE).expect("not cancelled");
    format(&analysis, language, text);
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || ",;".contains(c)).collect();
    warplens_ide::explain(words[rng.usize(..words.len())], Some(language));
    simulate(&analysis, rng);
}

/// Formatting only changes white space, and is idempotent.
fn format(analysis: &Analysis, language: Language, text: &str) {
    let once = formatted(analysis, text);
    let significant = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(significant(text), significant(&once), "fmt keeps every token of {text:?}");
    let twice = formatted(&open(language, &once), &once);
    assert_eq!(twice, once, "fmt of {text:?}");
}

fn formatted(analysis: &Analysis, text: &str) -> String {
    let edits = analysis.format(FILE).expect("not cancelled").edits;
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    text
}

fn simulate(analysis: &Analysis, rng: &mut Rng) {
    let settings = RunSettings { max_steps: 2_000, counters: rng.bool(), ..RunSettings::default() };
    for offer in analysis.launches(FILE, None).expect("not cancelled").into_iter().take(4) {
        let launch =
            Launch { entry: offer.entry.clone(), block: Some([rng.u32(1..=70), 1, 1]), ..Launch::default() };
        let request = request(offer.entry, Choice::Given(Box::new(launch)), settings);
        if let Some(prepared) = prepared(analysis, &request, None) {
            prepared.run_adjusted(Control::none()).expect("not cancelled");
        }
    }
}

#[test]
fn mutated_files() {
    budget::run("files", 60, |case| {
        let of = texts::any(&mut case.rng);
        let text = mutated(&of.text, CHANGES, &mut case.rng);
        case.input(&text);
        commands(language(of), &text, &mut case.rng);
        1
    });
}
