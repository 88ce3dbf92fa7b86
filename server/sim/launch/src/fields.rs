//! The keys of a table by name. An unknown key is a problem that suggests the nearest known one.

use std::collections::BTreeMap;

use super::keys::Table;
use super::problem::{Problem, Span};
use super::tree::{Key, Node, Value};

/// The entries of a table whose keys are all known.
pub(super) struct Fields<'n> {
    node: &'n Node,
    table: &'static Table,
    entries: &'n [(Key, Node)],
}

impl<'n> Fields<'n> {
    /// The fields of `node`, which must be this table.
    pub(super) fn new(node: &'n Node, table: &'static Table) -> Result<Fields<'n>, Problem> {
        Fields::with(node, table, &[])
    }

    /// Like [`Fields::new`], but also permits `others`, keys of tables of other shapes.
    pub(super) fn with(
        node: &'n Node,
        table: &'static Table,
        others: &[&str],
    ) -> Result<Fields<'n>, Problem> {
        let Value::Table(entries) = &node.value else {
            return Err(node.wrong(format!("{} must be a table, not {}", table.owner, node.what())));
        };
        let known = [&table.names(), others].concat();
        match entries.iter().find(|(key, _)| !known.contains(&key.name.as_str())) {
            Some((key, _)) => Err(unknown(key, table.owner, &known)),
            None => Ok(Fields { node, table, entries }),
        }
    }

    /// The integer of a key, within the bounds of the table.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i128>, Problem> {
        self.get(name).map(|node| self.table.integer(name, node)).transpose()
    }

    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    pub(super) fn spans(&self) -> BTreeMap<String, Span> {
        self.entries.iter().map(|(key, node)| (key.name.clone(), node.span.clone())).collect()
    }

    /// The only key among `names` that is present; none or several are a problem.
    pub(super) fn one_of(&self, what: &str, names: &[&str]) -> Result<(&'n Key, &'n Node), Problem> {
        let mut found = self.entries.iter().filter(|(key, _)| names.contains(&key.name.as_str()));
        let Some((key, node)) = found.next() else {
            let choice = if names.len() > 1 { "one of " } else { "" };
            return Err(self.node.wrong(format!("{what}: write {choice}{}", listing(names))));
        };
        if let Some((second, _)) = found.next() {
            let message = format!("`{}` and `{}` are mutually exclusive: remove one", key.name, second.name);
            return Err(Problem::at(second.span.clone(), message));
        }
        Ok((key, node))
    }
}

/// Names as a list, each in backquotes.
pub(super) fn listing(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The problem of a key that `owner` does not have.
pub(super) fn unknown(key: &Key, owner: &str, known: &[&str]) -> Problem {
    let near = nearest(&key.name, known);
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys are {}", listing(known)),
    };
    let problem = Problem::at(key.span.clone(), format!("{owner} has no key `{}`: {hint}", key.name));
    Problem { replacement: near.map(str::to_owned), ..problem }
}

/// The closest known name, if it is at most two edits away.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let distances = known.iter().map(|candidate| (strsim::levenshtein(name, candidate), *candidate));
    distances
        .filter(|(distance, candidate)| *distance <= 2 && *distance < candidate.len())
        .min()
        .map(|found| found.1)
}
