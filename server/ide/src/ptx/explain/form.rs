//! The page of an instruction in its written form: the meaning of its modifiers and operands, and its requirements.

use warplens_hir::ptx::{
    AddressSpace, Count, FormMatch, Mnemonic, MnemonicForms, OperandRule, Platform, UnmetRequirement,
    written as entry_operands,
};
use warplens_ide_db::any_of;
use warplens_ide_db::ptx::forms::kind_name;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Instruction, OperandKind, Requirement, TargetRequirement};

use crate::explain::page::{Page, role, simulation};
use crate::ptx::explain::facts;
use crate::ptx::explain::facts::{first_clause, section, status};
use crate::ptx::explain::matching::matching;

pub(crate) struct Statement<'a> {
    pub(crate) mnemonic: &'a Mnemonic,
    pub(crate) guard: Option<String>,
    /// The operands, as separated by commas; `None` if only the mnemonic is known.
    pub(crate) operands: Option<&'a [String]>,
    pub(crate) platform: Platform,
}

/// The page of the written form; `None` for an unknown opcode.
pub(crate) fn page(statement: &Statement<'_>) -> Option<String> {
    let found = form_of(statement.mnemonic, statement.operands.map(<[String]>::len));
    let entry = match &found {
        Some(found) => found.entry,
        None => entry_of(statement.mnemonic)?,
    };
    let facts =
        [entry.category.title.to_lowercase(), section(entry.section), status(entry.status).to_owned()];
    let mut page = Page::titled(&statement.mnemonic.to_string(), &facts);
    page.paragraph(entry.summary);
    match &found {
        Some(found) => page.code("ptx", [found.form.text]),
        None => page.code("ptx", entry.syntax),
    }
    page.list("As written", as_written(entry, found.as_ref(), statement));
    page.list("Operands", operands(entry, found.as_ref(), statement));
    page.paragraph(&needs(entry, found.as_ref(), statement.platform));
    page.titled_code("Computes", "text", &entry.semantics.join("\n"));
    page.list("Notes", entry.notes);
    if !entry.divergence.is_empty() {
        page.paragraph(&format!("**Lanes.** {}", entry.divergence));
    }
    page.paragraph(&simulation(entry.simulation));
    page.titled_code("Example", "ptx", example(entry, statement.mnemonic));
    Some(page.finish())
}

pub(crate) fn form_of(mnemonic: &Mnemonic, operands: Option<usize>) -> Option<FormMatch> {
    let MnemonicForms::Known(found) = mnemonic.forms() else { return None };
    let takes = |form: &FormMatch| {
        let required = form.operands.iter().filter(|operand| !operand.optional).count();
        operands.is_none_or(|operands| (required..=form.operands.len()).contains(&operands))
    };
    let best = found.iter().position(takes).unwrap_or(0);
    found.into_vec().into_iter().nth(best)
}

/// The entry for a mnemonic that matches no form.
pub(crate) fn entry_of(mnemonic: &Mnemonic) -> Option<&'static Instruction> {
    let dotted: Vec<String> = mnemonic.modifiers.iter().map(|word| format!(".{word}")).collect();
    matching(&mnemonic.opcode, &dotted).first().copied()
}

/// The guard and each modifier, with its meaning there.
fn as_written(entry: &Instruction, found: Option<&FormMatch>, statement: &Statement<'_>) -> Vec<String> {
    let guard = statement.guard.iter().map(|guard| {
        let not = if guard.contains('!') { "not " } else { "" };
        format!("`{guard}` · executed only by lanes whose predicate is {not}true")
    });
    let named = entry.words.len();
    let modifiers = (0..statement.mnemonic.modifiers.len()).filter(|index| {
        let word = &statement.mnemonic.modifiers[*index];
        *index >= named || entry.words.get(*index).is_none_or(|name| name[1..] != **word)
    });
    let meanings = modifiers.filter_map(|index| meaning(entry, found, statement.mnemonic, index));
    guard.chain(meanings).collect()
}

/// The meaning of the modifier with this index: the summary of its value and of its class.
pub(crate) fn meaning(
    entry: &Instruction,
    found: Option<&FormMatch>,
    mnemonic: &Mnemonic,
    index: usize,
) -> Option<String> {
    let word = format!(".{}", mnemonic.modifiers.get(index)?);
    // A word of the name means what the instruction does: `.idx` of `brx.idx` is no `.idx` of `shfl`.
    if entry.words.get(index) == Some(&word.as_str()) {
        return Some(format!("`{word}` · Part of the name `{}`.", entry.name));
    }
    let slot = found.and_then(|found| Some((found, slot_of(found, mnemonic, index)?)));
    let class = slot.and_then(|(found, slot)| {
        let name = found.form.slots[slot].class;
        entry.modifiers.iter().find(|class| !name.is_empty() && class.name == name)
    });
    let whole = slot.and_then(|(found, slot)| found.chosen[slot]).map(|value| value.words.concat());
    let in_class = class.and_then(|class| {
        let is_it = |value: &&isa::Modifier| value.name == word || Some(value.name) == whole.as_deref();
        Some((Some(class), class.values.iter().find(is_it)?.summary))
    });
    let in_entry = || entry.modifier(&word).map(|(class, value)| (Some(class), value.summary));
    let anywhere = || Some((class, summary(&word)?));
    let (class, summary) = in_class.or_else(in_entry).or_else(anywhere)?;
    let decides = class.map(|class| class.summary.trim_end_matches('.')).filter(|text| !text.is_empty());
    let decides = decides.map_or_else(String::new, |text| format!(" *({text})*"));
    Some(format!("`{word}` · {summary}{decides}"))
}

/// The meaning of a word wherever it occurs.
fn summary(word: &str) -> Option<&'static str> {
    let space = || Some(isa::state_space(word)?.summary);
    let modifier = || Some(isa::modifier(word).first()?.summary);
    isa::type_(word).map(|ty| ty.summary).or_else(space).or_else(modifier)
}

/// The slot of a form that the modifier with this index fills. Slots with equal words are filled in order.
pub(crate) fn slot_of(found: &FormMatch, mnemonic: &Mnemonic, index: usize) -> Option<usize> {
    let mut is_taken = vec![false; mnemonic.modifiers.len()];
    for (slot, value) in found.chosen.iter().enumerate() {
        for word in value.map_or(&[][..], |value| value.words) {
            let is_it =
                |at: &usize| !is_taken[*at] && word.strip_prefix('.') == Some(&mnemonic.modifiers[*at]);
            if let Some(at) = (found.entry.words.len()..is_taken.len()).find(is_it) {
                is_taken[at] = true;
                if at == index {
                    return Some(slot);
                }
            }
        }
    }
    None
}

fn operands(
    entry: &'static Instruction,
    found: Option<&FormMatch>,
    statement: &Statement<'_>,
) -> Vec<String> {
    let text = |index: usize| statement.operands.and_then(|operands| operands.get(index)).map(String::as_str);
    if let Some(found) = found {
        let is_shown = |index: usize, rule: &OperandRule| {
            !rule.optional || statement.operands.is_none() || text(index).is_some()
        };
        let rules = found.operands.iter().enumerate().filter(|(index, rule)| is_shown(*index, rule));
        let lines = rules.flat_map(|(index, rule)| {
            let whole = operand_of_form(entry, rule, text(index));
            let others = found.inside(rule).iter().skip(1).map(|part| operand_of_form(entry, part, None));
            [whole].into_iter().chain(others)
        });
        return lines.collect();
    }
    match statement.operands {
        Some(operands) => entry_operands(entry, operands.len())
            .enumerate()
            .map(|(index, operand)| operand_of_entry(operand, text(index)))
            .collect(),
        None => entry.operands.iter().map(facts::operand).collect(),
    }
}

/// `` `%f1` is **d**, written: `.f32` ``
fn operand_of_form(entry: &Instruction, rule: &OperandRule, text: Option<&str>) -> String {
    let Some(operand) = entry.operands.get(rule.index) else { return String::new() };
    let mut line = head(operand.name, text);
    line.push_str(&format!(", {}", role(rule.role)));
    let is_address = rule.kinds.has(OperandKind::Address);
    let value = rule.ty.map(|ty| match rule.count {
        Count::Braced(count) => format!("{count} × `.{}`", ty.name()),
        _ => format!("`.{}`", ty.name()),
    });
    let what = match (is_address, rule.space, value) {
        (true, AddressSpace::Of(space), _) => format!("address in `.{}`", space.name()),
        (true, AddressSpace::Generic, _) => "generic address".to_owned(),
        (true, AddressSpace::Unspecified, _) => "address".to_owned(),
        (false, _, Some(value)) => value + &registers(rule, text.is_some()),
        (false, _, None) => {
            let kinds = operand.kinds.iter().filter(|kind| rule.kinds.has(**kind));
            any_of(kinds.map(|kind| kind_name(*kind)))
        }
    };
    if !what.is_empty() && what != operand.name {
        line.push_str(&format!(": {what}"));
    }
    let ranges: Vec<String> = rule.ranges.iter().map(|range| constants(entry, *range)).collect();
    if !ranges.is_empty() {
        line.push_str(&format!(", a constant {}", ranges.join(", then ")));
    }
    if let Some((second, optional)) =
        rule.second.and_then(|(second, optional)| Some((entry.operands.get(second)?, optional)))
    {
        let may = if optional { "may be followed by" } else { "followed by" };
        line.push_str(&format!(", {may} `|{}`", second.name));
    }
    if rule.optional && text.is_none() {
        line.push_str(", optional");
    }
    line.push_str(&about(operand, &what));
    line
}

fn constants(entry: &Instruction, range: isa::Range) -> String {
    let low = range.low;
    let bounds = match range.high {
        isa::Bound::Number(high) => format!("from {low} to {high}"),
        isa::Bound::Operand(index) => {
            format!("from {low} to `{}`", entry.operands.get(index).map_or("?", |operand| operand.name))
        }
    };
    match range.step {
        isa::Step::Multiple(1) => bounds,
        isa::Step::Multiple(step) => format!("{bounds}, a multiple of {step}"),
        isa::Step::PowerOfTwo => format!("{bounds}, a power of two"),
    }
}

/// The registers that can contain the value, unless only registers of its type can. A type of the written form is
/// shown only if it occurs nowhere else.
fn registers(rule: &OperandRule, is_written: bool) -> String {
    const MOST: usize = 4;
    let own = rule.ty.map(warplens_hir::ptx::Type::name);
    let types: Vec<&str> =
        rule.registers.into_iter().flat_map(|set| set.types()).map(|ty| ty.name()).collect();
    if is_written || types.len() < 2 || types.len() > MOST || !own.is_some_and(|own| types.contains(&own)) {
        return match types[..] {
            [only] if Some(only) != own => format!(" in a `.{only}` register"),
            _ => String::new(),
        };
    }
    format!(" in a register of {}", any_of(types.iter().map(|ty| format!("`.{ty}`"))))
}

fn operand_of_entry(operand: &isa::Operand, text: Option<&str>) -> String {
    let kinds = operand.kinds.iter().map(|kind| kind_name(*kind));
    let kinds = any_of(kinds);
    let about = about(operand, &kinds);
    let kinds = if kinds == operand.name { String::new() } else { format!(": {kinds}") };
    format!("{}, {}{kinds}{about}", head(operand.name, text), role(operand.role))
}

/// What the tables say about an operand, unless its name or its kinds say it.
fn about(operand: &isa::Operand, kinds: &str) -> String {
    let is_said = operand.about.is_empty() || operand.about == operand.name || operand.about == kinds;
    if is_said { String::new() } else { format!(" · {}", operand.about) }
}

fn head(name: &str, text: Option<&str>) -> String {
    match text {
        Some(text) => format!("`{}` is **{name}**", shortened(text)),
        None => format!("**{name}**"),
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

/// The oldest version and target with the form, and whether the module satisfies them.
fn needs(entry: &Instruction, found: Option<&FormMatch>, platform: Platform) -> String {
    let mut parts = Vec::new();
    let form_gate = found.map_or(&[][..], |found| found.form.availability.0);
    if form_gate.is_empty() {
        let target = first_clause(entry.target);
        parts.push(format!("PTX {}, {target}", entry.since));
    } else {
        parts.push(any_of(form_gate.iter().map(|gate| need_of_form(entry, gate))));
    }
    let values = found.into_iter().flat_map(|found| found.chosen.iter().flatten());
    for value in values.filter(|value| !value.availability.0.is_empty()) {
        let needs = any_of(value.availability.0.iter().map(need));
        parts.push(format!("`{}`: {needs}", value.words.concat()));
    }
    let mut text = format!("**Needs.** {}.", parts.join("; "));
    if let Some(removed) = found.and_then(|found| found.form.removed) {
        text.push_str(&format!(" Removed in {}.", need(&removed)));
    }
    let module = module(platform);
    match found.map(|found| platform.unmet_requirement(found)) {
        _ if module.is_empty() => {}
        None => {}
        Some(None) => text.push_str(&format!(" Available in this file ({module}).")),
        Some(Some(UnmetRequirement::Needs(..))) => {
            text.push_str(&format!(" **Not available in this file ({module}).**"))
        }
        Some(Some(UnmetRequirement::Removed(_))) => {
            text.push_str(&format!(" **Removed for this file ({module}).**"));
        }
    }
    text
}

fn module(platform: Platform) -> String {
    let version = platform.version.map(|version| format!("PTX {version}"));
    let target = platform.target.map(|target| target.name.to_owned());
    version.into_iter().chain(target).collect::<Vec<_>>().join(" for ")
}

/// What a form needs, with the version that documents the instruction, if the assembler has it earlier.
fn need_of_form(entry: &Instruction, gate: &Requirement) -> String {
    let text = need(gate);
    let documented = entry.since_note.split(';').next().filter(|note| note.starts_with("documented from"));
    let version = entry.since.to_string();
    match documented.filter(|_| gate.since == entry.since) {
        Some(note) => text.replacen(&version, &format!("{version} ({note})"), 1),
        None => text,
    }
}

fn need(need: &Requirement) -> String {
    match need.target {
        TargetRequirement::Any => format!("PTX {}", need.since),
        TargetRequirement::AtLeast(number) => format!("PTX {}, sm_{number}", need.since),
        TargetRequirement::Family(number) => {
            format!("PTX {}, sm_{number}f and later of its family", need.since)
        }
        TargetRequirement::Exactly(number) => format!("PTX {}, sm_{number}a only", need.since),
    }
}

/// The statement of the example that is most similar to the written one, or else the whole example.
fn example(entry: &'static Instruction, mnemonic: &Mnemonic) -> &'static str {
    let common = |code: &str| {
        let mut words = code.split(|c: char| c.is_whitespace() || c == ';').find(|word| word.contains('.'));
        let words: Vec<&str> = words.take().unwrap_or_default().split('.').skip(1).collect();
        let shared = mnemonic.modifiers.iter().filter(|word| words.contains(&word.as_str())).count();
        (shared, std::cmp::Reverse(words.len()))
    };
    let best = entry.measured.iter().rev().max_by_key(|measured| common(measured.code));
    best.filter(|best| common(best.code).0 > 0).map_or(entry.example.code, |best| best.code)
}
