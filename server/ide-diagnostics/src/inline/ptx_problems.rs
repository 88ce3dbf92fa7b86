//! The problems of PTX in the document of a host file, at the characters of the host file.

use std::ops::Range;
use std::sync::LazyLock;

use smol_str::SmolStr;
use warplens_hir::ptx::{Mnemonic, MnemonicForms};
use warplens_host::{Statement, Template};
use warplens_ide_db::{Database, Diagnostic, File, Fix, Fixes, Related, Severity, TextEdit};
use warplens_isa::ptx::{Requirement, TargetRequirement};

use super::asm_constraint_type;
use super::encoding::encode;
use super::found::{About, Found};
use super::module::{Module, Uncertain, register};
use super::ranges::text_range;
use super::wording::in_words_of_host;
use crate::codes;
use crate::file::diagnostics;
use crate::rules::Rules;

/// What may be wrong within a statement, whatever surrounds it.
const OF_STATEMENTS: [&str; 21] = [
    codes::UNKNOWN_INSTRUCTION,
    codes::UNKNOWN_MODIFIER,
    codes::UNKNOWN_COMPONENT,
    codes::UNKNOWN_DIRECTIVE,
    codes::UNKNOWN_TYPE,
    codes::INVALID_ALIGNMENT,
    codes::INVALID_CONSTANT,
    codes::INVALID_OPERAND,
    codes::INVALID_FORM,
    codes::MISSING_MODIFIER,
    codes::MODIFIER_NOT_ALLOWED,
    codes::REPEATED_MODIFIER,
    codes::OPERAND_TYPE,
    codes::OPERAND_COUNT,
    codes::OPERAND_KIND,
    codes::VECTOR_LENGTH,
    codes::STATE_SPACE,
    codes::IMMEDIATE_RANGE,
    codes::REMOVED_FORM,
    codes::INVALID_DECLARATION,
    codes::INVALID_INITIALIZER,
];

/// What needs the whole text of the statement.
const OF_TEXTS: [&str; 6] = [
    codes::SYNTAX,
    codes::GUARDED_BLOCK,
    codes::UNRESOLVED_NAME,
    codes::USE_BEFORE_DECLARATION,
    codes::DUPLICATE_NAME,
    codes::INVALID_BRANCH,
];

/// The rules for documents whose target is not known, and for those whose target is.
static RULES: LazyLock<[Rules; 2]> = LazyLock::new(|| [false, true].map(rules));

fn rules(knows_target: bool) -> Rules {
    let mut rules = Rules::default();
    for code in codes::codes() {
        let is_reported = OF_STATEMENTS.contains(&code.name)
            || OF_TEXTS.contains(&code.name)
            || knows_target && code.name == codes::NEEDS_TARGET;
        if !is_reported {
            rules.set(code.name, None);
        }
    }
    rules
}

pub(super) fn check(
    db: &Database,
    file: File,
    text: &str,
    module: &Module,
    statement: &Statement,
) -> Vec<Found> {
    let found = diagnostics(db, file, &RULES[usize::from(module.knows_target)], Fixes::Included);
    found.into_iter().filter_map(|found| in_host(text, module, statement, found)).collect()
}

/// The problem in the host file; `None` if it may be none.
fn in_host(host_text: &str, module: &Module, statement: &Statement, found: Diagnostic) -> Option<Found> {
    let range = usize::from(found.range.start())..usize::from(found.range.end());
    if range.start < module.body.start || module.body.end < range.start {
        return None;
    }
    if is_uncertain(module, statement, found.code, &range) {
        return None;
    }
    let text = &module.text.text[range.clone()];
    if found.code == codes::UNRESOLVED_NAME && may_be_of_module(module, &range) {
        return None;
    }
    // Another target may still have it.
    if found.code == codes::REMOVED_FORM && !module.knows_target && !is_removed_everywhere(text) {
        return None;
    }
    let about = match found.code {
        codes::UNRESOLVED_NAME => About::Undeclared(text.to_owned()),
        _ => About::Statement,
    };
    // A type that fits no register is a problem of its operands.
    let range = match text.starts_with('.') && found.code == codes::OPERAND_TYPE {
        true => first_operand(module, statement, range.end).unwrap_or(range),
        false => range,
    };
    let text = &module.text.text[range.clone()];
    let host = module.text.to_host(end_of_text(module, range.clone()))?;
    let severity = match found.code {
        // The function may be one that only kernels for newer targets call.
        codes::NEEDS_TARGET if statement.place.architecture.is_some() && statement.place.is_on_demand => {
            Severity::Hint
        }
        codes::NEEDS_TARGET if statement.place.architecture.is_some() => Severity::Warning,
        _ => found.severity,
    };
    let related = found.related.iter().filter_map(|related| {
        let range = usize::from(related.range.start())..usize::from(related.range.end());
        Some(Related { range: text_range(&module.text.to_host(range)?), ..related.clone() })
    });
    let mapped = Diagnostic {
        range: text_range(&host),
        severity,
        related: related.collect(),
        fixes: found
            .fixes
            .iter()
            .filter_map(|fix| fix_in_host(host_text, &module.text, statement, fix))
            .collect(),
        ..found
    };
    let (before, rest) = module.text.text.split_at(range.start);
    let typed = asm_constraint_type::of_operand(statement, text, mapped);
    Some(Found { diagnostic: in_words_of_host(statement, before, rest, typed), about })
}

/// Whether a problem may be none because of what is not known.
fn is_uncertain(module: &Module, statement: &Statement, code: &str, range: &Range<usize>) -> bool {
    // What follows an instruction does not make another word of it.
    let names_instruction = [codes::UNKNOWN_INSTRUCTION, codes::UNKNOWN_MODIFIER].contains(&code);
    let is_before = |part: &Range<usize>| {
        let between = module.text.text.get(range.end..part.start);
        between.is_some_and(|between| between.contains([' ', '\t', '\n']))
    };
    let meets =
        |uncertain: &Uncertain| uncertain.meets(range) && !(names_instruction && is_before(&uncertain.part));
    let knows_text = statement.template.holes() == 0 && statement.knows_operands && !module.may_declare();
    module.uncertain.iter().any(meets) || OF_TEXTS.contains(&code) && !knows_text
}

/// The newest architecture that the compilers of inline PTX no longer know.
const OLD: u16 = 35;

/// Whether no target of the compilers has the form of a mnemonic.
fn is_removed_everywhere(mnemonic: &str) -> bool {
    let mut words = mnemonic.split('.').map(SmolStr::from);
    let Some(opcode) = words.next() else { return false };
    let MnemonicForms::Known(forms) = (Mnemonic { opcode, modifiers: words.collect() }).forms() else {
        return false;
    };
    let is_removed = |removed: Requirement| match removed.target {
        TargetRequirement::Any => true,
        TargetRequirement::AtLeast(number) => number <= OLD,
        _ => false,
    };
    forms.iter().all(|found| found.form.removed.is_some_and(is_removed))
}

/// The first operand of the host in the statement of PTX from an offset on.
fn first_operand(module: &Module, statement: &Statement, from: usize) -> Option<Range<usize>> {
    let text = &module.text.text[from..module.body.end];
    let text = &text[..text.find(';').unwrap_or(text.len())];
    let names = (0..statement.operands.len()).map(|index| register(statement, index));
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let found = names.filter_map(|name| {
        let (at, _) = text.match_indices(&name).find(|(at, _)| ends(&text[at + name.len()..]))?;
        Some(from + at..from + at + name.len())
    });
    found.min_by_key(|range| range.start)
}

/// The range, or the last character of the template if it is after that.
fn end_of_text(module: &Module, range: Range<usize>) -> Range<usize> {
    let body = &module.text.text[module.body.clone()];
    let end = module.body.start + body.trim_end().len();
    if range.start < end {
        return range.start..range.end.min(end).max(range.start);
    }
    let last = body.trim_end().chars().next_back().map_or(0, char::len_utf8);
    end - last..end
}

/// Whether a statement declares the name: statements may share registers.
pub(super) fn declares(statement: &Statement, name: &str) -> bool {
    let text = &statement.template.text;
    occurrences(text, name).any(|at| {
        let line = text[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
        let directive = text[line..at].trim_start();
        [".reg", ".shared", ".param"].iter().any(|space| directive.starts_with(space))
            && !is_closed(&text[at..])
    })
}

/// Whether a text closes the scope in which it begins.
fn is_closed(text: &str) -> bool {
    let braces = text.bytes().filter(|byte| matches!(byte, b'{' | b'}'));
    let mut depths = braces.scan(0, |depth, brace| {
        *depth += if brace == b'{' { 1 } else { -1 };
        Some(*depth)
    });
    depths.any(|depth| depth < 0)
}

/// How often a statement has the name in its text.
pub(super) fn uses_of(statement: &Statement, name: &str) -> usize {
    occurrences(&statement.template.text, name).count()
}

/// Whether a statement uses a name that it does not declare.
pub fn mentions(statement: &Statement, name: &str) -> bool {
    uses_of(statement, name) > 0 && !declares(statement, name)
}

/// Where a text has the name as a word.
fn occurrences(text: &str, name: &str) -> impl Iterator<Item = usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    text.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

/// Whether a name may be a variable or function of the module around the statement.
fn may_be_of_module(module: &Module, range: &Range<usize>) -> bool {
    let text = &module.text.text;
    // A register, or a misspelled special register.
    if text[range.clone()].starts_with('%') {
        return false;
    }
    let line = text[..range.start].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    let statement = text[line..range.start].trim_start();
    let is_address = text[..range.start].trim_end().ends_with('[');
    let is_destination = !statement.contains(',');
    is_address
        || statement.starts_with("call")
        || !is_destination
            && ["mov.u64", "mov.b64", "mov.u32", "mov.b32", "cvta"]
                .iter()
                .any(|opcode| statement.starts_with(opcode))
}

/// A fix whose edits change the host file as the document: `None` if a literal would need other quotes or escapes.
fn fix_in_host(host_text: &str, text: &Template, statement: &Statement, fix: &Fix) -> Option<Fix> {
    let edit = |edit: &TextEdit| {
        let range = usize::from(edit.range.start())..usize::from(edit.range.end());
        let host = match range.is_empty() {
            true => text.insertion(range.start).map(|at| at..at),
            false => text.to_joined(range),
        }?;
        Some(TextEdit { range: text_range(&host), insert: encode(&edit.insert, statement, host_text)? })
    };
    let edits = fix.edits.iter().map(edit).collect::<Option<Vec<_>>>()?;
    Some(Fix { title: fix.title.clone(), edits, preferred: fix.preferred })
}
