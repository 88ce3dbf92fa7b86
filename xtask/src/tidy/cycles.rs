//! Import cycles: no module may depend on itself through others.
//!
//! The modules of a crate are its files. A file depends on the file that defines what it names in `use` declarations
//! and in paths (`crate::…`, `super::…`, a child module's name); a re-export is followed to what it re-exports. Test modules do
//! not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::imports::{self, Module};
use crate::project::{files, relative};

/// Reports the cycles among the modules of each crate.
pub(super) fn check(root: &Path, problems: &mut Vec<String>) -> Result<()> {
    for manifest in files(vec![root.to_path_buf()], "toml")? {
        let source = manifest.parent().unwrap_or(root).join("src");
        if manifest.ends_with("Cargo.toml") && source.is_dir() {
            let modules = read(&source)?;
            for cycle in cycles(&modules) {
                let name = |module: &str| relative(root, &source.join(file_of(module)));
                let edges: Vec<String> = cycle
                    .iter()
                    .map(|(from, to, what)| format!("  {} -> {} ({what})", name(from), name(to)))
                    .collect();
                problems.push(format!("import cycle:\n{}", edges.join("\n")));
            }
        }
    }
    Ok(())
}

/// The modules of a crate by their paths (`""` for the root, `a::b`).
fn read(source: &Path) -> Result<BTreeMap<String, Module>> {
    let mut modules = BTreeMap::new();
    for file in files(vec![source.to_path_buf()], "rs")? {
        let name = relative(source, &file);
        let path = name.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
        let is_test =
            path.split("::").any(|part| part == "tests" || part == "testing" || part == "generated");
        if is_test || name == "main.rs" && source.join("lib.rs").exists() {
            continue;
        }
        let path = if path == "lib" || path == "main" { String::new() } else { path };
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {name}"))?;
        modules.insert(path, imports::read(&text));
    }
    Ok(modules)
}

fn file_of(module: &str) -> String {
    if module.is_empty() { "lib.rs".to_owned() } else { format!("{}.rs", module.replace("::", "/")) }
}

/// From, to, and a name that the first takes from the second.
type Edge = (String, String, String);

/// The edges inside each strongly connected component of more than one module.
fn cycles(modules: &BTreeMap<String, Module>) -> Vec<Vec<Edge>> {
    let mut edges = BTreeMap::<&str, BTreeMap<String, String>>::new();
    for (path, module) in modules {
        for used in &module.used {
            let Some(target) = resolve(modules, path, used, 0) else { continue };
            if target != *path {
                edges.entry(path).or_default().entry(target).or_insert_with(|| used.join("::"));
            }
        }
    }
    let reachable: BTreeMap<&str, BTreeSet<&str>> =
        modules.keys().map(|path| (path.as_str(), reachable_from(&edges, path))).collect();
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for (&path, reached) in &reachable {
        let members: Vec<&str> =
            reached.iter().copied().filter(|other| reachable[other].contains(path)).collect();
        if members.len() < 2 || !seen.insert(members.clone()) {
            continue;
        }
        let inside = members.iter().flat_map(|from| {
            let targets = edges.get(from).into_iter().flatten();
            targets
                .filter(|(to, _)| members.contains(&to.as_str()))
                .map(|(to, what)| ((*from).to_owned(), to.clone(), what.clone()))
        });
        cycles.push(inside.collect());
    }
    cycles
}

fn reachable_from<'a>(edges: &'a BTreeMap<&str, BTreeMap<String, String>>, start: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(path) = open.pop() {
        for target in edges.get(path).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(target.as_str()) {
                open.push(target);
            }
        }
    }
    reached
}

/// The module that defines what a path names, as seen from the module `from`.
fn resolve(modules: &BTreeMap<String, Module>, from: &str, path: &[String], depth: usize) -> Option<String> {
    // A glob import of a re-export of a glob: no such chain is this long.
    const MAX_DEPTH: usize = 16;
    if depth > MAX_DEPTH {
        return None;
    }
    let mut module = from.to_owned();
    let mut rest = path;
    while let Some((first, others)) = rest.split_first() {
        match first.as_str() {
            "crate" => module.clear(),
            "self" => {}
            "super" => {
                module = module.rsplit_once("::").map_or(String::new(), |(parent, _)| parent.to_owned())
            }
            name => {
                let child = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
                if modules.contains_key(&child) {
                    module = child;
                } else if rest.len() == path.len() && !modules[from].bound.contains_key(name) {
                    // Neither a child nor a name of this module: another crate.
                    return None;
                } else {
                    // An item of the module, or what the module itself has from elsewhere.
                    return match modules.get(&module)?.bound.get(name) {
                        Some(path) if module != from || rest.len() != path.len() || path != rest => {
                            resolve(modules, &module, path, depth + 1).or(Some(module))
                        }
                        _ => Some(module),
                    };
                }
            }
        }
        rest = others;
    }
    Some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<Vec<Edge>> {
        let modules = files.iter().map(|(path, text)| ((*path).to_owned(), imports::read(text)));
        cycles(&modules.collect())
    }

    #[test]
    fn a_child_that_uses_its_parent_is_a_cycle_if_the_parent_uses_the_child() {
        let child = ("a::b", "use super::Shape;\npub fn area(shape: Shape) {}");
        assert_eq!(
            found(&[("", "mod a;"), ("a", "mod b;\npub struct Shape;\nfn f() { b::area(Shape) }"), child])
                .len(),
            1
        );
        assert_eq!(found(&[("", "mod a;"), ("a", "mod b;\npub struct Shape;"), child]).len(), 0);
    }

    #[test]
    fn a_re_export_leads_to_the_file_that_defines_the_name() {
        let files = [
            ("", "mod a;"),
            ("a", "mod b;\nmod c;\npub use b::Shape;\nfn f() { c::area() }"),
            ("a::b", "pub struct Shape;"),
            ("a::c", "use super::Shape;\npub fn area() {}"),
        ];
        assert_eq!(found(&files), Vec::<Vec<Edge>>::new());
    }

    #[test]
    fn two_files_that_name_each_other_are_a_cycle() {
        let files = [
            ("", "mod a;\nmod b;"),
            ("a", "use crate::b::Help;\npub struct Type;\nimpl Type {}"),
            ("b", "use crate::a::Type;\npub struct Help;\nimpl Type {}"),
        ];
        assert_eq!(found(&files).len(), 1);
    }
}
