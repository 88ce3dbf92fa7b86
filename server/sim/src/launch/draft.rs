//! A launch as the comment that configures it in a source.

use serde_json::{Map, Value};

use super::comment::LAUNCH_TAG;
use super::model::{Launch, size};

/// The keys that come first in a table, in this order.
const FIRST_KEYS: [&str; 7] = ["name", "at", "grid", "block", "cluster", "buffer", "len"];

/// The comment of a launch, which belongs to the kernel below it: `@launch { name = "1 x 64", grid = [1], … }`.
pub fn launch_comment(launch: &Launch) -> String {
    let extent = |extent: Option<[u32; 3]>| size(extent.unwrap_or([1; 3]));
    let named = Launch {
        name: format!("{} x {}", extent(launch.grid), extent(launch.block)),
        entry: None,
        file: None,
        assumed: Vec::new(),
        ..launch.clone()
    };
    let keys = match serde_json::to_value(named) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    format!("{LAUNCH_TAG} {}", table(&keys))
}

/// An inline table of TOML.
fn table(keys: &Map<String, Value>) -> String {
    let is_bare = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let pair = |(key, value): (&String, &Value)| match is_bare(key) {
        true => format!("{key} = {}", inline(value)),
        false => format!("{} = {}", Value::from(key.as_str()), inline(value)),
    };
    let mut keys: Vec<_> = keys.iter().collect();
    keys.sort_by_key(|(key, _)| FIRST_KEYS.iter().position(|first| first == key).unwrap_or(FIRST_KEYS.len()));
    format!("{{ {} }}", keys.into_iter().map(pair).collect::<Vec<_>>().join(", "))
}

fn inline(value: &Value) -> String {
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
    use crate::launch::{in_comments, launch_object};

    #[test]
    fn the_comment_is_read_as_the_same_launch() {
        let text = r#"{"name": "a", "entry": "k", "grid": [2], "block": [16, 16], "dynamic_shared": 1024,
            "args": [{"name": "x", "buffer": "f32", "len": 64, "fill": "iota"}, {"name": "n", "u32": 100},
            {"name": "y", "buffer": "u32", "len": 4, "fill": {"value": 1}}, {"name": "a", "f32": 1.5},
            {"name": "p", "fields": [{"at": 0, "u32": 7}, {"at": 8, "buffer": "u32", "len": 2, "fill": "zero"}]}]}"#;
        let launch = launch_object(text).expect("a launch");
        let comment = launch_comment(&launch);
        expect![[r#"@launch { name = "2 x 16,16", grid = [2, 1, 1], block = [16, 16, 1], args = [{ name = "x", buffer = "f32", len = 64, fill = "iota" }, { name = "n", u32 = 100 }, { name = "y", buffer = "u32", len = 4, fill = { value = 1 } }, { name = "a", f32 = 1.5 }, { name = "p", fields = [{ at = 0, u32 = 7 }, { at = 8, buffer = "u32", len = 2, fill = "zero" }] }], dynamic_shared = 1024 }"#]].assert_eq(&comment);
        let read =
            in_comments(&format!("// {comment}\n"), &["//"]).remove(0).listed.usable().expect("a launch");
        let passed = |launch: &Launch| serde_json::to_string(&launch.args).expect("arguments are JSON");
        assert_eq!(
            (read.grid, read.block, read.dynamic_shared, passed(&read)),
            (launch.grid, launch.block, launch.dynamic_shared, passed(&launch))
        );
    }
}
