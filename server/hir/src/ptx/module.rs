//! The names of a module, from the headers of its items in order.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{DeclarationKind, FunctionKind, Header, Linkage, Space, Type};

/// Of a longer range, only so many names are compared with single names.
const RANGE: u32 = 1 << 12;

/// Every name that a module declares. Holds no ranges, so that it stays equal when text moves or bodies change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleNames {
    symbols: Vec<ModuleSymbol>,
    /// Symbols by name, in text order.
    by_name: FxHashMap<SmolStr, Vec<u32>>,
    /// Symbols that declare `name0`, `name1` …, by the part before the number.
    ranges: FxHashMap<SmolStr, Vec<u32>>,
    representatives: Representatives,
    clashes: Vec<Clash>,
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

impl ModuleNames {
    /// Collects the names of a module. The headers are those of all items, in the order of the text.
    pub fn new<'h>(headers: impl IntoIterator<Item = &'h Header>) -> ModuleNames {
        let mut module = ModuleNames::default();
        for (item, header) in headers.into_iter().enumerate() {
            for (index, declaration) in header.declarations.iter().enumerate() {
                let symbol = ModuleSymbol {
                    name: declaration.name.clone(),
                    item: item as u32,
                    declaration: index as u32,
                    kind: ModuleKind::of(&declaration.kind),
                };
                module.declare(symbol);
            }
        }
        module
    }

    /// All declarations in the order of the text.
    pub fn symbols(&self) -> &[ModuleSymbol] {
        &self.symbols
    }

    /// The declarations of a name in the order of the text; for `v1` those of `v<2>` too.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = &ModuleSymbol> {
        let exact = self.by_name.get(name).into_iter().flatten();
        exact.copied().chain(self.in_range(name)).map(|index| &self.symbols[index as usize])
    }

    /// The first declaration of each kind of a name in the order of the text. A module may declare a name any number of times,
    /// so checks that visit each use of a name look at these.
    pub fn kinds(&self, name: &str) -> impl Iterator<Item = &ModuleSymbol> {
        let exact = self.representatives.by_name.get(name).into_iter().flatten();
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
        let overlapping = self.representatives.overlapping(self, &symbol);
        let clash = overlapping.into_iter().find_map(|first| {
            let kind = symbol.kind.clash(self.symbols[first as usize].kind)?;
            Some(Clash { symbol: index, first, kind })
        });
        self.clashes.extend(clash);
        let is_range = symbol.kind.range_count().is_some();
        let table = if is_range { &mut self.ranges } else { &mut self.by_name };
        table.entry(symbol.name.clone()).or_default().push(index);
        let list = self.representatives.list(&symbol.name, is_range);
        if !list.iter().any(|other| self.symbols[*other as usize].kind == symbol.kind) {
            list.push(index);
        }
        self.symbols.push(symbol);
    }

    fn in_range(&self, name: &str) -> Option<u32> {
        if self.ranges.is_empty() {
            return None;
        }
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (1..=digits.min(10)).map(|digits| name.split_at(name.len() - digits)).find_map(|(prefix, number)| {
            let number: u32 = number.parse().ok()?;
            let mut ranges = self.ranges.get(prefix)?.iter().copied();
            ranges.find(|&symbol| {
                self.symbols[symbol as usize].kind.range_count().is_some_and(|count| number < count)
            })
        })
    }
}

/// The first symbol of each kind with a name, with which later ones are compared: a module may declare a name any number
/// of times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Representatives {
    by_name: FxHashMap<SmolStr, Vec<u32>>,
    ranges: FxHashMap<SmolStr, Vec<u32>>,
}

impl Representatives {
    fn list(&mut self, name: &SmolStr, is_range: bool) -> &mut Vec<u32> {
        let table = if is_range { &mut self.ranges } else { &mut self.by_name };
        table.entry(name.clone()).or_default()
    }

    /// Those that share a name with a symbol.
    fn overlapping(&self, module: &ModuleNames, symbol: &ModuleSymbol) -> Vec<u32> {
        let of =
            |table: &FxHashMap<SmolStr, Vec<u32>>, name: &str| table.get(name).cloned().unwrap_or_default();
        match symbol.kind.range_count() {
            None => {
                of(&self.by_name, &symbol.name).into_iter().chain(module.in_range(&symbol.name)).collect()
            }
            Some(count) => {
                let singles = (0..count.min(RANGE)).map(|index| format!("{}{index}", symbol.name));
                let singles = singles.flat_map(|name| of(&self.by_name, &name));
                of(&self.ranges, &symbol.name).into_iter().chain(singles).collect()
            }
        }
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
