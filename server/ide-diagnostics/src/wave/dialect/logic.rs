//! `and`, `or`, `xor`, `not` of predicates in a dialect without them: guarded comparisons, and `if` where guards do not work.
//!
//! The toolchain ignores the guard `@p0` but not `@!p0`, and `if` reads its predicate once, before its body can change it.

use std::fmt;

use warplens_hir::wave::Guard;

/// A predicate, or the opposite of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) index: u8,
    pub(super) negated: bool,
}

impl From<Guard> for Literal {
    fn from(guard: Guard) -> Literal {
        Literal { index: guard.predicate, negated: guard.negated }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}p{}", if self.negated { "!" } else { "" }, self.index)
    }
}

impl Literal {
    fn opposite(self) -> Literal {
        Literal { negated: !self.negated, ..self }
    }
}

/// The lines that set `to` to a constant.
fn set(to: u8, value: bool) -> String {
    format!("icmp_{} p{to}, r0, r0", if value { "eq" } else { "ne" })
}

pub(super) fn when(literal: Literal, line: String) -> Vec<String> {
    match literal {
        Literal { index: 0, negated: false } => vec!["if p0".into(), format!("    {line}"), "endif".into()],
        literal => vec![format!("@{literal} {line}")],
    }
}

/// `@p0 halt`: with `p0` inverted, since `@!p0` is honored. It is false in the lanes that continue.
pub(super) fn end_under_p0() -> Vec<String> {
    let p0 = Literal { index: 0, negated: false };
    let mut lines = choose(p0, vec![set(0, false)], vec![set(0, true)]);
    lines.extend(["@!p0 halt".into(), set(0, false)]);
    lines
}

/// `to = from`, for another register.
pub(super) fn copy(to: u8, from: Literal) -> Vec<String> {
    let mut lines = vec![set(to, false)];
    // The toolchain honors `@!p0` but ignores `@p0`.
    if from == (Literal { index: 0, negated: false }) {
        lines = vec![set(to, true)];
        lines.extend(when(from.opposite(), set(to, false)));
    } else {
        lines.extend(when(from, set(to, true)));
    }
    lines
}

/// Lanes in which the literal is true execute the first lines, the others the second.
fn choose(literal: Literal, yes: Vec<String>, no: Vec<String>) -> Vec<String> {
    let (first, second) = if literal.negated { (no, yes) } else { (yes, no) };
    let open = [format!("if p{}", literal.index)].into_iter();
    open.chain(inside(first)).chain(["else".into()]).chain(inside(second)).chain(["endif".into()]).collect()
}

fn inside(lines: Vec<String>) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("    {line}"))
}

/// The lines that set `to` to the result of an operation; `None` for an unknown one.
pub(super) fn lines(operation: &str, to: u8, a: Literal, b: Literal) -> Option<Vec<String>> {
    let assign = |from: Literal| match from {
        Literal { index, negated: false } if index == to => Vec::new(),
        // In this case an `if` around it has read `to` already.
        Literal { index, .. } if index == to => choose(from, vec![set(to, true)], vec![set(to, false)]),
        from => copy(to, from),
    };
    let aliased = |literal: Literal| literal.index == to;
    Some(match operation {
        "not" if aliased(a) => choose(a, vec![set(to, false)], vec![set(to, true)]),
        "not" => copy(to, a.opposite()),
        "and" if aliased(a) && !a.negated && !aliased(b) => when(b.opposite(), set(to, false)),
        "and" if aliased(b) && !b.negated && !aliased(a) => when(a.opposite(), set(to, false)),
        "or" if aliased(a) && !a.negated && !aliased(b) => when(b, set(to, true)),
        "or" if aliased(b) && !b.negated && !aliased(a) => when(a, set(to, true)),
        "and" if !aliased(a) && !aliased(b) => [copy(to, a), when(b.opposite(), set(to, false))].concat(),
        "or" if !aliased(a) && !aliased(b) => [copy(to, a), when(b, set(to, true))].concat(),
        "and" => choose(a, assign(b), vec![set(to, false)]),
        "or" => choose(a, vec![set(to, true)], assign(b)),
        "xor" => choose(a, assign(b.opposite()), assign(b)),
        _ => return None,
    })
}

pub(super) fn guarded(guard: Option<Literal>, lines: Vec<String>) -> Vec<String> {
    match guard {
        None => lines,
        Some(Literal { index, negated }) => {
            let open = [format!("if p{index}")].into_iter().chain(negated.then(|| "else".into()));
            open.chain(inside(lines)).chain(["endif".into()]).collect()
        }
    }
}
