//! Whole kernels with known results.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::case::Case;
use serde_json::Value;
use warplens_cases::{element_size, hex};
use warplens_sim_ptx::Model;
use warplens_sim_warp::FindingKind;
use warplens_test_support::corpora;

/// The expected findings of a case: its kernel, and the kinds of the findings.
const TRUE_FINDINGS: &[(&str, &[FindingKind])] = &[];

/// Runs a case; the error describes why it fails.
fn run_case(case: &Value, text: &str, model: Model) -> Result<(), String> {
    let outcome = Case::new(case).run(text, model)?;
    let path = Case::new(case).path();
    let known = TRUE_FINDINGS.iter().find(|(file, _)| *file == path).map_or(&[][..], |(_, kinds)| kinds);
    if let Some(finding) = outcome.findings().iter().find(|finding| !known.contains(&finding.kind)) {
        let at = finding.statement.map_or(0, |statement| statement.0);
        return Err(format!("a finding at statement {at}: {}: {}", finding.kind, finding.message));
    }
    for expect in case["expect"].as_array().expect("a list") {
        check(expect, outcome.parameter(expect["param"].as_u64().expect("a parameter") as usize))?;
    }
    Ok(())
}

fn check(expect: &Value, bytes: &[u8]) -> Result<(), String> {
    let ty = expect["type"].as_str().unwrap_or_default();
    let size = element_size(ty) as usize;
    let wanted = hex(expect["hex"].as_str().expect("bytes"));
    let offset = expect["offset_elements"].as_u64().unwrap_or(0) as usize * size;
    let got = &bytes[offset..(offset + wanted.len()).min(bytes.len())];
    let compare = expect["compare"].as_str().unwrap_or("bits");
    for (index, (wanted, got)) in wanted.chunks(size).zip(got.chunks(size)).enumerate() {
        let same = wanted == got
            || compare == "bits_or_both_nan" && is_nan(ty, wanted) && is_nan(ty, got)
            || compare == "value_equal" && number(ty, wanted) == number(ty, got);
        if !same {
            return Err(format!("element {index}: wanted {wanted:02x?}, got {got:02x?}"));
        }
    }
    if got.len() == wanted.len() { Ok(()) } else { Err("the buffer is too short".into()) }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn is_nan(ty: &str, bytes: &[u8]) -> bool {
    let part = |bytes: &[u8]| match ty.trim_end_matches("x2") {
        "f32" => f32::from_bits(bits(bytes) as u32).is_nan(),
        "f64" => f64::from_bits(bits(bytes)).is_nan(),
        "bf16" => bits(bytes) & 0x7fff > 0x7f80,
        "f16" => bits(bytes) & 0x7fff > 0x7c00,
        _ => false,
    };
    part(bytes)
}

fn number(ty: &str, bytes: &[u8]) -> Option<f64> {
    match ty {
        "f32" => Some(f32::from_bits(bits(bytes) as u32).into()),
        "f64" => Some(f64::from_bits(bits(bytes))),
        "f16" if bits(bytes) & 0x7fff == 0 => Some(0.0),
        _ => None,
    }
}

/// Number of passed cases and of all cases, by folder.
type Counts = BTreeMap<String, (usize, usize)>;

/// Cases that contradict the PTX ISA, whose text the simulator follows: `testp.normal` counts zeros as normal numbers.
const AGAINST_THE_TEXT: &[&str] = &["ops/testp_normal_f32.ptx"];

/// Cases that use syntax the PTX ISA does not have: a sum as the source of a store.
pub(crate) const BEYOND_THE_TEXT: &[&str] = &["public/zluda_reg_local.ptx"];

/// Runs the cases; returns the failures, and the counts by folder.
fn run_all(root: &Path, model: Model) -> (Vec<String>, Counts) {
    let cases = std::fs::read_to_string(root.join("cases.json")).expect("readable");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    let (mut failures, mut counts) = (Vec::new(), BTreeMap::new());
    for case in &cases {
        let path = case["ptx"].as_str().expect("a path");
        let text = std::fs::read_to_string(root.join(path)).expect("readable");
        let folder = path.split('/').next().unwrap_or_default().to_owned();
        let count: &mut (usize, usize) = counts.entry(folder).or_default();
        count.1 += 1;
        match run_case(case, &text, model) {
            Ok(()) => count.0 += 1,
            Err(error) => failures.push(format!("{path}: {error}")),
        }
    }
    (failures, counts)
}

#[test]
fn cases_produce_their_expected_bytes() {
    for (root, model) in corpora("ptx-exec").iter().flat_map(|root| Model::ALL.map(|model| (root, model))) {
        let (failures, counts) = run_all(root, model);
        for (folder, (passed, all)) in &counts {
            eprintln!("{} {folder}: {passed} of {all}", model.name());
        }
        for failure in &failures {
            eprintln!("{failure}");
        }
        let known = |failure: &&String| {
            let mut known = AGAINST_THE_TEXT.iter().chain(BEYOND_THE_TEXT);
            !known.any(|path| failure.starts_with(path))
        };
        let unknown: Vec<_> = failures.iter().filter(known).collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }
}
