//! Functions that call themselves. A machine has room for eight calls, so hardly any recursion ends well.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::model::{Code, Name, Role};
use super::problem::{Problem, ProblemKind};

/// Adds the calls that close a circle to the problems of a kernel.
pub(crate) fn check(code: &mut Code) {
    let functions: Vec<Function> = functions(code);
    if functions.is_empty() {
        return;
    }
    let numbers: FxHashMap<&SmolStr, usize> =
        code.labels.iter().enumerate().map(|(number, label)| (&label.name, number)).collect();
    let calls = |function: usize| {
        functions[function].calls.iter().filter_map(|&name| {
            let Name::Label(label) = &code.names[name].name else { return None };
            Some((name, *numbers.get(label)?))
        })
    };
    let mut problems = Vec::new();
    let mut state = vec![State::New; functions.len()];
    for root in 0..functions.len() {
        if state[root] != State::New {
            continue;
        }
        // Depth first, with the calls that are still to be followed.
        state[root] = State::Open;
        let mut path = vec![(root, calls(root).collect::<Vec<_>>())];
        while let Some((function, rest)) = path.last_mut() {
            match rest.pop() {
                Some((name, callee)) if state[callee] == State::Open => {
                    let kind = ProblemKind::Recursion(code.labels[callee].name.clone());
                    problems.push(Problem { range: code.names[name].range, kind });
                }
                Some((_, callee)) if state[callee] == State::New => {
                    state[callee] = State::Open;
                    path.push((callee, calls(callee).collect()));
                }
                Some(_) => {}
                None => {
                    state[*function] = State::Done;
                    path.pop();
                }
            }
        }
    }
    code.problems.extend(problems);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// What begins at a label.
#[derive(Default)]
struct Function {
    /// Its calls, as numbers of `Code::names`.
    calls: Vec<usize>,
}

/// The functions of the labels: each goes to the first `return` or `halt` that all its lanes come to.
fn functions(code: &Code) -> Vec<Function> {
    let mut functions: Vec<Function> = code.labels.iter().map(|_| Function::default()).collect();
    let mut open: Vec<usize> = Vec::new();
    let (mut label, mut name) = (0, 0);
    for (at, instruction) in code.instructions.iter().enumerate() {
        while code.labels.get(label).is_some_and(|label| label.before as usize <= at) {
            open.push(label);
            label += 1;
        }
        while let Some(occurrence) =
            code.names.get(name).filter(|name| name.range.start() < instruction.range.end())
        {
            if occurrence.role == Role::Call {
                open.iter().for_each(|&function| functions[function].calls.push(name));
            }
            name += 1;
        }
        let ends = instruction.entry.is_some_and(|entry| matches!(entry.mnemonic, "return" | "halt"));
        if ends && instruction.guard.is_none() && code.parents[at].is_none() {
            open.clear();
        }
    }
    functions
}
