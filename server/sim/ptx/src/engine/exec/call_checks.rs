//! Calls and returns that break a promise of the program, which makes their behavior undefined.

use warplens_sim_cuda::run_state::RunState;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;

use super::warp::Warp;
use crate::engine::run_context::RunContext;
use crate::program::{Call, Function, Promise, SignatureShape, Uniformity};

impl Warp {
    /// Checks the callees of a call: a `.uni` call has one, and an indirect call's callees match its prototype or table.
    pub(super) fn check_callees(
        &self,
        callees: &[(u32, u32)],
        call: &Call,
        uniformity: Uniformity,
        statement: u32,
        run: &mut RunContext<'_>,
    ) {
        let functions = &run.launch.program.functions;
        if uniformity == Uniformity::Asserted && callees.len() > 1 {
            // Report the lowest lane first.
            let mut callees = callees.to_vec();
            callees.sort_unstable_by_key(|(_, mask)| mask.trailing_zeros());
            let target = |&(callee, mask): &(u32, u32)| {
                let lanes = LaneSet(mask.into());
                format!("{lanes} {} `{}`", lanes.verb("calls", "call"), functions[callee as usize].name)
            };
            let message = format!(
                "a call: {}\nremove `.uni`, or make the address uniform",
                callees.iter().map(target).collect::<Vec<_>>().join(", ")
            );
            let all = callees.iter().fold(0, |all, (_, mask)| all | mask);
            run.state.report(self.id.finding(FindingKind::DivergentUniform, message, statement, all));
        }
        let Some(promise) = &call.promise else { return };
        for &(callee, mask) in callees {
            let function = &functions[callee as usize];
            if let Some(message) = broken_promise(promise, callee, function) {
                run.state.report(self.id.finding(FindingKind::CallTarget, message, statement, mask));
            }
        }
    }

    pub(super) fn check_return(&self, function: &Function, statement: u32, mask: u32, state: &mut RunState) {
        if !function.is_noreturn || mask == 0 {
            return;
        }
        let message = format!(
            "`{}` is `.noreturn`, but {} {} from it\nbehavior is undefined; end it with `exit` or `trap`, or remove \
             `.noreturn`",
            function.name,
            LaneSet(mask.into()),
            LaneSet(mask.into()).verb("returns", "return")
        );
        state.report(self.id.finding(FindingKind::Noreturn, message, statement, mask));
    }
}

fn broken_promise(promise: &Promise, callee: u32, function: &Function) -> Option<String> {
    let (name, table) = (&function.name, &promise.name);
    if promise.targets.as_ref().is_some_and(|targets| !targets.contains(&callee)) {
        return Some(format!(
            "`.calltargets` `{table}` does not list `{name}`\nbehavior is undefined; add it to the table, or use a \
             `.callprototype`"
        ));
    }
    let difference = difference(&promise.signature, &function.signature)?;
    let what = if promise.targets.is_some() { "the first function of" } else { "the prototype" };
    Some(format!(
        "`{name}` does not match {what} `{table}`\n{difference}; behavior is undefined; use the signature of `{name}`"
    ))
}

/// The first difference between the expected and the actual parameters.
fn difference(expected: &SignatureShape, actual: &SignatureShape) -> Option<String> {
    let pairs = [
        ("parameter", &expected.params, &actual.params),
        ("return parameter", &expected.returns, &actual.returns),
    ];
    pairs.into_iter().find_map(|(what, expected, actual)| {
        if expected.len() != actual.len() {
            return Some(format!("{} {what}s instead of {}", expected.len(), actual.len()));
        }
        let index = expected.iter().zip(actual).position(|(expected, actual)| expected != actual)?;
        Some(format!("{what} {} has {} bytes instead of {}", index + 1, expected[index], actual[index]))
    })
}
