//! Listings with known verdicts, from the corpora beside the repository if they exist.

use std::path::Path;

use serde_json::{Value, json};
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_sim_launch::launch_object;
use warplens_test_support::corpora;

use super::*;
use warplens_lsp::launch_file;

fn cases(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

/// The launch of a case. Its parameters are called `p0`, `p1` and so on.
fn launch(case: &Value) -> warplens_sim_launch::Launch {
    let args: Vec<Value> =
        case["params"].as_array().expect("parameters").iter().enumerate().map(argument).collect();
    let mut launch = json!({
        "name": case["id"], "entry": case["kernel"], "grid": case["grid"], "block": case["block"], "args": args,
    });
    let shared = case["dynamic_shared_bytes"].as_u64().unwrap_or(0);
    if shared > 0 {
        launch["dynamic_shared"] = shared.into();
    }
    launch_object(&launch.to_string()).expect("a launch")
}

fn argument((index, parameter): (usize, &Value)) -> Value {
    let name = format!("p{index}");
    let ty = parameter["type"].as_str().expect("a type");
    match (parameter["kind"].as_str(), parameter["init_hex"].as_str()) {
        (Some("buffer"), Some(bytes)) => {
            let size = ty[1..].parse::<usize>().expect("bits") / 8 * 2;
            let len = parameter["count"].as_u64().expect("a count") as usize * size;
            json!({ "name": name, "buffer": ty, "bytes": format!("{bytes:0<len$}") })
        }
        (Some("buffer"), None) => {
            json!({ "name": name, "buffer": ty, "len": parameter["count"], "fill": "zero" })
        }
        _ => json!({ "name": name, "bytes": parameter["hex"] }),
    }
}

fn compare_case(folder: &Path, case: &Value) -> anyhow::Result<Compared> {
    let read =
        |key: &str| read_source(&Input::named(&folder.join(case[key].as_str().expect("a file"))), None);
    let (ptx, sass) = (read("ptx")?, read("sass")?);
    let flags = Flags::try_parse_from(["compare", "a", "b"]).expect("flags").arguments;
    let request = |source: &Source, launch: Choice| {
        let request = request(&flags, source, None).expect("a request");
        RunRequest { launch, ..request }
    };
    let given = Choice::Given(Box::new(launch(case)));
    let sides = Sides {
        requests: [request(&ptx, given), request(&sass, Choice::First)],
        sources: [&ptx, &sass],
        launches: &launch_file::launches(None, Path::new("")),
        is_one_kernel: false,
        other_entry: None,
        control: Control::none(),
    };
    compare_sides(&sides, &flags)
}

/// The bytes of a value in hexadecimal, as in memory.
fn bytes(element: &warplens_sim_launch::Element) -> String {
    let warplens_sim_launch::Element(kind, bits) = element;
    bits.to_le_bytes()[..kind.bytes()].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_verdict(folder: &Path, case: &Value) -> Result<(), String> {
    let compared = compare_case(folder, case).map_err(|error| error.to_string())?;
    let finding = |run: &warplens_tools::comparison::compared::Run| {
        run.result.findings.first().map(|finding| finding.message.clone())
    };
    if case["verdict"] == "equal" {
        let first = compared.comparison.buffers.first().map(|first| (first.name.clone(), first.index));
        let errors = compared.runs.each_ref().map(finding);
        let equal = compared.comparison.is_equal();
        return if equal { Ok(()) } else { Err(format!("differs at {first:?}; {errors:?}")) };
    }
    let Some(first) = compared.comparison.buffers.first() else {
        return Err(format!("no difference; {:?}", compared.runs.each_ref().map(finding)));
    };
    let wanted = &case["first"];
    let found = (format!("p{}", wanted["param"]), wanted["element"].as_u64().unwrap_or(u64::MAX) as usize);
    if found != (first.name.to_string(), first.index) {
        return Err(format!("wanted {found:?}, got {}[{}]", first.name, first.index));
    }
    for (side, element) in ["ptx", "sass"].into_iter().zip(&first.elements) {
        if wanted[side].is_string() && wanted[side] != bytes(element) {
            return Err(format!("{side}: wanted {}, got {}", wanted[side], bytes(element)));
        }
    }
    match first.stores {
        [None, None] => Err("no side says what stored the element".to_owned()),
        _ => Ok(()),
    }
}

#[test]
fn listings_with_verdicts() {
    corpora("sass-compare").iter().for_each(|folder| check_verdicts(folder));
}

fn check_verdicts(folder: &Path) {
    let cases = cases(folder);
    let mut wrong = Vec::new();
    for case in &cases {
        if let Err(error) = check_verdict(folder, case) {
            wrong.push(format!("{}: {error}", case["id"]));
        }
    }
    eprintln!("{} of {} verdicts", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// PTX and the listings that were assembled from it end with the same buffers. A sample is compared; all in the profile `long`.
#[test]
fn assembled_listings_agree_with_their_ptx() {
    corpora("sass-exec").iter().for_each(|folder| check_agreement(folder));
}

fn check_agreement(folder: &Path) {
    let filter = std::env::var("SASS_CASE").unwrap_or_default();
    let cases = cases(folder);
    let is_it = |case: &&Value| case["ptx"].is_string() && case["id"].to_string().contains(&filter);
    let (mut count, mut wrong) = (0, Vec::new());
    let is_long = std::env::var("NEXTEST_PROFILE").as_deref() == Ok("long") || !filter.is_empty();
    for case in cases.iter().filter(is_it).step_by(if is_long { 1 } else { 11 }) {
        count += 1;
        let case = &{
            let mut case = case.clone();
            case["verdict"] = "equal".into();
            case
        };
        if let Err(error) = check_verdict(folder, case) {
            wrong.push(format!("{}: {error}", case["id"]));
        }
    }
    eprintln!("{} of {count} listings agree", count - wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The real faults of assemblers, without a launch.
#[test]
fn drawn_launches_find_real_faults() {
    corpora("sass-compare").iter().for_each(|folder| check_drawn_launches(folder));
}

fn check_drawn_launches(folder: &Path) {
    let is_real = |case: &&Value| {
        !case["id"].to_string().contains("__edit") && case["id"].to_string().contains("ptxas")
    };
    let mut wrong = Vec::new();
    for case in cases(folder).iter().filter(is_real) {
        let path = |key: &str| folder.join(case[key].as_str().expect("a file")).display().to_string();
        let (ptx, sass) = (path("ptx"), path("sass"));
        let flags = ["compare", &ptx, &sass, "--random", "100", "--seed", "1"];
        let flags = Flags::try_parse_from(flags).expect("flags").arguments;
        let mut found = "";
        let ended = compare(&flags, &mut |compared, _| {
            found = match compared.comparison.is_equal() {
                true if compared.scope.launches == 100 => "equal",
                true => "too few launches",
                false => "differ",
            };
        });
        match ended {
            Ok(()) if case["verdict"] == found => {}
            Ok(()) => wrong.push(format!("{}: {found}", case["id"])),
            Err(error) => wrong.push(format!("{}: {error}", case["id"])),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
