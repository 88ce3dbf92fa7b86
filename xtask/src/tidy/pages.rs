//! Pages and the extension's manifest: links lead somewhere, and what a user can set or call is written down.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project::{files, read, relative};

const MANIFEST: &str = "editors/vscode/package.json";
const README_OF_EXTENSION: &str = "editors/vscode/README.md";
const PAGE_OF_SETTINGS: &str = "docs/lsp-extensions.md";

/// Settings of the extension alone; every other editor reads about the rest.
const ONLY_IN_VSCODE: [&str; 4] =
    ["warplens.server.", "warplens.trace.", "warplens.lanes.position", "warplens.sass.encodings"];

/// Looks at every page that a person reads.
pub(super) fn check(root: &Path, problems: &mut Vec<String>) -> Result<()> {
    let manifest = Manifest::read()?;
    for page in pages(root)? {
        let name = relative(root, &page);
        let text = read(&name)?;
        check_links(&page, &name, &text, problems);
        manifest.check_names(&name, &text, problems);
    }
    manifest.check_written(problems)
}

fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = files(["docs", "editors/vscode"].map(|name| root.join(name)).into(), "md")?;
    pages.push(root.join("README.md"));
    Ok(pages)
}

/// The lines of a page outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

fn check_links(page: &Path, name: &str, text: &str, problems: &mut Vec<String>) {
    let folder = page.parent().unwrap_or(page);
    for (number, line) in prose(text) {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (target, _) in targets {
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !target.contains("://") && !folder.join(file).exists() {
                problems.push(format!("{name}:{}: links to `{target}`, which is not there", number + 1));
            }
        }
    }
}

/// What the extension offers.
struct Manifest {
    settings: BTreeSet<String>,
    /// As the palette shows them.
    commands: Vec<String>,
}

impl Manifest {
    fn read() -> Result<Manifest> {
        let manifest: Value = serde_json::from_str(&read(MANIFEST)?)
            .with_context(|| format!("{MANIFEST} is not valid JSON"))?;
        let offers = &manifest["contributes"];
        let groups = offers["configuration"].as_array().context("no groups of settings")?;
        let settings = groups.iter().filter_map(|group| group["properties"].as_object()).flatten();
        let commands = offers["commands"].as_array().context("no commands")?;
        let shown = |command: &Value| {
            Some(format!("{}: {}", command["category"].as_str()?, command["title"].as_str()?))
        };
        Ok(Manifest {
            settings: settings.map(|(name, _)| name.clone()).collect(),
            commands: commands.iter().filter_map(shown).collect(),
        })
    }

    /// A page names existing settings only.
    fn check_names(&self, name: &str, text: &str, problems: &mut Vec<String>) {
        for (number, line) in prose(text) {
            let words = line.split('`').skip(1).step_by(2);
            let is_setting = |word: &&str| word.starts_with("warplens.") && word.matches('.').count() == 2;
            let is_there = |word: &str| self.settings.contains(word) || word.ends_with('*');
            for word in words.filter(is_setting).filter(|word| !is_there(word)) {
                problems.push(format!("{name}:{}: the setting `{word}` does not exist", number + 1));
            }
        }
    }

    /// Every setting and command is written about.
    fn check_written(&self, problems: &mut Vec<String>) -> Result<()> {
        let (readme, page) = (read(README_OF_EXTENSION)?, read(PAGE_OF_SETTINGS)?);
        for setting in &self.settings {
            let only_here = ONLY_IN_VSCODE.iter().any(|prefix| setting.starts_with(prefix));
            let page = (PAGE_OF_SETTINGS, &page);
            for (name, text) in
                [Some((README_OF_EXTENSION, &readme)), (!only_here).then_some(page)].into_iter().flatten()
            {
                if !text.contains(&format!("`{setting}`")) {
                    problems.push(format!("{name}: does not document the setting `{setting}`"));
                }
            }
        }
        let undocumented = self.commands.iter().filter(|command| !readme.contains(*command));
        problems.extend(
            undocumented.map(|command| format!("{README_OF_EXTENSION}: does not document *{command}*")),
        );
        Ok(())
    }
}
