//! `syntax/*.ungram` and the token tables of `grammar/tokens.rs` -> `syntax/src/generated/`: one `SyntaxKind` for all
//! languages, and a typed tree for each.
//!
//! Token kinds are named only in the tables; node kinds come from the grammars. A node name that occurs in two
//! grammars is a single kind.

mod model;
mod render;
mod tokens;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use ungrammar::Grammar;

use super::output::{Mode, ensure_file_contents, rust_source};
use crate::project;

/// The languages. Each has a grammar `syntax/NAME.ungram` and a generated file
/// `syntax/src/generated/NAME.rs`.
const LANGUAGES: &[&str] = &["ptx", "wave", "sass"];

pub(crate) fn run(mode: Mode) -> Result<()> {
    let mut nodes = BTreeSet::new();
    for language in LANGUAGES {
        let path = format!("syntax/{language}.ungram");
        let grammar: Grammar =
            project::read(&path)?.parse().with_context(|| format!("{path} is not an ungrammar"))?;
        let model = model::lower(&grammar).with_context(|| path.clone())?;
        nodes.extend(model.nodes.iter().map(|node| node.kind.clone()));
        let source = rust_source(&path, &render::tree(&model))?;
        ensure_file_contents(&format!("syntax/src/generated/{language}.rs"), &source, mode)?;
    }
    let kinds = rust_source("syntax/*.ungram", &render::kinds(&nodes))?;
    ensure_file_contents("syntax/src/generated/kinds.rs", &kinds, mode)
}
