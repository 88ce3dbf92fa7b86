//! Writes a launch as the text that configures it: a comment in a source, or a table of a launch file.

use serde_json::{Map, Value};

use super::comment::LAUNCH_TAG;
use super::model::{Launch, size};

/// The keys that come first in a table, in this order.
const FIRST_KEYS: [&str; 9] = ["name", "file", "entry", "at", "grid", "block", "cluster", "buffer", "len"];

/// The comment of a launch, to insert above its kernel: `@launch { name = "1 x 64", grid = [1], … }`.
pub fn launch_comment(launch: &Launch, name: &str) -> String {
    let written = Launch { name: name.to_owned(), entry: None, file: None, ..launch.clone() };
    format!("{LAUNCH_TAG} {}", table(&launch_keys(&written)))
}

/// The table of a launch in a launch file, for the source `file`: `[[launch]]` and one line per key.
pub fn launch_table(launch: &Launch, name: &str, file: &str) -> String {
    let written = Launch { name: name.to_owned(), file: Some(file.to_owned()), ..launch.clone() };
    let mut text = "[[launch]]\n".to_owned();
    for (key, value) in sorted(&launch_keys(&written)) {
        let value = match value {
            Value::Array(values) if values.iter().any(Value::is_object) => {
                let lines: String = values.iter().map(|value| format!("  {},\n", inline(value))).collect();
                format!("[\n{lines}]")
            }
            value => inline(value),
        };
        text += &format!("{key} = {value}\n");
    }
    text
}

/// The initial name of a new launch: `2 x 64`, or `2 x 64 (2)` if that name is taken.
pub fn launch_name(launch: &Launch, is_taken: impl Fn(&str) -> bool) -> String {
    let extent = |extent: Option<[u32; 3]>| size(extent.unwrap_or([1; 3]));
    let name = format!("{} x {}", extent(launch.grid), extent(launch.block));
    let others = (2..).map(|number: u32| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(others).find(|name| !is_taken(name)).unwrap_or(name)
}

/// The keys of a launch file that write a launch, with their values.
pub fn launch_keys(launch: &Launch) -> Map<String, Value> {
    match serde_json::to_value(Launch { assumed: Vec::new(), ..launch.clone() }) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

fn sorted(keys: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut keys: Vec<_> = keys.iter().collect();
    keys.sort_by_key(|(key, _)| FIRST_KEYS.iter().position(|first| first == key).unwrap_or(FIRST_KEYS.len()));
    keys
}

fn table(keys: &Map<String, Value>) -> String {
    let is_bare = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let pair = |(key, value): (&String, &Value)| match is_bare(key) {
        true => format!("{key} = {}", inline(value)),
        false => format!("{} = {}", Value::from(key.as_str()), inline(value)),
    };
    format!("{{ {} }}", sorted(keys).into_iter().map(pair).collect::<Vec<_>>().join(", "))
}

pub(crate) fn inline(value: &Value) -> String {
    match value {
        Value::Object(keys) => table(keys),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        // Numbers, booleans and strings are written as in JSON.
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{Format, in_comments, launch_object, launches};

    #[test]
    fn the_comment_is_read_as_the_same_launch() {
        let text = r#"{"name": "a", "entry": "k", "grid": [2], "block": [16, 16], "dynamic_shared": 1024,
            "args": [{"name": "x", "buffer": "f32", "len": 64, "fill": "iota"}, {"name": "n", "u32": 100},
            {"name": "y", "buffer": "u32", "len": 4, "fill": {"value": 1}}, {"name": "a", "f32": 1.5},
            {"name": "p", "fields": [{"at": 0, "u32": 7}, {"at": 8, "buffer": "u32", "len": 2, "fill": "zero"}]}]}"#;
        let launch = launch_object(text).expect("a launch");
        let name = launch_name(&launch, |_| false);
        let comment = launch_comment(&launch, &name);
        expect![[r#"@launch { name = "2 x 16,16", grid = [2, 1, 1], block = [16, 16, 1], args = [{ name = "x", buffer = "f32", len = 64, fill = "iota" }, { name = "n", u32 = 100 }, { name = "y", buffer = "u32", len = 4, fill = { value = 1 } }, { name = "a", f32 = 1.5 }, { name = "p", fields = [{ at = 0, u32 = 7 }, { at = 8, buffer = "u32", len = 2, fill = "zero" }] }], dynamic_shared = 1024 }"#]].assert_eq(&comment);
        let file = launch_table(&launch, &name, "k.ptx");
        expect![[r#"
            [[launch]]
            name = "2 x 16,16"
            file = "k.ptx"
            entry = "k"
            grid = [2, 1, 1]
            block = [16, 16, 1]
            args = [
              { name = "x", buffer = "f32", len = 64, fill = "iota" },
              { name = "n", u32 = 100 },
              { name = "y", buffer = "u32", len = 4, fill = { value = 1 } },
              { name = "a", f32 = 1.5 },
              { name = "p", fields = [{ at = 0, u32 = 7 }, { at = 8, buffer = "u32", len = 2, fill = "zero" }] },
            ]
            dynamic_shared = 1024
        "#]].assert_eq(&file);
        let tabled =
            launches(&file, Format::Toml).expect("a launch file").remove(0).usable().expect("a launch");
        assert_eq!((tabled.grid, tabled.entry), (launch.grid, launch.entry.clone()));
        let read =
            in_comments(&format!("// {comment}\n"), &["//"]).remove(0).listed.usable().expect("a launch");
        let passed = |launch: &Launch| serde_json::to_string(&launch.args).expect("arguments are JSON");
        assert_eq!(
            (read.grid, read.block, read.dynamic_shared, passed(&read)),
            (launch.grid, launch.block, launch.dynamic_shared, passed(&launch))
        );
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let launch = Launch { grid: Some([2, 1, 1]), block: Some([64, 1, 1]), ..Launch::default() };
        let name = |taken: &[&str]| launch_name(&launch, |name| taken.contains(&name));
        assert_eq!(name(&["small"]), "2 x 64");
        assert_eq!(name(&["2 x 64"]), "2 x 64 (2)");
        assert_eq!(name(&["2 x 64", "2 x 64 (2)"]), "2 x 64 (3)");
    }
}
