//! Whether the text of a statement is PTX. Other assemblies have dotted words as well: `fence.i`, `ld.w`, `vadd.f32`.

use warplens_isa::ptx as isa;

use crate::statement::{Dialect, Operand};
use crate::template::Template;

/// What speaks for PTX beside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// The host language says that the code runs on a GPU.
    Gpu,
    Unknown,
}

/// Whether a statement is PTX.
pub(crate) fn is_ptx(template: &Template, dialect: Dialect, operands: &[Operand], context: Context) -> bool {
    if dialect == Dialect::PtxAsm {
        return true;
    }
    let is_gpu = context == Context::Gpu;
    let code = template.code();
    let mut words = code.split([';', '\n', '{', '}']).map(word);
    let mut foreign = operands.iter().filter(|operand| is_foreign(operand, dialect)).peekable();
    if foreign.peek().is_some() {
        // A mistake, if no other assembly has such a text.
        return is_gpu
            && dialect == Dialect::Gcc
            && foreign.all(|operand| matches!(operand.class(), "m" | "g" | "x"))
            && words.any(is_typed_instruction);
    }
    // A scope that several statements share.
    let scope = code.trim_matches([' ', '\t', '\n', ';']);
    if is_gpu && !scope.is_empty() && scope.chars().all(|c| matches!(c, '{' | '}')) {
        return true;
    }
    let has_end = code.contains(';');
    let has_gpu_constraints =
        dialect == Dialect::Cute || (has_end || is_gpu) && is_gpu_constraints(operands, dialect, context);
    words.any(|word| match word {
        Word::Directive(name) => {
            matches!(name, "reg" | "pragma") || is_gpu && isa::state_space(&format!(".{name}")).is_some()
        }
        Word::None => false,
        Word::Instruction(opcode, modifiers) => {
            let is_known = !isa::by_opcode(opcode).is_empty();
            if modifiers.is_empty() {
                let is_plain = matches!(opcode, "exit" | "trap" | "brkpt" | "ret" | "pmevent");
                if opcode.contains(HOLE) {
                    return has_gpu_constraints;
                }
                return is_plain && (is_gpu || has_end && dialect != Dialect::Gcc);
            }
            let takes = |word: &str| {
                isa::by_opcode(opcode).iter().any(|entry| entry.accepts(word) || entry.words.contains(&word))
            };
            let mut words =
                modifiers.split('.').filter(|word| !word.is_empty()).map(|word| format!(".{word}"));
            let mut is_typed = words.clone().any(|word| isa::type_(&word).is_some());
            if opcode.contains(HOLE) {
                is_typed |= words.clone().any(|word| isa::state_space(&word).is_some());
                return is_typed && (has_end || is_gpu) || modifiers.contains(HOLE) && has_gpu_constraints;
            }
            is_known && (words.any(|word| takes(&word)) || is_gpu && has_end)
                || !is_known && is_typed && has_end
        }
    })
}

const HOLE: &str = "\u{fffc}";

/// Whether PTX has the instruction with a type of these modifiers.
fn is_typed_instruction(word: Word<'_>) -> bool {
    let Word::Instruction(opcode, modifiers) = word else { return false };
    let entries = isa::by_opcode(opcode);
    let words = modifiers.split('.').filter(|word| !word.is_empty()).map(|word| format!(".{word}"));
    let mut types = words.filter(|word| isa::type_(word).is_some());
    types.any(|word| entries.iter().any(|entry| entry.accepts(&word)))
}

enum Word<'t> {
    Directive(&'t str),
    /// An opcode, and the rest of the word.
    Instruction(&'t str, &'t str),
    None,
}

/// The first word of a statement, after labels and guards.
fn word(section: &str) -> Word<'_> {
    let mut rest = section.trim_start();
    if let Some((label, after)) = rest.split_once(':')
        && !label.is_empty()
        && !after.starts_with(':')
        && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '%' | '=' | Template::HOLE))
    {
        rest = after.trim_start();
    }
    if rest.starts_with('@') {
        rest = rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest).trim_start();
    }
    let (word, after) = rest.split_at(word_end(rest));
    match word.strip_prefix('.') {
        // `.reg.pred`
        Some(name) => Word::Directive(name.split_once('.').map_or(name, |(name, _)| name)),
        None if word.is_empty() => Word::None,
        None => {
            let (opcode, mut modifiers) = word.split_at(word.find('.').unwrap_or(word.len()));
            // `xor .b32 %0, %1, %2;`
            let after = after.trim_start_matches([' ', '\t']);
            if modifiers.is_empty() && after.starts_with('.') {
                modifiers = &after[..word_end(after)];
            }
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | Template::HOLE);
            if opcode.chars().all(is_name) { Word::Instruction(opcode, modifiers) } else { Word::None }
        }
    }
}

fn word_end(text: &str) -> usize {
    text.find([' ', '\t', '\r', ',', '[', '(']).unwrap_or(text.len())
}

/// Whether the constraint is of another target: `"=a"`, `"m"`, `"=v"`.
fn is_foreign(operand: &Operand, dialect: Dialect) -> bool {
    let class = operand.class();
    match dialect {
        Dialect::Rust => !class.is_empty() && !matches!(class, "reg16" | "reg32" | "reg64" | "const" | "sym"),
        _ => {
            class.starts_with('{')
                || class.chars().any(|c| {
                    !matches!(
                        c,
                        'r' | 'l' | 'f' | 'd' | 'h' | 'q' | 'n' | 'C' | 'c' | 'b' | 'i' | '0'
                            ..='9' | Template::HOLE
                    )
                })
        }
    }
}

/// Whether only PTX has these constraints, for a statement whose opcode is not known.
fn is_gpu_constraints(operands: &[Operand], dialect: Dialect, context: Context) -> bool {
    let is_clear = operands.iter().any(|operand| matches!(operand.class(), "l" | "h"));
    let is_open = dialect != Dialect::Gcc || context == Context::Gpu;
    is_open && is_clear || dialect == Dialect::Triton && !operands.is_empty()
}
