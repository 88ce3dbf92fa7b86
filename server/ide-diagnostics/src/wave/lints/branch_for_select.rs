//! `select` for an `if` whose paths write one register with one cheap instruction each.

use warplens_hir::wave::{Instruction, Value};

use crate::codes;
use crate::wave::dialect::Dialect;
use crate::wave::lints::kernel::{Branch, Kernel};
use warplens_ide_db::{ItemFix, Problem};

/// Categories of instructions that take about as long as a `select`, do not access memory, and are defined for all operand values.
const CHEAP: [&str; 5] = ["integer", "bitwise", "float32", "move", "compare"];

const EXPENSIVE: [&str; 12] =
    ["idiv", "imod", "iclamp", "fclamp", "fdiv", "fsqrt", "frsqrt", "frcp", "fsin", "fcos", "fexp2", "flog2"];

/// The last register that toolchain 0.1.2 encodes correctly as the false source of a `select`.
const LAST_FALSE_SOURCE: u8 = 15;

pub(super) fn check(kernel: &Kernel<'_>, branch: &Branch) -> Option<Problem> {
    let then = Side::of(kernel, branch.then())?;
    let otherwise = match branch.otherwise {
        Some(otherwise) => Some(Side::of(kernel, otherwise + 1..branch.end)?),
        None => None,
    };
    let target = then.target;
    let fits = match &otherwise {
        Some(otherwise) => otherwise.target == target,
        // Lanes on the other path keep the value of the register, so it must have been written before.
        None => then.moves && kernel.is_written_before(branch.at, target),
    };
    if !fits || kernel.is_uniform(branch.at) {
        return None;
    }
    let choice = Choice::of(kernel, branch, &then, otherwise.as_ref())?;
    let before = if otherwise.is_some() { 5 } else { 3 };
    let (after, write) = (choice.instructions(), choice.select());
    let message = format!(
        "`{write}` does this without divergence: this `if` costs an entry of the divergence stack and {before} instructions \
         where lanes diverge, `select` none and {after}"
    );
    let problem = Problem::hint(kernel.range(branch.at), codes::BRANCH_FOR_SELECT, message);
    Some(problem.with_fix(choice.fix(kernel, branch)))
}

/// The value that one path of the `if` leaves in the register.
struct Side<'k> {
    at: usize,
    instruction: &'k Instruction,
    target: u8,
    /// Whether it only copies a register or a number.
    moves: bool,
    /// The operand that `select` can read instead.
    operand: Option<String>,
}

impl<'k> Side<'k> {
    /// A path of one cheap instruction.
    fn of(kernel: &Kernel<'k>, side: std::ops::Range<usize>) -> Option<Side<'k>> {
        if side.len() != 1 || kernel.code.links[side.start].is_some() || !kernel.is_alone_on_line(side.start)
        {
            return None;
        }
        let instruction = kernel.instruction(side.start);
        let name = instruction.name();
        let category = instruction.entry?.category.id;
        let [first, sources @ ..] = &instruction.operands[..] else { return None };
        let Value::Register { index: target, half: None } = first.value else { return None };
        let plain = instruction.guard.is_none() && instruction.complete && first.registers == 1;
        if !plain || !CHEAP.contains(&category) || EXPENSIVE.contains(&name) {
            return None;
        }
        let moves = category == "move";
        let operand = match sources {
            [source] if moves => match source.value {
                // It writes the value that the register has already.
                Value::Register { index, .. } if index == target => return None,
                Value::Register { half: None, .. } => Some(source),
                Value::Integer { .. } if kernel.dialect() == Dialect::Guide => Some(source),
                _ => None,
            },
            _ => None,
        };
        let operand = operand.map(|source| kernel.words(source.range).to_owned());
        Some(Side { at: side.start, instruction, target, moves, operand })
    }
}

/// The `select`, and the values to compute before it.
struct Choice<'k> {
    target: u8,
    predicate: u8,
    /// Its operands for a true and for a false predicate.
    sources: [String; 2],
    gone: Vec<usize>,
    /// The path whose instruction stays, with another destination.
    moved: Option<(&'k Instruction, u8)>,
    kept: usize,
}

impl<'k> Choice<'k> {
    fn of(
        kernel: &Kernel<'_>,
        branch: &Branch,
        then: &Side<'k>,
        otherwise: Option<&Side<'k>>,
    ) -> Option<Choice<'k>> {
        let target = then.target;
        let own = format!("r{target}");
        let mut choice = Choice {
            target,
            predicate: branch.predicate,
            sources: [own.clone(), own],
            gone: Vec::new(),
            moved: None,
            kept: 0,
        };
        // Of two computed values, the first needs another register; so does one if the register must keep its value.
        let elsewhere = then.operand.is_none() && otherwise.is_none_or(|side| side.operand.is_none());
        for (side, source) in [(Some(then), 0), (otherwise, 1)] {
            let Some(side) = side else { continue };
            match &side.operand {
                Some(operand) => {
                    choice.sources[source] = operand.clone();
                    choice.gone.push(side.at);
                }
                None => choice.kept += 1,
            }
        }
        if elsewhere {
            let free = kernel.free_register()?;
            choice.sources[0] = format!("r{free}");
            choice.moved = Some((then.instruction, free));
        }
        if branch.negated {
            choice.sources.reverse();
        }
        let encodes = |source: &str| {
            let index = source.strip_prefix('r').and_then(|index| index.parse::<u8>().ok());
            index.is_none_or(|index| index <= LAST_FALSE_SOURCE)
        };
        (kernel.dialect() == Dialect::Guide || encodes(&choice.sources[1])).then_some(choice)
    }

    fn select(&self) -> String {
        let [yes, no] = &self.sources;
        format!("select r{}, p{}, {yes}, {no}", self.target, self.predicate)
    }

    fn instructions(&self) -> usize {
        1 + self.kept
    }

    fn fix(&self, kernel: &Kernel<'_>, branch: &Branch) -> ItemFix {
        let range = |at: usize| kernel.range(at);
        let mut rewrite = kernel.rewrite();
        rewrite.remove(range(branch.at));
        self.gone.iter().for_each(|at| rewrite.remove(range(*at)));
        branch.otherwise.iter().for_each(|otherwise| rewrite.remove(range(*otherwise)));
        if let Some((instruction, register)) = self.moved {
            rewrite.replace(instruction.operands[0].range, format!("r{register}"));
        }
        rewrite.replace(range(branch.end), self.select());
        rewrite.dedent(range(branch.at), range(branch.end), range(branch.at + 1));
        rewrite.fix(format!("Replace the `if` with `{}`", self.select()))
    }
}
