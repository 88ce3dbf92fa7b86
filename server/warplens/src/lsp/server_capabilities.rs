//! The capabilities of the server. Every provider of the protocol is listed, even those that are not implemented.

use serde_json::{Value, json};
use tower_lsp::ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    CompletionOptionsCompletionItem, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    DocumentOnTypeFormattingOptions, ExecuteCommandOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeParams, InitializeResult, OneOf, RenameOptions,
    SelectionRangeProviderCapability, SemanticTokenModifier, SemanticTokenType, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use warplens_ide::{Language, TokenKind, TokenModifiers};
use warplens_sim_warp::ModelInfo;

use crate::lsp::handlers::code_action::{DIALECT_ACTIONS, FIX_ALL};
use crate::lsp::handlers::commands;
use crate::lsp::handlers::formatting::TRIGGERS as FORMAT_TRIGGERS;
use crate::lsp::handlers::launch_actions::SIMULATE;
use crate::lsp::handlers::signature_help::TRIGGERS as OPERAND_TRIGGERS;
use warplens_protocol::position::Encoding;

/// The answer to `initialize`.
pub(crate) fn initialize_result(params: &InitializeParams) -> InitializeResult {
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
    let plain = WorkDoneProgressOptions { work_done_progress: Some(false) };
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            will_save: None,
            will_save_wait_until: None,
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some([".", "%", "$", "@", "!"].map(str::to_owned).to_vec()),
            all_commit_characters: None,
            work_done_progress_options: plain,
            completion_item: Some(CompletionOptionsCompletionItem { label_details_support: Some(true) }),
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: plain,
        })),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                work_done_progress_options: plain,
                legend: legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
            }
            .into(),
        ),
        inlay_hint_provider: Some(OneOf::Left(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(OPERAND_TRIGGERS.map(str::to_owned).to_vec()),
            retrigger_characters: None,
            work_done_progress_options: plain,
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
            work_done_progress_options: plain,
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL.map(str::to_owned).to_vec(),
            work_done_progress_options: plain,
        }),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some("warplens".into()),
            inter_file_dependencies: false,
            workspace_diagnostics: false,
            work_done_progress_options: plain,
        })),

        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(code_action_kinds()),
            work_done_progress_options: plain,
            resolve_provider: Some(false),
        })),

        // Not implemented.
        linked_editing_range_provider: None,
        inline_value_provider: None,

        // Of no use for these languages.
        declaration_provider: None,
        type_definition_provider: None,
        color_provider: None,
        moniker_provider: None,
        notebook_document_sync: None,
        inline_completion_provider: None,
        experimental: Some(json!({ "models": models() })),
    }
}

/// The divergence models of all languages, for the pick list of a client.
fn models() -> Vec<Value> {
    let model = |(language, model): (Language, &ModelInfo)| json!({ "name": model.name, "language": language.id, "rule": model.rule });
    warplens_ide::models().map(model).collect()
}

fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TokenKind::LEGEND.iter().map(|(_, name)| SemanticTokenType::new(name)).collect(),
        token_modifiers: TokenModifiers::LEGEND.iter().map(|name| SemanticTokenModifier::new(name)).collect(),
    }
}

fn code_action_kinds() -> Vec<CodeActionKind> {
    let of_files = DIALECT_ACTIONS.map(|(kind, _, _)| kind);
    let of_sources = std::iter::once(FIX_ALL).chain(of_files).map(CodeActionKind::from);
    let others = [CodeActionKind::QUICKFIX, CodeActionKind::from(SIMULATE)];
    others.into_iter().chain(of_sources).collect()
}
