//! The keys and values of launches for completion and hovers, from the tables that the reader uses.

use rustc_hash::FxHashSet;
use warplens_sim_launch::ModelChoice;
use warplens_sim_launch::keys::{AT, FILE, Key, Table, ValueShape};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyValue {
    /// As TOML.
    pub(super) text: String,
    pub(super) documentation: String,
}

impl KeyValue {
    fn new(text: impl ToString) -> KeyValue {
        KeyValue { text: text.to_string(), documentation: String::new() }
    }

    /// Without quotes.
    pub(super) fn bare(&self) -> &str {
        self.text.trim_matches('"')
    }
}

/// A snippet with a tab stop for the value.
pub(super) fn value_snippet(shape: &'static ValueShape) -> &'static str {
    match shape {
        ValueShape::Text
        | ValueShape::LaunchName
        | ValueShape::Hex
        | ValueShape::Words(_)
        | ValueShape::Model
        | ValueShape::Schedule => "\"$1\"",
        ValueShape::Boolean
        | ValueShape::Integer { .. }
        | ValueShape::Number
        | ValueShape::Tolerance
        | ValueShape::Scalar => "$1",
        ValueShape::List { of, .. } if nested(of).is_empty() => "[$1]",
        ValueShape::List { .. } => "[{ $1 }]",
        ValueShape::Registers | ValueShape::Table(_) | ValueShape::Field(_) => "{ $1 }",
        ValueShape::OneOf(shapes) => shapes.first().map_or("$1", value_snippet),
    }
}

pub(super) fn values(shape: &ValueShape, models: &[ModelChoice]) -> Vec<KeyValue> {
    match shape {
        ValueShape::Boolean => [true, false].map(KeyValue::new).into(),
        ValueShape::Words(words) => {
            words().into_iter().map(|word| KeyValue::new(format!("\"{word}\""))).collect()
        }
        ValueShape::Model => models
            .iter()
            .map(|model| KeyValue {
                text: format!("\"{}\"", model.name),
                documentation: model.documentation.clone(),
            })
            .collect(),
        ValueShape::OneOf(shapes) => shapes.iter().flat_map(|shape| values(shape, models)).collect(),
        _ => Vec::new(),
    }
}

/// The keys of the table at a path from the launch file, `["launch", "args"]`. Where several tables are possible, their keys follow each other.
pub(super) fn of(path: &[String]) -> Vec<&'static Key> {
    let mut keys = sorted(FILE.keys.iter());
    for name in path {
        keys = keys.into_iter().filter(|key| key.name == name).flat_map(|key| nested(&key.shape)).collect();
        // Tables that contain each other would multiply with each level.
        let mut known = FxHashSet::default();
        keys.retain(|key| known.insert(std::ptr::from_ref(*key)));
    }
    let mut names = FxHashSet::default();
    keys.retain(|key| names.insert(key.name));
    keys
}

/// The keys of the tables that a value may be, or that a list may contain.
fn nested(shape: &'static ValueShape) -> Vec<&'static Key> {
    match shape {
        ValueShape::Table(table) => sorted(table.keys.iter()),
        ValueShape::List { of, .. } => nested(of),
        ValueShape::OneOf(shapes) => shapes.iter().flat_map(nested).collect(),
        ValueShape::Field(tables) => {
            let keys = |table: &&'static Table| sorted(table.keys.iter().chain([&AT]));
            tables.iter().flat_map(keys).collect()
        }
        _ => Vec::new(),
    }
}

fn sorted(keys: impl Iterator<Item = &'static Key>) -> Vec<&'static Key> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort_by_key(|key| key.name);
    keys
}
