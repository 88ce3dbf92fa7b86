//! Whether a register, or a branch at an `if`, `break` or `continue`, is uniform in a wave, and if not, why; also the
//! entries of the divergence stack that a construct uses.

use rustc_hash::FxHashSet;
use warplens_hir::Variance;
use warplens_hir::wave::{Because, Cell, Code, Link, MAX_DEPTH, Reason, Role, Uniformity, Value};
use warplens_ide_db::wave::{LABELS, wave_code};
use warplens_ide_db::{FilePosition, items, module_uses};

use crate::lines::Lines;
use crate::wave::hover::written::cell;

/// The maximum number of links that are shown of a chain of reasons.
const SHOWN: usize = 6;

/// What a keyword of a construct does to the divergence stack, and whether its branch is uniform.
pub(super) fn of_construct(position: &FilePosition<'_>, code: &Code, at: usize) -> Option<String> {
    let link = code.links.get(at).copied().flatten()?;
    let entry =
        |open: usize| format!("entry {} of {MAX_DEPTH} of the divergence stack", code.depth(open) + 1);
    let stack = match link {
        Link::If { .. } | Link::Loop { .. } => Some(format!("It pushes {}.", entry(at))),
        Link::Else { open, .. } => Some(format!("It inverts {}.", entry(open as usize))),
        Link::EndIf { open } => Some(format!("It pops {}.", entry(open as usize))),
        Link::EndLoop { open } => {
            Some(format!("When no active lane remains in the loop, it pops {}.", entry(open as usize)))
        }
        Link::Leave { .. } => None,
    };
    let way = matches!(link, Link::If { .. } | Link::Leave { .. }).then(|| way(position, code, at));
    let parts: Vec<String> = [way.flatten(), stack].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn way(position: &FilePosition<'_>, code: &Code, at: usize) -> Option<String> {
    let cell = predicate(code, at)?;
    let analysis = analysis(position, code);
    let word = code.instructions[at].name();
    let costs = match word {
        "if" => "a path that no lane takes is skipped at no cost",
        "break" => "either all of them break, or none",
        _ => "either all of them continue with the next iteration, or none",
    };
    let start = match analysis.branch(at) {
        Variance::Uniform => {
            return Some(format!("**Uniform**: active lanes take the same path; {costs}."));
        }
        Variance::Unknown => "**Lanes may diverge here**",
        Variance::Varies => "**Lanes diverge here**",
    };
    because(position, code, start, &analysis.reason(at, cell, false))
}

/// The analysis of a kernel. It includes the other kernels of the file, which may call its functions.
fn analysis<'c>(position: &FilePosition<'_>, code: &'c Code) -> Uniformity<'c> {
    if code.labels.is_empty() {
        return Uniformity::of(code);
    }
    let others = items(position.db, position.file).iter().filter(|item| **item != position.item);
    let uses = others.flat_map(|item| module_uses(position.db, *item));
    let labels = uses.filter(|found| found.namespace == LABELS);
    let called: FxHashSet<&str> = labels.map(|found| found.name.as_str()).collect();
    Uniformity::among(code, &|name| called.contains(name))
}

fn predicate(code: &Code, at: usize) -> Option<Cell> {
    match code.instructions[at].operands.first()?.value {
        Value::Predicate { index, .. } => Some(Cell::Predicate(index)),
        _ => None,
    }
}

pub(super) fn of_register(position: &FilePosition<'_>) -> Option<String> {
    let code = wave_code(position.db, position.item);
    let name = code.name_at(position.offset)?;
    let cell = cell(name)?;
    let at = code.instruction_at(name.range.start())?;
    let after = matches!(name.role, Role::Write | Role::ReadWrite);
    let analysis = analysis(position, &code);
    let start = match analysis.register(at, cell, after) {
        Variance::Uniform => {
            return Some("**Uniform here**: the lanes of a wave hold the same value.".to_owned());
        }
        Variance::Unknown => "**May vary by lane here**",
        Variance::Varies => "**Varies by lane here**",
    };
    because(position, &code, start, &analysis.reason(at, cell, after))
}

/// The chain of reasons, first in one line, then link by link. `None` without reasons, as in code with unmatched
/// constructs.
fn because(position: &FilePosition<'_>, code: &Code, start: &str, reasons: &[Reason]) -> Option<String> {
    if reasons.is_empty() {
        return None;
    }
    let lines = Lines::before(position);
    let mut text = format!("{start}: {}", path(code, reasons));
    for reason in reasons.iter().take(SHOWN) {
        let range = code.instructions[reason.instruction as usize].range;
        text += &format!("\n- line {}: {}", lines.number(range.start()), sentence(code, reason));
    }
    Some(text)
}

/// The chain in one line: `` `p1` ← `icmp.lt` ← `r1` ← `sr_lane_id` ``.
fn path(code: &Code, reasons: &[Reason]) -> String {
    let link = |reason: &Reason| {
        let source = match reason.because {
            Because::Special => special(code, reason),
            _ => &code.instructions[reason.instruction as usize].mnemonic,
        };
        format!("`{}` ← `{source}`", register(reason.register))
    };
    reasons.iter().map(link).collect::<Vec<_>>().join(" ← ")
}

fn sentence(code: &Code, reason: &Reason) -> String {
    let register = register(reason.register);
    let mnemonic = &code.instructions[reason.instruction as usize].mnemonic;
    match reason.because {
        Because::Made => format!("`{register}` is computed here from a value that varies by lane"),
        Because::Guarded => {
            format!(
                "`{register}` is written here only in lanes whose guard is true, and the guard varies by lane"
            )
        }
        Because::Diverged => format!("lanes diverge here, and `{register}` differs between the paths"),
        Because::Left => {
            format!(
                "lanes exit the loop here in different iterations, with the value of `{register}` at that time"
            )
        }
        Because::Continued => {
            format!("lanes continue with the next iteration here, and the others write `{register}`")
        }
        Because::Special => format!("`{register}` is read here from `{}`", special(code, reason)),
        Because::Lanes => format!("`{mnemonic}` returns a separate value of `{register}` for each lane"),
        Because::Memory => format!("`{register}` is loaded from memory here, which is not analyzed"),
        Because::Call => format!("the callee, in another kernel, may write `{register}`"),
        Because::Called => {
            format!("the callee writes `{register}`, and returns different values by lane")
        }
        Because::Brought => format!("this call passes `{register}`"),
        Because::Returned => {
            format!("some lanes return here before others, and `{register}` differs between them")
        }
        Because::Callers => {
            format!("callers in other kernels may enter here: they set `{register}`")
        }
    }
}

fn register(cell: Cell) -> String {
    match cell {
        Cell::General(index) => format!("r{index}"),
        Cell::Predicate(index) => format!("p{index}"),
    }
}

/// The special register that an instruction reads.
fn special<'c>(code: &'c Code, reason: &Reason) -> &'c str {
    let operands = &code.instructions[reason.instruction as usize].operands;
    let mut named = operands.iter().filter_map(|operand| match operand.value {
        Value::Special(special) => Some(special.0.name),
        _ => None,
    });
    named.next().unwrap_or("a special register")
}
