//! Rewrites instructions into a form that toolchain 0.1.2 assembles and executes correctly.

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_hir::wave::{Code, Guard, Half, Instruction, Link, Operand, Role, Spares, Value, literal};
use warplens_isa::wave as isa;
use warplens_isa::wave::{Availability, OperandKind, Suffix};

use crate::wave::dialect::edits::Edits;
use crate::wave::dialect::line::Line;
use crate::wave::dialect::logic;
use crate::wave::dialect::logic::Literal;

pub(crate) struct Rewriter<'c> {
    text: &'c str,
    code: &'c Code,
    spares: Spares<'c>,
}

/// `.workgroup_size 256` as `.workgroup_size 256, 1, 1`.
pub(crate) fn size(code: &Code, at: usize) -> Option<(TextRange, String)> {
    let size = code.sizes[at];
    let missing = 3_usize.checked_sub(usize::from(size.written)).filter(|missing| *missing > 0)?;
    Some((TextRange::empty(size.range.end()), ", 1".repeat(missing)))
}

impl<'c> Rewriter<'c> {
    pub(crate) fn new(text: &'c str, code: &'c Code) -> Rewriter<'c> {
        Rewriter { text, code, spares: Spares::new(code) }
    }

    /// The edits that rewrite an instruction; `None` if that is impossible or unnecessary.
    pub(crate) fn instruction(&self, at: usize) -> Option<Edits> {
        let instruction = &self.code.instructions[at];
        let entry = instruction.entry?.0;
        if !understood(instruction) {
            return None;
        }
        let mut line = Line::new(self.text, self.code, &self.spares, at);
        let on_predicates = instruction.operands.first().is_some_and(|first| first.name == "pd");
        if on_predicates && !entry.predicate_operands.is_empty() {
            let lines = self.logic(entry.mnemonic, instruction)?;
            return line.replaced(lines);
        }
        let mut written = (instruction.operands.iter())
            .map(|operand| self.operand(&mut line, entry, operand))
            .collect::<Option<Vec<_>>>()?;
        if let ("select", [target, predicate, yes, no]) = (entry.mnemonic, &mut written[..])
            && line.low_false_source(no).is_none()
        {
            let lines = without_select(&mut line, instruction, [target, predicate, yes, no])?;
            return line.replaced(lines);
        }
        let edits = match entry.toolchain {
            _ if !entry.replacement.is_empty() => self.replacement(line, entry, &written),
            Some("halt") if instruction.guard.is_some_and(is_p0) => line.replaced(logic::end_under_p0()),
            Some(name) if entry.available == Availability::Crates => {
                let mut edits = self.in_place(instruction, entry, name, written);
                if instruction.guard.is_some_and(is_p0) && !is_control(entry) {
                    edits.push(line.in_branch()?);
                }
                line.finish(edits)
            }
            _ => None,
        };
        edits.filter(|edits| !edits.is_empty())
    }

    /// The edits that copy the special registers of an instruction to general ones first.
    pub(crate) fn special_operands(&self, at: usize) -> Option<Edits> {
        let instruction = &self.code.instructions[at];
        let entry = instruction.entry?.0;
        let mut line = Line::new(self.text, self.code, &self.spares, at);
        let mut edits = Edits::new();
        for operand in instruction.operands.iter().filter(|operand| is_read_special(operand)) {
            edits.push((operand.range, self.operand(&mut line, entry, operand)?));
        }
        line.finish(edits)
    }

    /// The operand in the toolchain's dialect; adds the lines that it needs before and after the instruction.
    fn operand(&self, line: &mut Line<'_>, entry: &isa::Instruction, operand: &Operand) -> Option<String> {
        let ty = entry.operands.iter().find(|form| form.name == operand.name).map_or("", |form| form.ty);
        Some(match &operand.value {
            Value::Register { index, half: Some(half) } => match operand.role {
                Role::Read => self.half(line, *index, *half)?,
                Role::Write => self.written_half(line, *index, *half)?,
                _ => return None,
            },
            Value::Float(bits) if entry.mnemonic == "mov_imm" => {
                format!("{:#x}", literal(f64::from_bits(*bits), ty))
            }
            Value::Integer { .. } if entry.mnemonic == "mov_imm" => self.text[operand.range].to_owned(),
            Value::Integer { .. } | Value::Float(_) => {
                // An inactive lane would not have the number for the lanes that read it.
                if entry.mnemonic.starts_with("wave_") && operand.name == "rs1" {
                    return None;
                }
                self.number(line, operand, ty)?
            }
            Value::Predicate { index, negated: true } => self.opposite(line, entry, *index)?,
            Value::Predicate { index, negated: false } => format!("p{index}"),
            Value::Special(name) if is_read_special(operand) && !takes_special(entry, operand) => {
                let register = line.registers(1)?;
                line.before.push(format!("mov_sr r{register}, {name}"));
                format!("r{register}")
            }
            Value::Invalid => return None,
            _ => self.text[operand.range].to_owned(),
        })
    }

    /// Copies a half of a register to a whole one.
    fn half(&self, line: &mut Line<'_>, index: u8, half: Half) -> Option<String> {
        let free = line.registers(1)?;
        let (number, operation) = match half {
            Half::Low => ("0xffff", "and"),
            Half::High => ("16", "shr"),
        };
        line.before.push(format!("mov_imm r{free}, {number}"));
        line.before.push(format!("{operation} r{free}, r{index}, r{free}"));
        Some(format!("r{free}"))
    }

    /// A register for a result that is merged into a half of another afterwards.
    fn written_half(&self, line: &mut Line<'_>, index: u8, half: Half) -> Option<String> {
        let (result, other) = (line.registers(1)?, line.registers(1)?);
        line.after.push(format!("mov_imm r{other}, 0xffff"));
        line.after.push(format!("and r{result}, r{result}, r{other}"));
        match half {
            Half::Low => line.after.push(format!("not r{other}, r{other}")),
            Half::High => {
                line.after.push(format!("mov_imm r{other}, 16"));
                line.after.push(format!("shl r{result}, r{result}, r{other}"));
                line.after.push(format!("mov_imm r{other}, 0xffff"));
            }
        }
        line.after.push(format!("and r{other}, r{index}, r{other}"));
        let last = format!("or r{index}, r{other}, r{result}");
        match line.instruction().guard {
            Some(guard) => line.after.extend(logic::when(guard.into(), last)),
            None => line.after.push(last),
        }
        Some(format!("r{result}"))
    }

    /// Moves a number to registers, one word each.
    fn number(&self, line: &mut Line<'_>, operand: &Operand, ty: &str) -> Option<String> {
        let first = line.registers(operand.registers)?;
        let words = words(operand, &self.text[operand.range], ty)?;
        let moves = words.iter().zip(first..).map(|(word, register)| format!("mov_imm r{register}, {word}"));
        line.before.extend(moves);
        Some(format!("r{first}"))
    }

    /// The inverse of a predicate. For an `if` without `else`, its lines are moved to the other path instead.
    fn opposite(&self, line: &mut Line<'_>, entry: &isa::Instruction, index: u8) -> Option<String> {
        let at = self.code.instructions.iter().position(|it| it.range == line.instruction().range);
        let link = at.and_then(|at| self.code.links.get(at));
        let alone = matches!(link, Some(Some(Link::If { otherwise: None, end: Some(_) })));
        match entry.mnemonic {
            "if" if alone => {
                line.after.push("else".into());
                Some(format!("p{index}"))
            }
            _ => {
                let free = line.predicate()?;
                line.before.extend(logic::copy(free, Literal { index, negated: true }));
                Some(format!("p{free}"))
            }
        }
    }

    fn logic(&self, operation: &str, instruction: &Instruction) -> Option<Vec<String>> {
        let literal = |name: &str| match instruction.operand(name)?.value {
            Value::Predicate { index, negated } => Some(Literal { index, negated }),
            _ => None,
        };
        let a = literal("ps1")?;
        let lines = logic::lines(operation, literal("pd")?.index, a, literal("ps2").unwrap_or(a))?;
        Some(logic::guarded(instruction.guard.map(Literal::from), lines))
    }

    fn in_place(
        &self,
        instruction: &Instruction,
        entry: &isa::Instruction,
        name: &str,
        written: Vec<String>,
    ) -> Edits {
        let mut edits = Edits::new();
        let mnemonic = &self.text[instruction.mnemonic_range];
        let suffix = mnemonic.strip_prefix(instruction.mnemonic.as_str()).unwrap_or_default();
        let hint = if entry.suffix == Suffix::CacheHint { suffix } else { "" };
        let is_fence = instruction.operands.len() == 1;
        if !(is_fence && entry.suffix == Suffix::Scope) && mnemonic != format!("{name}{hint}") {
            edits.push((instruction.mnemonic_range, format!("{name}{hint}")));
        }
        let mut wanted = in_toolchain_order(instruction, entry, written);
        if entry.suffix == Suffix::Scope && instruction.operand("scope").is_none() {
            wanted.push(".device".into());
        }
        let places: Vec<TextRange> = (instruction.operands.iter().map(|operand| operand.range))
            .filter(|range| !instruction.mnemonic_range.contains_range(*range))
            .collect();
        let changed = places.iter().zip(&wanted).filter(|(place, text)| self.text[**place] != **text);
        edits.extend(changed.map(|(place, text)| (*place, text.clone())));
        if let (Some(last), Some(rest)) = (places.last(), wanted.get(places.len()..))
            && !rest.is_empty()
        {
            edits.push((TextRange::empty(last.end()), format!(", {}", rest.join(", "))));
        }
        edits
    }

    /// Equivalent instructions. The last of them writes the result, with the guard.
    fn replacement(&self, mut line: Line<'_>, entry: &isa::Instruction, written: &[String]) -> Option<Edits> {
        let instruction = line.instruction();
        let mut taken = FxHashMap::default();
        let mut lines = Vec::new();
        for template in entry.replacement {
            let mut words = template.split(' ').map(|word| {
                let name = word.trim_end_matches(',');
                let comma = &word[name.len()..];
                let bang = if name.starts_with("@!") { "@!" } else { "" };
                let place = instruction.operands.iter().position(|it| it.name == name);
                Some(match (name[bang.len()..].strip_prefix('?'), place) {
                    (Some(free), _) => format!("{bang}{}{comma}", taken_for(&mut taken, &mut line, free)?),
                    (None, Some(place)) => format!("{}{comma}", written[place]),
                    (None, None) => word.to_owned(),
                })
            });
            lines.push(words.by_ref().collect::<Option<Vec<_>>>()?);
        }
        for words in lines.iter_mut().filter(|words| words[0] == "select") {
            line.low_false_source(words.last_mut()?)?;
        }
        let mut lines: Vec<String> = lines.into_iter().map(|words| words.join(" ")).collect();
        if let Some(guard) = instruction.guard
            && let Some(last) = lines.pop()
        {
            if is_p0(guard) && !line.can_nest() {
                return None;
            }
            lines.extend(logic::when(guard.into(), last));
        }
        line.replaced(lines)
    }
}

/// The register for a placeholder of a template: `?p` is a predicate, `?d` and `?e` are pairs, whose second is `?d+`.
fn taken_for(taken: &mut FxHashMap<String, u8>, line: &mut Line<'_>, free: &str) -> Option<String> {
    let name = free.trim_end_matches('+');
    let index = match taken.get(name) {
        Some(index) => *index,
        None => match name {
            "p" => line.predicate()?,
            "d" | "e" => line.registers(2)?,
            _ => line.registers(1)?,
        },
    };
    taken.insert(name.to_owned(), index);
    Some(match name {
        "p" => format!("p{index}"),
        _ => format!("r{}", index + (free.len() - name.len()) as u8),
    })
}

/// A `select` without a free register that its false source can be encoded with: the false value, overwritten by the true one.
fn without_select(
    line: &mut Line<'_>,
    instruction: &Instruction,
    [target, predicate, yes, no]: [&str; 4],
) -> Option<Vec<String>> {
    let result = line.registers(1).filter(|_| line.can_nest())?;
    let when = |index: &str, line: String| {
        let literal = Literal { index: index.parse().ok()?, negated: false };
        Some(logic::when(literal, line))
    };
    let mut lines = vec![format!("mov r{result}, {no}")];
    lines.extend(when(&predicate[1..], format!("mov r{result}, {yes}"))?);
    let last = format!("mov {target}, r{result}");
    match instruction.guard {
        Some(guard) => lines.extend(logic::when(guard.into(), last)),
        None => lines.push(last),
    }
    Some(lines)
}

fn is_p0(guard: Guard) -> bool {
    guard.predicate == 0 && !guard.negated
}

/// Whether a guarded instruction also affects other lanes than the guarded ones.
fn is_control(entry: &isa::Instruction) -> bool {
    entry.category.id == "control" || matches!(entry.mnemonic, "return" | "barrier")
}

/// Whether all operands match the form, except special registers that are read.
fn understood(instruction: &Instruction) -> bool {
    let named = |operand: &Operand| !operand.name.is_empty() && operand.value != Value::Invalid;
    instruction.complete
        || instruction.operands.iter().any(is_read_special) && instruction.operands.iter().all(named)
}

fn is_read_special(operand: &Operand) -> bool {
    matches!(operand.value, Value::Special(_)) && operand.role == Role::Read
}

fn takes_special(entry: &isa::Instruction, operand: &Operand) -> bool {
    let form = entry.operands.iter().find(|form| form.name == operand.name);
    form.is_some_and(|form| form.kinds.contains(&OperandKind::Special))
}

fn in_toolchain_order(
    instruction: &Instruction,
    entry: &isa::Instruction,
    written: Vec<String>,
) -> Vec<String> {
    let place = |name: &str| instruction.operands.iter().position(|operand| operand.name == name);
    let order = entry.toolchain_operands.iter().filter_map(|form| place(form.name));
    order.map(|at| written[at].clone()).collect()
}

/// The words of a number, written like this, for an operand of this type, the low one first.
fn words(number: &Operand, written: &str, ty: &str) -> Option<Vec<String>> {
    let is_float = ["f16", "f32", "f64"].iter().any(|float| ty.contains(float));
    let float = match number.value {
        Value::Float(bits) => Some(f64::from_bits(bits)),
        Value::Integer { value, hexadecimal: false } if is_float => Some(value as f64),
        _ => None,
    };
    let wide = match (float, &number.value) {
        (Some(float), _) if number.registers == 1 => return Some(vec![format!("{:#x}", literal(float, ty))]),
        (None, Value::Integer { .. }) if number.registers == 1 => return Some(vec![written.to_owned()]),
        (Some(float), _) => i128::from(float.to_bits()),
        (None, Value::Integer { value, .. }) => i128::from(*value),
        _ => return None,
    };
    let word = |word: u8| format!("{:#x}", (wide >> (32 * u32::from(word))) as u32);
    Some((0..number.registers).map(word).collect())
}
