//! The listings of the corpus in the editor: nothing is reported, every target has a definition, every region has a matching
//! instruction, and every opcode and modifier is explained.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use text_size::{TextRange, TextSize};
use warplens_hir::sass::{Destination, Function, Value, flow, lower, token};
use warplens_ide::{Analysis, AnalysisHost, FileId};
use warplens_isa::sass::{Flow, opcode};
use warplens_syntax::{ItemList, parse_item, sass};

const FILE: FileId = FileId(0);

fn files() -> Vec<PathBuf> {
    warplens_test_support::corpora("").iter().flat_map(|corpus| files_of(corpus)).collect()
}

fn files_of(corpus: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(corpus.join("sass")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders
        .filter(|path| path.is_dir())
        .chain([corpus.join("sass-exec/sass"), corpus.join("sass-exec/hand")]);
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "sass")).collect();
    files.sort();
    files
}

fn open(text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, sass::LANGUAGE, text);
    host.snapshot()
}

/// The functions of a file, each with the offset of its item.
fn functions(text: &str) -> Vec<(Function, TextSize)> {
    let items = ItemList::new(sass::LANGUAGE, text);
    let all = items.iter().enumerate().flat_map(|(index, item)| {
        let code = lower(parse_item(sass::LANGUAGE, &item.text).root());
        code.functions.into_iter().map(move |function| (function, index)).collect::<Vec<_>>()
    });
    all.map(|(function, index)| (function, items.start_of(index))).collect()
}

#[test]
fn nothing_is_reported_on_what_a_tool_printed() {
    let mut found = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for problem in open(&text).diagnostics(FILE).unwrap() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.push(format!("{name}: {:?} {} {}", problem.severity, problem.code, problem.message));
        }
    }
    // Some files are written by hand, with all condition codes and `.LMT`, so hints are allowed.
    found.retain(|line| !line.contains(": Hint "));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn targets_have_definitions_and_regions_pairs() {
    let (mut targets, mut pairs) = (0, 0);
    // A request reads the whole function, so a quarter of the files is enough.
    for path in files().into_iter().step_by(4) {
        let text = std::fs::read_to_string(&path).unwrap();
        let analysis = open(&text);
        for (function, start) in functions(&text) {
            for instruction in &function.instructions {
                if let Destination::Instruction(target) = instruction.destination {
                    let operand = function.operands(instruction).last().unwrap();
                    let place = match &operand.value {
                        Value::Symbol(symbol) => symbol.range,
                        _ => operand.range,
                    };
                    let found = analysis.definition(FILE, place.start() + start).unwrap();
                    let target = &function.instructions[target as usize];
                    let leads = found.iter().any(|found| {
                        let at: TextRange = found.focus - start;
                        at == target.address_range.unwrap_or(target.opcode_range)
                            || function.labels.iter().any(|label| {
                                label.range == at
                                    && function.instructions[label.before as usize].address == target.address
                            })
                    });
                    assert!(leads, "{}: {}", path.display(), &text[instruction.range + start]);
                    targets += 1;
                }
                let closes = matches!(flow(instruction), Flow::BarrierSync | Flow::BarrierBreak)
                    || token(instruction).is_some_and(|kind| ["SYNC", "BRK", "CONT"].contains(&kind))
                        && flow(instruction) == Flow::Pop;
                if closes {
                    let found = analysis.definition(FILE, instruction.opcode_range.start() + start).unwrap();
                    let opener = found.first().map(|found| &text[found.focus]);
                    let expected: &[&str] = match instruction.opcode.as_str() {
                        "SYNC" => &["SSY"],
                        "BRK" => &["PBK"],
                        "CONT" => &["PCNT"],
                        _ => &["BSSY"],
                    };
                    assert!(
                        opener.is_some_and(|opener| expected.contains(&opener)),
                        "{}: {} {opener:?}",
                        path.display(),
                        &text[instruction.range + start]
                    );
                    pairs += 1;
                }
            }
        }
    }
    eprintln!("{targets} targets, {pairs} pairs");
}

#[test]
fn opcodes_and_modifiers_are_explained() {
    let mut unknown = BTreeSet::new();
    let mut known = BTreeSet::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (function, _) in functions(&text) {
            for instruction in &function.instructions {
                let Some(entry) = opcode(&instruction.opcode) else {
                    unknown.insert(instruction.opcode.to_string());
                    continue;
                };
                for word in function.modifiers(instruction) {
                    let name = format!("{}.{}", instruction.opcode, word.text);
                    if entry.modifier(&word.text).is_none() && !word.text.starts_with('?') {
                        unknown.insert(name);
                    } else {
                        known.insert(name);
                    }
                }
            }
        }
    }
    eprintln!("{} pairs of opcode and modifier are explained", known.len());
    assert_eq!(unknown, BTreeSet::new());
}
