//! Conversion of the results of the analysis to the types of the protocol.

use ls_types as lsp;
use ls_types::NumberOrString;
use warplens_ide as ide;

use crate::documents::snapshot::Snapshot;
use crate::files::documentation_pages;
use crate::markup::markup;

pub(crate) fn diagnostic_report(items: Vec<lsp::Diagnostic>) -> lsp::DocumentDiagnosticReportResult {
    let full = lsp::FullDocumentDiagnosticReport { result_id: None, items };
    lsp::DocumentDiagnosticReportResult::Report(lsp::DocumentDiagnosticReport::Full(
        lsp::RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: full,
        },
    ))
}

pub(crate) fn diagnostic(snapshot: &Snapshot, diagnostic: ide::Diagnostic) -> lsp::Diagnostic {
    let related = diagnostic.related.into_iter().map(|related| lsp::DiagnosticRelatedInformation {
        location: location(snapshot, related.range),
        message: related.message,
    });
    let tags: Vec<_> = diagnostic
        .tags
        .iter()
        .map(|tag| match tag {
            ide::Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
            ide::Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
        })
        .collect();
    lsp::Diagnostic {
        range: snapshot.range(diagnostic.range),
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        // Tells findings of a simulation from diagnostics of the text.
        source: Some(
            match diagnostic.origin {
                ide::Origin::Text => "warplens",
                ide::Origin::Run => "warplens-sim",
            }
            .into(),
        ),
        message: diagnostic.message,
        related_information: snapshot.capabilities.related_information.then(|| related.collect()),
        code_description: snapshot
            .capabilities
            .code_pages
            .then(|| documentation_pages::of(diagnostic.origin, diagnostic.code))
            .flatten()
            .map(|href| lsp::CodeDescription { href }),
        tags: (!tags.is_empty()).then_some(tags),
        ..lsp::Diagnostic::default()
    }
}

pub(crate) fn severity(severity: ide::Severity) -> lsp::DiagnosticSeverity {
    match severity {
        ide::Severity::Error => lsp::DiagnosticSeverity::ERROR,
        ide::Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        ide::Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
        ide::Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}

/// A location in the document of the snapshot.
pub(crate) fn location(snapshot: &Snapshot, range: ide::TextRange) -> lsp::Location {
    lsp::Location { uri: snapshot.uri.clone(), range: snapshot.range(range) }
}

pub(crate) fn hover(snapshot: &Snapshot, hover: ide::Hover) -> lsp::Hover {
    lsp::Hover {
        contents: lsp::HoverContents::Markup(markup(hover.markdown, snapshot.capabilities.markdown)),
        range: Some(snapshot.range(hover.range)),
    }
}

pub(crate) fn completion(snapshot: &Snapshot, item: ide::CompletionItem) -> lsp::CompletionItem {
    // VS Code treats every snippet as a change of the text, so Enter would accept an item that is already written.
    let is_snippet = snapshot.capabilities.snippets && has_placeholders(&item.snippet);
    let (new_text, format) = match is_snippet {
        true => (item.snippet, lsp::InsertTextFormat::SNIPPET),
        false => (item.plain, lsp::InsertTextFormat::PLAIN_TEXT),
    };
    let edit = lsp::TextEdit { range: snapshot.range(item.replace), new_text };
    lsp::CompletionItem {
        label: item.label,
        detail: item.detail,
        kind: Some(completion_kind(item.kind)),
        sort_text: Some(item.sort),
        insert_text_format: Some(format),
        text_edit: Some(lsp::CompletionTextEdit::Edit(edit)),
        additional_text_edits: item.moves.map(|moves| edits(snapshot, vec![moves])),
        command: (item.continues && snapshot.capabilities.extension_lenses).then(suggest_again),
        tags: item.deprecated.then(|| vec![lsp::CompletionItemTag::DEPRECATED]),
        data: item
            .explain
            .map(|name| serde_json::json!({ "explain": name, "language": snapshot.language.id })),
        ..lsp::CompletionItem::default()
    }
}

/// Whether a snippet has a placeholder, that is a `$` that is not escaped.
fn has_placeholders(snippet: &str) -> bool {
    let mut chars = snippet.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => _ = chars.next(),
            '$' => return true,
            _ => {}
        }
    }
    false
}

/// The command of VS Code that shows suggestions.
fn suggest_again() -> lsp::Command {
    lsp::Command {
        title: "Suggest".to_owned(),
        command: "editor.action.triggerSuggest".to_owned(),
        arguments: None,
    }
}

fn completion_kind(kind: ide::CompletionKind) -> lsp::CompletionItemKind {
    match kind {
        ide::CompletionKind::Opcode => lsp::CompletionItemKind::METHOD,
        ide::CompletionKind::Modifier => lsp::CompletionItemKind::PROPERTY,
        ide::CompletionKind::Type => lsp::CompletionItemKind::TYPE_PARAMETER,
        ide::CompletionKind::Space => lsp::CompletionItemKind::MODULE,
        ide::CompletionKind::Directive => lsp::CompletionItemKind::KEYWORD,
        ide::CompletionKind::Register | ide::CompletionKind::Parameter => lsp::CompletionItemKind::VARIABLE,
        ide::CompletionKind::SpecialRegister => lsp::CompletionItemKind::CONSTANT,
        ide::CompletionKind::Variable => lsp::CompletionItemKind::FIELD,
        ide::CompletionKind::Label => lsp::CompletionItemKind::REFERENCE,
        ide::CompletionKind::Function => lsp::CompletionItemKind::FUNCTION,
        ide::CompletionKind::Constant => lsp::CompletionItemKind::ENUM_MEMBER,
        ide::CompletionKind::Snippet => lsp::CompletionItemKind::SNIPPET,
    }
}

pub(crate) fn definition(snapshot: &Snapshot, targets: Vec<ide::Target>) -> lsp::GotoDefinitionResponse {
    let target =
        |target: ide::Target| (&snapshot.uri, snapshot.range(target.full), snapshot.range(target.focus));
    definition_response(snapshot.capabilities.links, targets.into_iter().map(target))
}

/// Definitions, each with its document, the whole declaration and the name in it; as links if the client accepts them.
pub(crate) fn definition_response<'u>(
    links: bool,
    targets: impl Iterator<Item = (&'u lsp::Uri, lsp::Range, lsp::Range)>,
) -> lsp::GotoDefinitionResponse {
    if !links {
        let locations = targets.map(|(uri, _, focus)| lsp::Location::new(uri.clone(), focus));
        return lsp::GotoDefinitionResponse::Array(locations.collect());
    }
    let link = |(uri, target_range, target_selection_range): (&lsp::Uri, _, _)| lsp::LocationLink {
        origin_selection_range: None,
        target_uri: uri.clone(),
        target_range,
        target_selection_range,
    };
    lsp::GotoDefinitionResponse::Link(targets.map(link).collect())
}

pub(crate) fn highlight(snapshot: &Snapshot, occurrence: ide::Occurrence) -> lsp::DocumentHighlight {
    let kind = match occurrence.access {
        ide::Access::Declaration | ide::Access::Part => lsp::DocumentHighlightKind::TEXT,
        ide::Access::Read => lsp::DocumentHighlightKind::READ,
        ide::Access::Write => lsp::DocumentHighlightKind::WRITE,
    };
    lsp::DocumentHighlight { range: snapshot.range(occurrence.range), kind: Some(kind) }
}

pub(crate) fn edits(snapshot: &Snapshot, edits: Vec<ide::TextEdit>) -> Vec<lsp::TextEdit> {
    let edit =
        |edit: ide::TextEdit| lsp::TextEdit { range: snapshot.range(edit.range), new_text: edit.insert };
    edits.into_iter().map(edit).collect()
}

pub(crate) fn symbols(snapshot: &Snapshot, symbols: Vec<ide::Symbol>) -> lsp::DocumentSymbolResponse {
    if snapshot.capabilities.symbol_tree {
        let tree = symbols.into_iter().map(|symbol| document_symbol(snapshot, symbol));
        return lsp::DocumentSymbolResponse::Nested(tree.collect());
    }
    let mut flat = Vec::new();
    flatten(snapshot, symbols, None, &mut flat);
    lsp::DocumentSymbolResponse::Flat(flat)
}

#[expect(deprecated, reason = "the deprecated field has no default")]
fn document_symbol(snapshot: &Snapshot, symbol: ide::Symbol) -> lsp::DocumentSymbol {
    let children = symbol.children.into_iter().map(|child| document_symbol(snapshot, child));
    lsp::DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: snapshot.range(symbol.range),
        selection_range: snapshot.range(symbol.focus),
        children: Some(children.collect()),
    }
}

#[expect(deprecated, reason = "the deprecated field has no default")]
fn flatten(
    snapshot: &Snapshot,
    symbols: Vec<ide::Symbol>,
    container: Option<&str>,
    flat: &mut Vec<lsp::SymbolInformation>,
) {
    for symbol in symbols {
        flat.push(lsp::SymbolInformation {
            name: symbol.name.clone(),
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: location(snapshot, symbol.range),
            container_name: container.map(str::to_owned),
        });
        flatten(snapshot, symbol.children, Some(&symbol.name), flat);
    }
}

pub(crate) fn symbol_kind(kind: ide::SymbolKind) -> lsp::SymbolKind {
    match kind {
        ide::SymbolKind::Kernel => lsp::SymbolKind::EVENT,
        ide::SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        ide::SymbolKind::Parameter | ide::SymbolKind::Register => lsp::SymbolKind::VARIABLE,
        ide::SymbolKind::Variable => lsp::SymbolKind::FIELD,
        ide::SymbolKind::Label => lsp::SymbolKind::KEY,
        ide::SymbolKind::Section | ide::SymbolKind::Block => lsp::SymbolKind::NAMESPACE,
    }
}

/// A fold, unless it is within one line.
pub(crate) fn fold(snapshot: &Snapshot, fold: ide::Fold) -> Option<lsp::FoldingRange> {
    let range = snapshot.range(fold.range);
    (range.start.line < range.end.line).then_some(lsp::FoldingRange {
        start_line: range.start.line,
        start_character: Some(range.start.character),
        end_line: range.end.line,
        end_character: Some(range.end.character),
        kind: match fold.kind {
            ide::FoldKind::Comment => Some(lsp::FoldingRangeKind::Comment),
            ide::FoldKind::Code => None,
            ide::FoldKind::Region => Some(lsp::FoldingRangeKind::Region),
        },
        collapsed_text: None,
    })
}

/// Nests the ranges: the smallest one, with the others as its parents.
pub(crate) fn selection(snapshot: &Snapshot, ranges: &[ide::TextRange]) -> Option<lsp::SelectionRange> {
    ranges.iter().rev().fold(None, |parent, &range| {
        Some(lsp::SelectionRange { range: snapshot.range(range), parent: parent.map(Box::new) })
    })
}
