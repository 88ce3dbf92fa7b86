//! Problems that involve several items of a file: all kernels share one name space of labels, which only
//! `call` uses.

use rustc_hash::FxHashMap;

use super::model::{Code, Name, NameRef, Role};
use super::problem::{Problem, ProblemKind};

/// A problem of one item that is caused by another item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    pub item: usize,
    pub problem: Problem,
    /// The other location: an item and a range in it.
    pub related: Option<(usize, text_size::TextRange)>,
}

/// Calls without a label, and names declared in two items. Problems that are visible in one item alone are in
/// [`Code`].
pub fn file_problems(items: &[&Code]) -> Vec<FileProblem> {
    let mut labels = FxHashMap::default();
    let mut kernels = FxHashMap::default();
    let mut problems = Vec::new();
    for (item, code) in items.iter().enumerate() {
        for label in &code.labels {
            let (first, range) = *labels.entry(label.name.clone()).or_insert((item, label.range));
            if first != item {
                let kind = ProblemKind::DuplicateLabel { name: label.name.clone(), first: None };
                let problem = Problem { range: label.range, kind };
                problems.push(FileProblem { item, problem, related: Some((first, range)) });
            }
        }
        if let Some((name, range)) = code.kernel.as_ref().and_then(|kernel| kernel.name.as_ref()) {
            let first = *kernels.entry(name.clone()).or_insert((item, *range));
            if first.0 != item {
                let problem = Problem { range: *range, kind: ProblemKind::DuplicateKernel(name.clone()) };
                problems.push(FileProblem { item, problem, related: Some(first) });
            }
        }
    }
    for (item, code) in items.iter().enumerate() {
        for NameRef { range, name, role } in code.label_uses() {
            if let (Name::Label(label), Role::Call) = (name, role)
                && !labels.contains_key(&label)
            {
                let problem = Problem { range, kind: ProblemKind::UndefinedLabel(label) };
                problems.push(FileProblem { item, problem, related: None });
            }
        }
    }
    problems
}
