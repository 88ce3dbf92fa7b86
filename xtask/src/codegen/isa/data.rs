//! Reads data files, with the checks that apply to every kind of entry.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::rust::{Literal, Pools};
use super::schema::entry::Simulation;
use crate::project;

/// The data folder, relative to the workspace root.
const DATA: &str = "server/isa/data";

/// Reads a data file. `name` is relative to the data folder.
pub(crate) fn read<T: DeserializeOwned>(name: &str) -> Result<T> {
    let path = format!("{DATA}/{name}");
    toml::from_str(&project::read(&path)?).with_context(|| format!("{path} does not follow the schema"))
}

/// Reads a data file that consists of one list, `[[key]]`.
pub(crate) fn list<T: DeserializeOwned>(name: &str, key: &str) -> Result<Vec<T>> {
    let mut lists: BTreeMap<String, Vec<T>> = read(name)?;
    let list = lists.remove(key);
    ensure!(lists.is_empty(), "{DATA}/{name}: only `[[{key}]]` is allowed");
    list.with_context(|| format!("{DATA}/{name} has no `[[{key}]]`"))
}

/// The names of the data files in a folder, without `.toml`, in alphabetical order.
fn files(folder: &str) -> Result<Vec<String>> {
    let path = project::project_root().join(DATA).join(folder);
    let mut names = Vec::new();
    for entry in fs::read_dir(&path).with_context(|| format!("cannot list {}", path.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        match name.strip_suffix(".toml") {
            Some(stem) => names.push(stem.to_owned()),
            None => bail!("{name} in {folder} is not a data file"),
        }
    }
    names.sort();
    Ok(names)
}

/// The words of a value that lists several, separated by spaces.
pub(crate) fn words(list: &str) -> Vec<&str> {
    list.split_whitespace().collect()
}

/// The names in a list. `.n{8..32..8}` is short for `.n8`, `.n16`, `.n24` and `.n32`.
pub(crate) fn names(list: &str) -> Vec<String> {
    words(list).into_iter().flat_map(|word| series(word).unwrap_or(vec![word.to_owned()])).collect()
}

/// The names that a word with `{FIRST..LAST..STEP}` is short for.
fn series(word: &str) -> Option<Vec<String>> {
    let (before, rest) = word.split_once('{')?;
    let (range, after) = rest.split_once('}')?;
    let bounds: Vec<usize> = range.split("..").map(|it| it.parse().ok()).collect::<Option<_>>()?;
    let &[first, last, step] = bounds.as_slice() else { return None };
    Some((first..=last).step_by(step.max(1)).map(|n| format!("{before}{n}{after}")).collect())
}

/// Checks that every name is unique.
pub(crate) fn unique<'a>(file: &str, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        ensure!(seen.insert(name), "{file}: duplicate name `{name}`");
    }
    Ok(())
}

/// Checks that a text for users is present and reads as a sentence.
pub(crate) fn sentence(file: &str, entry: &str, key: &str, text: &str) -> Result<()> {
    ensure!(!text.trim().is_empty(), "{file}: `{entry}` has no {key}");
    ensure!(
        text.ends_with(['.', '?', ')', '`']),
        "{file}: the {key} of `{entry}` does not end like a sentence: {text}"
    );
    Ok(())
}

/// Checks a text of each entry of a file, such as its summary.
pub(crate) fn sentences<T>(
    file: &str,
    key: &str,
    entries: &[T],
    texts: impl Fn(&T) -> (&String, &String),
) -> Result<()> {
    entries.iter().map(texts).try_for_each(|(name, text)| sentence(file, name, key, text))
}

impl TryFrom<String> for Simulation {
    type Error = anyhow::Error;

    /// Reads `simulated`, `partly: BUT`, `no-op: WHY` or `unsupported: WHY`.
    fn try_from(text: String) -> Result<Self> {
        Ok(match text.split_once(": ") {
            None if text == "simulated" => Self::Simulated,
            Some(("partly", why)) => Self::Partly(why.to_owned()),
            Some(("no-op", why)) => Self::NoOp(why.to_owned()),
            Some(("unsupported", why)) => Self::Unsupported(why.to_owned()),
            _ => bail!(
                "`simulation = \"{text}\"`: expected simulated, partly: BUT, no-op: WHY or unsupported: WHY"
            ),
        })
    }
}

/// A file of instructions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound(deserialize = "I: DeserializeOwned"))]
pub(crate) struct Category<I> {
    /// The file name without `.toml`.
    #[serde(skip_deserializing)]
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) about: String,
    #[serde(default)]
    selectors: bool,
    #[serde(default)]
    common: Common,
    #[serde(rename = "instruction")]
    pub(crate) instructions: Vec<I>,
}

impl<I> Literal for Category<I> {
    fn literal(&self, _: &mut Pools) -> String {
        let Self { id, title, about, selectors, .. } = self;
        format!("Category {{ id: {id:?}, title: {title:?}, about: {about:?}, selectors: {selectors} }}")
    }
}

/// The categories in a folder. `texts` returns the texts of an entry that may be shared.
pub(crate) fn categories<I: DeserializeOwned>(
    folder: &str,
    texts: impl Fn(&mut I) -> Vec<&mut String>,
) -> Result<Vec<Category<I>>> {
    let read = |id: String| {
        let file = format!("{folder}/{id}.toml");
        let mut category: Category<I> = read(&file)?;
        share(&file, &category.common, category.instructions.iter_mut().flat_map(&texts))?;
        Ok(Category { id, ..category })
    };
    files(folder)?.into_iter().map(read).collect()
}

/// Texts that several entries of a file share: the table `common`, to which `"@name"` in a note or a divergence text refers.
type Common = BTreeMap<String, String>;

/// Replaces references with the shared texts of a file. Each reference must be known, and each text used.
fn share<'a>(file: &str, common: &Common, texts: impl IntoIterator<Item = &'a mut String>) -> Result<()> {
    let mut used = BTreeSet::new();
    for text in texts {
        let Some(name) = text.strip_prefix('@') else { continue };
        let (name, shared) = common
            .get_key_value(name)
            .with_context(|| format!("{file}: `@{name}` is not in the table `common`"))?;
        used.insert(name);
        shared.clone_into(text);
    }
    for name in common.keys() {
        ensure!(used.contains(name), "{file}: no entry uses `{name}` of the table `common`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_stands_for_its_members() {
        assert_eq!(names(".a .n{8..24..8}k4 .b"), [".a", ".n8k4", ".n16k4", ".n24k4", ".b"]);
    }

    #[test]
    fn shared_texts_are_known_and_used() {
        let common = Common::from([("x".to_owned(), "Shared.".to_owned())]);
        let shared = |text: &str| {
            let mut texts = [text.to_owned()];
            share("f.toml", &common, &mut texts).map(|()| texts[0].clone()).map_err(|why| why.to_string())
        };
        assert_eq!(shared("@x"), Ok("Shared.".to_owned()));
        assert_eq!(shared("@y"), Err("f.toml: `@y` is not in the table `common`".to_owned()));
        assert_eq!(shared("Own."), Err("f.toml: no entry uses `x` of the table `common`".to_owned()));
    }
}
