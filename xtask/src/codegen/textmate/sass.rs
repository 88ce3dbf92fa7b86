//! The grammar of SASS.

use serde_json::Value;

use super::rules::{all, any, captured, grammar as rules, scoped};
use crate::codegen::isa::sass_data::Data;

pub(super) fn grammar(data: &Data) -> Value {
    rules(
        "SASS",
        "source.cuda-sass",
        vec![
            ("comments", comments()),
            ("headers", headers()),
            (
                "directives",
                scoped("keyword.control.directive.sass", r"^\s*(?:/\*[0-9a-fA-F]{4,}\*/\s*)?\.[a-z]\w*"),
            ),
            ("labels", labels()),
            ("guards", guards()),
            ("registers", registers(data)),
            ("opcodes", opcodes(data)),
            ("strings", scoped("string.quoted.double.sass", r#""[^"]*""#)),
            ("numbers", numbers()),
            ("symbols", scoped("variable.other.label.sass", r"\.L\w+|\$[\w$.]+")),
            ("modifiers", scoped("storage.modifier.sass", r"(?<=[\w\]])\.[A-Za-z0-9_?]+")),
        ],
    )
}

fn comments() -> Value {
    all(vec![
        scoped("comment.line.sass", r"//.*$"),
        scoped("constant.other.address.sass", r"/\*[0-9a-fA-F]{4,}\*/(?!\s*\.)"),
        scoped("comment.block.encoding.sass", r"/\* ?0x[0-9a-fA-F]+ ?\*/"),
        scoped("comment.block.note.sass", r"\(\*.*?\*\)"),
    ])
}

/// `Function : k`, `code for sm_80`
fn headers() -> Value {
    all(vec![
        captured(
            r"^\s*(Function)\s*:\s*(\S+)",
            &[(1, "keyword.control.directive.sass"), (2, "entity.name.function.sass")],
        ),
        captured(
            r"^\s*(code for)\s+(sm_\w+)",
            &[(1, "keyword.control.directive.sass"), (2, "constant.language.sass")],
        ),
        scoped("keyword.control.directive.sass", r"^Fatbin \w+ code:"),
    ])
}

fn labels() -> Value {
    captured(
        r"^\s*([.\w$]+)(:)(?=\s*(?://|$))",
        &[(1, "entity.name.label.sass"), (2, "punctuation.separator.label.sass")],
    )
}

/// `@P0` and `@!P0`
fn guards() -> Value {
    captured(
        r"(@!?)(U?P(?:\d+|T))\b",
        &[(1, "keyword.operator.guard.sass"), (2, "variable.other.predicate.sass")],
    )
}

fn registers(data: &Data) -> Value {
    let special = any(data.registers.iter().map(|register| register.name.as_str()));
    all(vec![
        scoped("variable.language.sass", &format!(r"\b(?:{special}|SR_[\w.]+)\b")),
        scoped("variable.other.register.sass", r"\b(?:U?R(?:\d+|Z)|S?B\d+)\b"),
        scoped("variable.other.predicate.sass", r"\b(?:U?P(?:\d+|T)|CC|PR|UPR)\b"),
    ])
}

fn opcodes(data: &Data) -> Value {
    let opcodes = |control: bool| {
        let categories = data.categories.iter().filter(move |it| (it.id == "control") == control);
        any(categories.flat_map(|category| category.instructions.iter().map(|entry| entry.opcode.as_str())))
    };
    all(vec![
        scoped("keyword.control.flow.sass", &format!(r"(?<![\w.]){}(?!\w)", opcodes(true))),
        scoped("keyword.other.opcode.sass", &format!(r"(?<![\w.]){}(?!\w)", opcodes(false))),
    ])
}

fn numbers() -> Value {
    all(vec![
        scoped("constant.numeric.hex.sass", r"\b0x[0-9A-Fa-f]+\b"),
        scoped("constant.numeric.float.sass", r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?\b"),
        scoped("constant.numeric.decimal.sass", r"(?<![\w.])\d+\b"),
    ])
}
