//! The statements of the corpus in `../shared`, and of folders with public code.

#![allow(clippy::print_stdout, reason = "figures of the repositories are printed")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;
use warplens_host::{Host, Statement, by_extension};

fn host(path: &Path) -> Option<&'static Host> {
    by_extension(path.extension()?.to_str()?)
}

fn read(path: &Path) -> Option<(String, Vec<Statement>)> {
    let host = host(path)?;
    let text = String::from_utf8(std::fs::read(path).ok()?).ok()?;
    let found = host.statements(&text);
    Some((text, found))
}

fn entries(folder: &str) -> Vec<Value> {
    let Some(index) = warplens_test_support::shared(&format!("corpus/inline/{folder}/index.json")) else {
        return Vec::new();
    };
    serde_json::from_str(&std::fs::read_to_string(index).unwrap()).expect("an index")
}

fn file_of(folder: &str, file: &str) -> (String, Vec<Statement>) {
    let path = warplens_test_support::shared(&format!("corpus/inline/{folder}/{file}")).unwrap();
    read(&path).unwrap()
}

/// Line and UTF-16 column of an offset.
fn position(text: &str, offset: usize) -> (u64, u64) {
    let before = &text[..offset];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() as u64, before[line..].encode_utf16().count() as u64)
}

fn is_at(text: &str, range: &Range<usize>, expected: &Value) -> bool {
    let of = |at: &Value| (at["line"].as_u64().unwrap(), at["character"].as_u64().unwrap());
    position(text, range.start) == of(&expected["start"]) && position(text, range.end) == of(&expected["end"])
}

fn holds(list: &Value, number: usize) -> bool {
    list.as_array().unwrap().iter().any(|accepted| accepted.as_u64() == Some(number as u64))
}

#[test]
fn strings_are_mapped_to_their_characters() {
    let mut wrong = Vec::new();
    for entry in entries("strings") {
        let file = entry["file"].as_str().unwrap();
        let (text, found) = file_of("strings", file);
        if !holds(&entry["statements"], found.len()) {
            wrong.push(format!("{file}: {} statements", found.len()));
        }
        let holes = found.iter().map(|statement| statement.template.holes()).sum();
        if !holds(&entry["holes"], holes) {
            wrong.push(format!("{file}: {holes} holes"));
        }
        for statement in &found {
            if statement.dialect.name() != entry["dialect"] {
                wrong.push(format!("{file}: dialect {}", statement.dialect.name()));
            }
            if entry.get("volatile").is_some_and(|volatile| *volatile != statement.volatile) {
                wrong.push(format!("{file}: volatile is {}", statement.volatile));
            }
            if entry.get("template").is_some_and(|template| *template != statement.template.text.as_str()) {
                wrong.push(format!("{file}: template {:?}", statement.template.text));
            }
            if let Some(operands) = entry["operands"].as_array() {
                let plain = |text: &str| text.split_whitespace().collect::<String>();
                let expected: Vec<_> = operands
                    .iter()
                    .map(|operand| {
                        (
                            operand["constraint"].as_str().unwrap().to_owned(),
                            operand["expression"].as_str().map(plain),
                        )
                    })
                    .collect();
                let have: Vec<_> = statement
                    .operands
                    .iter()
                    .map(|operand| (operand.constraint.clone(), operand.expression.as_deref().map(plain)))
                    .collect();
                if expected != have {
                    wrong.push(format!("{file}: operands {have:?}"));
                }
            }
        }
        for probe in entry["probes"].as_array().unwrap() {
            let ranges = found.iter().flat_map(|statement| {
                let template = &statement.template;
                let texts = probe["text"].as_array().unwrap().iter().filter_map(Value::as_str);
                texts.flat_map(move |part| {
                    template
                        .text
                        .match_indices(part)
                        .filter_map(move |(at, _)| template.to_host(at..at + part.len()))
                })
            });
            let ranges: Vec<_> = ranges.collect();
            let accepted = [&probe["range"]].into_iter().chain(probe["or"].as_array().into_iter().flatten());
            let accepted: Vec<_> = accepted.filter(|range| range.is_object()).collect();
            if !ranges.iter().any(|range| accepted.iter().any(|expected| is_at(&text, range, expected))) {
                wrong.push(format!("{file}: {} is at {ranges:?}", probe["text"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_assemblies_and_strings_are_no_statements() {
    let mut wrong = Vec::new();
    for entry in entries("silent") {
        let file = entry["file"].as_str().unwrap();
        let (_, found) = file_of("silent", file);
        wrong.extend(found.iter().map(|statement| format!("{file}: {:?}", statement.template.text)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compares the number of statements in public repositories, in folders of `WARPLENS_INLINE_REPOSITORIES`, with those of another lexer.
#[test]
fn public_code_has_the_expected_statements() {
    let Ok(root) = std::env::var("WARPLENS_INLINE_REPOSITORIES") else { return };
    let list = warplens_test_support::shared("corpus/inline/real.json").expect("the list of repositories");
    let text = std::fs::read_to_string(list).unwrap();
    let (mut total, mut differing) = (0, 0);
    for repository in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
        let name = repository["repository"].as_str().unwrap();
        let folder = format!("{root}/{}", name.replace('/', "+"));
        let mut counts = BTreeMap::new();
        walk(Path::new(&folder), &mut counts, &folder);
        let expected = repository["files"].as_object().unwrap();
        let mut different = Vec::new();
        for file in expected.keys().chain(counts.keys().filter(|file| !expected.contains_key(*file))) {
            let there = Path::new(&folder).join(file).exists();
            let (want, have) = (
                expected.get(file).and_then(Value::as_u64).unwrap_or(0),
                counts.get(file).copied().unwrap_or(0),
            );
            total += want;
            if there && want != have {
                differing += want.abs_diff(have);
                different.push(format!(
                    "  {file}: {have}, not {want}, {} unsure",
                    repository["unsure"].get(file).unwrap_or(&Value::Null)
                ));
            }
        }
        println!(
            "{name}: {} of {}\n{}",
            counts.values().sum::<u64>(),
            repository["statements"],
            different.join("\n")
        );
    }
    println!("{differing} of {total} differ");
}

fn walk(folder: &Path, counts: &mut BTreeMap<String, u64>, root: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            walk(&path, counts, root);
        } else if let Some((_, found)) = read(&path).filter(|(_, found)| !found.is_empty()) {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            counts.insert(name, found.len() as u64);
        }
    }
}
