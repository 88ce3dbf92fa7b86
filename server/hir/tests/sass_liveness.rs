//! The live registers at each instruction agree with those that the disassembler prints with `-plr` and
//! `-lrm`.

use std::path::PathBuf;
use std::sync::Arc;

use warplens_hir::sass::{Counts, FlowGraph, Function, Listing, Liveness, Pair, lower};
use warplens_isa::sass::Flow;
use warplens_syntax::{ItemList, parse_item};
use warplens_test_support::corpora;

fn files() -> Vec<PathBuf> {
    let entries = corpora("sass").into_iter().flat_map(|corpus| std::fs::read_dir(corpus).unwrap());
    let folders = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let mut files: Vec<PathBuf> = files
        .filter(|path| {
            let name = path.to_string_lossy();
            name.contains("-plr") || name.contains("-lrm-")
        })
        .collect();
    files.sort();
    files
}

fn listing(text: &str) -> Listing {
    let items = ItemList::new(warplens_syntax::sass::LANGUAGE, text);
    let lowered = items.iter().enumerate().map(|(index, item)| {
        let parse = parse_item(warplens_syntax::sass::LANGUAGE, &item.text);
        (Arc::new(lower(parse.root())), items.start_of(index))
    });
    Listing::new(lowered.collect())
}

/// The register files of the columns, from the header row that names them.
fn columns(text: &str) -> Vec<&str> {
    let names = ["GPR", "PRED", "UGPR", "UPRED"];
    let row = text.lines().filter_map(|line| line.split_once("// |")).map(|(_, row)| row);
    row.map(|row| row.split('|').map(str::trim).filter(|name| !name.is_empty()).collect::<Vec<_>>())
        .find(|row| !row.is_empty() && row.iter().all(|name| names.contains(name)))
        .unwrap_or_default()
}

/// The counts that a line prints.
fn printed(line: &str, columns: &[&str]) -> Option<Counts> {
    let (_, row) = line.rsplit_once("// |")?;
    let mut counts = Counts::default();
    for (name, column) in columns.iter().zip(row.split('|')) {
        let count = column.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_default();
        match *name {
            "GPR" => counts.general = count,
            "PRED" => counts.predicates = count,
            "UGPR" => counts.uniform = count,
            _ => counts.uniform_predicates = count,
        }
    }
    Some(counts)
}

fn calls(function: &Function) -> bool {
    let flow = |it| warplens_hir::sass::flow(it);
    function.instructions.iter().any(|it| matches!(flow(it), Flow::Call | Flow::Return))
}

#[test]
fn registers_alive_as_printed() {
    let (mut checked, mut agreed, mut with_all) = (0, 0, 0);
    let mut differing = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let columns = columns(&text);
        assert!(!columns.is_empty(), "{}", path.display());
        let listing = listing(&text);
        for listed in listing.functions() {
            let function = listing.function(listed);
            if calls(function) {
                continue;
            }
            let flow = FlowGraph::new(function);
            let liveness = Liveness::new(function, &flow);
            for (index, instruction) in function.instructions.iter().enumerate() {
                let start = usize::from(instruction.range.start() + listing.start(listed));
                let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
                let Some(printed) = printed(&text[start..end], &columns) else { continue };
                if instruction.pair != Pair::None {
                    continue;
                }
                let found = liveness.occupied(index);
                checked += 1;
                agreed += usize::from(found.general == printed.general);
                with_all += usize::from(found == printed);
                if found != printed {
                    let name = path.file_name().unwrap().to_string_lossy().into_owned();
                    differing.push(format!(
                        "{name}: {} {found:?} printed {printed:?}",
                        &text[start..end.min(start + 90)]
                    ));
                }
            }
        }
    }
    if std::env::var_os("SASS_LIVENESS").is_some() {
        differing.iter().for_each(|line| eprintln!("{line}"));
    }
    eprintln!("{agreed} of {checked} agree in general registers, {with_all} in all files");
    assert!(agreed * 100 >= checked * 97, "{agreed} of {checked}");
}
