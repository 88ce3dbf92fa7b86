//! `branch-for-predicate`: moves the guard of a short, divergent branch of PTX to the instructions that it skips.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::Variance;
use warplens_hir::ptx::{
    Function, Instruction, InstructionId, Operand, ReferentId, Role, SymbolId, SymbolKind, Uniformity,
};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::{Flow, variance};

use crate::codes;
use crate::lints::layout::Rewrite;

/// The maximum number of instructions on a path.
const SHORT: usize = 7;

/// The maximum number reported for a function.
const MOST: usize = 50;

/// Instructions that only write registers, and take about as long as a branch.
const PLAIN: [&str; 49] = [
    "abs", "add", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "copysign", "cvt",
    "cvta", "dp2a", "dp4a", "fma", "isspacep", "ld", "lop3", "mad", "mad24", "madc", "max", "min", "mov",
    "mul", "mul24", "neg", "not", "or", "popc", "prmt", "sad", "selp", "set", "setp", "shf", "shl", "shr",
    "slct", "sub", "subc", "szext", "testp", "vadd", "vmax", "vmin", "xor",
];

/// Accesses that order others, or that are asynchronous.
const SPECIAL_ACCESS: [&str; 5] = ["acquire", "mmio", "volatile", "bulk", "param"];

/// Adds the branches that predicates can replace to the problems of a function without syntax errors. `kept` are the
/// names that debug information uses.
pub(crate) fn check<'k>(
    function: &Function,
    text: &str,
    cfg: impl FnOnce() -> Flow,
    kept: impl FnOnce() -> &'k FxHashSet<SmolStr>,
    problems: &mut Vec<Problem>,
) {
    let is_branch: Vec<bool> =
        function.mnemonics().iter().map(|known| known.opcode == "bra" && !known.has("uni")).collect();
    if !is_branch.contains(&true) {
        return;
    }
    let branches = function.instructions().filter(|found| is_branch[found.mnemonic_id().index()]);
    let mut short: Vec<Short> = branches.filter_map(|branch| Short::of(function, branch)).collect();
    if short.is_empty() {
        return;
    }
    let labels = Labels::of(function);
    short.retain(|short| short.is_closed(function, &labels));
    if short.is_empty() {
        return;
    }
    let cfg = cfg();
    let analysis = Uniformity::of(function, &cfg, &[]);
    let parts = |short: &Short| {
        let block = cfg.block_of(short.branch as u32);
        analysis.branch(block) == Variance::Varies && !analysis.is_uniform_branch(block)
    };
    short.retain(parts);
    if short.is_empty() {
        return;
    }
    let kept = kept();
    let found = short.iter().take(MOST).map(|short| {
        let block = cfg.block_of(short.branch as u32);
        let why = variance::path(function, &analysis.branch_reason(block));
        short.problem(function, text, &labels, kept, &why)
    });
    problems.extend(found);
}

/// A branch that skips a few instructions, or selects one of two short paths.
struct Short {
    branch: usize,
    guard: ReferentId,
    negated: bool,
    /// The not-taken path.
    first: std::ops::Range<usize>,
    /// The taken path; empty if the branch only skips instructions.
    second: std::ops::Range<usize>,
}

/// The label that a `bra` jumps to, and the instruction after it.
fn target(function: &Function, branch: Instruction<'_>) -> Option<(SymbolId, usize)> {
    let [Operand::Symbol(name)] = branch.operands() else { return None };
    let symbol = function.name(*name).resolution.symbol()?;
    match function.symbol(symbol).kind {
        SymbolKind::Label { target } => Some((symbol, target.index())),
        _ => None,
    }
}

fn instructions(count: usize) -> String {
    if count == 1 { "one instruction".to_owned() } else { format!("{count} instructions") }
}

fn instruction(function: &Function, at: usize) -> Instruction<'_> {
    function.instruction(InstructionId::new(at))
}

impl Short {
    /// Matches the code after a guarded branch, up to the maximum length.
    fn of(function: &Function, branch: Instruction<'_>) -> Option<Short> {
        let guard = branch.guard()?;
        let at = branch.id().index();
        let (_, to) = target(function, branch)?;
        if to <= at + 1 || to > at + SHORT + 2 {
            return None;
        }
        let last = instruction(function, to - 1);
        let (first, second) = match last.opcode() {
            "bra" if last.guard().is_none() => (at + 1..to - 1, to..target(function, last)?.1),
            _ => (at + 1..to, to..to),
        };
        let chooses = last.opcode() == "bra";
        let lengths = !first.is_empty() && first.len() <= SHORT && second.len() <= SHORT;
        let (negated, guard) = (guard.negated, function.name(guard.name).referent);
        let found = Short { branch: at, guard, negated, first, second };
        (lengths && chooses != found.second.is_empty() && found.is_plain(function) && !found.leaves(function))
            .then_some(found)
    }

    fn sides(&self) -> impl Iterator<Item = usize> + use<> {
        self.first.clone().chain(self.second.clone())
    }

    /// Whether every instruction of both paths can be guarded, and none changes the guard.
    fn is_plain(&self, function: &Function) -> bool {
        let scope = instruction(function, self.branch).scope();
        self.sides().all(|at| {
            let instruction = instruction(function, at);
            let opcode = instruction.opcode();
            let special = |modifier: &SmolStr| SPECIAL_ACCESS.contains(&modifier.as_str());
            let mut names = function.names_of(instruction);
            PLAIN.binary_search(&opcode).is_ok()
                && instruction.guard().is_none()
                && !(opcode == "ld" && instruction.modifiers().iter().any(special))
                && instruction.scope() == scope
                && !names.any(|name| name.referent == self.guard && name.role.writes())
        })
    }

    /// Whether lanes only exit on the path, so that those that skip it do not wait.
    fn leaves(&self, function: &Function) -> bool {
        let end = self.first.end.max(self.second.end);
        let ends = |next: Instruction<'_>| matches!(next.opcode(), "ret" | "exit") && next.guard().is_none();
        end >= function.instructions().len() || ends(instruction(function, end))
    }

    /// Whether both paths are entered through the branch only, and both continue with the code after them.
    fn is_closed(&self, function: &Function, labels: &Labels) -> bool {
        let scope = instruction(function, self.branch).scope();
        let end = if self.second.is_empty() { self.first.end } else { self.second.end };
        let beside = |symbol: &SymbolId| function.symbol(*symbol).scope == scope;
        let own = |symbol: SymbolId, target: usize| {
            target == self.second.start && labels.uses(symbol) == 1 && !self.second.is_empty()
        };
        labels
            .between(self.branch + 1, end)
            .all(|(target, symbol)| beside(&symbol) && (target == end || own(symbol, target)))
    }

    fn guards(&self, function: &Function) -> [String; 2] {
        let name = function.referent_text(self.guard);
        let (yes, no) = (format!("@{name}"), format!("@!{name}"));
        if self.negated { [yes, no] } else { [no, yes] }
    }

    fn problem(
        &self,
        function: &Function,
        text: &str,
        labels: &Labels,
        kept: &FxHashSet<SmolStr>,
        why: &str,
    ) -> Problem {
        let branch = instruction(function, self.branch);
        let [first, second] = self.guards(function);
        let (guards, saves) = match self.second.is_empty() {
            true => (format!("`{first}`"), "the branch"),
            false => (format!("`{first}` and `{second}`"), "two branches"),
        };
        let (skips, each, them) = match (self.first.len(), self.second.len()) {
            (1, 0) => ("it skips one instruction".to_owned(), "it", "it"),
            (count, 0) => (format!("it skips {}", instructions(count)), "each", "them"),
            (one, other) if one == other => {
                (format!("its two paths have {} each", instructions(one)), "them", "them")
            }
            (one, other) => {
                let paths = format!("its two paths have {} and {}", instructions(one), instructions(other));
                (paths, "them", "them")
            }
        };
        let message = format!(
            "this branch is divergent ({why}), and {skips}: guard {each} with {guards}, and the warp does not diverge and saves {saves}"
        );
        let problem = Problem::hint(branch.range(), codes::BRANCH_FOR_PREDICATE, message);
        let title = format!("Predicate {them} with {guards}");
        problem.with_fix(self.rewrite(function, text, labels, kept).fix(title))
    }

    fn rewrite<'t>(
        &self,
        function: &Function,
        text: &'t str,
        labels: &Labels,
        kept: &FxHashSet<SmolStr>,
    ) -> Rewrite<'t> {
        let mut rewrite = Rewrite::new(text);
        let at = |at: usize| instruction(function, at);
        let after = (!self.second.is_empty()).then(|| at(self.first.end));
        let [first, second] = self.guards(function);
        for (side, guard) in [(&self.first, first), (&self.second, second)] {
            for index in side.clone() {
                rewrite.replace(TextRange::empty(at(index).range().start()), format!("{guard} "));
            }
        }
        for branch in std::iter::once(at(self.branch)).chain(after) {
            rewrite.remove(branch.range());
            if let Some((symbol, _)) = target(function, branch)
                && labels.uses(symbol) == 1
                && !kept.contains(&function.symbol(symbol).name)
                && let Some(label) = whole_label(text, function.symbol(symbol).range)
            {
                rewrite.remove(label);
            }
        }
        rewrite
    }
}

fn whole_label(text: &str, name: TextRange) -> Option<TextRange> {
    let rest = &text[usize::from(name.end())..];
    let spaces = TextSize::of(rest) - TextSize::of(rest.trim_start());
    let colon = rest.trim_start().starts_with(':');
    colon.then(|| TextRange::new(name.start(), name.end() + spaces + TextSize::of(':')))
}

/// The labels of a function, and how often each is used.
struct Labels {
    /// By the instruction after it.
    sorted: Vec<(usize, SymbolId)>,
    uses: Vec<u32>,
}

impl Labels {
    fn of(function: &Function) -> Labels {
        let labels = function.labels().map(|label| (label.target.index(), label.symbol));
        let mut sorted: Vec<_> = labels.collect();
        sorted.sort_unstable();
        let mut named = vec![0; function.referent_count()];
        let uses = function.accesses().filter(|(_, role)| *role != Role::Declaration);
        uses.for_each(|(referent, _)| named[referent.index()] += 1);
        let mut uses = vec![0; function.symbols().len()];
        for (index, count) in named.into_iter().enumerate() {
            if let Some(symbol) = function.resolution(ReferentId::new(index)).symbol() {
                uses[symbol.index()] += count;
            }
        }
        Labels { sorted, uses }
    }

    fn uses(&self, label: SymbolId) -> u32 {
        self.uses[label.index()]
    }

    /// The labels before these instructions.
    fn between(&self, first: usize, last: usize) -> impl Iterator<Item = (usize, SymbolId)> {
        let start = self.sorted.partition_point(|(target, _)| *target < first);
        self.sorted[start..].iter().copied().take_while(move |(target, _)| *target <= last)
    }
}
