//! The keys of launches, from the JSON schema of launch files.

use std::sync::LazyLock;

use serde_json::Value as Json;

/// The schema, which is also part of the extension; a test of the simulator compares it with the reader of launches.
static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    let text = include_str!("../../../../../editors/vscode/schemas/warplens.schema.json");
    serde_json::from_str(text).unwrap_or_default()
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) documentation: String,
    /// The possible values, if they can be listed.
    pub(super) values: Vec<KeyValue>,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyValue {
    /// As TOML.
    pub(super) text: String,
    pub(super) documentation: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    List,
    /// A list of tables.
    Tables,
    Table,
    Other,
}

impl KeyValue {
    /// Without quotes.
    pub(super) fn bare(&self) -> &str {
        self.text.trim_matches('"')
    }
}

impl Key {
    /// A snippet with a tab stop for the value.
    pub(super) fn value_snippet(&self) -> &'static str {
        match self.shape {
            Shape::Text => "\"$1\"",
            Shape::List => "[$1]",
            Shape::Tables => "[{ $1 }]",
            Shape::Table => "{ $1 }",
            Shape::Other => "$1",
        }
    }
}

/// The keys of the table at a path from the launch file: `["launch", "args"]`.
pub(super) fn of(path: &[String]) -> Vec<Key> {
    let mut tables = vec![&*SCHEMA];
    for name in path {
        tables =
            tables.iter().filter_map(|table| table["properties"].get(name)).flat_map(tables_of).collect();
    }
    let mut keys: Vec<Key> = Vec::new();
    let properties = tables.iter().filter_map(|table| table["properties"].as_object()).flatten();
    for (name, schema) in properties.filter(|(name, _)| !name.starts_with('$')) {
        if !keys.iter().any(|key| key.name == *name) {
            keys.push(key(name, schema));
        }
    }
    keys
}

fn key(name: &str, schema: &Json) -> Key {
    let variants = variants(schema);
    let has = |kind: &str| variants.iter().any(|variant| has_type(variant, kind));
    let shape = match () {
        () if has("array") && !tables_of(schema).is_empty() => Shape::Tables,
        () if has("array") => Shape::List,
        () if has("integer") || has("number") => Shape::Other,
        () if has("string") || variants.iter().any(|variant| variant.get("enum").is_some()) => Shape::Text,
        () if has("object") => Shape::Table,
        () => Shape::Other,
    };
    let documentation = schema["description"].as_str().unwrap_or_default().to_owned();
    Key {
        name: name.to_owned(),
        documentation,
        values: variants.iter().flat_map(|variant| values(variant)).collect(),
        shape,
    }
}

fn values(schema: &Json) -> Vec<KeyValue> {
    let documentation = schema["description"].as_str().unwrap_or_default();
    let value = |value: &Json| KeyValue { text: value.to_string(), documentation: documentation.to_owned() };
    match (schema.get("const"), schema["enum"].as_array()) {
        (Some(only), _) => vec![value(only)],
        (_, Some(list)) => list.iter().map(value).collect(),
        _ if has_type(schema, "boolean") => [true, false].map(|choice| value(&choice.into())).into(),
        _ => Vec::new(),
    }
}

fn has_type(schema: &Json, kind: &str) -> bool {
    match &schema["type"] {
        Json::String(only) => only == kind,
        Json::Array(list) => list.iter().any(|one| one == kind),
        _ => false,
    }
}

/// The alternatives of a value, with references resolved.
fn variants(schema: &Json) -> Vec<&Json> {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/definitions/")) {
        return variants(&SCHEMA["definitions"][name]);
    }
    let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    let nested: Vec<&Json> = alternatives.flat_map(variants).collect();
    // The alternatives of a table only name the keys that it requires.
    match nested.is_empty() || schema.get("properties").is_some() {
        true => vec![schema],
        false => nested,
    }
}

/// The tables that a value may be, or that a list may contain.
fn tables_of(schema: &Json) -> Vec<&Json> {
    let variants = variants(schema).into_iter();
    let tables = variants.flat_map(|variant| match variant.get("items") {
        Some(items) => tables_of(items),
        None if variant.get("properties").is_some() => vec![variant],
        None => Vec::new(),
    });
    tables.collect()
}
