//! Declarations of a function that do not reach the use of their name: it comes first, or it cannot name a label.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, ScopeId, Symbol, SymbolKind, TableKind};
use warplens_ide_db::{Diagnostic, FileId, Related, Severity};

use crate::codes;
use crate::ptx::names::declare::count_for;
use crate::ptx::names::missing::Missing;
use crate::ptx::names::wanted::Wanted;

/// A declaration that does not reach a use.
pub(super) struct Unreached {
    code: &'static str,
    message: String,
    /// The declared name, relative to the item.
    declared: TextRange,
}

impl Unreached {
    /// The diagnostic at the first use, in a file where the item starts at `start`.
    pub(super) fn diagnostic(self, first: TextRange, file: FileId, start: TextSize) -> Diagnostic {
        let related = Related { file, range: self.declared + start, message: "declared here".into() };
        Diagnostic::new(first, Severity::Error, self.code, self.message).with_related(related)
    }
}

/// The declaration of an undeclared name that follows the use in the same scope or an enclosing one.
pub(super) fn unreached(function: &Function, missing: &Missing) -> Option<Unreached> {
    let first = missing.places[0];
    let scope = function.scope_at(first.start());
    let is_meant = |symbol: &&Symbol| {
        symbol.range.start() > first.start()
            && encloses(function, symbol.scope, scope)
            && declares(symbol, missing)
    };
    let symbol = function.symbols().iter().find(is_meant)?;
    let name = &missing.names[0];
    let (code, message) = match (&symbol.kind, Wanted::at(function, first)) {
        (SymbolKind::Label { .. }, Wanted::BranchTable) => {
            let message = format!(
                "`{name}` is a label; `brx.idx` takes a table of labels. Declare one before it, `table: .branchtargets {name};`"
            );
            (codes::INVALID_BRANCH, message)
        }
        (SymbolKind::Label { .. }, _) => {
            let message = format!("`{name}` is a label, which only branches and `.branchtargets` can name");
            (codes::UNRESOLVED_NAME, message)
        }
        (kind, _) => {
            let (is, at) = match kind {
                SymbolKind::Table { kind: TableKind::Branch, .. } => ("table", "the `brx.idx`"),
                SymbolKind::Table { .. } => ("table", "the call"),
                SymbolKind::Prototype(_) => ("prototype", "the call"),
                _ => ("declaration", "it"),
            };
            let message = format!("`{name}` is declared after its use; move the {is} before {at}");
            (codes::USE_BEFORE_DECLARATION, message)
        }
    };
    Some(Unreached { code, message, declared: symbol.range })
}

fn declares(symbol: &Symbol, missing: &Missing) -> bool {
    match symbol.kind {
        SymbolKind::RegisterRange { count, .. } => {
            symbol.name == missing.stem
                && count_for(&missing.stem, &missing.names).is_some_and(|needed| needed <= count)
        }
        _ => missing.names.len() == 1 && symbol.name == missing.names[0],
    }
}

fn encloses(function: &Function, outer: ScopeId, inner: ScopeId) -> bool {
    let parents = |scope: &ScopeId| function.scopes()[scope.index()].parent;
    std::iter::successors(Some(inner), parents).any(|scope| scope == outer)
}
