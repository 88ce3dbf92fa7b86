//! The capabilities of the server.

use ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    CompletionOptionsCompletionItem, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    DocumentOnTypeFormattingOptions, ExecuteCommandOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeParams, InitializeResult, OneOf, RenameOptions,
    SelectionRangeProviderCapability, SemanticTokenModifier, SemanticTokenType, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde::Serialize;
use serde_json::json;
use warplens_ide::{Language, TokenKind, TokenModifiers};
use warplens_sim_warp::ModelInfo;

use crate::handlers::code_action::{DIALECT_ACTIONS, FIX_ALL};
use crate::handlers::commands;
use crate::handlers::formatting::TRIGGERS as FORMAT_TRIGGERS;
use crate::handlers::launch_actions::SIMULATE;
use crate::handlers::signature_help::TRIGGERS as OPERAND_TRIGGERS;
use warplens_protocol::position::Encoding;

pub fn initialize_result(params: &InitializeParams) -> InitializeResult {
    InitializeResult {
        capabilities: server_capabilities(Encoding::negotiate(params)),
        server_info: Some(ServerInfo {
            name: "warplens".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
        offset_encoding: None,
    }
}

fn server_capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL.map(str::to_owned).to_vec(),
            work_done_progress_options: NO_PROGRESS,
        }),
        experimental: Some(json!({ "models": models() })),
        ..providers()
    }
}

/// The server reports no progress of these requests.
const NO_PROGRESS: WorkDoneProgressOptions = WorkDoneProgressOptions { work_done_progress: Some(false) };

/// The requests about a document that the server answers.
pub(crate) fn providers() -> ServerCapabilities {
    ServerCapabilities {
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some([".", "%", "$", "@", "!"].map(str::to_owned).to_vec()),
            work_done_progress_options: NO_PROGRESS,
            completion_item: Some(CompletionOptionsCompletionItem { label_details_support: Some(true) }),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: NO_PROGRESS,
        })),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(semantic_tokens().into()),
        inlay_hint_provider: Some(OneOf::Left(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(OPERAND_TRIGGERS.map(str::to_owned).to_vec()),
            retrigger_characters: None,
            work_done_progress_options: NO_PROGRESS,
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: FORMAT_TRIGGERS[0].to_owned(),
            more_trigger_character: Some(FORMAT_TRIGGERS[1..].iter().map(|&c| c.to_owned()).collect()),
        }),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        call_hierarchy_provider: Some(true.into()),
        implementation_provider: Some(true.into()),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: NO_PROGRESS,
        }),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(code_action_kinds()),
            work_done_progress_options: NO_PROGRESS,
            resolve_provider: Some(false),
        })),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some("warplens".into()),
            work_done_progress_options: NO_PROGRESS,
            ..DiagnosticOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

fn semantic_tokens() -> SemanticTokensOptions {
    SemanticTokensOptions {
        work_done_progress_options: NO_PROGRESS,
        legend: SemanticTokensLegend {
            token_types: TokenKind::LEGEND.iter().map(|(_, name)| SemanticTokenType::new(name)).collect(),
            token_modifiers: TokenModifiers::LEGEND
                .iter()
                .map(|name| SemanticTokenModifier::new(name))
                .collect(),
        },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
    }
}

/// A divergence model, for the pick list of a client.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Model {
    name: &'static str,
    /// The id of the language that it applies to.
    language: &'static str,
    /// Its rule, in one line.
    rule: &'static str,
}

/// The divergence models of all languages.
fn models() -> Vec<Model> {
    let of_ids = |(language, model): (Language, &'static ModelInfo)| {
        let ids = std::iter::once(&language.id).chain(language.shared_ids);
        ids.map(|id| Model { name: model.name, language: id, rule: model.rule })
    };
    warplens_ide::models().flat_map(of_ids).collect()
}

fn code_action_kinds() -> Vec<CodeActionKind> {
    let of_files = DIALECT_ACTIONS.map(|(kind, _, _)| kind);
    let of_sources = std::iter::once(FIX_ALL).chain(of_files).map(CodeActionKind::from);
    let others = [CodeActionKind::QUICKFIX, CodeActionKind::from(SIMULATE)];
    others.into_iter().chain(of_sources).collect()
}
