//! The PTX document of a statement.

use std::ops::Range;

use warplens_host::{Dialect, Operand, Statement, Template};
use warplens_isa::ptx as isa;

use super::braces::{Unmatched, unmatched};
use super::placeholders::{Part, PartKind, parts};

/// The PTX document of a statement: a function for its target.
#[derive(Debug)]
pub struct Module {
    /// Its text, with the positions in the host file.
    pub text: Template,
    /// The template in the document.
    pub body: Range<usize>,
    pub uncertain: Vec<Uncertain>,
    pub target: String,
    /// Whether the statement is compiled for no older target, so that what the target lacks is a mistake.
    pub knows_target: bool,
    /// The braces of the template without a counterpart in it.
    pub(super) unmatched: Unmatched,
}

/// A part of the document whose text is not known.
#[derive(Debug)]
pub struct Uncertain {
    pub part: Range<usize>,
    /// What is wrong there may be right: the PTX statement around the part, or the part if it is an operand for certain.
    pub range: Range<usize>,
}

impl Uncertain {
    pub fn meets(&self, range: &Range<usize>) -> bool {
        self.range.start < range.end.max(range.start + 1) && range.start < self.range.end
    }
}

impl Module {
    /// The document of a statement. `target` is the one to check against if the file does not say.
    pub fn new(statement: &Statement, target: Option<&str>) -> Module {
        let guarded = statement.place.architecture.and_then(own_target);
        let knows_target = guarded.is_some() || target.is_some();
        let target = guarded.or(target.map(str::to_owned)).unwrap_or_else(|| "sm_100a".to_owned());
        let mut text = Template::default();
        text.invent(&header(&target));
        text.invent(".func asm_statement()\n{\n");
        add_registers(&mut text, statement);
        let (body, uncertain) = add_template(&mut text, statement);
        text.invent("ret;\n}\n");
        Module { text, body, uncertain, target, knows_target, unmatched: unmatched(statement) }
    }

    /// Whether a directive is not known: `.reg .b32 t<%1>` declares any number of names.
    pub(super) fn may_declare(&self) -> bool {
        self.uncertain.iter().any(|uncertain| {
            let text = &self.text.text[uncertain.range.clone()];
            text.trim_start_matches(['{', ' ', '\t', '\n']).starts_with('.')
        })
    }
}

/// The name of the register that holds an operand.
pub fn register(statement: &Statement, index: usize) -> String {
    match (&statement.dialect, &statement.operands[index].name) {
        (Dialect::Gcc | Dialect::PtxAsm, None) => format!("%{index}"),
        (_, Some(name)) if is_identifier(name) => format!("${name}"),
        _ => format!("${index}"),
    }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The type of the register of an operand; `None` if it is a constant or not known.
pub fn register_type<'s>(statement: &'s Statement, operand: &'s Operand) -> Option<&'static str> {
    let tied = operand.tied().and_then(|output| statement.operands.get(output));
    // LLVM declares registers by their width.
    let is_untyped = matches!(statement.dialect, Dialect::Triton | Dialect::Cute | Dialect::Llvm);
    Some(match tied.unwrap_or(operand).class() {
        "r" | "reg32" => ".b32",
        "l" | "reg64" => ".b64",
        "f" if is_untyped => ".b32",
        "d" if is_untyped => ".b64",
        "f" => ".f32",
        "d" => ".f64",
        "h" | "reg16" | "c" => ".b16",
        "q" => ".b128",
        "b" => ".pred",
        _ => return None,
    })
}

/// The directives at the start of a document.
pub fn header(target: &str) -> String {
    let version = isa::versions().last().map_or_else(String::new, |last| last.version.to_string());
    format!(".version {version}\n.target {target}\n.address_size 64\n")
}

/// The target of a guard, with the features of its architecture if it has some: code for them is behind the same guard.
fn own_target(architecture: u32) -> Option<String> {
    let names = [format!("sm_{architecture}a"), format!("sm_{architecture}")];
    names.into_iter().find(|name| isa::target(name).is_some())
}

/// Declares the registers of the operands.
pub fn add_registers(text: &mut Template, statement: &Statement) {
    for (at, operand) in statement.operands.iter().enumerate() {
        let ty = register_type(statement, operand).unwrap_or(".b32");
        text.invent(&format!(".reg {ty} {};\n", register(statement, at)));
    }
}

/// Adds the template as PTX. Returns its range, and the parts that are not known.
pub fn add_template(text: &mut Template, statement: &Statement) -> (Range<usize>, Vec<Uncertain>) {
    let braces = unmatched(statement);
    text.invent(&"{".repeat(braces.closed.len()));
    let start = text.text.len();
    let mut uncertain = Vec::new();
    for part in parts(statement) {
        let from = text.text.len();
        if let Some(unknown) = push(text, statement, &part) {
            uncertain.push((from..text.text.len(), unknown));
        }
    }
    let body = start..text.text.len();
    text.invent(&format!("\n{}", "}".repeat(braces.opened.len())));
    let uncertain = uncertain.into_iter().map(|(part, unknown)| {
        let range = match unknown {
            Unknown::Text => whole(&text.text, &body, part.clone()),
            Unknown::Operand => part.clone(),
        };
        Uncertain { part, range }
    });
    let uncertain = uncertain.collect();
    (body, uncertain)
}

/// What is not known of a part.
enum Unknown {
    /// Everything: it may change the meaning of the PTX statement around it.
    Text,
    /// Its value or type; it is an operand for certain.
    Operand,
}

fn push(text: &mut Template, statement: &Statement, part: &Part) -> Option<Unknown> {
    let template = &statement.template;
    let host = || template.to_host(part.range.clone()).unwrap_or_default();
    let unknown = || if is_operand(&template.text, &part.range) { Unknown::Operand } else { Unknown::Text };
    match &part.kind {
        PartKind::Text => {
            text.append_part(template, part.range.clone());
            None
        }
        PartKind::Character(character) => {
            text.decode(character, host());
            None
        }
        PartKind::Unique => {
            text.decode("0", host());
            None
        }
        PartKind::Operand(Some(index)) => {
            let operand = &statement.operands[*index];
            let Some(constant) = constant(operand) else {
                let name = register(statement, *index);
                match template.text[part.range.clone()] == name {
                    true => text.append_part(template, part.range.clone()),
                    false => text.decode(&name, host()),
                }
                return register_type(statement, operand).is_none().then(unknown);
            };
            text.decode(&constant, host());
            match operand.class() {
                "C" | "sym" => Some(Unknown::Text),
                _ => (!is_number(operand)).then(unknown),
            }
        }
        PartKind::Operand(None) => {
            text.fill(&missing(statement, &template.text[part.range.clone()]), host());
            Some(if statement.knows_operands { Unknown::Text } else { unknown() })
        }
        PartKind::Hole => {
            let before = text.text.trim_end_matches([' ', '\t']);
            let after = template.text[part.range.end..].trim_start_matches([' ', '\t', '\r']);
            let is_alone = before.ends_with([';', '{', '}', '\n'])
                && (after.is_empty() || after.starts_with([';', '\n', '}']));
            text.fill(if is_alone { " " } else { "hole" }, host());
            Some(Unknown::Text)
        }
    }
}

/// Whether a placeholder is an operand of an instruction, not a part of a word or of a directive: `m16n8k%10`, `.reg .b32 t<%1>`.
fn is_operand(template: &str, range: &Range<usize>) -> bool {
    let (before, after) = (&template[..range.start], &template[range.end..]);
    let line = &before[before.rfind([';', '\n']).map_or(0, |at| at + 1)..];
    let line = line.trim_start_matches(['{', ' ', '\t']);
    !line.is_empty()
        && !line.starts_with('.')
        && before.ends_with([' ', '\t', ',', '[', '{', '+', '-'])
        && (after.is_empty() || after.starts_with([' ', '\t', ',', ']', '}', '+', '-', ';']))
}

/// What stands for a placeholder without an operand: what would be its register.
fn missing(statement: &Statement, written: &str) -> String {
    let name = written.trim_matches(['%', '$', '{', '}', '[', ']']);
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    match statement.dialect {
        _ if !is_identifier(name) => "$unknown".to_owned(),
        Dialect::Gcc | Dialect::PtxAsm if is_number => format!("%{name}"),
        _ => format!("${name}"),
    }
}

/// What stands for a constant operand: its value if it is a number, or else 1.
fn constant(operand: &Operand) -> Option<String> {
    if !matches!(operand.class(), "n" | "i" | "const" | "C" | "sym") {
        return None;
    }
    let is_text = matches!(operand.class(), "C" | "sym");
    let value = operand.expression.as_deref().unwrap_or_default();
    Some(if is_text { "hole".to_owned() } else { number(value).unwrap_or("1").to_owned() })
}

/// Whether an operand is a constant whose value is known.
fn is_number(operand: &Operand) -> bool {
    matches!(operand.class(), "n" | "i" | "const") && operand.expression.as_deref().and_then(number).is_some()
}

fn number(text: &str) -> Option<&str> {
    let text = text.trim_matches(['(', ')', ' ']);
    let plain = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let digits = plain.strip_prefix("0x").unwrap_or(plain.strip_prefix('-').unwrap_or(plain));
    let is_hex = plain.starts_with("0x");
    let fits = |byte: u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    (!digits.is_empty() && digits.bytes().all(fits)).then_some(plain)
}

/// The statement of PTX around a range.
fn whole(text: &str, body: &Range<usize>, range: Range<usize>) -> Range<usize> {
    let start = text[body.start..range.start].rfind([';', '\n']).map_or(body.start, |at| body.start + at + 1);
    let start = match text[body.start..range.start].rfind(';') {
        Some(at) => body.start + at + 1,
        None => start.min(body.start),
    };
    let end = text[range.end..body.end].find(';').map_or(body.end, |at| range.end + at + 1);
    start..end
}
