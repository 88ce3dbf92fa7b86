//! Numbers and constants.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::half::to_half;
use warplens_hir::sass::{Constant, Facts, Function, Immediate, Value};
use warplens_isa::sass as isa;

pub(super) fn immediate(function: &Function, index: usize, immediate: Immediate) -> String {
    let instruction = &function.instructions[index];
    match immediate {
        Immediate::Integer(number) => integer(number),
        Immediate::Float(number) => {
            let mut parts = vec![float(instruction.opcode.as_str(), number)];
            parts.extend(half_pair(function, index));
            parts.join("\n\n")
        }
        Immediate::NotANumber { negative, signaling } => {
            let kind = if signaling { "signaling" } else { "quiet" };
            let sign = if negative { "negative" } else { "positive" };
            let bits = instruction
                .encoding
                .filter(|encoding| encoding.high.is_some())
                .map(|encoding| format!(" The encoding has its bits: `0x{:08x}`.", encoding.low >> 32));
            format!("A {sign} {kind} NaN, whose bits the text does not have.{}", bits.unwrap_or_default())
        }
    }
}

/// What an operand of a product of tensor cores (`UTCHMMA` and its kin) is, such as `tmem[UR6]`.
pub(super) fn role_in_product(function: &Function, index: usize, range: TextRange) -> Option<&'static str> {
    let instruction = &function.instructions[index];
    if !instruction.opcode.starts_with("UTC") || !instruction.opcode.ends_with("MMA") {
        return None;
    }
    let operands = function.operands(instruction);
    let prefix = |at: usize| match operands.get(at).map(|operand| &operand.value) {
        Some(Value::Address(address)) => address.prefix.as_str(),
        _ => "",
    };
    let at = operands.iter().position(|operand| operand.range.contains_range(range))?;
    Some(match (at, prefix(at)) {
        (0, "tmem") => "Here: the matrix A, in tensor memory.",
        (0, "gdesc") => "Here: the matrix A, in shared memory.",
        (1, "gdesc") => "Here: the matrix B, in shared memory.",
        (2, "tmem") => "Here: the matrix D, to which the product is added or written.",
        (_, "tmem") if prefix(at + 1) == "idesc" => {
            "Here: the lower register of the pair whose upper one is `idesc`; it belongs to the descriptor of the product."
        }
        (_, "idesc") => "Here: the upper register of the pair that begins with the `tmem` before it.",
        _ => return None,
    })
}

/// An offset, also as a signed number of this many bits: disassemblers print negative ones with and without their sign.
pub(super) fn offset(number: i64, bits: u32) -> String {
    let shown = integer(number);
    match signed(number, bits) {
        Some(signed) => format!("{shown} · as a signed offset of {bits} bits `{signed}`"),
        None => shown,
    }
}

/// The negative number of this many bits that is printed as `number`.
fn signed(number: i64, bits: u32) -> Option<i64> {
    (1 << (bits - 1)..1 << bits).contains(&number).then(|| number - (1 << bits))
}

fn integer(number: i64) -> String {
    let bits = number as u64;
    let narrow = bits as u32;
    let mut parts = vec![format!("`{number}` · `0x{:x}`", if number < 0 { u64::from(narrow) } else { bits })];
    if number > i64::from(i32::MAX) && number <= i64::from(u32::MAX) {
        parts.push(format!("signed `{}`", narrow as i32));
    }
    if narrow > 0xff && number.unsigned_abs() <= u64::from(u32::MAX) {
        let float = f32::from_bits(narrow);
        if float.is_normal() {
            parts.push(format!("as a 32-bit float `{float:?}`"));
        }
    }
    if narrow.count_ones() == 1 && narrow > 1 {
        parts.push(format!("2^{}", narrow.trailing_zeros()));
    }
    parts.join(" · ")
}

fn float(opcode: &str, number: f64) -> String {
    if opcode.starts_with('D') {
        return format!("`{number:?}` · 64-bit float `0x{:016x}`", number.to_bits());
    }
    if opcode.starts_with('H') {
        return format!("`{number:?}` · 16-bit float `0x{:04x}`", to_half((number as f32).to_bits()));
    }
    format!("`{number:?}` · 32-bit float `0x{:08x}`", (number as f32).to_bits())
}

/// The register that two halves make up: `HFMA2 R0, -RZ, RZ, 1.875, 0`.
fn half_pair(function: &Function, index: usize) -> Option<String> {
    let instruction = &function.instructions[index];
    if !instruction.opcode.starts_with('H') {
        return None;
    }
    let numbers: Vec<f64> = (function.operands(instruction).iter())
        .filter_map(|operand| match operand.value {
            Value::Immediate(Immediate::Float(number)) => Some(number),
            _ => None,
        })
        .collect();
    let [high, low] = numbers[..] else { return None };
    let bfloat = function.has_modifier(instruction, "BF16_V2");
    let bits = |number: f64| {
        let single = (number as f32).to_bits();
        if bfloat { single >> 16 } else { to_half(single) }
    };
    let word = bits(high) << 16 | bits(low);
    Some(format!("The two numbers are the halves of `0x{word:08x}`, the high one first (`{word}`)."))
}

/// The meaning of an address in a constant bank. `ptx_names` are the names of the kernel's parameters in PTX, if
/// known.
pub(super) fn constant(
    function: &Function,
    facts: &Facts,
    target: Option<u16>,
    constant: &Constant,
    ptx_names: &[SmolStr],
) -> Option<String> {
    let bank = constant.bank?;
    let offset = u32::try_from(constant.offset).ok()?;
    let title = format!("**`c[0x{bank:x}][0x{offset:x}]`**");
    if let Some(register) = constant.register.filter(|register| !register.is_constant()) {
        let negative = signed(constant.offset, 16);
        let or_negative = negative.map(|offset| format!(" (as a signed offset of 16 bits {offset})"));
        let or_negative = or_negative.unwrap_or_default();
        return Some(format!(
            "{title} · constant bank {bank}, at `{register}` + {offset} bytes{or_negative}"
        ));
    }
    let of_launch = function.generation != isa::Generation::Fermi && bank == 0
        || function.generation == isa::Generation::Fermi && bank <= 1;
    if !of_launch {
        let holder = match bank {
            2 | 4 => "constants and tables of the compiler",
            3 => "the `__constant__` variables of the program",
            _ => "constants",
        };
        return Some(format!("{title} · constant bank {bank}: {holder}"));
    }
    if function.generation == isa::Generation::Fermi && bank == 1 {
        return Some(format!("{title} · the end of the stack, or a constant of the compiler"));
    }
    let base = facts.parameter_base.unwrap_or_else(|| u32::from(isa::parameter_base(function.generation)));
    if let Some(parameter) = facts.parameter_at(base, offset) {
        let inside = offset - base - parameter.offset;
        let part = if inside > 0 { format!(", byte {inside} of it") } else { String::new() };
        let name = ptx_names.get(parameter.ordinal as usize);
        let name = name.map_or_else(String::new, |name| format!(", in PTX `{name}`"));
        return Some(format!(
            "{title} · parameter {} of the kernel{name}{part}: {} bytes at offset {}",
            parameter.ordinal, parameter.size, parameter.offset
        ));
    }
    if let Some(known) = isa::launch_constant(function.generation, target, offset) {
        let ptx = if known.ptx.is_empty() { String::new() } else { format!(" In PTX: `{}`.", known.ptx) };
        return Some(format!("{title} · {}: {}{ptx}", known.name, known.summary));
    }
    if offset >= base {
        return Some(format!("{title} · parameters of the kernel, byte {}", offset - base));
    }
    Some(format!("{title} · constant bank 0: set by the launch"))
}
