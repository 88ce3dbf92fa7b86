//! One line of a batch: a launch as a JSON object, with the keys of a launch file and an optional `id`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::json_text;
use super::model::Launch;
use super::problem::Problem;
use super::read::{Home, read_launch};
use super::tree::{Node, Value};

#[derive(Debug, Clone, PartialEq)]
pub struct BatchLine {
    /// The id that the author gave the launch.
    pub id: Option<BatchId>,
    /// The launch; its `file` may be missing.
    pub launch: Result<Launch, Problem>,
}

/// The `id` of a launch; its result repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BatchId {
    Text(String),
    /// An integer of up to 64 bits.
    Number(i64),
}

/// Reads a line of a batch. The `id` is read even if the launch is wrong, so that the result can be matched to it.
pub fn batch_line(text: &str) -> BatchLine {
    match json_text::read(text) {
        Ok(node) => of_node(node),
        Err(problem) => BatchLine { id: None, launch: Err(problem) },
    }
}

fn of_node(mut node: Node) -> BatchLine {
    let id = match &mut node.value {
        Value::Table(entries) => {
            let at = entries.iter().position(|(key, _)| key.name == "id");
            at.map(|at| read_id(&entries.remove(at).1)).transpose()
        }
        _ => Ok(None),
    };
    match id {
        Ok(id) => {
            BatchLine { id, launch: read_launch(&node, Home::Batch).and_then(|listed| listed.usable()) }
        }
        Err(problem) => BatchLine { id: None, launch: Err(problem) },
    }
}

fn read_id(node: &Node) -> Result<BatchId, Problem> {
    match &node.value {
        Value::Text(text) => Ok(BatchId::Text(text.clone())),
        Value::Integer(_) => {
            Ok(BatchId::Number(node.integer("id", i64::MIN.into(), i64::MAX.into())? as i64))
        }
        _ => Err(node.not("id", "a string or an integer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_with_a_file_and_an_id() {
        let line = batch_line(r#"{"id": "a", "file": "k.ptx", "block": [64], "args": [{"u32": 1}]}"#);
        assert_eq!(line.id, Some(BatchId::Text("a".to_owned())));
        let launch = line.launch.unwrap();
        assert_eq!((launch.file.as_deref(), launch.block), (Some("k.ptx"), Some([64, 1, 1])));
        let line = batch_line(r#"{"grid": [2], "id": -3}"#);
        assert_eq!(line.id, Some(BatchId::Number(-3)));
        assert_eq!(line.launch.unwrap().file, None);
    }

    #[test]
    fn a_wrong_launch_keeps_its_id() {
        let line = batch_line(r#"{"id": 7, "blok": [64]}"#);
        assert_eq!(line.id, Some(BatchId::Number(7)));
        let problem = line.launch.unwrap_err();
        assert_eq!(problem.message, "a launch has no key `blok`: did you mean `block`?");
        assert_eq!(problem.at, Some(10..16));
    }

    #[test]
    fn lines_that_are_not_launches() {
        for (text, message) in [
            (r#"{"id": [1]}"#, "`id` must be a string or an integer, not a list"),
            ("[1]", "`launch` must be a table, not a list"),
            ("{", "invalid JSON: expected a key in double quotes"),
        ] {
            assert_eq!(batch_line(text).launch.unwrap_err().message, message, "{text}");
        }
    }
}
