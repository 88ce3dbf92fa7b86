//! Whether the lanes of a wave share a register, or go the same way at an `if`, `break` or `continue`, and why not; what a
//! construct takes of the divergence stack.

use rustc_hash::FxHashSet;
use warplens_hir::Variance;
use warplens_hir::wave::{Because, Cell, Code, Link, MAX_DEPTH, Reason, Role, Uniformity, Value};
use warplens_ide_db::db::{Database, items, wave_code};
use warplens_ide_db::names::{Namespace, module_uses};
use warplens_ide_db::position::FilePosition;

use crate::hover::wave::structure::Lines;
use crate::hover::wave::written::cell;

/// More links of the chain are not told.
const SHOWN: usize = 6;

/// What is to be said of a word of a construct.
pub(super) fn of_construct(
    db: &Database,
    position: &FilePosition<'_>,
    code: &Code,
    at: usize,
) -> Option<String> {
    let link = code.links.get(at).copied().flatten()?;
    let entry =
        |open: usize| format!("entry {} of {MAX_DEPTH} of the divergence stack", code.depth(open) + 1);
    let stack = match link {
        Link::If { .. } | Link::Loop { .. } => Some(format!("It takes {}.", entry(at))),
        Link::Else { open, .. } => Some(format!("It turns {}.", entry(open as usize))),
        Link::EndIf { open } => Some(format!("It gives back {}.", entry(open as usize))),
        Link::EndLoop { open } => {
            Some(format!("When no lane is left in the loop, it gives back {}.", entry(open as usize)))
        }
        Link::Leave { .. } => None,
    };
    let way = matches!(link, Link::If { .. } | Link::Leave { .. }).then(|| way(db, position, code, at));
    let parts: Vec<String> = [way.flatten(), stack].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Whether lanes go the same way.
fn way(db: &Database, position: &FilePosition<'_>, code: &Code, at: usize) -> Option<String> {
    let cell = predicate(code, at)?;
    let analysis = analysis(db, position, code);
    let word = code.instructions[at].name();
    let costs = match word {
        "if" => "a side that no lane takes is skipped, so it costs nothing",
        "break" => "all of them leave the loop, or none",
        _ => "all of them end the trip, or none",
    };
    let start = match analysis.branch(at) {
        Variance::Uniform => {
            return Some(format!("**Uniform**: lanes that come here together go the same way; {costs}."));
        }
        Variance::Unknown => "**Lanes may part here**",
        Variance::Varies => "**Lanes part here**",
    };
    because(db, position, code, start, &analysis.reason(at, cell, false))
}

/// The analysis of a kernel among those of its file, which may call its functions.
fn analysis<'c>(db: &Database, position: &FilePosition<'_>, code: &'c Code) -> Uniformity<'c> {
    if code.labels.is_empty() {
        return Uniformity::of(code);
    }
    let others = items(db, position.file).iter().filter(|item| **item != position.item);
    let uses = others.flat_map(|item| module_uses(db, *item));
    let labels = uses.filter(|found| found.namespace == Namespace::Labels);
    let called: FxHashSet<&str> = labels.map(|found| found.name.as_str()).collect();
    Uniformity::among(code, &|name| called.contains(name))
}

fn predicate(code: &Code, at: usize) -> Option<Cell> {
    match code.instructions[at].operands.first()?.value {
        Value::Predicate { index, .. } => Some(Cell::Predicate(index)),
        _ => None,
    }
}

/// Whether lanes share the register at a place.
pub(super) fn of_register(db: &Database, position: &FilePosition<'_>) -> Option<String> {
    let code = wave_code(db, position.item);
    let name = code.name_at(position.offset)?;
    let cell = cell(name)?;
    let at = code.instruction_at(name.range.start())?;
    let after = matches!(name.role, Role::Write | Role::ReadWrite);
    let analysis = analysis(db, position, &code);
    let start = match analysis.register(at, cell, after) {
        Variance::Uniform => {
            return Some("**Uniform here**: the lanes of a wave hold the same value.".to_owned());
        }
        Variance::Unknown => "**May vary by lane here**",
        Variance::Varies => "**Varies by lane here**",
    };
    because(db, position, &code, start, &analysis.reason(at, cell, after))
}

/// The chain of reasons: in a line, then link by link. Nothing where there is none, as in code whose constructs do not match.
fn because(
    db: &Database,
    position: &FilePosition<'_>,
    code: &Code,
    start: &str,
    reasons: &[Reason],
) -> Option<String> {
    if reasons.is_empty() {
        return None;
    }
    let lines = Lines::before(db, position);
    let mut text = format!("{start}: {}", path(code, reasons));
    for reason in reasons.iter().take(SHOWN) {
        let range = code.instructions[reason.instruction as usize].range;
        text += &format!("\n- line {}: {}", lines.number(range), sentence(code, reason));
    }
    Some(text)
}

/// The chain in a line: `` `p1` ← `icmp.lt` ← `r1` ← `sr_lane_id` ``.
fn path(code: &Code, reasons: &[Reason]) -> String {
    let mut words: Vec<String> = Vec::new();
    for reason in reasons {
        let instruction = &code.instructions[reason.instruction as usize];
        words.push(format!("`{}`", register(reason.register)));
        words.push(match reason.because {
            Because::Special => format!("`{}`", special(code, reason)),
            _ => format!("`{}`", instruction.mnemonic),
        });
    }
    words.join(" ← ")
}

fn sentence(code: &Code, reason: &Reason) -> String {
    let register = register(reason.register);
    let mnemonic = &code.instructions[reason.instruction as usize].mnemonic;
    match reason.because {
        Because::Made => format!("`{register}` is computed here from what varies from lane to lane"),
        Because::Guarded => {
            format!("`{register}` is written here only in lanes where the guard holds, and the guard varies")
        }
        Because::Parted => format!("lanes part here, and `{register}` is not the same on both sides"),
        Because::Left => {
            format!("lanes leave the loop here in different trips, with what `{register}` is then")
        }
        Because::Continued => {
            format!("lanes go on to the next trip here, and `{register}` is written by the others")
        }
        Because::Special => format!("`{register}` is read here from `{}`", special(code, reason)),
        Because::Lanes => format!("`{mnemonic}` gives `{register}` lane by lane"),
        Because::Memory => format!("`{register}` comes from memory here, which is not followed"),
        Because::Call => format!("what is called here, in another kernel, may write `{register}`"),
        Because::Called => {
            format!("what is called here writes `{register}`, and returns with lanes that differ")
        }
        Because::Brought => format!("this call brings `{register}` along"),
        Because::Returned => {
            format!("lanes return here before others, and `{register}` is not the same in both")
        }
        Because::Callers => {
            format!("callers of other kernels may come in here: `{register}` is what they bring")
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
    let mut named = operands.iter().filter_map(|operand| match &operand.value {
        Value::Special(name) => Some(name.as_str()),
        _ => None,
    });
    named.next().unwrap_or("a special register")
}
