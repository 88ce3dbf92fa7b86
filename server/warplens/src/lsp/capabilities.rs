//! What the client can do, and everything that the server offers it: each provider by name, also those that are not
//! there.

use serde_json::Value;
use tower_lsp::ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    CompletionOptionsCompletionItem, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    DocumentOnTypeFormattingOptions, ExecuteCommandOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeParams, MarkupKind, OneOf, RenameOptions,
    SelectionRangeProviderCapability, SemanticTokenModifier, SemanticTokenType, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities, SignatureHelpOptions,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use warplens_ide::{TokenKind, TokenModifiers};

use super::{actions, commands, editing};
use crate::position::Encoding;

/// What the client said that it can do.
#[derive(Debug, Clone, Default)]
pub(super) struct Abilities {
    /// Asks for diagnostics, so that they need not be published.
    pub(super) pull_diagnostics: bool,
    /// Can be asked to fetch diagnostics again.
    pub(super) refresh_diagnostics: bool,
    /// Opens the page of a diagnostic.
    pub(super) code_pages: bool,
    /// Takes actions with their edits, not only commands.
    pub(super) code_actions: bool,
    /// Takes edits of a certain version of a document.
    pub(super) versioned_edits: bool,
    /// Shows the places that belong to a diagnostic.
    pub(super) related_information: bool,
    /// Inserts snippets.
    pub(super) snippets: bool,
    /// Renders markdown in hovers and in the documentation of completions.
    pub(super) markdown: bool,
    /// Shows an outline as a tree.
    pub(super) symbol_tree: bool,
    /// Takes a whole declaration and the name in it as the target of a definition.
    pub(super) links: bool,
    /// Takes a parameter of a signature as a range of its label.
    pub(super) label_offsets: bool,
    /// Can be asked to fetch inlay hints again.
    pub(super) refresh_hints: bool,
    /// Can be asked to fetch code lenses again.
    pub(super) refresh_lenses: bool,
    /// Shows a progress that the server starts.
    pub(super) progress: bool,
    /// Answers `workspace/configuration`.
    pub(super) configuration: bool,
    /// Lets the server say which settings it wants to hear of.
    pub(super) register_configuration: bool,
    /// Lets the server name the files that it wants watched.
    pub(super) watch_files: bool,
    /// Has commands of its own behind the lenses (the initialization option `"lenses": "extension"`).
    pub(super) extension_lenses: bool,
    /// Wants to hear when a document shows other lanes (the initialization option `"lanesChanged": true`).
    pub(super) hears_of_lanes: bool,
}

impl Abilities {
    /// Reads them off the first request.
    pub(super) fn of(params: &InitializeParams) -> Abilities {
        let document = params.capabilities.text_document.clone().unwrap_or_default();
        let workspace = params.capabilities.workspace.clone().unwrap_or_default();
        let window = params.capabilities.window.clone().unwrap_or_default();
        let completion =
            document.completion.and_then(|completion| completion.completion_item).unwrap_or_default();
        let hover = document.hover.and_then(|hover| hover.content_format).unwrap_or_default();
        let option =
            |name: &str| params.initialization_options.as_ref().and_then(|options| options.get(name));
        Abilities {
            pull_diagnostics: document.diagnostic.is_some(),
            refresh_diagnostics: workspace
                .diagnostics
                .and_then(|diagnostics| diagnostics.refresh_support)
                .unwrap_or(false),
            code_pages: document
                .publish_diagnostics
                .as_ref()
                .and_then(|publish| publish.code_description_support)
                .or(document.diagnostic.as_ref().and_then(|pull| pull.code_description_support))
                .unwrap_or(false),
            code_actions: document
                .code_action
                .is_some_and(|actions| actions.code_action_literal_support.is_some()),
            versioned_edits: workspace.workspace_edit.and_then(|edit| edit.document_changes).unwrap_or(false),
            related_information: document
                .publish_diagnostics
                .and_then(|publish| publish.related_information)
                .or(document.diagnostic.and_then(|pull| pull.related_information))
                .unwrap_or(false),
            snippets: completion.snippet_support.unwrap_or(false),
            markdown: hover.contains(&MarkupKind::Markdown),
            symbol_tree: document
                .document_symbol
                .and_then(|symbol| symbol.hierarchical_document_symbol_support)
                .unwrap_or(false),
            label_offsets: document
                .signature_help
                .and_then(|help| help.signature_information)
                .and_then(|signature| signature.parameter_information)
                .and_then(|parameter| parameter.label_offset_support)
                .unwrap_or(false),
            links: document.definition.and_then(|definition| definition.link_support).unwrap_or(false),
            refresh_hints: workspace.inlay_hint.and_then(|hint| hint.refresh_support).unwrap_or(false),
            refresh_lenses: workspace.code_lens.and_then(|lens| lens.refresh_support).unwrap_or(false),
            progress: window.work_done_progress.unwrap_or(false),
            configuration: workspace.configuration.unwrap_or(false),
            register_configuration: workspace
                .did_change_configuration
                .and_then(|configuration| configuration.dynamic_registration)
                .unwrap_or(false),
            watch_files: workspace
                .did_change_watched_files
                .and_then(|files| files.dynamic_registration)
                .unwrap_or(false),
            extension_lenses: option("lenses").and_then(Value::as_str) == Some("extension"),
            hears_of_lanes: option("lanesChanged").and_then(Value::as_bool) == Some(true),
        }
    }
}

/// Everything that the server offers.
pub(super) fn server_capabilities(encoding: Encoding) -> ServerCapabilities {
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
            trigger_characters: Some(editing::OPERAND_TRIGGERS.map(str::to_owned).to_vec()),
            retrigger_characters: None,
            work_done_progress_options: plain,
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: editing::FORMAT_TRIGGERS[0].to_owned(),
            more_trigger_character: Some(
                editing::FORMAT_TRIGGERS[1..].iter().map(|&c| c.to_owned()).collect(),
            ),
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

        // Not there yet.
        linked_editing_range_provider: None,
        inline_value_provider: None,

        // Nothing in these languages asks for them.
        declaration_provider: None,
        type_definition_provider: None,
        color_provider: None,
        moniker_provider: None,
        notebook_document_sync: None,
        inline_completion_provider: None,
        experimental: None,
    }
}

fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TokenKind::LEGEND.iter().map(|(_, name)| SemanticTokenType::new(name)).collect(),
        token_modifiers: TokenModifiers::LEGEND.iter().map(|name| SemanticTokenModifier::new(name)).collect(),
    }
}

/// The kinds of actions that there are.
fn code_action_kinds() -> Vec<CodeActionKind> {
    let of_files = actions::RESPELL.map(|(kind, _, _)| kind);
    let of_sources = std::iter::once(actions::FIX_ALL).chain(of_files).map(CodeActionKind::from);
    std::iter::once(CodeActionKind::QUICKFIX).chain(of_sources).collect()
}
