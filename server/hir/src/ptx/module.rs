//! The names of a module, collected from the headers of its items.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::{DeclarationKind, FunctionKind, Header, Linkage, Space, Type};

/// Only this many names of a range are compared with single names.
const RANGE: u32 = 1 << 12;

/// Every name that a module declares. It holds no text ranges, so that it stays equal when text moves or
/// bodies change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleNames {
    symbols: Vec<ModuleSymbol>,
    by_name: FxHashMap<SmolStr, Namesakes>,
    /// Symbols that declare `name0`, `name1` …, by the part before the number.
    ranges: FxHashMap<SmolStr, Namesakes>,
    /// Symbols that may not be the first ones with their name.
    repeated: Vec<u32>,
    clashes: Vec<Clash>,
}

/// The symbols with the same name, in text order. Most names are declared once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Namesakes {
    all: SmallVec<[u32; 2]>,
    /// The first symbol of each kind. Later symbols are compared only with these, because a module may
    /// declare a name any number of times.
    kinds: SmallVec<[u32; 2]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSymbol {
    pub name: SmolStr,
    /// The index of the item in the file.
    pub item: u32,
    /// The index of the declaration in the item's header.
    pub declaration: u32,
    pub kind: ModuleKind,
}

/// The kind of a module symbol; the header has the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKind {
    Variable {
        space: Space,
        ty: Option<Type>,
        is_array: bool,
        linkage: Option<Linkage>,
        /// The number of variables that `name<n>` declares.
        range_count: Option<u32>,
    },
    Function {
        kind: FunctionKind,
        linkage: Option<Linkage>,
        /// `false` for a prototype.
        has_body: bool,
        is_noreturn: bool,
    },
    Alias,
    SectionLabel,
}

/// Two declarations of a name that the assembler rejects together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clash {
    /// The later declaration, as an index in [`ModuleNames::symbols`].
    pub symbol: u32,
    pub first: u32,
    pub kind: ClashKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClashKind {
    /// The name already has a meaning.
    Duplicate,
    /// The declarations disagree only about where the definition is: `.extern` with a definition here, or
    /// different linkage words.
    Linkage,
}

/// The declarations of consecutive items, without their headers, so that the names of a module are collected
/// without visiting each header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolGroup {
    /// Symbols whose `item` is relative to the group.
    symbols: Box<[ModuleSymbol]>,
    pub items: u32,
    /// Whether the group declares only functions and kernels of which nothing but the names needs checking.
    pub is_plain: bool,
}

impl SymbolGroup {
    /// Collects the declarations in these headers.
    pub fn new<'h>(headers: impl IntoIterator<Item = &'h Header>) -> SymbolGroup {
        let mut symbols = Vec::new();
        let (mut items, mut is_plain) = (0, true);
        for header in headers {
            is_plain &= header.is_plain_function();
            symbols.extend((0..).zip(&header.declarations).map(|(declaration, declared)| ModuleSymbol {
                name: declared.name.clone(),
                item: items,
                declaration,
                kind: ModuleKind::of(&declared.kind),
            }));
            items += 1;
        }
        SymbolGroup { symbols: symbols.into(), items, is_plain }
    }
}

impl ModuleNames {
    /// Collects the names of a module from the groups of all its items, in text order.
    pub fn new<'g>(groups: impl IntoIterator<Item = &'g SymbolGroup> + Clone) -> ModuleNames {
        let count = groups.clone().into_iter().map(|group| group.symbols.len()).sum();
        let mut module = ModuleNames::default();
        module.symbols.reserve(count);
        module.by_name.reserve(count);
        let mut first = 0;
        for group in groups {
            for symbol in &group.symbols {
                module.declare(ModuleSymbol { item: first + symbol.item, ..symbol.clone() });
            }
            first += group.items;
        }
        module
    }

    pub fn of_headers<'h>(headers: impl IntoIterator<Item = &'h Header>) -> ModuleNames {
        ModuleNames::new([&SymbolGroup::new(headers)])
    }

    pub fn symbols(&self) -> &[ModuleSymbol] {
        &self.symbols
    }

    /// The declarations of a name in text order. For `v1` they include `v<2>`.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = &ModuleSymbol> {
        let exact = self.by_name.get(name).into_iter().flat_map(|same| &same.all);
        exact.copied().chain(self.in_range(name)).map(|index| &self.symbols[index as usize])
    }

    pub fn function_with_body(&self, name: &str) -> Option<&ModuleSymbol> {
        self.declarations(name)
            .find(|symbol| matches!(symbol.kind, ModuleKind::Function { has_body: true, .. }))
    }

    /// The first declaration of each kind of a name, in text order. A module may declare a name any number of
    /// times, so checks that visit each use of a name use these.
    pub fn kinds(&self, name: &str) -> impl Iterator<Item = &ModuleSymbol> {
        let exact = self.by_name.get(name).into_iter().flat_map(|same| &same.kinds);
        exact.copied().chain(self.in_range(name)).map(|index| &self.symbols[index as usize])
    }

    /// Whether an item may use a name, because it or an earlier item declares the name.
    pub fn is_visible(&self, name: &str, item: u32) -> bool {
        self.kinds(name).any(|symbol| symbol.item <= item)
    }

    /// The declaration with a body or storage, or else the first one.
    pub fn definition(&self, name: &str) -> Option<&ModuleSymbol> {
        self.kinds(name).find(|symbol| symbol.kind.is_definition()).or_else(|| self.kinds(name).next())
    }

    pub fn is_noreturn(&self, name: &str) -> bool {
        self.kinds(name).any(|symbol| matches!(symbol.kind, ModuleKind::Function { is_noreturn: true, .. }))
    }

    /// The declarations whose name is declared before, and perhaps a few others, with their indices in
    /// [`ModuleNames::symbols`].
    pub fn repeated(&self) -> impl Iterator<Item = (u32, &ModuleSymbol)> {
        self.repeated.iter().map(|&index| (index, &self.symbols[index as usize]))
    }

    /// Pairs of declarations that the assembler rejects together, ordered by the later one.
    pub fn clashes(&self) -> &[Clash] {
        &self.clashes
    }

    /// Whether the symbol with this index in [`ModuleNames::symbols`] clashes with an earlier one.
    pub fn is_clashing(&self, symbol: u32) -> bool {
        self.clashes.binary_search_by_key(&symbol, |clash| clash.symbol).is_ok()
    }

    fn declare(&mut self, symbol: ModuleSymbol) {
        let index = self.symbols.len() as u32;
        let is_range = symbol.kind.range_count().is_some();
        let others = self.others_sharing(&symbol);
        let table = if is_range { &mut self.ranges } else { &mut self.by_name };
        let same = table.entry(symbol.name.clone()).or_default();
        let kind_of = |index: &u32| self.symbols[*index as usize].kind;
        let is_function = |kind: ModuleKind| matches!(kind, ModuleKind::Function { .. });
        // A function that is declared before its alias may be declared again, or defined, after it.
        let is_declared = is_function(symbol.kind) && same.kinds.iter().map(kind_of).any(is_function);
        let clash = same.kinds.iter().copied().chain(others).find_map(|first| {
            let earlier = kind_of(&first);
            if is_declared && earlier == ModuleKind::Alias {
                return None;
            }
            let kind = symbol.kind.clash(earlier)?;
            Some(Clash { symbol: index, first, kind })
        });
        if is_range || !same.all.is_empty() {
            self.repeated.push(index);
        }
        if !same.kinds.iter().any(|other| self.symbols[*other as usize].kind == symbol.kind) {
            same.kinds.push(index);
        }
        same.all.push(index);
        self.clashes.extend(clash);
        self.symbols.push(symbol);
    }

    /// The symbols of the other table that share a name with `symbol`. For a single name these are ranges
    /// that contain it, for a range the first symbols of each kind for each of its names.
    fn others_sharing(&self, symbol: &ModuleSymbol) -> SmallVec<[u32; 2]> {
        let Some(count) = symbol.kind.range_count() else {
            return self.in_range(&symbol.name).into_iter().collect();
        };
        let singles = (0..count.min(RANGE)).map(|index| format!("{}{index}", symbol.name));
        singles
            .filter_map(|name| self.by_name.get(name.as_str()))
            .flat_map(|same| same.kinds.clone())
            .collect()
    }

    fn in_range(&self, name: &str) -> Option<u32> {
        if self.ranges.is_empty() {
            return None;
        }
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (1..=digits.min(10)).map(|digits| name.split_at(name.len() - digits)).find_map(|(prefix, number)| {
            let number: u32 = number.parse().ok()?;
            let mut ranges = self.ranges.get(prefix)?.all.iter().copied();
            ranges.find(|&symbol| {
                self.symbols[symbol as usize].kind.range_count().is_some_and(|count| number < count)
            })
        })
    }
}

impl ModuleKind {
    fn of(kind: &DeclarationKind) -> ModuleKind {
        match kind {
            DeclarationKind::Variable(variable) => ModuleKind::Variable {
                space: variable.space,
                ty: variable.ty,
                linkage: variable.linkage,
                is_array: !variable.dimensions.is_empty(),
                range_count: variable.range_count,
            },
            DeclarationKind::Function { kind, linkage, has_body, signature } => ModuleKind::Function {
                kind: *kind,
                linkage: *linkage,
                has_body: *has_body,
                is_noreturn: signature.is_noreturn(),
            },
            DeclarationKind::Alias { .. } => ModuleKind::Alias,
            DeclarationKind::SectionLabel => ModuleKind::SectionLabel,
        }
    }

    fn range_count(self) -> Option<u32> {
        match self {
            ModuleKind::Variable { range_count, .. } => range_count,
            _ => None,
        }
    }

    /// Whether this is a definition rather than a declaration.
    pub fn is_definition(self) -> bool {
        match self {
            ModuleKind::Variable { .. } => !self.is_extern(),
            ModuleKind::Function { has_body, .. } => has_body,
            ModuleKind::Alias => true,
            ModuleKind::SectionLabel => false,
        }
    }

    /// Whether this declares something that another module defines.
    pub fn is_extern(self) -> bool {
        match self {
            ModuleKind::Variable { linkage, .. } | ModuleKind::Function { linkage, .. } => {
                linkage == Some(Linkage::Extern)
            }
            ModuleKind::Alias | ModuleKind::SectionLabel => false,
        }
    }

    /// How this clashes with an earlier declaration `first` of the name. Every arm was tested with ptxas.
    fn clash(self, first: ModuleKind) -> Option<ClashKind> {
        use ModuleKind::{Alias, Function, SectionLabel, Variable};
        const EXTERN: Option<Linkage> = Some(Linkage::Extern);
        match (first, self) {
            (SectionLabel, _) | (_, SectionLabel) => None,
            (Variable { linkage: EXTERN, .. }, Variable { linkage: None, .. }) => Some(ClashKind::Linkage),
            (Variable { linkage: EXTERN, .. }, Variable { .. }) => None,
            (Variable { .. }, Variable { linkage: EXTERN, .. }) => None,
            (Function { has_body: false, .. }, Alias) => None,
            (
                Function { kind: a, linkage, has_body: false, .. },
                Function { kind: b, linkage: again, has_body, .. },
            ) if a == b => {
                let agrees = match linkage {
                    EXTERN => again == EXTERN && !has_body,
                    _ => again.is_none() || again == linkage,
                };
                (!agrees).then_some(ClashKind::Linkage)
            }
            _ => Some(ClashKind::Duplicate),
        }
    }
}

#[cfg(test)]
mod tests;
