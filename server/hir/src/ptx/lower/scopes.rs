//! Name resolution: bindings in text order, shadowing scopes, register ranges, forward references to labels.

use std::borrow::Cow;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_syntax::Token;

use super::super::model::{Name, Referent};
use super::super::{
    NameId, Problem, ProblemKind, ReferentId, Role, Scope, ScopeId, Symbol, SymbolId, SymbolKind,
};

/// The index of a distinct name during lowering.
type Word = usize;

/// The placeholder for a branch target until its label or the end of the function is reached.
const PENDING: ReferentId = ReferentId::FIRST;

#[derive(Default)]
pub(super) struct Scopes<'a> {
    pub(super) scopes: Vec<Scope>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) names: Vec<Name>,
    pub(super) referents: Vec<Referent>,
    pub(super) words: Vec<SmolStr>,
    entries: IndexMap<Cow<'a, str>, WordEntry, FxBuildHasher>,
    declared: Vec<ReferentId>,
    /// Referents of registers that belong to ranges.
    indexed: FxHashMap<(SymbolId, u32, u8), ReferentId>,
    open: Vec<OpenScope>,
    /// Incremented whenever the meaning of many names may change, that is, when a range comes into or goes
    /// out of scope.
    epoch: u32,
}

#[derive(Default)]
struct WordEntry {
    exact: Option<SymbolId>,
    /// The symbols that declare this name with a number appended, the innermost one last. They are all kept,
    /// because a number outside an inner range may be inside an outer one.
    ranges: Vec<SymbolId>,
    /// The referent for the name outside the function, or for the special register.
    outside: Option<ReferentId>,
    /// The meaning inside the function as of that epoch.
    known: Option<(u32, Option<ReferentId>)>,
}

struct OpenScope {
    id: ScopeId,
    hidden: Vec<Hidden>,
    /// Branch targets that are not declared yet.
    forward: Vec<(Word, NameId)>,
}

enum Hidden {
    /// A name, and what it meant before.
    Exact(Word, Option<SymbolId>),
    /// A range. Ranges in enclosing scopes stay visible.
    Range(Word),
}

/// The kind of thing that a name in an operand denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Register,
    Special,
    Other,
}

pub(super) struct NewSymbol<'a> {
    pub(super) name: Token<'a>,
    pub(super) kind: SymbolKind,
    /// `name<n>`
    pub(super) is_range: bool,
}

impl<'a> Scopes<'a> {
    /// Reserves what a function of this length in bytes usually needs.
    pub(super) fn with_capacity_for(bytes: usize) -> Scopes<'a> {
        let words = bytes / 64;
        Scopes {
            names: Vec::with_capacity(bytes / 32),
            referents: Vec::with_capacity(words),
            entries: IndexMap::with_capacity_and_hasher(words, FxBuildHasher),
            indexed: FxHashMap::with_capacity_and_hasher(words, FxBuildHasher),
            ..Scopes::default()
        }
    }

    pub(super) fn enter(&mut self, range: TextRange) {
        let id = ScopeId::new(self.scopes.len());
        let parent = self.open.last().map(|scope| scope.id);
        self.scopes.push(Scope { parent, range });
        self.open.push(OpenScope { id, hidden: Vec::new(), forward: Vec::new() });
    }

    /// Closes the innermost scope: resolves branches to its labels and forgets its names.
    pub(super) fn leave(&mut self, problems: &mut Vec<Problem>) {
        let Some(scope) = self.open.pop() else { return };
        for hidden in &scope.hidden {
            if let Hidden::Exact(word, _) = *hidden
                && let Some(symbol) = self.entries[word].exact
            {
                self.check_against_ranges(symbol, scope.id, problems);
            }
        }
        for (word, name) in scope.forward {
            let label = self.entries[word].exact.filter(|symbol| self.is_label_of(*symbol, scope.id));
            match (label, self.open.last_mut()) {
                (Some(symbol), _) => self.point(name, self.declared[symbol.index()]),
                (None, Some(parent)) => parent.forward.push((word, name)),
                (None, None) => {
                    let outside = self.outside(word);
                    self.point(name, outside);
                }
            }
        }
        for hidden in scope.hidden.into_iter().rev() {
            match hidden {
                Hidden::Exact(word, before) => {
                    self.entries[word].exact = before;
                    self.entries[word].known = None;
                }
                Hidden::Range(word) => {
                    self.entries[word].ranges.pop();
                    self.epoch += 1;
                }
            }
        }
    }

    /// Declares a symbol in the innermost scope. A second declaration of the name is a problem and hides
    /// nothing.
    pub(super) fn declare(&mut self, new: NewSymbol<'a>, problems: &mut Vec<Problem>) -> SymbolId {
        let word = self.word(new.name.text.into());
        let symbol = SymbolId::new(self.symbols.len());
        let scope = self.open.last().map_or(ScopeId::new(0), |scope| scope.id);
        let (range, name) = (new.name.range(), SmolStr::new(new.name.text));
        self.symbols.push(Symbol { name, range, scope, kind: new.kind });
        let referent = self.referent(Referent::Symbol(symbol));
        self.declared.push(referent);
        self.names.push(Name::new(range.start(), referent, Role::Declaration));

        let entry = &mut self.entries[word];
        let before = if new.is_range { entry.ranges.last().copied() } else { entry.exact };
        if let Some(first) = before.filter(|first| self.symbols[first.index()].scope == scope) {
            problems.push(Problem { range, kind: ProblemKind::Duplicate { first } });
            return symbol;
        }
        let hidden = if new.is_range {
            entry.ranges.push(symbol);
            self.epoch += 1;
            Hidden::Range(word)
        } else {
            // A function has many labels, and each changes the meaning of its own name only, so the epoch
            // stays.
            entry.exact = Some(symbol);
            entry.known = None;
            Hidden::Exact(word, before)
        };
        if let Some(open) = self.open.last_mut() {
            open.hidden.push(hidden);
        }
        symbol
    }

    /// Records an occurrence of a name and resolves it. An undeclared branch target is looked up again at the
    /// end of each enclosing block.
    pub(super) fn refer(&mut self, token: Token<'a>, role: Role) -> NameId {
        self.refer_as(token.text.into(), token.start, role)
    }

    /// Records an occurrence whose text differs from the name, such as `L3` in `L<5>`.
    pub(super) fn refer_as(&mut self, text: Cow<'a, str>, start: TextSize, role: Role) -> NameId {
        let name = NameId::new(self.names.len());
        let word = self.word(text);
        let referent = match (self.inside(word), self.open.last_mut()) {
            (Some(referent), _) => referent,
            (None, Some(open)) if matches!(role, Role::Target | Role::Implied) => {
                open.forward.push((word, name));
                PENDING
            }
            (None, _) => self.outside(word),
        };
        self.names.push(Name::new(start, referent, role));
        name
    }

    /// Records a name that the module resolves, such as the name of the function.
    pub(super) fn refer_outside(&mut self, token: Token<'a>, role: Role) {
        let word = self.word(token.text.into());
        let referent = self.outside(word);
        self.names.push(Name::new(token.start, referent, role));
    }

    /// What a name denotes, whether or not its number has leading zeros.
    fn meaning(&self, name: NameId) -> Option<Referent> {
        let referent = self.names[name.index()].referent();
        match *self.referents.get(referent.index())? {
            Referent::Padded { of, .. } => Some(self.referents[of.index()]),
            meaning => Some(meaning),
        }
    }

    pub(super) fn symbol_of(&self, name: NameId) -> Option<&Symbol> {
        match self.meaning(name)? {
            Referent::Symbol(symbol) | Referent::Indexed { symbol, .. } => {
                Some(&self.symbols[symbol.index()])
            }
            _ => None,
        }
    }

    pub(super) fn set_role(&mut self, name: NameId, role: Role) {
        let name = &mut self.names[name.index()];
        *name = Name::new(name.start, name.referent(), role);
    }

    /// The kind of operand that this name denotes.
    pub(super) fn named(&self, name: NameId) -> Named {
        match self.symbol_of(name).map(|symbol| &symbol.kind) {
            Some(SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. }) => Named::Register,
            None if matches!(self.meaning(name), Some(Referent::Special(_))) => Named::Special,
            _ => Named::Other,
        }
    }

    fn word(&mut self, text: Cow<'a, str>) -> Word {
        let entry = self.entries.entry(text);
        let word = entry.index();
        entry.or_default();
        word
    }

    /// The meaning of the name in the open scopes.
    fn inside(&mut self, word: Word) -> Option<ReferentId> {
        let (text, entry) = self.entries.get_index(word)?;
        if let Some((epoch, referent)) = entry.known
            && epoch == self.epoch
        {
            return referent;
        }
        let referent = match (entry.exact, self.in_range(text)) {
            (exact, Some(range)) if exact.is_none_or(|exact| self.goes_before(range.0, exact)) => {
                Some(self.indexed_referent(range))
            }
            (exact, _) => exact.map(|symbol| self.declared[symbol.index()]),
        };
        self.entries[word].known = Some((self.epoch, referent));
        referent
    }

    /// The referent for a name that the function does not declare.
    fn outside(&mut self, word: Word) -> ReferentId {
        if let Some(referent) = self.entries[word].outside {
            return referent;
        }
        let text = self.entries.get_index(word).map_or("", |(text, _)| text);
        let is_special = warplens_isa::ptx::special_register(text).is_some();
        let index = self.words.len() as u32;
        self.words.push(text.into());
        let referent =
            self.referent(if is_special { Referent::Special(index) } else { Referent::External(index) });
        self.entries[word].outside = Some(referent);
        referent
    }

    /// The range that declares `%r12`. Both `%r` with 12 and `%r1` with 2 are possible; the longer number
    /// wins wherever the ranges are declared, as in the assembler.
    fn in_range(&self, text: &str) -> Option<(SymbolId, u32, u8)> {
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let splits = (1..=digits.min(10)).rev().map(|digits| text.split_at(text.len() - digits));
        let mut found = splits.filter_map(|(prefix, number)| {
            let ranges = &self.entries.get(prefix)?.ranges;
            let index = number.parse().ok()?;
            let reaches = |symbol: &&SymbolId| self.range_count(**symbol).is_some_and(|count| index < count);
            Some((*ranges.iter().rev().find(reaches)?, index, number.len() as u8))
        });
        found.next()
    }

    fn range_count(&self, symbol: SymbolId) -> Option<u32> {
        match &self.symbols[symbol.index()].kind {
            SymbolKind::RegisterRange { count, .. } => Some(*count),
            SymbolKind::Variable(variable) => variable.range_count,
            _ => None,
        }
    }

    /// Whether the range wins over a symbol with exactly the name: it does if it is in an inner scope, or if
    /// the symbol is a label in the same scope.
    fn goes_before(&self, range: SymbolId, exact: SymbolId) -> bool {
        // Of two scopes that are open at once, the inner one was entered later.
        let (outer, inner) = (self.symbols[exact.index()].scope, self.symbols[range.index()].scope);
        inner > outer || inner == outer && self.is_label(exact)
    }

    /// Whether the symbol is a label, including the label of a table.
    fn is_label(&self, symbol: SymbolId) -> bool {
        let kind = &self.symbols[symbol.index()].kind;
        matches!(kind, SymbolKind::Label { .. } | SymbolKind::Table { .. } | SymbolKind::Prototype(_))
    }

    fn is_label_of(&self, symbol: SymbolId, scope: ScopeId) -> bool {
        let symbol = &self.symbols[symbol.index()];
        symbol.scope == scope && matches!(symbol.kind, SymbolKind::Label { .. })
    }

    fn point(&mut self, name: NameId, referent: ReferentId) {
        let name = &mut self.names[name.index()];
        *name = Name::new(name.start, referent, name.role());
    }

    /// A single name and a range of the same scope may not declare the same register, whichever comes first.
    /// A label may have such a name, although nothing can branch to it.
    fn check_against_ranges(&self, symbol: SymbolId, scope: ScopeId, problems: &mut Vec<Problem>) {
        let single = &self.symbols[symbol.index()];
        if !self.is_label(symbol)
            && let Some((range, ..)) = self.in_range(&single.name)
            && self.symbols[range.index()].scope == scope
        {
            let (first, second) = if range < symbol { (range, symbol) } else { (symbol, range) };
            let range = self.symbols[second.index()].range;
            problems.push(Problem { range, kind: ProblemKind::Duplicate { first } });
        }
    }

    fn referent(&mut self, referent: Referent) -> ReferentId {
        let id = ReferentId::new(self.referents.len());
        self.referents.push(referent);
        id
    }

    fn indexed_referent(&mut self, (symbol, index, digits): (SymbolId, u32, u8)) -> ReferentId {
        if let Some(&referent) = self.indexed.get(&(symbol, index, digits)) {
            return referent;
        }
        let plain = index.checked_ilog10().unwrap_or(0) as u8 + 1;
        let referent = if digits == plain {
            self.referent(Referent::Indexed { symbol, index })
        } else {
            let of = self.indexed_referent((symbol, index, plain));
            self.referent(Referent::Padded { of, digits })
        };
        self.indexed.insert((symbol, index, digits), referent);
        referent
    }
}
