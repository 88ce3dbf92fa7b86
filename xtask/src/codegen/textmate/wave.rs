//! The grammar of WAVE, in both dialects.

use serde_json::Value;

use super::rules::{all, any, captured, grammar as rules, scoped};
use crate::codegen::isa::wave_data::Data;

/// What must not be written before and after a word.
const START: &str = r"(?<![\w.])";
const END: &str = r"(?!\w|\s*:)";

pub(super) fn grammar(data: &Data) -> Value {
    rules(
        "WAVE assembly",
        "source.wave-asm",
        vec![
            ("comments", scoped("comment.line.wave-asm", "[;#].*$")),
            ("directives", directives(data)),
            ("labels", labels()),
            ("guards", guards()),
            ("opcodes", opcodes(data)),
            ("registers", registers(data)),
            ("numbers", numbers()),
            ("suffixes", suffixes(data)),
            ("names", scoped("variable.other.label.wave-asm", r"[A-Za-z_]\w*")),
            ("punctuation", punctuation()),
        ],
    )
}

fn directives(data: &Data) -> Value {
    let names = any(data.directives.iter().map(|directive| directive.name.as_str()));
    all(vec![
        captured(
            r"(\.kernel)[ \t]+([A-Za-z_]\w*)",
            &[(1, "keyword.control.directive.wave-asm"), (2, "entity.name.function.wave-asm")],
        ),
        scoped("keyword.control.directive.wave-asm", &format!(r"{names}\b")),
    ])
}

fn labels() -> Value {
    captured(
        r"(?<![\w.])([A-Za-z_]\w*)[ \t]*(:)",
        &[(1, "entity.name.label.wave-asm"), (2, "punctuation.separator.label.wave-asm")],
    )
}

/// `@p1` and `@!p1`.
fn guards() -> Value {
    captured(
        r"(@!?)(p\d+)\b",
        &[(1, "keyword.operator.guard.wave-asm"), (2, "variable.other.predicate.wave-asm")],
    )
}

fn opcodes(data: &Data) -> Value {
    let mnemonics = |control: bool| {
        let categories = data.categories.iter();
        any(categories
            .filter(move |it| matches!(&*it.id, "control" | "sync") == control)
            .flat_map(|category| {
                let entries = category.instructions.iter();
                entries.flat_map(|entry| [Some(entry.mnemonic.as_str()), entry.toolchain.as_deref()])
            })
            .flatten())
    };
    all(vec![
        scoped("keyword.control.flow.wave-asm", &format!("{START}{}{END}", mnemonics(true))),
        scoped("keyword.other.opcode.wave-asm", &format!("{START}{}{END}", mnemonics(false))),
    ])
}

fn registers(data: &Data) -> Value {
    let special = any(data.registers.iter().map(|register| register.name.as_str()));
    all(vec![
        scoped("variable.language.wave-asm", &format!(r"\b{special}\b")),
        captured(
            r"\b(r\d+)(\.(?:lo|hi))?\b",
            &[(1, "variable.other.register.wave-asm"), (2, "variable.other.half.wave-asm")],
        ),
        scoped("variable.other.predicate.wave-asm", r"\bp\d+\b"),
    ])
}

fn numbers() -> Value {
    all(vec![
        scoped("constant.numeric.hex.wave-asm", r"\b0x[0-9A-Fa-f_]+\b"),
        scoped(
            "constant.numeric.float.wave-asm",
            r"(?<!\w)-?(?:\d[\d_]*\.\d*(?:[eE][+-]?\d+)?|\d[\d_]*[eE][+-]?\d+)(?!\w)",
        ),
        scoped("constant.numeric.decimal.wave-asm", r"(?<!\w)-?\d[\d_]*(?!\w)"),
    ])
}

/// Scopes and cache hints.
fn suffixes(data: &Data) -> Value {
    let scopes = any(data.scopes.iter().map(|scope| scope.name.as_str()));
    let hints = any(data.hints.iter().map(|hint| hint.name.as_str()));
    all(vec![
        scoped("storage.modifier.hint.wave-asm", &format!(r"{hints}\b")),
        scoped("storage.modifier.scope.wave-asm", &format!(r"(?:(?<!\w)|\.){scopes}\b(?!\s*:)")),
    ])
}

fn punctuation() -> Value {
    all(vec![
        scoped("punctuation.separator.comma.wave-asm", ","),
        scoped("keyword.operator.negation.wave-asm", "!"),
    ])
}
