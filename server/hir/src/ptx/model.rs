//! The data that `lower` produces. It refers to no tree and no text.

mod constant;
mod function;
mod header;
mod ids;
mod instruction;
mod name;
mod problem;
mod signature;
mod source;
mod symbol;
mod types;

pub use constant::Constant;
pub use function::{Function, FunctionKind, Instruction, Label, Writes};
pub use header::{AddressSize, Declaration, DeclarationKind, Directive, Header, ModuleUse, Target, Version};
pub use ids::{ConstantId, InstructionId, MnemonicId, NameId, ReferentId, ScopeId, SymbolId};
pub use instruction::{Address, AddressForm, Bytes, Component, Guard, Mnemonic, Operand, OperandList};
pub use name::{NameRef, Resolution, Role};
pub use problem::{DeclarationMistake, Problem, ProblemKind};
pub use signature::{Parameter, PerformanceDirective, Pointer, Signature};
pub use source::{InlineAssembly, SourceLocation, SourcePosition};
pub use symbol::{Initializer, Scope, Symbol, SymbolKind, TableKind, Variable};
pub use types::{Dimension, Linkage, Space, Type, TypeKind, VectorLength};

pub(crate) use function::Parts;
pub(crate) use instruction::{InstructionData, ListData};
pub(crate) use name::{Name, Referent};
