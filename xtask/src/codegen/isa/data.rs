//! Reading data files, and the checks that every kind of entry shares.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;

/// Reads one data file; `name` is relative to the data folder.
pub(in crate::codegen) fn read<T: DeserializeOwned>(name: &str) -> Result<T> {
    let path = format!("{}/{name}", super::DATA);
    let text = fs::read_to_string(crate::project_root().join(&path))
        .with_context(|| format!("cannot read {path}"))?;
    toml::from_str(&text).with_context(|| format!("{path} does not follow the schema"))
}

/// The names, without `.toml`, of the data files of a folder, in alphabetical order.
pub(in crate::codegen) fn files(folder: &str) -> Result<Vec<String>> {
    let path = crate::project_root().join(super::DATA).join(folder);
    let mut names = Vec::new();
    for entry in fs::read_dir(&path).with_context(|| format!("cannot list {}", path.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        match name.strip_suffix(".toml") {
            Some(stem) => names.push(stem.to_owned()),
            None => bail!("{name} in {folder} is no data file"),
        }
    }
    names.sort();
    Ok(names)
}

/// The words of a value that lists several, apart by blanks.
pub(in crate::codegen) fn words(list: &str) -> Vec<&str> {
    list.split_whitespace().collect()
}

/// The names in a list; `.n{8..32..8}` stands for `.n8`, `.n16`, `.n24` and `.n32`.
pub(in crate::codegen) fn names(list: &str) -> Vec<String> {
    words(list).into_iter().flat_map(|word| series(word).unwrap_or(vec![word.to_owned()])).collect()
}

/// The members of a name with `{FIRST..LAST..STEP}` in it.
fn series(word: &str) -> Option<Vec<String>> {
    let (before, rest) = word.split_once('{')?;
    let (range, after) = rest.split_once('}')?;
    let bounds: Vec<usize> = range.split("..").map(|it| it.parse().ok()).collect::<Option<_>>()?;
    let &[first, last, step] = bounds.as_slice() else { return None };
    Some((first..=last).step_by(step.max(1)).map(|n| format!("{before}{n}{after}")).collect())
}

/// Checks that no name comes twice.
pub(in crate::codegen) fn unique<'a>(file: &str, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        ensure!(seen.insert(name), "{file}: `{name}` comes twice");
    }
    Ok(())
}

/// Checks that a text which a reader sees is there and reads as a sentence.
pub(in crate::codegen) fn sentence(file: &str, entry: &str, key: &str, text: &str) -> Result<()> {
    ensure!(!text.trim().is_empty(), "{file}: `{entry}` has no {key}");
    ensure!(
        text.ends_with(['.', '?', ')', '`']),
        "{file}: the {key} of `{entry}` does not end like a sentence: {text}"
    );
    Ok(())
}

/// A version written `MAJOR.MINOR`.
pub(in crate::codegen) fn version(file: &str, entry: &str, text: &str) -> Result<(u8, u8)> {
    text.split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        .with_context(|| format!("{file}: `{text}` of `{entry}` is no version"))
}

/// Texts that several entries of a file share: the table `common`, which `"@name"` in a note or a divergence text stands for.
pub(in crate::codegen) type Common = BTreeMap<String, String>;

/// Puts the shared texts of a file in place; each must be known, and used.
pub(in crate::codegen) fn share<'a>(
    file: &str,
    common: &Common,
    texts: impl IntoIterator<Item = &'a mut String>,
) -> Result<()> {
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
