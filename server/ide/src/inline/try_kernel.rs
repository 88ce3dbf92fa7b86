//! The kernel that runs a statement: inputs are loaded from buffers of the launch, or are addresses of buffers; then the
//! template runs; at the end every output is read.

use std::fmt::Write;
use std::ops::Range;

use warplens_host::{Direction, Statement, Template};
use warplens_ide_diagnostics::inline::{add_registers, add_template, header, register, register_type};

use super::try_values::{Given, operand_named};

/// Threads of a warp.
const LANES: usize = 32;

/// Bytes between the addresses of two threads.
const STRIDE: usize = 16;

/// A kernel and its launch.
pub(super) struct Kernel {
    /// The document, with positions in the host file.
    pub(super) text: Template,
    /// The template in the document.
    pub(super) body: Range<usize>,
    /// The launch, in the format of launch files.
    pub(super) launch: String,
    /// For each output, its operand and the offset of the instruction that reads it.
    pub(super) outputs: Vec<(usize, usize)>,
}

/// How an operand gets its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    /// From a buffer with an element for each thread.
    Value,
    /// An address in global memory.
    Global,
    /// An address in shared memory.
    Shared,
}

impl Kernel {
    /// # Errors
    /// If a given value is for no operand.
    pub(super) fn new(statement: &Statement, target: &str, given: &Given) -> Result<Kernel, String> {
        let threads = given.warps * LANES;
        let mut values = vec![None; statement.operands.len()];
        for given in &given.values {
            let index = operand_named(statement, &given.name)
                .ok_or_else(|| format!("`@try`: no input is named `{}`", given.name))?;
            values[index] = Some(given.value.as_str());
        }
        let mut text = Template::default();
        text.invent(&header(target));
        let inputs: Vec<usize> =
            (0..statement.operands.len()).filter(|index| has_value(statement, *index)).collect();
        let (mut arguments, mut setup, mut parameters) = (String::new(), String::new(), Vec::new());
        for (number, index) in inputs.into_iter().enumerate() {
            let input = if values[index].is_some() { Input::Value } else { kind(statement, index) };
            setup += &load(statement, index, input, threads);
            if input != Input::Shared {
                parameters.push(format!(".param .u64 try_{index}"));
                let values = Values { number, given: values[index], threads };
                let _ = writeln!(arguments, "  {},", argument(statement, index, input, values));
            }
        }
        text.invent(&format!(".visible .entry try_it({})\n{{\n", parameters.join(", ")));
        text.invent(".reg .b64 try_at;\n.reg .b32 try_thread, try_word;\n");
        add_registers(&mut text, statement);
        text.invent(&format!("mov.u32 try_thread, %tid.x;\n{setup}"));
        let (body, _) = add_template(&mut text, statement);
        let outputs = add_outputs(&mut text, statement);
        text.invent("ret;\n}\n");
        let launch = format!("name = \"try\"\ngrid = [1]\nblock = [{threads}]\nargs = [\n{arguments}]\n");
        Ok(Kernel { text, body, launch, outputs })
    }
}

/// Whether an operand has a value at the start, and a register of its own.
fn has_value(statement: &Statement, index: usize) -> bool {
    let operand = &statement.operands[index];
    operand.direction != Direction::Output && register_type(statement, operand).is_some()
}

/// Reads the outputs, so that their values are traced. Returns their operands and the offsets of the instructions.
fn add_outputs(text: &mut Template, statement: &Statement) -> Vec<(usize, usize)> {
    let mut outputs = Vec::new();
    for (index, operand) in statement.operands.iter().enumerate() {
        let Some(ty) = register_type(statement, operand) else { continue };
        if operand.direction == Direction::Input {
            continue;
        }
        text.invent(&format!(".reg {ty} try_out{index};\n"));
        outputs.push((index, text.text.len()));
        let ty = shown_type(statement, ty);
        text.invent(&format!("mov{ty} try_out{index}, {};\n", register(statement, index)));
    }
    outputs
}

/// The type that the values of a register are shown in: that of the instructions if these have one of its size.
fn shown_type(statement: &Statement, ty: &'static str) -> &'static str {
    let has = |word: &str| statement.template.text.contains(word);
    match ty {
        ".b32" if has(".s32") => ".s32",
        ".b32" if has(".f32") && !has(".u32") => ".f32",
        ".b32" if has(".u32") => ".u32",
        ".b64" if has(".s64") => ".s64",
        ".b64" if has(".f64") => ".f64",
        ".b64" if has(".u64") => ".u64",
        ".b16" if has(".s16") => ".s16",
        ".b16" if has(".u16") => ".u16",
        ty => ty,
    }
}

/// Whether an operand is a value or an address, by its uses in the template.
fn kind(statement: &Statement, index: usize) -> Input {
    let mut text = Template::default();
    add_template(&mut text, statement);
    let name = register(statement, index);
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    for (at, _) in text.text.match_indices(&name) {
        let before = text.text[..at].trim_end();
        if !before.ends_with('[') || !ends(&text.text[at + name.len()..]) {
            continue;
        }
        let start = before.rfind([';', '{', '}', '\n']).map_or(0, |end| end + 1);
        let opcode =
            before[start..].split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        let is_narrow = register_type(statement, &statement.operands[index]) == Some(".b32");
        return if opcode.contains(".shared") || is_narrow { Input::Shared } else { Input::Global };
    }
    Input::Value
}

/// The instructions that give an operand its value.
fn load(statement: &Statement, index: usize, input: Input, threads: usize) -> String {
    let name = register(statement, index);
    let ty = register_type(statement, &statement.operands[index]).unwrap_or(".b32");
    let address = |stride: usize| {
        format!("ld.param.u64 try_at, [try_{index}];\nmad.wide.u32 try_at, try_thread, {stride}, try_at;\n")
    };
    match input {
        Input::Value if ty == ".pred" => {
            let address = address(4);
            format!("{address}ld.global.b32 try_word, [try_at];\nsetp.ne.b32 {name}, try_word, 0;\n")
        }
        Input::Value => format!("{}ld.global{ty} {name}, [try_at];\n", address(bytes(ty))),
        Input::Global => format!("{}mov.b64 {name}, try_at;\n", address(STRIDE)),
        Input::Shared => {
            let size = threads * STRIDE;
            let mov = if ty == ".b64" { "cvt.u64.u32" } else { "mov.b32" };
            format!(
                ".shared .align 1024 .b8 try_shared{index}[{size}];\n\
                 mov.u32 try_word, try_shared{index};\nmad.lo.u32 try_word, try_thread, {STRIDE}, try_word;\n\
                 st.shared.v4.b32 [try_word], {{try_thread, try_thread, try_thread, try_thread}};\n{mov} {name}, try_word;\n"
            )
        }
    }
}

fn bytes(ty: &str) -> usize {
    match ty {
        ".b16" => 2,
        ".b64" | ".f64" => 8,
        ".b128" => 16,
        _ => 4,
    }
}

/// The values of an operand.
struct Values<'g> {
    /// How many operands with a value are before it.
    number: usize,
    given: Option<&'g str>,
    threads: usize,
}

/// The argument of the launch for an operand.
fn argument(statement: &Statement, index: usize, input: Input, values: Values<'_>) -> String {
    let threads = values.threads;
    if input == Input::Global {
        return format!("{{ buffer = \"u32\", len = {}, fill = \"iota\" }}", threads * STRIDE / 4);
    }
    let ty = register_type(statement, &statement.operands[index]).unwrap_or(".b32");
    let Some(value) = values.given else { return usual(ty, &values) };
    let element = element(ty, value);
    let length = if ty == ".b128" { 2 * threads } else { threads };
    match value.chars().next() {
        Some('"') => format!("{{ buffer = \"{element}\", len = {length}, fill = {value} }}"),
        Some('[') => format!("{{ buffer = \"{element}\", values = [{}] }}", repeated(value, length)),
        _ => format!("{{ buffer = \"{element}\", len = {length}, fill = {{ value = {value} }} }}"),
    }
}

/// The values of an operand for which none are given: the thread, plus a constant that differs from operand to operand.
fn usual(ty: &str, values: &Values<'_>) -> String {
    let step = if values.threads <= 100 { 100 } else { 1000 };
    let of = |thread: usize| match ty {
        ".f32" | ".f64" => format!("{}.0", step * values.number + thread),
        ".pred" => format!("{}", thread % 2),
        _ => format!("{}", step * values.number + thread),
    };
    let values: Vec<String> = match ty {
        ".b128" => (0..values.threads).flat_map(|at| [of(at), "0".to_owned()]).collect(),
        _ => (0..values.threads).map(of).collect(),
    };
    format!("{{ buffer = \"{}\", values = [{}] }}", element(ty, ""), values.join(", "))
}

/// The elements of a list, from the beginning again after the last one.
fn repeated(list: &str, length: usize) -> String {
    let elements: Vec<_> = list.trim_matches(['[', ']']).split(',').map(str::trim).collect();
    let elements = elements.strip_suffix(&[""]).unwrap_or(&elements).iter().copied();
    elements.cycle().take(length).collect::<Vec<_>>().join(", ")
}

/// The type of the elements of a buffer for a register, and for a value as it is written.
fn element(ty: &str, value: &str) -> &'static str {
    let is_fraction = value.contains('.') || matches!(value, "nan" | "inf" | "-inf");
    match ty {
        ".f32" => "f32",
        ".f64" => "f64",
        ".b32" if is_fraction => "f32",
        ".b64" if is_fraction => "f64",
        ".b16" if is_fraction => "f16",
        ".b16" if value.contains('-') => "s16",
        ".b16" => "u16",
        ".b64" if value.contains('-') => "s64",
        ".b64" | ".b128" => "u64",
        _ if value.contains('-') => "s32",
        _ => "u32",
    }
}
