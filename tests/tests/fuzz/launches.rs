//! Mutated launch files are read, checked and run, or refused with a message.

use std::path::Path;

use fastrand::Rng;
use warplens_ide::lanes::{Choice, DocumentName, LaunchFile, LaunchFiles, RunSettings};
use warplens_ide::languages;
use warplens_sim_launch::{Format, batch_line, launches};
use warplens_sim_warp::Control;

use super::budget;
use super::mutation::mutated;
use super::runs::{FILE, open, prepared, request};

const TOML: &str = include_str!("../../../examples/warplens.toml");

const JSON: &str = r#"{"launch": [{"name": "a", "file": "k.ptx", "grid": [2], "block": [32, 2], "dynamic_shared": 64, "model": "its",
"args": [{"u32": 100}, {"name": "a", "f32": "nan"}, {"name": "x", "buffer": "f32", "len": 100, "fill": "iota"},
{"name": "y", "buffer": "f32", "values": [1.5, -2, "0x7fc00000"]}], "expect": [{"name": "y", "values": [1.0], "tolerance": 1e-6}]},
{"name": "b", "file": "*.ptx", "args": [{"u32": 1}, {"alias": "x"}, {"bytes": "00ff"},
{"fields": [{"at": 0, "buffer": "f32", "len": 8}, {"at": 8, "u32": 100}]}]}]}"#;

/// Numbers and words that determine sizes.
const VALUES: [&str; 16] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e308",
    "nan",
    "\"inf\"",
    "[]",
    "{}",
    "\"\"",
    "true",
];

/// Replaces a number of the text, or mutates anything.
fn hostile(text: &str, rng: &mut Rng) -> String {
    let mut text = text.to_owned();
    for _ in 0..rng.usize(1..4) {
        let is_digit = |(at, c): (usize, char)| c.is_ascii_digit().then_some(at);
        let digits: Vec<usize> = text.char_indices().filter_map(is_digit).collect();
        if rng.bool() && !digits.is_empty() {
            let start = digits[rng.usize(..digits.len())];
            let length =
                text[start..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len() - start);
            text.replace_range(start..start + length, VALUES[rng.usize(..VALUES.len())]);
        } else {
            text = mutated(&text, 2, rng);
        }
    }
    text
}

fn read_and_run(text: &str, format: Format) {
    let ptx = languages().find(|language| language.id == "ptx").expect("PTX");
    let analysis = open(ptx, include_str!("../../../examples/saxpy.ptx"));
    let document = DocumentName::new(|name| Path::new(name).extension().is_some_and(|found| found == "ptx"));
    let found = LaunchFile { text: text.into(), format, path: "warplens".to_owned(), document };
    let found = LaunchFiles::from(found);
    let settings = RunSettings { max_steps: 2_000, ..RunSettings::default() };
    for offer in analysis.launches(FILE, Some(&found)).expect("not cancelled").into_iter().take(4) {
        let request = request(offer.entry, Choice::of_name(&offer.name), settings);
        if let Some(prepared) = prepared(&analysis, &request, Some(&found)) {
            prepared.run(Control::none()).expect("not cancelled");
        }
    }
}

#[test]
fn hostile_launch_files() {
    budget::run("launch files", 100, |case| {
        let (text, format) = if case.rng.bool() { (TOML, Format::Toml) } else { (JSON, Format::Json) };
        let text = hostile(text, &mut case.rng);
        case.input(&text);
        if let Ok(listed) = launches(&text, format) {
            listed.iter().for_each(|listed| assert!(!listed.launch.name.is_empty()));
        }
        let _ = batch_line(&text).launch;
        read_and_run(&text, format);
        1
    });
}
