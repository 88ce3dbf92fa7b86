//! Explains why a register varies by lane, for related ranges of diagnostics and for hovers.

use warplens_hir::ptx::{Function, Instruction, Link, LinkKind, Operand, Resolution};

/// One link of the chain as a sentence about its instruction.
pub fn sentence(function: &Function, link: &Link) -> String {
    let instruction = function.instruction(link.instruction);
    let register = register(function, link);
    match link.kind {
        LinkKind::Made if is_load(instruction) => {
            format!("{register} is loaded here from an address that varies by lane")
        }
        LinkKind::Made => format!("{register} is computed here from a value that varies by lane"),
        LinkKind::Guarded => {
            format!(
                "{register} is written here only in lanes whose guard is true, and the guard varies by lane"
            )
        }
        LinkKind::Diverged => format!("lanes diverge here, and {register} differs between the paths"),
        LinkKind::Left => {
            format!(
                "lanes exit the loop here in different iterations, with the value of {register} at that time"
            )
        }
        LinkKind::Special => format!("{register} is read here from {}", special(function, instruction)),
        LinkKind::Picks => format!("`{}` sets {register} in one lane only", instruction.opcode()),
        LinkKind::Opaque => format!("{register} is {}", opaque(instruction)),
        LinkKind::Aligned => {
            format!(
                "{register} is computed here so that it may be uniform in each warp, depending on the launch"
            )
        }
        LinkKind::Parameter => format!("{register} is a parameter: it depends on the callers"),
    }
}

/// The chain on one line: `` `%p1` ← `setp` ← `%r3` ← `%tid.x` ``.
pub fn path(function: &Function, links: &[Link]) -> String {
    const SHOWN: usize = 6;
    let mut steps = Vec::new();
    for link in links.iter().take(SHOWN) {
        let instruction = function.instruction(link.instruction);
        let register = register(function, link);
        if steps.last() != Some(&register) {
            steps.push(register);
        }
        steps.push(match link.kind {
            LinkKind::Made | LinkKind::Opaque | LinkKind::Aligned | LinkKind::Picks => {
                format!("`{}`", instruction.opcode())
            }
            LinkKind::Guarded => "the guard of its `mov`".replace("mov", instruction.opcode()),
            LinkKind::Diverged => "a divergent branch".to_owned(),
            LinkKind::Left => "a loop with a divergent exit".to_owned(),
            LinkKind::Special => special(function, instruction),
            LinkKind::Parameter => "a parameter".to_owned(),
        });
    }
    if links.len() > SHOWN {
        steps.push("…".to_owned());
    }
    steps.join(" ← ")
}

fn register(function: &Function, link: &Link) -> String {
    let text = link.register.map(|register| function.referent_text(register));
    text.map_or_else(|| "it".to_owned(), |text| format!("`{text}`"))
}

fn special(function: &Function, instruction: Instruction<'_>) -> String {
    let found = instruction.operands().iter().find_map(|operand| match operand {
        Operand::Special { name, component } => {
            let Resolution::Special(register) = function.name(*name).resolution else { return None };
            let component = component.and_then(|component| component.element());
            let component = component.map_or("", |element| [".x", ".y", ".z", ".w"][element]);
            Some(format!("`{register}{component}`"))
        }
        _ => None,
    });
    found.unwrap_or_else(|| "a special register".to_owned())
}

fn is_load(instruction: Instruction<'_>) -> bool {
    matches!(instruction.opcode(), "ld" | "ldu")
}

fn opaque(instruction: Instruction<'_>) -> String {
    match instruction.opcode() {
        "ld" | "ldu" => "loaded here from memory, which is not analyzed".to_owned(),
        "call" => "returned here by a call, which is not analyzed".to_owned(),
        opcode => format!("the result of `{opcode}` here, which is not analyzed"),
    }
}
