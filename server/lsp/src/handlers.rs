//! One file for each request and notification of the protocol, named after it. `routes` is the table that leads here.
//!
//! Requests that read one document are functions of a [`Snapshot`](crate::documents::snapshot::Snapshot) and run on a worker. The
//! others are methods of [`State`](crate::state::State) and run on the state thread.

pub(crate) mod assemble;
pub(crate) mod call_hierarchy;
pub(crate) mod code_action;
pub(crate) mod code_lens;
pub(crate) mod commands;
pub(crate) mod compare;
pub(crate) mod completion;
pub(crate) mod definition;
pub(crate) mod diagnostic;
mod did_change;
mod did_change_configuration;
mod did_close;
mod did_open;
mod did_save;
pub(crate) mod document_highlight;
pub(crate) mod document_link;
pub(crate) mod document_symbol;
pub(crate) mod draft_launch;
pub(crate) mod execute_command;
pub(crate) mod expect_buffer;
mod expected;
pub(crate) mod folding_range;
pub(crate) mod formatting;
pub(crate) mod hover;
pub(crate) mod implementation;
mod initialize;
pub(crate) mod inlay_hint;
pub(crate) mod lane_masks;
pub(crate) mod launch_actions;
mod launch_documents;
pub(crate) mod link;
pub(crate) mod machine_code;
pub(crate) mod panel;
pub(crate) mod ptxas;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod selection_range;
pub(crate) mod semantic_tokens;
pub(crate) mod signature_help;
pub(crate) mod simulation;
pub(crate) mod syntax_tree;
pub(crate) mod tools;
pub(crate) mod warps;
mod workspace_symbol;
mod written_launch;
