//! Real files that the assembler accepts have no unresolved names and no duplicate declarations.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use warplens_hir::ptx::{Function, FunctionKind, Header, ModuleNames, Resolution, Role};
use warplens_syntax::{ItemKind, ItemList, parse_item};
use warplens_test_support::{corpora, sample, shared_if_present};

/// The problems with the names of a file, one per line.
fn wrong(text: &str) -> String {
    let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
    let trees: Vec<_> =
        items.iter().map(|item| parse_item(warplens_syntax::ptx::LANGUAGE, &item.text)).collect();
    let headers: Vec<_> = trees.iter().map(|tree| Header::lower(tree.root())).collect();
    let module = ModuleNames::of_headers(&headers);
    let mut out = String::new();
    for clash in module.clashes() {
        let symbol = &module.symbols()[clash.symbol as usize];
        writeln!(out, "{:?} of {}", clash.kind, symbol.name).unwrap();
    }
    for (index, ((item, tree), header)) in items.iter().zip(&trees).zip(&headers).enumerate() {
        for used in header.uses.iter().filter(|used| !module.is_visible(&used.name, index as u32)) {
            writeln!(out, "unresolved {}", used.name).unwrap();
        }
        for problem in &header.problems {
            writeln!(out, "{:?} at {}", problem.kind, &item.text[problem.range]).unwrap();
        }
        if matches!(item.kind, ItemKind::Function | ItemKind::Kernel) {
            let outside =
                parse_item(warplens_syntax::ptx::LANGUAGE, warplens_syntax::ptx::outside(&item.text));
            assert_eq!(*header, Header::lower(outside.root()));
        }
        if let Some(function) = Function::lower(tree.root()) {
            check_function(&function, &item.text, &module, index as u32, &mut out);
        } else {
            assert_ne!(item.kind, ItemKind::Function, "{}", item.text);
        }
    }
    out
}

fn check_function(function: &Function, text: &str, module: &ModuleNames, item: u32, out: &mut String) {
    for problem in function.problems() {
        writeln!(out, "{:?} at {}", problem.kind, &text[problem.range]).unwrap();
    }
    let mut last = 0.into();
    for name in function.names() {
        assert!(name.range.start() >= last, "names are in text order");
        last = name.range.start();
        if let Resolution::External(external) = name.resolution
            && name.role != Role::Debug
            && !module.is_visible(external, item)
        {
            writeln!(out, "unresolved {external} in {:?}", function.name).unwrap();
        }
    }
    let cfg = function.cfg(&|name| module.is_noreturn(name));
    let joins = function.post_dominators(&cfg);
    let reachable = cfg.reachable();
    for id in cfg.ids().filter(|id| reachable[id.index()]) {
        assert!(
            cfg.successors(id).len() < 2
                || joins.immediate(id).is_some()
                || function.kind == FunctionKind::Func
        );
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

#[test]
fn files_that_the_assembler_takes_have_no_wrong_names() {
    let accepted: Vec<PathBuf> = corpora("").iter().flat_map(|corpus| accepted(corpus)).collect();
    let mut out = String::new();
    for path in &accepted {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let wrong = wrong(&String::from_utf8_lossy(&bytes));
        if !wrong.is_empty() {
            writeln!(out, "{}\n{wrong}", path.display()).unwrap();
        }
    }
    assert!(out.is_empty(), "of {} files:\n{out}", accepted.len());
}

/// The files of a corpus that the assembler accepts.
fn accepted(corpus: &Path) -> Vec<PathBuf> {
    let mut accepted = Vec::new();
    let table = |path: &str| std::fs::read_to_string(corpus.join(path)).unwrap_or_default();
    for line in table("ptx/PTXAS-VERDICTS.tsv").lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        if columns.contains(&"ok") && columns[0].ends_with(".ptx") {
            accepted.push(corpus.join("ptx").join(columns[0]));
        }
    }
    for line in table("ptx-invalid/EXPECTED.tsv").lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        if columns.contains(&"accept") {
            accepted.push(corpus.join("ptx-invalid").join(columns[0]));
        }
    }
    accepted
}

#[test]
fn no_file_makes_lowering_panic() {
    let mut found = Vec::new();
    corpora("").iter().for_each(|corpus| files(corpus, &mut found));
    for path in found {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        wrong(&String::from_utf8_lossy(&bytes));
    }
}

/// A kernel of the sample with its body a hundred times, each in a scope.
fn long_kernel() -> String {
    let text = std::fs::read_to_string(sample("ptx-exec/kernels/wide.ptx")).unwrap();
    let (head, body) = text.split_once("{\n").unwrap();
    format!("{head}{{\n{}}}\n", format!("{{\n{body}").repeat(100))
}

#[test]
fn tables_stay_small_beside_the_text() {
    let big =
        shared_if_present("corpus/ptx/big/big_0.7MB.ptx").map(|path| std::fs::read_to_string(path).unwrap());
    for text in std::iter::once(long_kernel()).chain(big) {
        let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
        let functions = items.iter().filter_map(|item| {
            Function::lower(parse_item(warplens_syntax::ptx::LANGUAGE, &item.text).root())
        });
        let bytes: usize = functions.map(|function| function.heap_bytes()).sum();
        assert!(bytes < 3 * text.len(), "{bytes} bytes for {} bytes of text", text.len());
    }
}
