//! `asm-address-space`: a generic pointer in an access to shared memory.

use warplens_hir::ptx::{Instruction, Operand};
use warplens_host::Dialect;
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::ranges::text_range;
use crate::codes;

/// How many bytes before a statement are searched for the declaration of an array.
const MAX_LOOK_BACK: usize = 1 << 14;

pub(super) fn check(text: &str, accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    if accesses.statement.dialect != Dialect::Gcc {
        return;
    }
    for instruction in accesses.instructions().filter(|instruction| is_shared(*instruction)) {
        for base in bases(accesses, instruction) {
            let name = accesses.function.name(base);
            let Some(operand) = accesses.operand(&name) else { continue };
            let declared = &accesses.statement.operands[operand];
            let expression = declared.expression.as_deref().unwrap_or_default();
            if !is_generic_pointer(&text[..accesses.statement.range.start], expression) {
                continue;
            }
            let Some(host) = accesses.host(name.range) else { continue };
            let message = format!(
                "{} is a generic address, but `{}` needs an address in shared memory; pass `__cvta_generic_to_shared(…)`",
                accesses.name(operand),
                instruction.mnemonic()
            );
            found.push(Diagnostic::new(
                text_range(&host),
                Severity::Error,
                codes::ASM_ADDRESS_SPACE,
                message,
            ));
        }
    }
}

/// A load, store or atomic whose only state space is `.shared`.
fn is_shared(instruction: Instruction<'_>) -> bool {
    let is_access = matches!(instruction.opcode(), "ld" | "st" | "atom" | "red" | "ldmatrix" | "stmatrix");
    is_access && instruction.modifiers().iter().any(|word| word == "shared" || word.starts_with("shared::"))
}

/// The registers at the start of addresses.
fn bases(accesses: &Accesses<'_>, instruction: Instruction<'_>) -> Vec<warplens_hir::ptx::NameId> {
    let addresses = instruction.operands().iter().filter_map(|operand| accesses.function.address(*operand));
    addresses
        .filter_map(
            |address| if let Operand::Register { name, .. } = address.base { Some(name) } else { None },
        )
        .collect()
}

/// Whether an expression is certainly a generic address: `&x`, or the name of an array in shared memory, also after casts.
fn is_generic_pointer(before: &str, expression: &str) -> bool {
    let mut rest = expression.trim();
    loop {
        rest = rest.trim_start();
        if let Some(cast) = rest.strip_suffix(')').filter(|_| rest.contains("_cast<"))
            && let Some((_, inside)) = cast.split_once(">(")
            && (rest.starts_with("reinterpret_cast<")
                || rest.starts_with("static_cast<")
                || rest.starts_with("const_cast<"))
        {
            rest = inside;
        } else if let Some(cast) = rest.strip_prefix('(')
            && let Some((ty, after)) = cast.split_once(')')
            && is_type(ty)
            && !after.is_empty()
        {
            rest = after;
        } else if rest.starts_with('(') && rest.ends_with(')') {
            rest = &rest[1..rest.len() - 1];
        } else {
            break;
        }
    }
    if let Some(object) = rest.strip_prefix('&') {
        return object.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '('));
    }
    let is_name = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let start = before.len().saturating_sub(MAX_LOOK_BACK);
    let start = (start..before.len()).find(|at| before.is_char_boundary(*at)).unwrap_or(before.len());
    is_name && is_shared_array(&before[start..], rest)
}

fn is_type(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '*' | ':');
    !text.is_empty()
        && text.chars().all(is_word)
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && (text.ends_with('*')
            || text.ends_with("_t")
            || ["int", "long", "unsigned", "size_t"].iter().any(|word| text.ends_with(word)))
}

/// Whether the last declaration of a name makes it an array in shared memory, `__shared__ float tile[64];`, whose scope is still open.
fn is_shared_array(before: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let uses = before.match_indices(name).filter(|(at, _)| {
        !before[..*at].ends_with(is_word) && !before[at + name.len()..].starts_with(is_word)
    });
    // What follows a type, a `*` or a `&` may be a declaration.
    let may_declare = |at: usize| {
        let ahead = before[..at].trim_end();
        ahead.ends_with(|c: char| is_word(c) || matches!(c, '*' | '&' | '>')) && !ahead.ends_with("return")
    };
    let Some((at, _)) = uses.filter(|(at, _)| may_declare(*at)).last() else { return false };
    let start = before[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    before[start..at].split_whitespace().any(|word| word == "__shared__")
        && before[at + name.len()..].trim_start().starts_with('[')
        && is_in_scope(&before[at..])
}

/// Whether no brace closes the block that a text begins in. Those of templates are in pairs, but for mistakes.
fn is_in_scope(text: &str) -> bool {
    let depths = text.bytes().filter(|byte| matches!(byte, b'{' | b'}')).scan(0, |depth, byte| {
        *depth += if byte == b'{' { 1 } else { -1 };
        Some(*depth)
    });
    depths.min().is_none_or(|lowest| lowest >= 0)
}
