//! The meaning of SASS listings: functions with their instructions, operands and addresses; the facts in
//! their sections; control information; control flow; register liveness.
//!
//! [`lower`] turns the tree of one item into [`Code`], and a [`Listing`] joins the items of a file, because
//! the target and the facts of a function may be in other items.

mod control;
mod effects;
mod flow;
mod info;
mod listing;
mod liveness;
mod lower;
mod model;
mod operand;
mod operand_count;
mod reaching;
mod register;
mod same_value;
mod scoreboard;
mod section;
mod sequences;
mod source_comment;
mod stated;
mod target;

pub use control::Control;
pub use effects::{Access, Accesses, accesses, destinations};
pub use flow::{FlowGraph, barrier, flow, is_unconditional, joins, token};
pub use info::{BANK_BYTES, Facts, Parameter, Record, facts, records};
pub use listing::{Listed, Listing};
pub use liveness::{Counts, Liveness, RegisterSet};
pub use lower::{lower, stated};
pub use model::{Code, Destination, Encoding, Function, Guard, Instruction, Label, Name, Pair, Stated, Word};
pub use operand::{
    Address, AddressTerm, Condition, Constant, Immediate, Operand, Part, RegisterTarget, Symbol, Value,
};
pub use reaching::Reaching;
pub use register::{Register, RegisterFile};
pub use same_value::{SameValue, same_value};
pub use scoreboard::{longest_wait_chain, sets, setters, waiters};
pub use section::{Datum, DatumValue, Expression, Section};
pub use sequences::{is_padding, sequence_at};
pub use source_comment::{PTX_TEXT, SourceMention, source_mentions};
pub use target::{Generation, Target};
