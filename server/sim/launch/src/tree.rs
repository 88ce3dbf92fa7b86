//! The tree of values and spans into which both TOML and JSON launches are read.

use super::problem::{Problem, Span};

/// A value and its span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<(Key, Node)>),
    /// JSON's `null` or TOML's dates, which no key of a launch accepts.
    Other(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) span: Span,
}

impl Node {
    /// Describes the value in a message.
    pub(crate) fn what(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number with a fraction",
            Value::Boolean(_) => "a boolean",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(what) => what,
        }
    }

    pub(crate) fn wrong(&self, message: impl Into<String>) -> Problem {
        Problem::at(self.span.clone(), message)
    }

    /// `KEY must be SHAPE, not WHAT`.
    pub(crate) fn not(&self, key: &str, shape: &str) -> Problem {
        self.wrong(format!("`{key}` must be {shape}, not {}", self.what()))
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str, Problem> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.not(key, "a string")),
        }
    }

    pub(crate) fn boolean(&self, key: &str) -> Result<bool, Problem> {
        match self.value {
            Value::Boolean(value) => Ok(value),
            _ => Err(self.not(key, "a boolean")),
        }
    }

    pub(crate) fn list(&self, key: &str) -> Result<&[Node], Problem> {
        match &self.value {
            Value::List(list) => Ok(list),
            Value::Integer(value) => Err(self.not(key, &format!("a list such as `[{value}]`"))),
            _ => Err(self.not(key, "a list")),
        }
    }

    pub(crate) fn table(&self, key: &str) -> Result<&[(Key, Node)], Problem> {
        match &self.value {
            Value::Table(entries) => Ok(entries),
            _ => Err(self.not(key, "a table")),
        }
    }

    pub(crate) fn integer(&self, key: &str, low: i128, high: i128) -> Result<i128, Problem> {
        match self.value {
            Value::Integer(value) if (low..=high).contains(&value) => Ok(value),
            Value::Integer(value) => {
                Err(self.wrong(format!("`{key}` must be between {low} and {high}, not {value}")))
            }
            _ => Err(self.not(key, "an integer")),
        }
    }

    /// The same tree, with its spans moved by `offset` bytes.
    pub(crate) fn moved(mut self, offset: usize) -> Node {
        self.shift(offset);
        self
    }

    fn shift(&mut self, offset: usize) {
        self.span = self.span.start + offset..self.span.end + offset;
        match &mut self.value {
            Value::List(list) => list.iter_mut().for_each(|node| node.shift(offset)),
            Value::Table(entries) => {
                for (key, node) in entries {
                    key.span = key.span.start + offset..key.span.end + offset;
                    node.shift(offset);
                }
            }
            _ => {}
        }
    }
}
