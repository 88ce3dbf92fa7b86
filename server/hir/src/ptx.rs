//! PTX: one [`Function`] for a function item, one [`Header`] for every module item, [`ModuleNames`] over the headers.
//!
//! Everything here is relative to the item it was made from, and a function never looks outside itself: what it cannot
//! find in its own scopes is a name for the module ([`Resolution::External`]). Messages never live here; problems are
//! data.

mod flow;
mod forms;
mod lower;
mod model;
mod module;
mod signature;
mod uniformity;

pub use forms::{
    AddressSpace, Checker, Count, FormMatch, Kinds, Mismatch, MnemonicForms, Near, OperandError,
    OperandPosition, OperandRule, Order, Platform, TypeSet, UnmetRequirement, Written,
};
pub use model::*;
pub use module::{Clash, ClashKind, ModuleKind, ModuleNames, ModuleSymbol, SymbolGroup};
pub use signature::{Roles, entry, written};
pub use uniformity::{Link, LinkKind, RegisterQuery, Uniformity};
