//! How instructions are known: `server/isa/data/ptx/evidence.toml`, which documentation shows.
//!
//! An instruction is run on a GPU if it is in a kernel that was recorded, and known by machine code if the assembler computes it
//! from constants, or if it is in a kernel whose machine code leaves the memory that a case expects. Other tests compare the
//! simulator with these recordings, constants and cases.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use expect_test::expect_file;
use serde_json::Value;
use warplens_cases::recording::{Recording, files};
use warplens_hir::ptx::{Checker, FormMatch, MnemonicForms};
use warplens_test_support::shared;

use crate::common::case::Case;
use crate::common::{Source, kernel};
use crate::exec::BEYOND_THE_TEXT;
use crate::gpu::{APPROXIMATE, CASES};

/// Ids of instructions.
type Ids = BTreeSet<&'static str>;

/// The forms of each mnemonic that was seen.
#[derive(Default)]
struct Forms(HashMap<String, Box<[FormMatch]>>);

impl Forms {
    /// Adds the instructions of a text.
    fn add_instructions(&mut self, text: &str, ids: &mut Ids) {
        let source = Source::new(text);
        for function in source.functions() {
            let checker = Checker { function, externals: &[], address_size: None };
            for instruction in function.instructions() {
                let mnemonic = instruction.mnemonic();
                let forms = self.0.entry(mnemonic.to_string()).or_insert_with(|| match mnemonic.forms() {
                    MnemonicForms::Known(forms) => forms,
                    _ => Box::default(),
                });
                let form = forms.iter().find(|form| checker.fits(form, instruction.operands()));
                ids.extend(form.map(|form| form.entry.id));
                // The guard and `call` have entries without forms.
                ids.extend(instruction.guard().map(|_| "@"));
                ids.extend((instruction.opcode() == "call").then_some("call"));
            }
        }
    }

    /// Adds the instructions of the cases in a folder whose description satisfies `is_wanted`.
    fn add_cases(&mut self, folder: &Path, is_wanted: &dyn Fn(&Case<'_>) -> bool, ids: &mut Ids) {
        let cases = fs::read_to_string(folder.join("cases.json")).expect("readable");
        let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
        let cases = cases.iter().filter(|case| case["ptx"].is_string()).map(Case::new);
        let wanted = cases.filter(|case| !BEYOND_THE_TEXT.contains(&case.path()) && is_wanted(case));
        let paths: BTreeSet<_> = wanted.map(|case| case.path().to_owned()).collect();
        for path in paths {
            self.add_instructions(&fs::read_to_string(folder.join(path)).expect("readable"), ids);
        }
    }

    fn add_constants(&mut self, path: &Path, ids: &mut Ids) {
        let data: Value = serde_json::from_str(&fs::read_to_string(path).expect("readable")).expect("JSON");
        for vector in data["vectors"].as_array().expect("a list") {
            self.add_instructions(&kernel(vector["ptx"].as_str().expect("statements")), ids);
        }
    }
}

#[test]
fn evidence_is_up_to_date() {
    let folders: Vec<_> = CASES.iter().filter_map(|folder| shared(folder)).collect();
    let Some(constants) = shared("reference/ptx-semantics-vectors.json") else { return };
    let [_, listings] = &folders[..] else { return };
    let (mut forms, mut gpu, mut assembler) = (Forms::default(), Ids::new(), Ids::new());
    for recording in Recording::all() {
        for probe in files("tests/gpu/probes", "ptx") {
            forms.add_instructions(&fs::read_to_string(&probe).expect("readable"), &mut gpu);
        }
        let is_recorded = |case: &Case<'_>| {
            recording.buffers(case.recorded_name()).is_some() && !APPROXIMATE.contains(&case.recorded_name())
        };
        folders.iter().for_each(|folder| forms.add_cases(folder, &is_recorded, &mut gpu));
    }
    forms.add_constants(&constants, &mut assembler);
    forms.add_cases(listings, &|_| true, &mut assembler);
    let assembler = &assembler - &gpu;
    let list = |ids: &Ids| ids.iter().map(|id| format!("    {id:?},\n")).collect::<String>();
    let text =
        format!("{HEADER}gpu = [\n{}]\n\n{ASSEMBLER}assembler = [\n{}]\n", list(&gpu), list(&assembler));
    expect_file!["../../../../isa/data/ptx/evidence.toml"].assert_eq(&text);
}

const HEADER: &str = "\
# How instructions are known; one that is in no list is known by the text of the ISA. A test of the simulator, evidence.rs,
# writes this file.

# In kernels that a GPU ran and that leave the same memory in the simulator.
";
const ASSEMBLER: &str = "\
# Computed by the assembler from constants, or in kernels whose machine code leaves the expected memory.
";
