//! `divergent-barrier` for the barriers of called functions.

use smol_str::SmolStr;
use warplens_hir::ptx::ModuleNames;
use warplens_ide_db::ptx::{ptx_cfg, ptx_function};
use warplens_ide_db::{Db, File, Item, Problem, items};

use crate::ptx::cross_item::CrossItemUses;
use crate::ptx::flow::divergence::check_calls;
use crate::ptx::invalid_call::Call;

/// Checks the calls of a module. `uses` are those of its items.
pub(super) fn check(
    db: &dyn Db,
    file: File,
    names: &ModuleNames,
    uses: &[Option<&CrossItemUses>],
) -> Vec<(u32, Problem)> {
    if !uses.iter().flatten().any(|uses| uses.waits) {
        return Vec::new();
    }
    let waits = waiting_functions(names, uses);
    let mut found = Vec::new();
    for (index, uses) in uses.iter().enumerate() {
        let calls = uses.iter().flat_map(|uses| &uses.calls);
        let waiting = calls.filter(|call| callee(names, call).is_some_and(|callee| waits[callee]));
        let mut waiting: Vec<SmolStr> = waiting.filter_map(|call| call.callee().cloned()).collect();
        waiting.sort_unstable();
        waiting.dedup();
        if !waiting.is_empty() {
            let problems = calls_apart(db, file, items(db, file)[index], waiting);
            found.extend(problems.iter().map(|problem| (index as u32, problem.clone())));
        }
    }
    found
}

/// By item: whether it is a function that waits at a barrier, or that calls one.
fn waiting_functions(names: &ModuleNames, uses: &[Option<&CrossItemUses>]) -> Vec<bool> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); uses.len()];
    for (caller, uses) in uses.iter().enumerate() {
        let calls = uses.iter().flat_map(|uses| &uses.calls);
        for callee in calls.filter_map(|call| callee(names, call)) {
            callers[callee].push(caller);
        }
    }
    let mut waits = vec![false; uses.len()];
    let mut open: Vec<usize> =
        (0..uses.len()).filter(|at| uses[*at].is_some_and(|uses| uses.waits)).collect();
    while let Some(function) = open.pop() {
        if !std::mem::replace(&mut waits[function], true) {
            open.extend(&callers[function]);
        }
    }
    waits
}

/// The item that defines the function that is called.
fn callee(names: &ModuleNames, call: &Call) -> Option<usize> {
    Some(names.function_with_body(call.callee()?)?.item as usize)
}

#[salsa::tracked(returns(deref))]
fn calls_apart<'db>(db: &'db dyn Db, file: File, item: Item<'db>, waiting: Vec<SmolStr>) -> Box<[Problem]> {
    let Some(function) = ptx_function(db, item) else { return Box::default() };
    if !item.parse(db).errors().is_empty() {
        return Box::default();
    }
    let cfg = ptx_cfg(db, file, item, &function);
    check_calls(&function, &cfg, &waiting).into()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::{LANE, check};

    /// A module with functions, and a kernel around some statements.
    fn module(functions: &str, statements: &str) -> String {
        format!("{functions}\n.entry k() {{\n.reg .b32 %r<8>; .reg .pred %p<4>;\n{statements}\n}}\n")
    }

    const WAIT: &str = ".func wait() { bar.sync 0; ret; }";

    #[test]
    fn calls_under_a_condition_that_differs_by_thread() {
        check(
            &module(WAIT, &format!("{LANE}@%p1 call wait;\nst.shared.u32 [8], %r1;\nret;")),
            expect![[r#"
            6:`call` Warning divergent-barrier: only some lanes of the warp may arrive at the barrier of `wait`, which is called here: its guard `%p1` may differ between lanes (`%p1` ← `setp` ← `%r1` ← `%tid.x`); all lanes of a warp must arrive together
                5:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                4:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
        );
        check(
            &module(WAIT, &format!("{LANE}@%p1 bra L;\ncall wait;\nret;\nL: bar.sync 0;\nret;")),
            expect![[r#"
                7:`call` Warning divergent-barrier: only some lanes of the warp may arrive at the barrier of `wait`, which is called here: they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together
                    6:`@%p1 bra L;` lanes diverge at this branch
                    5:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                    4:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
        let through = format!("{WAIT} .func outer() {{ call wait; ret; }}");
        check(
            &module(&through, &format!("{LANE}@%p1 bra L;\ncall outer;\nL: st.shared.u32 [8], %r1;\nret;")),
            expect![[r#"
                7:`call` Warning divergent-barrier: only some lanes of the warp may arrive at the barrier of `outer`, which is called here: they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together
                    6:`@%p1 bra L;` lanes diverge at this branch
                    5:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                    4:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
    }

    #[test]
    fn calls_that_are_fine() {
        let with_count = ".func wait() { bar.sync 1, 64; ret; }";
        let apart = ".func wait() { barrier.sync 0; ret; }";
        let other = ".func wait() { ret; }";
        let declared = ".extern .func wait();";
        let branch = format!("{LANE}@%p1 bra L;\ncall wait;\nL: st.shared.u32 [8], %r1;\nret;");
        for functions in [with_count, apart, other, declared] {
            check(&module(functions, &branch), expect![[""]]);
        }
        // After the reconvergence point, and at a uniform branch.
        check(
            &module(WAIT, &format!("{LANE}@%p1 bra L;\nst.shared.u32 [8], %r1;\nL: call wait;\nret;")),
            expect![[""]],
        );
        let uniform = "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\ncall wait;\nL: st.shared.u32 [8], %r1;\nret;";
        check(&module(WAIT, uniform), expect![[""]]);
        // The threads that skip the call only exit.
        check(
            &module(WAIT, &format!("{LANE}@%p1 bra L;\ncall wait;\nst.shared.u32 [8], %r1;\nL: ret;")),
            expect![[""]],
        );
    }
}
