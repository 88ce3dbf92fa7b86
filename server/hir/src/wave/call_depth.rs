//! Calls that exceed the limits of the machine: call depth 9, and calls that lead to more than 32 open
//! constructs.

use super::model::{Code, Value};
use super::nesting::{CALLS, Calls};
use super::problem::{Problem, ProblemKind};
use super::structure::MAX_DEPTH;

/// Adds the first call of each kind to the problems of a kernel without recursion.
pub(crate) fn check(code: &mut Code) {
    let says = |known: &ProblemKind| matches!(known, ProblemKind::Recursion(_) | ProblemKind::TooDeep);
    let calls = code.instructions.iter().any(|instruction| instruction.name() == "call");
    if !calls || code.problems.iter().any(|problem| says(&problem.kind)) {
        return;
    }
    let calls = Calls::of(code);
    let found: Vec<Problem> = [one_too_many(&calls), entries(code, &calls)]
        .into_iter()
        .flatten()
        .filter_map(|(at, kind)| {
            let operand = code.instructions[at].operands.first()?;
            let Value::Label(word) = operand.value else { return None };
            Some(Problem { range: operand.range, kind: kind(code.word(word).clone()) })
        })
        .collect();
    code.problems.extend(found);
}

type Found = (usize, fn(smol_str::SmolStr) -> ProblemKind);

/// The first call at depth 9.
fn one_too_many(calls: &Calls<'_>) -> Option<Found> {
    if calls.chain(0, CALLS + 1) <= CALLS {
        return None;
    }
    let (mut start, mut last) = (0, 0);
    for rest in (0..=CALLS).rev() {
        (last, start) = calls.calls(start).find(|(_, callee)| calls.chain(*callee, rest) == rest)?;
    }
    Some((last, ProblemKind::CallDepth))
}

/// The call of the function that opens the 33rd construct.
fn entries(code: &Code, calls: &Calls<'_>) -> Option<Found> {
    let (mut start, mut below, mut last) = (0, 0, None);
    for depth_left in (0..CALLS).rev() {
        let mut inside = calls.calls(start);
        let deep = inside
            .find(|(at, callee)| below + code.depth(*at) + calls.entries(*callee, depth_left) > MAX_DEPTH);
        let Some((at, callee)) = deep else { break };
        below += code.depth(at);
        (start, last) = (callee, Some(at));
    }
    Some((last?, ProblemKind::TooDeepCall))
}

#[cfg(test)]
mod tests {
    use warplens_syntax::parse_file;

    /// The calls that exceed a limit: the problem's code, and the word after `call`.
    fn found(statements: &str) -> Vec<String> {
        let text = format!(".kernel k\n{statements}\n.end\n");
        let file = parse_file(warplens_syntax::wave::LANGUAGE, &text);
        let item = file.items().next().expect("a kernel");
        let problems = super::super::lower(item).problems;
        problems.iter().map(|problem| format!("{} {}", problem.code(), &text[problem.range])).collect()
    }

    /// Functions that call each other in a chain, with this number of `if`s in the last one.
    fn chain(calls: usize, ifs: usize) -> String {
        let functions = (1..calls).map(|at| format!("f{at}: call f{}\nreturn\n", at + 1));
        let functions: String = functions.collect();
        let ifs = "if p1\n".repeat(ifs) + &"endif\n".repeat(ifs);
        format!("icmp.lt p1, r0, r1\nif p1\ncall f1\nendif\nhalt\n{functions}f{calls}: nop\n{ifs}return")
    }

    #[test]
    fn nested_calls() {
        assert_eq!(found(&chain(8, 0)), [""; 0]);
        assert_eq!(found(&chain(9, 0)), ["call-depth f9"]);
        assert_eq!(found(&chain(20, 0)), ["call-depth f9"]);
    }

    #[test]
    fn constructs_of_callers_count() {
        assert_eq!(found(&chain(2, 31)), [""; 0]);
        assert_eq!(found(&chain(2, 32)), ["nesting-depth f2"]);
        assert_eq!(found(&chain(2, 33)), ["nesting-depth if"]);
    }

    #[test]
    fn many_functions_that_run_into_each_other() {
        let labels = |call: fn(usize) -> usize| -> String {
            (0..20_000).map(|at| format!("l{at}: call l{}\n", call(at))).collect::<String>() + "halt"
        };
        let last = labels(|_| 19_999);
        assert_eq!(found(&last), ["recursion l19999"]);
        assert_eq!(found(&labels(|at| at)).len(), 20_000);
        let next = labels(|at| (at + 1).min(19_999));
        assert!(found(&next).iter().all(|reported| reported.starts_with("recursion")));
    }
}
