//! `asm-address-space`: a generic pointer in an access to shared memory.

use warplens_hir::ptx::{Instruction, Operand};
use warplens_host::Dialect;
use warplens_ide_db::{Diagnostic, Severity};
use warplens_isa::ptx as isa;

use super::accesses::Accesses;
use super::ranges::diagnostic;
use crate::codes;

/// How many bytes before a statement are searched for the declaration of an array.
const MAX_LOOK_BACK: usize = 1 << 14;

pub(super) fn check(text: &str, accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    if accesses.statement.dialect != Dialect::Gcc {
        return;
    }
    for instruction in accesses.instructions() {
        for base in shared_bases(accesses, instruction) {
            let name = accesses.function.name(base);
            let Some(operand) = accesses.operand(&name) else { continue };
            let declared = &accesses.statement.operands[operand];
            let expression = declared.expression.as_deref().unwrap_or_default();
            // The compiler takes no pointer there: the class of the object overloads `&`.
            if declared.class() == "r" && expression.trim_start().starts_with('&') {
                continue;
            }
            let Some(severity) = severity(text, accesses.statement.range.start, expression) else {
                continue;
            };
            let Some(host) = accesses.host(name.range) else { continue };
            let message = format!(
                "{} is a generic address, but `{}` needs an address in shared memory; pass `__cvta_generic_to_shared(…)`",
                accesses.name(operand),
                instruction.mnemonic()
            );
            found.push(diagnostic(&host, severity, codes::ASM_ADDRESS_SPACE, message));
        }
    }
}

/// The registers at the start of addresses in shared memory: a state space is that of all addresses, several are in their order.
fn shared_bases(accesses: &Accesses<'_>, instruction: Instruction<'_>) -> Vec<warplens_hir::ptx::NameId> {
    let words = instruction.modifiers().iter();
    let spaces = words.filter_map(|word| isa::state_space(&format!(".{word}"))).map(|space| space.name);
    let spaces: Vec<_> = spaces.collect();
    let is_shared = |at: usize| {
        let space = if spaces.len() == 1 { spaces.first() } else { spaces.get(at) };
        space.is_some_and(|space| space.starts_with(".shared"))
    };
    let addresses = instruction.operands().iter().filter_map(|operand| accesses.function.address(*operand));
    let shared = addresses.enumerate().filter(|(at, _)| is_shared(*at)).map(|(_, address)| address.base);
    shared
        .filter_map(|base| if let Operand::Register { name, .. } = base { Some(name) } else { None })
        .collect()
}

/// How bad it is that an expression is the address: `&x`, or the name of a pointer or of an array in shared memory, also after casts and
/// with something added. `None` if it may be an address of shared memory.
fn severity(text: &str, at: usize, expression: &str) -> Option<Severity> {
    let rest = without_casts(expression);
    if let Some(object) = rest.strip_prefix('&') {
        let is_object = object.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '('));
        return is_object.then_some(Severity::Error);
    }
    let before = &text[..at];
    let start = before.len().saturating_sub(MAX_LOOK_BACK);
    let start = (start..before.len()).find(|at| before.is_char_boundary(*at)).unwrap_or(before.len());
    let (name, _) = rest.split_once('+').unwrap_or((rest, ""));
    let name = without_casts(name);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let severity = if is_name { severity_of_name(&before[start..], name) } else { None };
    // Files that make pointers of such addresses pass them on as pointers.
    severity.filter(|severity| *severity == Severity::Error || !text.contains("cvta.to.shared.u64"))
}

/// The expression in its brackets and casts to pointers and integers.
fn without_casts(expression: &str) -> &str {
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
            return rest;
        }
    }
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

/// The same for a name, by its last declaration, if its scope is still open: an array in shared memory, `__shared__ float tile[64];`, or a
/// pointer to an object, `const float *p`. Programs with such pointers exist that work, where the window of shared memory starts at a
/// multiple of 2^32.
fn severity_of_name(before: &str, name: &str) -> Option<Severity> {
    let at = declaration(before, name)?;
    let (declared, after) = around(before, name, at);
    let depths = depths(&before[at..]);
    if is_shared_array(declared, after) {
        return (depths.lowest >= 0).then_some(Severity::Error);
    }
    let declared = declared.trim_end().strip_suffix('*')?;
    // Another value may be an address of shared memory.
    let mut later =
        uses(before, name).filter(|other| *other > at).map(|other| before[other + name.len()..].trim_start());
    if later.any(|rest| rest.starts_with('=') && !rest.starts_with("==")) {
        return None;
    }
    match after.strip_prefix('=') {
        Some(value) => {
            let is_pointer =
                is_type_of_object(declared) && depths.lowest >= 0 && is_object(before, value.trim_start());
            is_pointer.then_some(Severity::Warning)
        }
        // A caller may pass an address of shared memory.
        None => {
            let is_pointer = is_parameter(declared, &before[at + name.len()..]) && depths.last > 0;
            is_pointer.then_some(Severity::Hint)
        }
    }
}

/// Where a text has a name.
fn uses<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_whole =
        move |at: &usize| !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word);
    text.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a name was declared last: what follows a type, a `*` or a `&` may be a declaration.
fn declaration(before: &str, name: &str) -> Option<usize> {
    let may_declare = |at: &usize| {
        let ahead = before[..*at].trim_end();
        ahead.ends_with(|c: char| is_word(c) || matches!(c, '*' | '&' | '>')) && !ahead.ends_with("return")
    };
    uses(before, name).filter(may_declare).last()
}

/// The text before a declared name, without a pointer's `const` and `__restrict__`, and the text after the name.
fn around<'t>(text: &'t str, name: &str, at: usize) -> (&'t str, &'t str) {
    let start = text[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    let mut declared = text[start..at].trim_end();
    let qualifiers = ["__restrict__", "__restrict", "const"];
    while let Some(rest) = qualifiers.iter().find_map(|word| declared.strip_suffix(word)) {
        declared = rest.trim_end();
    }
    (declared, text[at + name.len()..].trim_start())
}

fn is_shared_array(declared: &str, after: &str) -> bool {
    declared.split_whitespace().any(|word| word == "__shared__") && after.starts_with('[')
}

/// Whether a value is the address of an object: `&x`, or an array in shared memory.
fn is_object(before: &str, value: &str) -> bool {
    let name = &value[..value.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(value.len())];
    let is_whole = !name.is_empty() && value[name.len()..].trim_start().starts_with(';');
    let is_array = |at| {
        let (declared, after) = around(before, name, at);
        is_shared_array(declared, after)
    };
    value.starts_with('&') || is_whole && declaration(before, name).is_some_and(is_array)
}

/// Whether a parameter after `declared` is one of a function whose body follows.
fn is_parameter(declared: &str, after: &str) -> bool {
    let Some((_, declared)) = declared.rsplit_once(['(', ',']) else { return false };
    let mut depth = 1;
    let closed = after.char_indices().find(|(_, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    let Some((end, _)) = closed else { return false };
    is_type_of_object(declared) && after[end + 1..].trim_start().starts_with('{')
}

/// Whether a text may be the type before the `*` of a declaration, and no factor of a product.
fn is_type_of_object(text: &str) -> bool {
    let is_part =
        |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | ':' | '*' | '<' | '>');
    let text = text.trim();
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(is_part)
        && !text.starts_with("return")
}

/// How deep in braces a text gets from its start. Those of templates are in pairs, but for mistakes.
struct Depths {
    lowest: i32,
    last: i32,
}

fn depths(text: &str) -> Depths {
    let braces = text.bytes().filter(|byte| matches!(byte, b'{' | b'}'));
    braces.fold(Depths { lowest: 0, last: 0 }, |Depths { lowest, last }, byte| {
        let last = last + if byte == b'{' { 1 } else { -1 };
        Depths { lowest: lowest.min(last), last }
    })
}
