//! PTX: a [`Function`] for each function item, a [`Header`] for every module item, and [`ModuleNames`] over
//! the headers.
//!
//! Positions are relative to the item they come from. A function never looks outside itself: a name that its
//! own scopes do not declare is left to the module ([`Resolution::External`]). Messages never live here;
//! problems are data.

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
