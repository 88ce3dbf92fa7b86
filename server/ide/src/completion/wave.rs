//! Completion in WAVE.
//!
//! A line is short and a statement ends with it, so the context is read from the line's tokens.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::wave::{Code, Name, Role};
use warplens_isa::wave::{self as isa, Availability, Instruction, OperandKind, Suffix};
use warplens_syntax::{SyntaxKind, SyntaxToken};

use super::{Proposal, Proposals, Snippet};
use crate::answer::{Access, CompletionKind};
use crate::db::{Database, items, wave_code};
use crate::names::{Namespace, module_uses};
use crate::place::{Place, token_before, token_covering};

/// The predicate registers that a guard or a condition can name.
const PREDICATES: [&str; 4] = ["p0", "p1", "p2", "p3"];

pub(super) fn proposals(db: &Database, place: &Place<'_>) -> Proposals {
    let line = Line::before(db, place);
    let mut proposals = Proposals::replacing(line.word);
    let statement = line.statement();
    match statement {
        [] if line.typed.starts_with('.') => directives(&mut proposals),
        [] => {
            mnemonics(&mut proposals);
            directives(&mut proposals);
        }
        [mnemonic, suffixes @ ..] if line.typed.starts_with('.') && line.is_glued => {
            let words: Vec<&str> = suffixes.iter().map(SyntaxToken::text).collect();
            suffix(mnemonic.text(), &words, &mut proposals);
        }
        [mnemonic, rest @ ..] if mnemonic.kind() == SyntaxKind::IDENT => {
            let suffixes: SmolStr = rest
                .iter()
                .take_while(|token| token.kind() == SyntaxKind::DOT_WORD)
                .map(SyntaxToken::text)
                .collect();
            let written = format!("{}{suffixes}", mnemonic.text());
            let index = rest.iter().filter(|token| token.kind() == SyntaxKind::COMMA).count();
            operand(db, place, &written, index, &mut proposals);
        }
        _ => {}
    }
    proposals
}

/// The line up to the cursor.
struct Line {
    /// The word being typed, up to the cursor.
    word: TextRange,
    typed: String,
    /// What stands before the word, in order, without blanks.
    tokens: Vec<SyntaxToken>,
    /// Whether the word follows the last token without a blank.
    is_glued: bool,
}

impl Line {
    fn before(db: &Database, place: &Place<'_>) -> Line {
        let tree = place.item.parse(db).syntax();
        let mut before = place.offset.checked_sub(1.into()).and_then(|offset| token_covering(&tree, offset));
        let is_word = |token: &SyntaxToken| {
            !matches!(
                token.kind(),
                SyntaxKind::WHITESPACE
                    | SyntaxKind::COMMA
                    | SyntaxKind::COLON
                    | SyntaxKind::AT
                    | SyntaxKind::BANG
            )
        };
        let word = before.take_if(|token| place.blanks == 0.into() && is_word(token));
        let (word, typed) = match &word {
            Some(token) => {
                let range = TextRange::new(token.text_range().start(), place.offset);
                before = token_before(&tree, token);
                (range, token.text()[..usize::from(range.len())].to_owned())
            }
            None => (TextRange::empty(place.offset), String::new()),
        };
        let is_glued = place.blanks == 0.into()
            && before.as_ref().is_some_and(|token| token.kind() != SyntaxKind::WHITESPACE);
        let mut tokens = Vec::new();
        let mut token = before;
        while let Some(now) = token {
            // A blank that began on the line above ends the line.
            let up_to_word = now.text_range().intersect(TextRange::up_to(word.start())).unwrap_or_default();
            if now.text()[..usize::from(up_to_word.len())].contains('\n') {
                break;
            }
            token = token_before(&tree, &now);
            if !matches!(now.kind(), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT) {
                tokens.push(now);
            }
        }
        tokens.reverse();
        Line { word, typed, tokens, is_glued }
    }

    /// The tokens of the last statement of the line, label and guard left out.
    fn statement(&self) -> &[SyntaxToken] {
        let label =
            self.tokens.iter().rposition(|token| token.kind() == SyntaxKind::COLON).map_or(0, |at| at + 1);
        let rest = &self.tokens[label..];
        let guard = match rest {
            [at, bang, _, ..] if at.kind() == SyntaxKind::AT && bang.kind() == SyntaxKind::BANG => 3,
            [at, _, ..] if at.kind() == SyntaxKind::AT => 2,
            _ => 0,
        };
        &rest[guard..]
    }
}

/// All instructions, in the guide's spelling first.
fn mnemonics(proposals: &mut Proposals) {
    for entry in isa::instructions() {
        proposals.add(mnemonic(entry, entry.mnemonic, entry.operands, 0));
        if let Some(name) = entry.toolchain.filter(|name| *name != entry.mnemonic) {
            proposals.add(mnemonic(entry, name, entry.toolchain_operands, 1));
        }
    }
    let construct = |label: &str, text: [&str; 3]| Proposal {
        insert: Snippet::text(text[0]).place("p1").then(text[1]).place("").then(text[2]),
        ..Proposal::word(label, CompletionKind::Snippet, 2).with_detail("a whole construct")
    };
    proposals.add(construct("if … endif", ["if ", "\n    ", "\nendif"]));
    proposals.add(construct("loop … endloop", ["loop\n    break ", "\n    ", "\nendloop"]));
}

fn mnemonic(
    entry: &'static Instruction,
    name: &'static str,
    operands: &[isa::Operand],
    rank: u32,
) -> Proposal {
    let mut insert = Snippet::text(name);
    for (index, operand) in operands.iter().filter(|operand| !operand.optional).enumerate() {
        insert = insert.then(if index == 0 { " " } else { ", " }).place(operand.name);
    }
    let rank = if entry.available == Availability::Nowhere { 2 } else { rank };
    let detail = format!("{} · {}", entry.category.title.to_lowercase(), entry.summary);
    Proposal { insert, ..Proposal::known(name, &detail, CompletionKind::Opcode, rank) }
}

/// The directives.
pub(super) fn directives(proposals: &mut Proposals) {
    proposals.extend(isa::directives().iter().map(|directive| {
        let insert = match directive.arguments {
            "" => Snippet::text(directive.name),
            arguments => Snippet::text(directive.name).then(" ").place(arguments),
        };
        Proposal {
            insert,
            ..Proposal::known(directive.name, directive.summary, CompletionKind::Directive, 1)
        }
    }));
}

/// What can follow a mnemonic after a dot: the rest of its name, a cache hint, a scope.
fn suffix(word: &str, written: &[&str], proposals: &mut Proposals) {
    let name = format!("{word}{}", written.concat());
    for entry in isa::instructions() {
        let Some(rest) = entry.mnemonic.strip_prefix(name.as_str()) else { continue };
        if rest.starts_with('.') {
            proposals.add(Proposal {
                explain: Some(entry.mnemonic.to_owned()),
                ..Proposal::known(rest, entry.summary, CompletionKind::Modifier, 0)
            });
        }
    }
    match isa::instruction(&name).map(|entry| entry.suffix) {
        Some(Suffix::CacheHint) => proposals.extend(
            isa::cache_hints()
                .iter()
                .map(|hint| Proposal::known(hint.name, hint.summary, CompletionKind::Modifier, 1)),
        ),
        Some(Suffix::Scope) => scopes(proposals),
        Some(Suffix::None) | None => {}
    }
}

fn scopes(proposals: &mut Proposals) {
    proposals.extend(isa::scopes().iter().map(|scope| {
        let name = format!(".{}", scope.name);
        Proposal::known(&name, scope.summary, CompletionKind::Constant, 0)
    }));
}

/// What fits as an operand.
fn operand(db: &Database, place: &Place<'_>, written: &str, index: usize, proposals: &mut Proposals) {
    let Some((entry, _)) = crate::explain::wave::mnemonic(written) else { return };
    let forms = [entry.operands_of(written), entry.predicate_operands];
    let operands = forms.iter().filter_map(|form| form.get(index));
    let kinds: Vec<OperandKind> = operands.flat_map(|operand| operand.kinds.iter().copied()).collect();
    let code = wave_code(db, place.item);
    let any = |wanted: &[OperandKind]| wanted.iter().any(|kind| kinds.contains(kind));
    if any(&[OperandKind::Predicate, OperandKind::NotPredicate]) {
        proposals.extend(PREDICATES.map(|name| register(name.to_owned(), "predicate register")));
    }
    if any(&[OperandKind::General, OperandKind::Fragment]) {
        proposals.extend(registers(&code));
    }
    if any(&[OperandKind::Special]) {
        proposals.extend(isa::special_registers().iter().map(|register| {
            Proposal::known(register.name, register.summary, CompletionKind::SpecialRegister, 1)
        }));
    }
    if any(&[OperandKind::Scope]) {
        scopes(proposals);
    }
    if any(&[OperandKind::Label]) {
        labels(db, place, proposals);
    }
}

/// The general registers that the kernel uses, and the next free one first.
fn registers(code: &Code) -> Vec<Proposal> {
    let mut used: Vec<(u8, bool)> = Vec::new();
    for found in &code.names {
        let Name::Register(index) = found.name else { continue };
        let writes = matches!(found.role, Role::Write | Role::ReadWrite);
        match used.iter_mut().find(|(have, _)| *have == index) {
            Some((_, written)) => *written |= writes,
            None => used.push((index, writes)),
        }
    }
    used.sort_unstable();
    let proposals = used.iter().map(|(index, written)| {
        register(format!("r{index}"), if *written { "register, written in this kernel" } else { "register" })
    });
    let free = (0..=u8::MAX).find(|index| !used.iter().any(|(have, _)| have == index));
    let free = free.filter(|index| u32::from(*index) < code.resources.register_count());
    let free =
        free.map(|index| Proposal { rank: 1, ..register(format!("r{index}"), "the first unused register") });
    proposals.chain(free).collect()
}

fn register(name: String, detail: &str) -> Proposal {
    Proposal {
        explain: Some(name.clone()),
        ..Proposal::word(name, CompletionKind::Register, 0).with_detail(detail)
    }
}

fn labels(db: &Database, place: &Place<'_>, proposals: &mut Proposals) {
    let uses = items(db, place.file).iter().flat_map(|item| module_uses(db, *item));
    let labels = uses.filter(|name| {
        let declared = name.places.iter().any(|place| place.access == Access::Declaration);
        name.namespace == Namespace::Labels && declared
    });
    proposals.extend(
        labels
            .map(|label| Proposal::word(label.name.as_str(), CompletionKind::Label, 0).with_detail("label")),
    );
}
