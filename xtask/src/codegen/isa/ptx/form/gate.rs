//! What a form needs: `8.0 sm_90`, alternatives apart by `|`.

use anyhow::{Context, Result, bail, ensure};

use super::super::super::rust;

/// A version and a target that go together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Need {
    version: (u8, u8),
    target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    Any,
    AtLeast(u16),
    Family(u16),
    Exactly(u16),
}

/// The alternatives of a gate; a version left out is the first there was, a target left out any.
pub(super) fn needs(text: &str) -> Result<Vec<Need>> {
    text.split('|').map(|alternative| need(alternative.trim())).collect()
}

fn need(text: &str) -> Result<Need> {
    ensure!(!text.is_empty(), "an alternative of the gate is empty");
    let mut need = Need { version: (1, 0), target: Target::Any };
    for word in text.split_whitespace() {
        match word.strip_prefix("sm_") {
            Some(number) => need.target = target(number)?,
            None => need.version = version(word)?,
        }
    }
    Ok(need)
}

fn version(word: &str) -> Result<(u8, u8)> {
    let read =
        word.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    read.with_context(|| format!("`{word}` is neither a version nor a target"))
}

fn target(number: &str) -> Result<Target> {
    let digits = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let chip = digits.parse().with_context(|| format!("`sm_{number}` is no target"))?;
    Ok(match &number[digits.len()..] {
        "" => Target::AtLeast(chip),
        "f" => Target::Family(chip),
        "a" => Target::Exactly(chip),
        _ => bail!("`sm_{number}` is no target"),
    })
}

/// A `Gate`. One that any file meets is empty.
pub(super) fn gate(needs: &[Need]) -> String {
    let needs = needs.iter().filter(|need| (need.version, need.target) != ((1, 0), Target::Any));
    format!("Gate({})", rust::slice(needs.map(need_source)))
}

/// A `Need`.
pub(super) fn need_source(need: &Need) -> String {
    let target = match need.target {
        Target::Any => "Any".to_owned(),
        Target::AtLeast(chip) => format!("AtLeast({chip})"),
        Target::Family(chip) => format!("Family({chip})"),
        Target::Exactly(chip) => format!("Exactly({chip})"),
    };
    format!("Need {{ since: {}, target: TargetNeed::{target} }}", rust::version(need.version))
}
