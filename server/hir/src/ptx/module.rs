//! The names of a module, from the headers of its items in order.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::{DeclarationKind, FunctionKind, Header, Linkage, Space, Type};

/// Of a longer range, only so many names are compared with single names.
const RANGE: u32 = 1 << 12;

/// Every name that a module declares. Holds no ranges, so that it stays equal when text moves or bodies change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleNames {
    symbols: Vec<ModuleSymbol>,
    /// Symbols by name.
    by_name: FxHashMap<SmolStr, Namesakes>,
    /// Symbols that declare `name0`, `name1` …, by the part before the number.
    ranges: FxHashMap<SmolStr, Namesakes>,
    /// Symbols that may not be the first with their name.
    repeated: Vec<u32>,
    clashes: Vec<Clash>,
}

/// The symbols with one name, in text order. Most names are declared once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Namesakes {
    all: SmallVec<[u32; 2]>,
    /// The first of each kind, with which later ones are compared: a module may declare a name any number of times.
    kinds: SmallVec<[u32; 2]>,
}

/// One declaration of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSymbol {
    /// The name.
    pub name: SmolStr,
    /// Which item declares it, counted from the start of the file.
    pub item: u32,
    /// Which of the declarations of its header it is.
    pub declaration: u32,
    /// Its kind.
    pub kind: ModuleKind,
}

/// The kind of a module symbol; the header has the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKind {
    /// A variable.
    Variable {
        /// Where it lives.
        space: Space,
        /// Type of its elements.
        ty: Option<Type>,
        /// The linkage word.
        linkage: Option<Linkage>,
        /// How many variables `name<n>` declares.
        range_count: Option<u32>,
    },
    /// A function or kernel.
    Function {
        /// Kernel or function.
        kind: FunctionKind,
        /// The linkage word.
        linkage: Option<Linkage>,
        /// `false` for a prototype.
        has_body: bool,
        /// Whether calls never return.
        is_noreturn: bool,
    },
    /// An alias of a function.
    Alias,
    /// A label in a `.section`.
    SectionLabel,
}

/// Two declarations of one name that the assembler does not take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clash {
    /// The later one, by its place in [`ModuleNames::symbols`].
    pub symbol: u32,
    /// The one it clashes with.
    pub first: u32,
    /// Why.
    pub kind: ClashKind,
}

/// Why two declarations clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClashKind {
    /// The name has its meaning already.
    Duplicate,
    /// They agree on everything but where the definition is: `.extern` and a definition here, or different linkage
    /// words.
    Linkage,
}

/// What items in a row declare: small, so that the names of a module are collected without a look at each header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolGroup {
    /// Items are counted from the first one of the group.
    symbols: Box<[ModuleSymbol]>,
    /// How many items there are.
    pub items: u32,
    /// Whether all are functions and kernels that need no check but that of their names.
    pub is_plain: bool,
}

impl SymbolGroup {
    /// Those of items with these headers.
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
    /// Collects the names of a module. The groups are those of all items, in the order of the text.
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

    /// The names of items with these headers.
    pub fn of_headers<'h>(headers: impl IntoIterator<Item = &'h Header>) -> ModuleNames {
        ModuleNames::new([&SymbolGroup::new(headers)])
    }

    /// All declarations in the order of the text.
    pub fn symbols(&self) -> &[ModuleSymbol] {
        &self.symbols
    }

    /// The declarations of a name in the order of the text; for `v1` those of `v<2>` too.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = &ModuleSymbol> {
        let exact = self.by_name.get(name).into_iter().flat_map(|same| &same.all);
        exact.copied().chain(self.in_range(name)).map(|index| &self.symbols[index as usize])
    }

    /// The first declaration of each kind of a name in the order of the text. A module may declare a name any number of times,
    /// so checks that visit each use of a name look at these.
    pub fn kinds(&self, name: &str) -> impl Iterator<Item = &ModuleSymbol> {
        let exact = self.by_name.get(name).into_iter().flat_map(|same| &same.kinds);
        exact.copied().chain(self.in_range(name)).map(|index| &self.symbols[index as usize])
    }

    /// Whether an item may use a name: it or an item before it declares it.
    pub fn is_visible(&self, name: &str, item: u32) -> bool {
        self.kinds(name).any(|symbol| symbol.item <= item)
    }

    /// The declaration that matters most: one with a body or storage, else the first.
    pub fn definition(&self, name: &str) -> Option<&ModuleSymbol> {
        self.kinds(name).find(|symbol| symbol.kind.is_definition()).or_else(|| self.kinds(name).next())
    }

    /// Whether calls of a function never return.
    pub fn is_noreturn(&self, name: &str) -> bool {
        self.kinds(name).any(|symbol| matches!(symbol.kind, ModuleKind::Function { is_noreturn: true, .. }))
    }

    /// The declarations of names that are declared before, and perhaps a few others, with their indices in
    /// [`ModuleNames::symbols`].
    pub fn repeated(&self) -> impl Iterator<Item = (u32, &ModuleSymbol)> {
        self.repeated.iter().map(|&index| (index, &self.symbols[index as usize]))
    }

    /// Declarations that the assembler does not take together, in the order of the later one.
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
        let clash = same.kinds.iter().copied().chain(others).find_map(|first| {
            let kind = symbol.kind.clash(self.symbols[first as usize].kind)?;
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

    /// The symbols of the other table that share a name with a symbol: a range with one of its names, or the first names of each kind
    /// with a range.
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

    /// Whether it is the thing itself rather than a promise of it.
    pub fn is_definition(self) -> bool {
        match self {
            ModuleKind::Variable { .. } => !self.is_extern(),
            ModuleKind::Function { has_body, .. } => has_body,
            ModuleKind::Alias => true,
            ModuleKind::SectionLabel => false,
        }
    }

    /// Whether it says that another module has the thing.
    pub fn is_extern(self) -> bool {
        match self {
            ModuleKind::Variable { linkage, .. } | ModuleKind::Function { linkage, .. } => {
                linkage == Some(Linkage::Extern)
            }
            ModuleKind::Alias | ModuleKind::SectionLabel => false,
        }
    }

    /// Whether this may not follow `first` under the same name. Every arm was tried on ptxas.
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
