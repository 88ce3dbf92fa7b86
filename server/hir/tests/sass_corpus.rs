//! Every listing of the corpus is read completely: instructions, labels, targets, control information, facts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warplens_hir::sass::{Destination, Generation, Immediate, Listing, Value, lower};
use warplens_syntax::{ItemList, TextSize, parse_item};
use warplens_test_support::corpora;

fn listing(text: &str) -> Listing {
    let items = ItemList::new(warplens_syntax::sass::LANGUAGE, text);
    assert_eq!(items.text(), text);
    let lowered = items.iter().enumerate().map(|(index, item)| {
        let parse = parse_item(warplens_syntax::sass::LANGUAGE, &item.text);
        assert_eq!(parse.errors(), []);
        (Arc::new(lower(parse.root())), items.start_of(index))
    });
    Listing::new(lowered.collect())
}

/// The listings of the tools, and the listings that the executable cases run.
fn listings() -> Vec<(PathBuf, String)> {
    corpora("").iter().flat_map(|corpus| listings_of(corpus)).collect()
}

fn listings_of(corpus: &Path) -> Vec<(PathBuf, String)> {
    let folders = std::fs::read_dir(corpus.join("sass")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("sm_"));
    let folders = folders.chain([corpus.join("sass-exec/sass"), corpus.join("sass-exec/hand")]);
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sass"))
        .collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The number of lines with an address comment before a word, which is how the reference counts instructions.
fn instruction_lines(text: &str) -> usize {
    let is_instruction = |line: &&str| {
        let Some(rest) = line.trim_start().strip_prefix("/*") else { return false };
        let Some((digits, rest)) = rest.split_once("*/") else { return false };
        digits.len() >= 4
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !rest.trim_start().starts_with(['.', '/'])
            && !rest.trim().is_empty()
    };
    text.lines().filter(is_instruction).count()
}

#[test]
fn every_instruction_and_operand_is_read() {
    let (mut instructions, mut operands) = (0, 0);
    let mut unknown = BTreeMap::new();
    for (path, text) in listings() {
        let listing = listing(&text);
        let mut count = 0;
        for listed in listing.functions() {
            let function = listing.function(listed);
            count += function.instructions.len();
            assert!(listed.target.is_some(), "{}", path.display());
            assert!(function.name.is_some(), "{}", path.display());
            assert_eq!(function.descends, None, "{}", path.display());
            for instruction in &function.instructions {
                assert_eq!(function.misstated_operand(instruction), None, "{}", path.display());
            }
            let start = listing.start(listed);
            for operand in &function.operands {
                operands += 1;
                if operand.value == Value::Unknown {
                    *unknown.entry(text[operand.range + start].to_owned()).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(count, instruction_lines(&text), "{}", path.display());
        instructions += count;
    }
    assert_eq!(unknown, BTreeMap::new());
    eprintln!("{instructions} instructions, {operands} operands");
}

#[test]
fn every_target_is_resolved() {
    let mut kinds = BTreeMap::new();
    for (path, text) in listings() {
        let listing = listing(&text);
        for listed in listing.functions() {
            let function = listing.function(listed);
            for instruction in &function.instructions {
                let shown =
                    || format!("{}: {}", path.display(), &text[instruction.range + listing.start(listed)]);
                match instruction.destination {
                    Destination::Missing | Destination::End => panic!("{}", shown()),
                    Destination::Symbol => {
                        let operand = function.operands(instruction).last().unwrap();
                        let Value::Symbol(symbol) = &operand.value else { panic!("{}", shown()) };
                        assert!(!symbol.name.starts_with(".L"), "{}", shown());
                    }
                    _ => {}
                }
                for noted in function.noted_targets(instruction) {
                    assert!(function.label(&noted.text).is_some(), "{}", shown());
                }
                *kinds
                    .entry(format!("{:?}", instruction.destination).split('(').next().unwrap().to_owned())
                    .or_insert(0) += 1;
            }
        }
    }
    eprintln!("{kinds:?}");
}

/// The target of a `BSSY` follows the `BSYNC` of the same barrier, the target of an `SSY` a `SYNC`, and the
/// target of a `PBK` a `BRK`.
#[test]
fn targets_of_regions_follow_their_ends() {
    let mut counts = BTreeMap::new();
    for (path, text) in listings() {
        if path.to_string_lossy().contains("/hand/") {
            continue;
        }
        let listing = listing(&text);
        for listed in listing.functions() {
            let function = listing.function(listed);
            for instruction in &function.instructions {
                let end = match instruction.opcode.as_str() {
                    "BSSY" => "BSYNC",
                    "SSY" => "SYNC",
                    "PBK" => "BRK",
                    _ => continue,
                };
                let Destination::Instruction(target) = instruction.destination else {
                    panic!("{}: {:?}", path.display(), instruction.destination)
                };
                let before = &function.instructions[target as usize - 1];
                assert_eq!(before.opcode, end, "{}", path.display());
                if end == "BSYNC" {
                    let barrier =
                        |it| function.operands(it).iter().find_map(warplens_hir::sass::Operand::register);
                    assert_eq!(barrier(instruction), barrier(before));
                }
                *counts.entry(instruction.opcode.to_string()).or_insert(0) += 1;
            }
        }
    }
    eprintln!("{counts:?}");
}

/// The control information has as many reuse bits as the text has `.reuse`.
#[test]
fn control_information_agrees_with_the_text() {
    let (mut checked, mut with_reuse) = (0, 0);
    for (path, text) in listings() {
        let listing = listing(&text);
        for listed in listing.functions() {
            let function = listing.function(listed);
            let encoded = function.instructions.iter().filter(|it| it.encoding.is_some()).count();
            assert!(encoded == 0 || encoded == function.instructions.len(), "{}", path.display());
            for instruction in &function.instructions {
                let Some(encoding) = instruction.encoding else { continue };
                let shown =
                    || format!("{}: {}", path.display(), &text[instruction.range + listing.start(listed)]);
                if listed.generation >= Generation::Maxwell {
                    assert!(instruction.control.is_some(), "{}", shown());
                    assert_eq!(
                        encoding.high.is_some(),
                        listed.generation >= Generation::Volta,
                        "{}",
                        shown()
                    );
                }
                let reuse = function.operands(instruction).iter().filter(|operand| operand.reuse).count();
                if reuse > 0 {
                    let bits = instruction.control.unwrap().reuse().count_ones() as usize;
                    assert_eq!(bits, reuse, "{}", shown());
                    with_reuse += 1;
                }
                checked += 1;
            }
        }
    }
    eprintln!("{checked} instructions with an encoding, {with_reuse} with .reuse");
}

/// The numbers of functions, instructions and labels, and the targets, of each fragment agree with the list.
#[test]
fn fragments() {
    corpora("sass/fragments").iter().for_each(|folder| check_fragments(folder));
}

fn check_fragments(folder: &Path) {
    let expected = std::fs::read_to_string(folder.join("EXPECTED.tsv")).unwrap();
    for line in expected.lines().skip(1) {
        let [file, functions, instructions, labels, target, ..] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let listing = listing(&std::fs::read_to_string(folder.join(file)).unwrap());
        let all = || listing.functions().iter().map(|listed| listing.function(listed));
        let targets: Vec<String> = (listing.functions().iter())
            .map(|listed| listed.target.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string))
            .collect();
        let found = [
            all().count(),
            all().map(|function| function.instructions.len()).sum::<usize>(),
            all().map(|function| function.labels.len()).sum::<usize>(),
        ];
        assert_eq!(found.map(|count| count.to_string()), [functions, instructions, labels], "{file}");
        assert_eq!(targets.join(", "), target, "{file}");
    }
}

/// The parameters in nvinfo agree with the cases, and are where the code reads them.
#[test]
fn facts_of_kernels() {
    corpora("sass-exec").iter().for_each(|folder| check_facts(folder));
}

fn check_facts(folder: &Path) {
    let cases = std::fs::read_to_string(folder.join("cases.json")).unwrap();
    let cases: serde_json::Value = serde_json::from_str(&cases).unwrap();
    let cases = cases.as_array().or_else(|| cases["cases"].as_array()).unwrap();
    let mut with_parameters = 0;
    for case in cases {
        let path = folder.join(case["sass"].as_str().unwrap());
        let listing = listing(&std::fs::read_to_string(&path).unwrap());
        let listed = listing.named(case["kernel"].as_str().unwrap()).unwrap();
        assert_eq!(listed.target.as_ref().unwrap().to_string(), case["arch"].as_str().unwrap());
        assert!(listed.is_kernel);
        if listed.facts.parameters.is_empty() {
            continue;
        }
        with_parameters += 1;
        let parameters = case["params"].as_array().unwrap();
        assert_eq!(listed.facts.parameters.len(), parameters.len(), "{}", path.display());
        let base = match listed.generation {
            Generation::Maxwell => 0x140,
            Generation::Hopper => 0x210,
            Generation::Blackwell => 0x380,
            _ => 0x160,
        };
        assert_eq!(listed.facts.parameter_base, Some(base));
        for (parameter, case) in listed.facts.parameters.iter().zip(parameters) {
            if case["kind"] == "buffer" {
                assert_eq!(parameter.size, 8);
            }
        }
    }
    assert!(with_parameters > 0, "no case states its parameters");
}

/// A listing that is quoted, cut, stripped or mixed with prose keeps its instructions.
#[test]
fn pastes_keep_their_instructions() {
    let count = |text: &str| {
        let listing = listing(text);
        listing.functions().iter().map(|listed| listing.function(listed).instructions.len()).sum::<usize>()
    };
    let by_line = |text: &str, line: &dyn Fn(usize, &str) -> String| {
        text.lines().enumerate().map(|(index, text)| line(index, text) + "\n").collect::<String>()
    };
    let mut kept: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (path, text) in listings().into_iter().step_by(5) {
        let all = count(&text);
        let half = text[..text.floor_char_boundary(text.len() / 2)].to_owned();
        let without_addresses = by_line(&text, &|_, line| match line.find("*/") {
            Some(end) if line.trim_start().starts_with("/*0") => line[end + 2..].to_owned(),
            _ => line.to_owned(),
        });
        let pastes = [
            ("quoted", by_line(&text, &|_, line| format!("> {line}")), all),
            ("numbered", by_line(&text, &|index, line| format!("{:4} | {line}", index + 1)), all),
            ("CRLF", text.replace('\n', "\r\n"), all),
            ("tabs to spaces", text.replace('\t', "        "), all),
            (
                "prose",
                by_line(&text, &|index, line| {
                    if index % 7 == 3 {
                        format!("{line}\nThe line above, as the tool prints it, is of interest.")
                    } else {
                        line.to_owned()
                    }
                }),
                all,
            ),
            ("no semicolons", by_line(&text, &|_, line| line.replace(" ;", "").replace(';', "")), all),
            ("cut", half.clone(), instruction_lines(&half)),
            ("no addresses", without_addresses, all),
        ];
        for (name, paste, expected) in pastes {
            let found = count(&paste);
            let (kept, of) = kept.entry(name).or_default();
            (*kept, *of) = (*kept + found.min(expected), *of + expected);
            assert!(
                found.abs_diff(expected) * 20 <= expected.max(20),
                "{} {name}: {found} of {expected}",
                path.display()
            );
        }
    }
    eprintln!("{kept:?}");
    for (name, (kept, of)) in kept {
        assert!(kept * 100 >= of * 99, "{name}: {kept} of {of}");
    }
}

#[test]
fn numbers_of_an_operand() {
    let text = "/*0000*/ IADD R0, R1, -0x1 ;\n/*0008*/ FADD R0, R1, -1.5 ;\n/*0010*/ FADD R0, R1, -INF ;\n";
    let listing = listing(text);
    let function = listing.function(&listing.functions()[0]);
    let value = |index: usize| function.operands(&function.instructions[index])[2].value.clone();
    assert_eq!(value(0), Value::Immediate(Immediate::Integer(-1)));
    assert_eq!(value(1), Value::Immediate(Immediate::Float(-1.5)));
    assert_eq!(value(2), Value::Immediate(Immediate::Float(f64::NEG_INFINITY)));
    assert_eq!(listing.start(&listing.functions()[0]), TextSize::new(0));
}
