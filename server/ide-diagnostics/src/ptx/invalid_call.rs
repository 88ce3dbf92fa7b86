//! `invalid-call`: a call that does not match the called function, its prototype, or the functions of a table.
//!
//! [`find`] reads the calls of an item with their arguments; [`check`] looks up the signatures of the other items later.

mod arguments;
mod sites;
#[cfg(test)]
mod tests;

pub(super) use sites::{Call, find};

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{
    Declaration, DeclarationKind, FunctionKind, Initializer, ModuleNames, Signature, Space, Type, Variable,
};
use warplens_ide_db::{Db, File, Problem};

use crate::codes;
use crate::ptx::invalid_call::arguments::Callee;
use crate::ptx::invalid_call::sites::{Target, Through};
use crate::ptx::symbols::declaration;

/// Checks the calls of one item against the other items.
pub(super) fn check(
    db: &dyn Db,
    file: File,
    names: &ModuleNames,
    calls: &[Call],
    problems: &mut Vec<Problem>,
) {
    for call in calls {
        Judge { db, file, names, call }.check(problems);
    }
}

struct Judge<'j> {
    db: &'j dyn Db,
    file: File,
    names: &'j ModuleNames,
    call: &'j Call,
}

impl<'j> Judge<'j> {
    fn check(&self, problems: &mut Vec<Problem>) {
        let message = match &self.call.target {
            Target::Function(name) => return self.direct(name, problems),
            Target::Register(ty) => return self.indirect(*ty, problems),
            Target::Nothing(what) => {
                format!("{what} cannot be called; call a function, or a register that holds its address")
            }
            Target::Missing => {
                "missing function; write `call f;` or `call (result), f, (argument);`".to_owned()
            }
            Target::Unknown => return,
        };
        problems.push(error(self.call.target_range, message));
    }

    fn judge(&self, name: &str, signature: &Signature, problems: &mut Vec<Problem>) {
        let is_declared = |name: &str| self.names.declarations(name).next().is_some();
        Callee { name, signature, is_declared: &is_declared }.judge(self.call, problems);
    }

    fn direct(&self, name: &SmolStr, problems: &mut Vec<Problem>) {
        // The checks of names report undeclared names.
        let Some(found) = self.declared(name) else { return };
        let message = match &found.kind {
            DeclarationKind::Function { kind: FunctionKind::Entry, .. } => {
                format!("`{name}` is a kernel; only functions can be called")
            }
            DeclarationKind::Function { signature, .. } => {
                if !matches!(self.call.through, Through::Nothing) {
                    let message = "a direct call does not take a prototype or table; remove it";
                    problems.push(error(self.call.through_range, message));
                }
                return self.judge(name, signature, problems);
            }
            DeclarationKind::Variable(_) => {
                format!("`{name}` is a variable; load the address into a register and call the register")
            }
            DeclarationKind::Alias { .. } | DeclarationKind::SectionLabel => return,
        };
        problems.push(error(self.call.target_range, message));
    }

    /// The declaration of a called name; aliases are skipped.
    fn declared(&self, name: &str) -> Option<&'j Declaration> {
        let found = self.names.kinds(name).map(|symbol| declaration(self.db, self.file, symbol));
        found.into_iter().find(|found| !matches!(found.kind, DeclarationKind::Alias { .. }))
    }

    fn indirect(&self, ty: Option<Type>, problems: &mut Vec<Problem>) {
        use warplens_hir::ptx::TypeKind::{Bits, Signed, Unsigned};
        if let Some(ty) = ty
            && !(ty.bits() >= 32 && matches!(ty.kind(), Bits | Signed | Unsigned))
        {
            let message =
                format!("a `.{}` register cannot hold an address; use a `.b64` register", ty.name());
            return problems.push(error(self.call.target_range, message));
        }
        let message = match &self.call.through {
            Through::Nothing => {
                let message =
                    "an indirect call needs a `.callprototype`, a `.calltargets` or a table of functions";
                return problems.push(error(self.call.target_range, message));
            }
            Through::Prototype(signature) => return self.judge("the prototype", signature, problems),
            Through::Functions(functions) => return self.one_of(functions, problems),
            Through::Module(name) => match self.declared(name).map(|found| &found.kind) {
                Some(DeclarationKind::Variable(variable)) => {
                    return self.through_variable(name, variable, problems);
                }
                Some(DeclarationKind::Function { .. }) => {
                    format!("`{name}` is a function; list it in a `.calltargets`, or call it by its name")
                }
                _ => return,
            },
            Through::Variable(name, variable) => return self.through_variable(name, variable, problems),
            Through::Other(what) => {
                format!("{what} does not list functions; use a `.callprototype` or `.calltargets`")
            }
            Through::Unknown => return,
        };
        problems.push(error(self.call.through_range, message));
    }

    /// An array with the addresses of functions.
    fn through_variable(&self, name: &SmolStr, variable: &Variable, problems: &mut Vec<Problem>) {
        let functions = functions_of(variable);
        let message = if !matches!(variable.space, Space::Global | Space::Const) {
            format!(
                "`{name}` is in `.{}`; a table of functions must be in `.const` or `.global`",
                variable.space.name()
            )
        } else if !is_table(variable) {
            format!("`{name}` is not an array of addresses (`.u64` or `.u32`), so it cannot list functions")
        } else if functions.is_empty() {
            format!("`{name}` lists no functions; initialize it with the functions that the call can reach")
        } else {
            return self.one_of(&functions, problems);
        };
        problems.push(error(self.call.through_range, message));
    }

    /// All must match; the first mismatch is reported.
    fn one_of(&self, functions: &[SmolStr], problems: &mut Vec<Problem>) {
        for name in functions {
            let Some(found) = self.declared(name) else { continue };
            let DeclarationKind::Function { signature, .. } = &found.kind else { continue };
            let before = problems.len();
            self.judge(name, signature, problems);
            if problems.len() > before {
                return;
            }
        }
    }
}

fn error(range: TextRange, message: impl Into<SmolStr>) -> Problem {
    Problem::error(range, codes::INVALID_CALL, message)
}

fn is_table(variable: &Variable) -> bool {
    variable.dimensions.len() == 1
        && variable.vector.is_none()
        && matches!(variable.ty, Some(Type::U32 | Type::U64 | Type::U8))
}

fn functions_of(variable: &Variable) -> Vec<SmolStr> {
    let Some(Initializer::List(values)) = &variable.initializer else { return Vec::new() };
    let name = |value: &Initializer| match value {
        Initializer::Address { symbol, .. } => Some(symbol.clone()),
        _ => None,
    };
    values.iter().filter_map(name).collect()
}
