//! The grammar of PTX.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::rules::{all, any, captured, captures, grammar as rules, scoped};
use crate::codegen::isa::data::words;
use crate::codegen::isa::ptx_data::Data;

/// Opcodes that change control flow.
const CONTROL: [&str; 7] = ["bra", "brx", "call", "ret", "exit", "trap", "brkpt"];

/// What must not follow a modifier or directive.
const END: &str = r"(?![\w$]|::)";

/// The name of a register, variable, function or label.
const NAME: &str = r"(?:[A-Za-z][\w$]*|[_$%][\w$]+)";

pub(super) fn grammar(data: &Data) -> Value {
    rules(
        "PTX",
        "source.ptx",
        vec![
            ("comments", comments()),
            ("strings", scoped("string.quoted.double.ptx", "\"[^\"\\n]*\"?")),
            ("line-marks", line_marks()),
            ("dwarf", scoped("keyword.control.directive.ptx", r"@@DWARF\b")),
            ("functions", functions()),
            ("guards", guards()),
            ("labels", captured(&format!(r"(?<![\w$%.:])({NAME})\s*(:)(?!:)"), &LABEL)),
            ("opcodes", opcodes(data)),
            ("modifiers", modifiers(data)),
            ("registers", registers(data)),
            ("numbers", numbers()),
            ("constants", constants(data)),
            ("names", scoped("variable.other.ptx", NAME)),
            ("punctuation", punctuation()),
        ],
    )
}

const LABEL: [(usize, &str); 2] = [(1, "entity.name.label.ptx"), (2, "punctuation.separator.label.ptx")];

fn comments() -> Value {
    all(vec![
        scoped("comment.line.double-slash.ptx", "//.*$"),
        json!({ "name": "comment.block.ptx", "begin": r"/\*", "end": r"\*/" }),
    ])
}

/// `#line 3 "a.cu"` and `# 3 "a.cu"`, at the start of a line.
fn line_marks() -> Value {
    captured(
        r#"^\s*(#\s*(?:line)?)\s+(\d+)(?:\s+("[^"\n]*"))?"#,
        &[
            (1, "keyword.control.directive.line.ptx"),
            (2, "constant.numeric.decimal.ptx"),
            (3, "string.quoted.double.ptx"),
        ],
    )
}

/// `.entry name` and `.func (result) name`, possibly over several lines.
fn functions() -> Value {
    let parens = json!({
        "begin": r"\(",
        "end": r"\)",
        "beginCaptures": captures(&[(0, "punctuation.section.parens.ptx")]),
        "endCaptures": captures(&[(0, "punctuation.section.parens.ptx")]),
        "patterns": [{ "include": "$self" }],
    });
    json!({
        "begin": r"(\.entry|\.func)\b",
        "beginCaptures": captures(&[(1, "storage.type.function.ptx")]),
        "end": format!(r"({NAME})|(?=[{{}};])"),
        "endCaptures": captures(&[(1, "entity.name.function.ptx")]),
        "patterns": [{ "include": "#comments" }, parens, { "include": "#modifiers" }],
    })
}

/// `@%p1` and `@!%p1`.
fn guards() -> Value {
    captured(
        &format!(r"(@)\s*(!)?\s*({NAME})"),
        &[
            (1, "keyword.operator.guard.ptx"),
            (2, "keyword.operator.guard.ptx"),
            (3, "variable.other.predicate.ptx"),
        ],
    )
}

/// An opcode at the start of a statement: at the start of a line, or after `;`, a brace, a label or a guard.
fn opcodes(data: &Data) -> Value {
    let opcodes: BTreeSet<&str> = (data.categories.iter())
        .flat_map(|category| &category.instructions)
        .map(|entry| entry.opcode())
        .filter(|opcode| opcode.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect();
    let (control, others): (Vec<&str>, Vec<&str>) =
        opcodes.into_iter().partition(|opcode| CONTROL.contains(opcode));
    let at_start = |words: &[&str]| {
        let guard = format!(r"@\s*!?\s*{NAME}\s+");
        // A lookbehind of Oniguruma needs a fixed length, so group 1 matches a guard again, by the guard's own
        // rule.
        format!(r"(?:^|(?<=[;{{}}:]|\*/))\s*({guard})?({})(?=[\s.;]|$)", any(words))
    };
    let rule = |scope: &str, words: &[&str]| {
        json!({
            "match": at_start(words),
            "captures": {
                "1": { "patterns": [{ "include": "#guards" }] },
                "2": { "name": scope },
            },
        })
    };
    all(vec![rule("keyword.control.flow.ptx", &control), rule("keyword.other.opcode.ptx", &others)])
}

/// All words that start with a dot: directives, types, state spaces and the modifiers of instructions.
fn modifiers(data: &Data) -> Value {
    let directives: Vec<&str> = (data.directives.iter())
        .map(|directive| directive.name.as_str())
        .filter(|name| name.starts_with('.'))
        .collect();
    let group = |wanted: &str| -> Vec<&str> {
        let of_group = data.directives.iter().filter(|directive| directive.group == wanted);
        of_group.map(|directive| directive.name.as_str()).collect()
    };
    let spaces = (data.spaces.spaces.iter().map(|space| space.name.as_str()))
        .chain(data.spaces.parts.iter().map(|part| part.name.as_str()));
    let modifiers = (data.modifiers.modifiers.iter())
        .flat_map(|modifier| words(&modifier.names))
        .flat_map(|value| value.replace("..", "").split('.').skip(1).map(dotted).collect::<Vec<_>>())
        .chain(name_words(data));
    let rule = |scope: &str, pattern: String| scoped(scope, &format!("{pattern}{END}"));
    all(vec![
        rule("storage.modifier.space.ptx", any(spaces)),
        rule("support.type.ptx", any(data.types.iter().map(|ty| ty.name.as_str()))),
        rule("storage.modifier.linkage.ptx", any(group("linking"))),
        rule("keyword.control.directive.ptx", any(directives)),
        // In debug sections: `.byte`, `.4byte`, `.quad` and labels of sections.
        rule("storage.modifier.ptx", any(modifiers)),
        rule("entity.other.attribute-name.ptx", r"\.[A-Za-z_]\w*".to_owned()),
    ])
}

/// The words of names after the opcode, such as `.async` and `.bulk`.
fn name_words(data: &Data) -> impl Iterator<Item = String> {
    (data.categories.iter().flat_map(|category| &category.instructions))
        .flat_map(|entry| entry.name().split('.').skip(1))
        .map(dotted)
}

fn dotted(word: &str) -> String {
    format!(".{word}")
}

fn registers(data: &Data) -> Value {
    let special = (data.registers.iter())
        .flat_map(|register| register.names.iter())
        .filter_map(|name| name.strip_prefix('%'));
    let component = r"(\.[xyzwrgba](?![\w$]))?";
    all(vec![
        captured(
            &format!(r"(%{})(?![\w$]){component}", any(special)),
            &[(1, "variable.language.ptx"), (2, "variable.language.component.ptx")],
        ),
        captured(
            &format!(r"(%[\w$]+){component}"),
            &[(1, "variable.other.register.ptx"), (2, "variable.other.component.ptx")],
        ),
    ])
}

fn numbers() -> Value {
    let rule = |kind: &str, pattern: &str| {
        scoped(&format!("constant.numeric.{kind}.ptx"), &format!(r"(?<![\w$%.]){pattern}(?![\w$])"))
    };
    all(vec![
        rule("float", "0[fF][0-9A-Fa-f]{8}"),
        rule("float", "0[dD][0-9A-Fa-f]{16}"),
        rule("hex", "0[xX][0-9A-Fa-f]+U?"),
        rule("binary", "0[bB][01]+U?"),
        scoped(
            "constant.numeric.float.ptx",
            r"(?<![\w$%])(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w$])|(?<![\w$%.])\d+[eE][+-]?\d+(?![\w$])",
        ),
        rule("octal", "0[0-7]+U?"),
        rule("decimal", r"\d+U?"),
    ])
}

fn constants(data: &Data) -> Value {
    let options = any(data.targets.options.iter().map(|option| option.name.as_str()));
    all(vec![
        scoped("constant.language.ptx", r"\bWARP_SZ\b"),
        scoped("constant.language.sink.ptx", r"(?<![\w$%])_(?![\w$])"),
        scoped("constant.other.target.ptx", r"\b(?:sm|compute)_\d+[af]?\b"),
        scoped("constant.other.target.ptx", &format!(r"\b{options}\b")),
    ])
}

fn punctuation() -> Value {
    all(vec![
        scoped("punctuation.terminator.statement.ptx", ";"),
        scoped("punctuation.separator.comma.ptx", ","),
        scoped("punctuation.section.braces.ptx", r"[{}]"),
        scoped("punctuation.section.brackets.ptx", r"[\[\]]"),
        scoped("punctuation.section.parens.ptx", r"[()]"),
        scoped("keyword.operator.ptx", r"[-+*/&|^~!<>=?:]|%(?![\w$])"),
    ])
}
