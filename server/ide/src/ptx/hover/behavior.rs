//! The use of registers and labels in their function: where a register is written and read, and whether it is uniform;
//! the branches to a label, and its reconvergence point.

use text_size::TextSize;
use warplens_hir::Variance;
use warplens_hir::cfg::{BlockId, Cfg};
use warplens_hir::ptx::{
    Function, InstructionId, NameRef, RegisterQuery, Resolution, Role, SymbolKind, TableKind, Uniformity,
};
use warplens_ide_db::ptx::{ptx_cfg, ptx_function, variance};
use warplens_ide_db::{FilePosition, all_of};
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::lines::Lines;

/// How the local name at a position is used, in addition to its declaration; often `None`.
pub(super) fn of_name(position: &FilePosition<'_>) -> Option<String> {
    let function = ptx_function(position.db, position.item)?;
    let name = function.name_at(position.offset)?;
    let lines = Lines::before(position);
    let cfg = || ptx_cfg(position.db, position.file, position.item, &function);
    match &function.symbol(name.resolution.symbol()?).kind {
        SymbolKind::Label { target } => label(&function, &cfg(), name, target.index() as u32, &lines),
        SymbolKind::RegisterRange { .. } if matches!(name.resolution, Resolution::Symbol(_)) => None,
        SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. } => {
            register(&function, &cfg(), name, &lines)
        }
        SymbolKind::Table { kind: TableKind::Call, .. } => Some(LISTED.to_owned()),
        SymbolKind::Prototype(_) => Some(UNLISTED.to_owned()),
        SymbolKind::Variable(_) => of_table(&position.token()?).map(str::to_owned),
        _ => None,
    }
}

const LISTED: &str = "It must list all functions that a call with it can reach; so the back end is free to choose the calling convention.";
const UNLISTED: &str = "A call with it may reach any function of this type, so it follows the ABI.";

/// What a variable means if it is the last operand of a call: the functions that the call can reach.
pub(super) fn of_table(token: &SyntaxToken) -> Option<&'static str> {
    let call = token.parent_ancestors().find_map(ast::Instruction::cast)?;
    let is_call = call.opcode_token()?.text() == "call";
    // Variables in parentheses are arguments.
    let is_argument = token.parent_ancestors().any(|node| node.kind() == SyntaxKind::ARG_LIST);
    (is_call && !is_argument).then_some(LISTED)
}

fn register(function: &Function, cfg: &Cfg, name: NameRef<'_>, lines: &Lines<'_>) -> Option<String> {
    let at = |wanted: fn(Role) -> bool| {
        let occurrences = function.occurrences(name.referent).filter(|name| wanted(name.role));
        list(lines, occurrences.map(|name| name.range.start()))
    };
    let written = at(Role::writes);
    let read = at(|role| matches!(role, Role::Read | Role::ReadWrite));
    let written = written.map(|places| format!("Written at {places}."));
    let read = read.map(|places| format!("Read at {places}."));
    let mut text = written.into_iter().chain(read).collect::<Vec<_>>().join(" ");
    if let Some(sharing) = sharing(function, cfg, name, lines) {
        text.push_str(&format!("\n\n{sharing}"));
    }
    (!text.is_empty()).then_some(text)
}

/// Whether a register is uniform at a position, and if not, why.
fn sharing(function: &Function, cfg: &Cfg, name: NameRef<'_>, lines: &Lines<'_>) -> Option<String> {
    let instruction = function.instruction_at(name.range.start())?;
    let after = name.role.writes();
    let question = RegisterQuery { instruction: instruction.id(), register: name.referent, after };
    let analysis = Uniformity::of(function, cfg, &[question]);
    let links = analysis.reason(0);
    let mut text = match analysis.answer(0) {
        Variance::Uniform => {
            return Some("**Uniform here**: the lanes of a warp hold the same value.".into());
        }
        Variance::Unknown => "**May vary by lane here**".to_owned(),
        Variance::Varies => "**Varies by lane here**".to_owned(),
    };
    if links.is_empty() {
        text.push('.');
        return Some(text);
    }
    text.push_str(&format!(": {}", variance::path(function, &links)));
    const SHOWN: usize = 6;
    for link in links.iter().take(SHOWN) {
        let start = function.instruction(link.instruction).range().start();
        text.push_str(&format!("\n- line {}: {}", lines.number(start), variance::sentence(function, link)));
    }
    Some(text)
}

fn label(
    function: &Function,
    cfg: &Cfg,
    name: NameRef<'_>,
    target: u32,
    lines: &Lines<'_>,
) -> Option<String> {
    let branches = function.occurrences(name.referent).filter(|name| name.role == Role::Target);
    let mut parts = Vec::new();
    if let Some(places) = list(lines, branches.map(|name| name.range.start())) {
        parts.push(format!("Branches to it are at {places}."));
    }
    let block = cfg.block_of(target);
    let is_start = cfg.block(block).instructions.start == target;
    if target as usize >= function.instructions().len() || !is_start {
        return (!parts.is_empty()).then(|| parts.join(" "));
    }
    let line_of = |instruction: u32| {
        lines.number(function.instruction(InstructionId::new(instruction as usize)).range().start())
    };
    let last = |block: BlockId| cfg.block(block).instructions.end.checked_sub(1);
    if let Some(before) = target.checked_sub(1).filter(|_| falls_in(function, cfg, block)) {
        parts.push(format!("Control also reaches it from line {}, just before.", line_of(before)));
    }
    if !cfg.reachable()[block.index()] {
        parts.push("Control never reaches it.".to_owned());
    } else if let Some(end) = loop_end(cfg, block) {
        let end = last(end).map(line_of).unwrap_or_default();
        parts.push(format!("It starts a loop, with a back edge at line {end}."));
    }
    let post_dominators = function.post_dominators(cfg);
    parts.push(match post_dominators.immediate(block) {
        Some(next) if !cfg.block(next).instructions.is_empty() => {
            let start = cfg.block(next).instructions.start;
            format!(
                "All lanes that reach it and do not exit reconverge at line {} at the latest.",
                line_of(start)
            )
        }
        _ => "From here lanes continue to the end of the function.".to_owned(),
    });
    Some(parts.join(" "))
}

/// Whether control falls through from the previous instruction to a block.
fn falls_in(function: &Function, cfg: &Cfg, block: BlockId) -> bool {
    let before = cfg.predecessors(block).find(|from| from.index() + 1 == block.index());
    let last = before.and_then(|before| cfg.block(before).instructions.clone().next_back());
    last.is_some_and(|last| {
        let last = function.instruction(InstructionId::new(last as usize));
        last.guard().is_some() || !matches!(last.opcode(), "bra" | "brx")
    })
}

/// The last block with a back edge to this block, if this block starts a loop.
fn loop_end(cfg: &Cfg, block: BlockId) -> Option<BlockId> {
    let reached = cfg.graph().reachable(block.0);
    cfg.predecessors(block).filter(|from| reached[from.index()]).max()
}

/// `line 3`, `lines 3, 5 and 9`, truncated if there are many.
fn list(lines: &Lines<'_>, places: impl Iterator<Item = TextSize>) -> Option<String> {
    const MOST: usize = 8;
    let mut numbers: Vec<usize> = places.map(|offset| lines.number(offset)).collect();
    numbers.dedup();
    let more = numbers.len().saturating_sub(MOST);
    numbers.truncate(MOST);
    let mut words: Vec<String> = numbers.iter().map(usize::to_string).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    match &words[..] {
        [] => None,
        [only] => Some(format!("line {only}")),
        several => Some(format!("lines {}", all_of(several))),
    }
}
