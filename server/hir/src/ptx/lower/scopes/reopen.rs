//! The state of name resolution at a place in the middle of a function that was lowered before: only what the names that are about to
//! be resolved there need.

use rustc_hash::FxHashSet;
use text_size::TextSize;

use super::{OpenScope, PENDING, Scopes};
use crate::ptx::model::{Parts, Referent, Scope, ScopeId, Signature, SymbolId, SymbolKind};

impl Scopes {
    /// The state at `offset` in the scope `innermost`, as far as it concerns `words`. The tables of scopes, symbols and referents are
    /// moved out of `parts`; names are recorded from 0 on.
    pub(in crate::ptx::lower) fn reopen<'w>(
        parts: &mut Parts,
        signature: &Signature,
        offset: TextSize,
        innermost: ScopeId,
        words: impl Iterator<Item = &'w str>,
    ) -> Scopes {
        let mut scopes = Scopes {
            scopes: std::mem::take(&mut parts.scopes).into_vec(),
            symbols: std::mem::take(&mut parts.symbols).into_vec(),
            referents: std::mem::take(&mut parts.referents).into_vec(),
            words: std::mem::take(&mut parts.words).into_vec(),
            open: vec![OpenScope { id: innermost, hidden: Vec::new(), forward: Vec::new() }],
            ..Scopes::default()
        };
        let numbers = scopes.expect(words);
        scopes.declare_again(signature, offset, innermost);
        scopes.find_referents(&numbers);
        scopes
    }

    /// Enters words and their beginnings before a number, any of which may be a range of names, and returns these numbers.
    fn expect<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> FxHashSet<u32> {
        let mut numbers = FxHashSet::default();
        for text in words {
            self.entries.entry(text.into()).or_default();
            let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
            for length in 1..=digits.min(10) {
                let (prefix, number) = text.split_at(text.len() - length);
                if let Ok(number) = number.parse() {
                    self.entries.entry(prefix.into()).or_default();
                    numbers.insert(number);
                }
            }
        }
        numbers
    }

    /// Declares what the open scopes declare before `offset`, in the order of the text.
    fn declare_again(&mut self, signature: &Signature, offset: TextSize, innermost: ScopeId) {
        let open: Vec<ScopeId> = self.chain(innermost).collect();
        for (index, symbol) in self.symbols.iter().enumerate() {
            if symbol.range.start() >= offset {
                break;
            }
            if !open.contains(&symbol.scope) {
                continue;
            }
            let Some(entry) = self.entries.get_mut(&symbol.name) else { continue };
            let is_range = is_range(&symbol.kind, signature);
            let before = if is_range { entry.ranges.last().copied() } else { entry.exact };
            if before.is_some_and(|before| self.symbols[before.index()].scope == symbol.scope) {
                continue;
            }
            if is_range {
                entry.ranges.push(SymbolId::new(index));
            } else {
                entry.exact = Some(SymbolId::new(index));
            }
        }
    }

    /// Finds the referents of the known words, and of those registers of ranges that have one of these numbers.
    fn find_referents(&mut self, numbers: &FxHashSet<u32>) {
        self.declared = vec![PENDING; self.symbols.len()];
        for (index, referent) in self.referents.iter().enumerate() {
            let id = super::ReferentId::new(index);
            match *referent {
                Referent::Symbol(symbol) => self.declared[symbol.index()] = id,
                Referent::Indexed { symbol, index } if numbers.contains(&index) => {
                    let digits = index.checked_ilog10().unwrap_or(0) as u8 + 1;
                    self.indexed.insert((symbol, index, digits), id);
                }
                Referent::Padded { of, digits } => {
                    if let Referent::Indexed { symbol, index } = self.referents[of.index()] {
                        self.indexed.insert((symbol, index, digits), id);
                    }
                }
                Referent::Indexed { .. } => {}
                Referent::Special(word) | Referent::External(word) => {
                    if let Some(entry) = self.entries.get_mut(&self.words[word as usize]) {
                        entry.outside = Some(id);
                    }
                }
            }
        }
    }

    /// Finds the labels of branch targets that are declared after the branch, as `leave` does where their scopes end.
    pub(in crate::ptx::lower) fn find_forward(&mut self, signature: &Signature) {
        let Some(OpenScope { id, forward, .. }) = self.open.pop() else { return };
        for (word, name) in forward {
            let label = self.chain(id).find_map(|scope| self.label_of(word, scope, signature));
            let referent = match label {
                Some(label) => self.declared[label.index()],
                None => self.outside(word),
            };
            self.point(name, referent);
        }
    }

    /// The label of this name that a scope declares anywhere.
    fn label_of(&self, word: usize, scope: ScopeId, signature: &Signature) -> Option<SymbolId> {
        let (text, _) = self.entries.get_index(word)?;
        let first = self.symbols.iter().position(|symbol| {
            symbol.scope == scope && symbol.name == *text && !is_range(&symbol.kind, signature)
        })?;
        let is_label = matches!(self.symbols[first].kind, SymbolKind::Label { .. });
        is_label.then(|| SymbolId::new(first))
    }

    /// A scope and those around it, from the inside out.
    fn chain(&self, innermost: ScopeId) -> impl Iterator<Item = ScopeId> + use<'_> {
        let parent = |scope: &ScopeId| -> Option<ScopeId> {
            let Scope { parent, .. } = self.scopes[scope.index()];
            parent
        };
        std::iter::successors(Some(innermost), parent)
    }
}

/// Whether a symbol was declared as `name<n>`.
fn is_range(kind: &SymbolKind, signature: &Signature) -> bool {
    match kind {
        SymbolKind::RegisterRange { .. } => true,
        SymbolKind::Variable(variable) => variable.range_count.is_some(),
        SymbolKind::Param { is_return, index } => {
            let list = if *is_return { &signature.returns } else { &signature.params };
            list.get(*index as usize).is_some_and(|param| param.range_count.is_some())
        }
        _ => false,
    }
}
