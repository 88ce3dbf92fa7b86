//! What a Rust file names of other modules, read from its tokens.
//!
//! It reads `use` declarations and paths, not Rust: macros and conditional compilation count as written.

use std::collections::{BTreeMap, BTreeSet};
use std::slice::Iter;

use super::tokens::code;

/// What a file names and declares.
#[derive(Default)]
pub(super) struct Module {
    /// Paths of `use` declarations (re-exports that the file itself does not use are not among them) and of expressions.
    pub(super) used: Vec<Vec<String>>,
    /// Names that `use` declarations bind, with what they stand for.
    pub(super) bound: BTreeMap<String, Vec<String>>,
}

pub(super) fn read(text: &str) -> Module {
    let tokens = code(text);
    let mut module = Module::default();
    let mut exported = Vec::new();
    let mut children = BTreeSet::new();
    let mut mentions = BTreeMap::<&str, usize>::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        match token {
            "use" => {
                let public = is_public(&tokens, at);
                let end =
                    at + tokens[at..].iter().position(|token| token == ";").unwrap_or(tokens.len() - at - 1);
                let mut bound = Vec::new();
                use_group(&mut tokens[at + 1..end].iter(), &[], &mut bound);
                for (name, path) in bound {
                    if public {
                        exported.push((name.clone(), path.clone()))
                    } else {
                        module.used.push(path.clone())
                    }
                    module.bound.insert(name, path);
                }
                at = end;
            }
            "mod" if tokens.get(at + 2).is_some_and(|next| next == ";") => {
                children.insert(tokens[at + 1].clone());
                at += 1;
            }
            _ if is_name(token) && tokens.get(at + 1).is_some_and(|next| next == "::") => {
                let path = path(&tokens[at..]);
                *mentions.entry(token).or_default() += 1;
                at += path.len() * 2 - 2;
                if ["crate", "super", "self"].contains(&token) || children.contains(token) {
                    module.used.push(path);
                }
            }
            _ => *mentions.entry(token).or_default() += 1,
        }
        at += 1;
    }
    module.used.extend(
        exported.into_iter().filter(|(name, _)| mentions.contains_key(name.as_str())).map(|(_, path)| path),
    );
    module
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether the `use` at a token is a re-export: `pub` or `pub(…)` is before it.
fn is_public(tokens: &[String], at: usize) -> bool {
    match at.checked_sub(1).map(|before| tokens[before].as_str()) {
        Some("pub") => true,
        Some(")") => tokens[..at]
            .iter()
            .rposition(|token| token == "(")
            .is_some_and(|open| open > 0 && tokens[open - 1] == "pub"),
        _ => false,
    }
}

/// The names of a path: `a::b::C`.
fn path(tokens: &[String]) -> Vec<String> {
    let mut path = vec![tokens[0].clone()];
    let mut at = 1;
    while tokens.get(at).is_some_and(|token| token == "::")
        && tokens.get(at + 1).is_some_and(|next| is_name(next))
    {
        path.push(tokens[at + 1].clone());
        at += 2;
    }
    path
}

/// Reads the members of a group after their common prefix, up to the end of the group: the names that it binds, with their paths. A
/// glob binds `*`.
fn use_group(tokens: &mut Iter<'_, String>, prefix: &[String], bound: &mut Vec<(String, Vec<String>)>) {
    let mut path = prefix.to_vec();
    let mut alias = None;
    loop {
        match tokens.next().map(String::as_str) {
            Some("{") => {
                use_group(tokens, &path, bound);
                path.clear();
            }
            Some("as") => alias = tokens.next().cloned(),
            Some("::") => {}
            end @ (None | Some("," | "}")) => {
                if path.len() > prefix.len() {
                    path.pop_if(|last| last == "self");
                    bound.extend(alias.take().or(path.last().cloned()).map(|name| (name, path)));
                }
                if end != Some(",") {
                    return;
                }
                path = prefix.to_vec();
            }
            Some(name) => path.push(name.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        read(text).used.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn use_declarations_are_taken_apart() {
        assert_eq!(
            paths("use crate::a::{self, b::{C, D as E}, f};\nuse super::*;"),
            ["crate::a", "crate::a::b::C", "crate::a::b::D", "crate::a::f", "super::*"]
        );
    }

    #[test]
    fn paths_of_code_count_and_tests_comments_and_strings_do_not() {
        let text = "mod child;\nfn f() { child::g(\"crate::x\"); crate::h::<T>(); 'a'; /* super::i() */ }\n\
                    #[cfg(test)]\nmod tests { use super::*; }\nstruct S<'a>(&'a str);";
        assert_eq!(paths(text), ["child::g", "crate::h"]);
    }

    #[test]
    fn a_re_export_counts_where_the_file_uses_the_name() {
        assert_eq!(paths("pub use a::B;"), Vec::<String>::new());
        assert_eq!(paths("pub(crate) use a::B;\nfn f(b: B) {}"), ["a::B"]);
    }
}
