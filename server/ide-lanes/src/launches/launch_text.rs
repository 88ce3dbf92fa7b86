//! Editing launches: problems, completion and hover in `warplens.toml` and in `@launch` comments.
//!
//! The keys, their values and their documentation come from the tables that the reader uses.

mod context;
mod keys;

use std::ops::Range;

use warplens_sim_launch::documentation as key_documentation;
use warplens_sim_launch::keys::{AppliesTo, Key};
use warplens_sim_launch::{Format, LAUNCH_TAG, ModelChoice, Problem, in_comments, launches};

use context::{Context, Slot, context};

/// A key or a value that a completion inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchSuggestion {
    pub label: String,
    pub documentation: String,
    pub insert: String,
    /// The inserted text as a snippet.
    pub snippet: String,
    pub replace: Range<usize>,
    pub is_key: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchHome<'l> {
    File(Format),
    /// They are in comments that start with these marks.
    Comments(&'l [&'l str]),
}

/// The problems of the launches in a text, in text order.
pub fn problems(text: &str, home: LaunchHome<'_>) -> Vec<Problem> {
    match home {
        LaunchHome::File(format) => match launches(text, format) {
            Ok(listed) => listed.into_iter().filter_map(|listed| listed.problem).collect(),
            Err(problem) => vec![problem],
        },
        LaunchHome::Comments(marks) => {
            in_comments(text, marks).into_iter().filter_map(|launch| launch.listed.problem).collect()
        }
    }
}

/// The keys or values that can be written at an offset. `models` are the values of the key `model`.
pub fn suggestions(
    text: &str,
    home: LaunchHome<'_>,
    offset: usize,
    models: &[ModelChoice],
) -> Vec<LaunchSuggestion> {
    let Some(Context { path, slot, written, word }) = find(text, home, offset) else { return Vec::new() };
    let replace = word;
    match slot {
        Slot::Key if path.is_empty() => vec![new_launch(replace)],
        Slot::Key => {
            let is_comment = matches!(home, LaunchHome::Comments(_));
            let is_allowed = |key: &&Key| !(is_comment && key.applies_to == AppliesTo::Files);
            let keys = keys::of(&path).into_iter().filter(is_allowed);
            keys.filter(|key| !written.iter().any(|written| written == key.name))
                .map(|key| LaunchSuggestion {
                    label: key.name.to_owned(),
                    documentation: key_documentation(key),
                    insert: format!("{} = ", key.name),
                    snippet: format!("{} = {}", key.name, keys::value_snippet(&key.shape)),
                    replace: replace.clone(),
                    is_key: true,
                })
                .collect()
        }
        Slot::Value { key, quoted } => {
            let key = keys::of(&path).into_iter().find(|known| known.name == key);
            let values = key.map(|key| keys::values(&key.shape, models)).unwrap_or_default();
            values
                .into_iter()
                .map(|value| {
                    let text = if quoted { value.bare().to_owned() } else { value.text.clone() };
                    LaunchSuggestion {
                        label: value.bare().to_owned(),
                        documentation: value.documentation,
                        insert: text.clone(),
                        snippet: text,
                        replace: replace.clone(),
                        is_key: false,
                    }
                })
                .collect()
        }
    }
}

/// A launch with the keys that a launch file requires.
fn new_launch(replace: Range<usize>) -> LaunchSuggestion {
    LaunchSuggestion {
        label: "[[launch]]".to_owned(),
        documentation: "A launch of a kernel.".to_owned(),
        insert: "[[launch]]\nname = \"\"\nfile = \"\"\n".to_owned(),
        snippet: "[[launch]]\nname = \"${1:name}\"\nfile = \"$2\"\ngrid = [${3:1}]\nblock = [${4:32}]\n$0"
            .to_owned(),
        replace,
        is_key: true,
    }
}

/// The documentation of the key or value at an offset.
pub fn documentation(
    text: &str,
    home: LaunchHome<'_>,
    offset: usize,
    models: &[ModelChoice],
) -> Option<(Range<usize>, String)> {
    let Context { path, slot, word, .. } = find(text, home, offset)?;
    let name = text.get(word.clone()).filter(|name| !name.is_empty())?;
    let key = |wanted: &str| keys::of(&path).into_iter().find(|key| key.name == wanted);
    let documentation = match slot {
        Slot::Key => key_documentation(key(name)?),
        Slot::Value { key: of, .. } => {
            let values = keys::values(&key(&of)?.shape, models);
            values.into_iter().find(|value| value.bare() == name)?.documentation
        }
    };
    (!documentation.is_empty()).then(|| (word, format!("`{name}`: {documentation}")))
}

fn find(text: &str, home: LaunchHome<'_>, offset: usize) -> Option<Context> {
    match home {
        LaunchHome::File(Format::Toml) => context(text, 0, offset, &[]),
        LaunchHome::File(Format::Json) => None,
        LaunchHome::Comments(marks) => {
            let line = text.get(..offset)?.rfind('\n').map_or(0, |end| end + 1);
            let start = line + text[line..].find(LAUNCH_TAG)? + LAUNCH_TAG.len();
            let before = text[line..start].trim_start();
            let is_comment = marks.iter().any(|mark| before.starts_with(mark));
            let table = start + text[start..].find('{')? + 1;
            let end = text[table..].find('\n').map_or(text.len(), |end| table + end);
            if !is_comment || offset < table || offset > end {
                return None;
            }
            context(&text[..end], table, offset, &["launch"])
        }
    }
}

#[cfg(test)]
mod tests;
