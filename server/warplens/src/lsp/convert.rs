//! Answers of the analysis in the words of the protocol: the only place that turns one into the other.

use tower_lsp::ls_types as lsp;
use tower_lsp::ls_types::NumberOrString;
use warplens_ide as ide;

use super::job::Question;
use super::pages;
use crate::markdown;

/// A diagnostic. Related places lie in the same document: items of other documents are never looked at.
pub(super) fn diagnostic(question: &Question, diagnostic: ide::Diagnostic) -> lsp::Diagnostic {
    let related = diagnostic.related.into_iter().map(|related| lsp::DiagnosticRelatedInformation {
        location: location(question, related.range),
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
        range: question.range(diagnostic.range),
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        source: Some(source(diagnostic.origin).into()),
        message: diagnostic.message,
        related_information: question.abilities.related_information.then(|| related.collect()),
        code_description: question
            .abilities
            .code_pages
            .then(|| pages::of(diagnostic.origin, diagnostic.code))
            .flatten()
            .map(page),
        tags: (!tags.is_empty()).then_some(tags),
        ..lsp::Diagnostic::default()
    }
}

/// Findings of a simulation are told apart from what the text shows.
fn source(origin: ide::Origin) -> &'static str {
    match origin {
        ide::Origin::Text => "warplens",
        ide::Origin::Run => "warplens-sim",
    }
}

fn page(href: lsp::Uri) -> lsp::CodeDescription {
    lsp::CodeDescription { href }
}

fn severity(severity: ide::Severity) -> lsp::DiagnosticSeverity {
    match severity {
        ide::Severity::Error => lsp::DiagnosticSeverity::ERROR,
        ide::Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        ide::Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
        ide::Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}

/// A place in the document asked about.
pub(super) fn location(question: &Question, range: ide::TextRange) -> lsp::Location {
    lsp::Location { uri: question.uri.clone(), range: question.range(range) }
}

pub(super) fn hover(question: &Question, hover: ide::Hover) -> lsp::Hover {
    lsp::Hover {
        contents: lsp::HoverContents::Markup(markup(hover.markdown, question.abilities.markdown)),
        range: Some(question.range(hover.range)),
    }
}

/// Markdown, or as it reads where it is not rendered.
pub(super) fn markup(markdown: String, rendered: bool) -> lsp::MarkupContent {
    if rendered {
        return lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: markdown };
    }
    lsp::MarkupContent { kind: lsp::MarkupKind::PlainText, value: markdown::plain(&markdown) }
}

pub(super) fn completion(question: &Question, item: ide::CompletionItem) -> lsp::CompletionItem {
    let snippets = question.abilities.snippets;
    let edit = lsp::TextEdit {
        range: question.range(item.replace),
        new_text: if snippets { item.snippet } else { item.plain },
    };
    lsp::CompletionItem {
        label: item.label,
        detail: item.detail,
        kind: Some(completion_kind(item.kind)),
        sort_text: Some(item.sort),
        insert_text_format: Some(if snippets {
            lsp::InsertTextFormat::SNIPPET
        } else {
            lsp::InsertTextFormat::PLAIN_TEXT
        }),
        text_edit: Some(lsp::CompletionTextEdit::Edit(edit)),
        additional_text_edits: item.moves.map(|moves| edits(question, vec![moves])),
        tags: item.deprecated.then(|| vec![lsp::CompletionItemTag::DEPRECATED]),
        data: item
            .explain
            .map(|name| serde_json::json!({ "explain": name, "language": question.language_id() })),
        ..lsp::CompletionItem::default()
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

pub(super) fn definition(question: &Question, targets: Vec<ide::Target>) -> lsp::GotoDefinitionResponse {
    if !question.abilities.links {
        let locations = targets.iter().map(|target| location(question, target.focus));
        return lsp::GotoDefinitionResponse::Array(locations.collect());
    }
    let link = |target: &ide::Target| lsp::LocationLink {
        origin_selection_range: None,
        target_uri: question.uri.clone(),
        target_range: question.range(target.full),
        target_selection_range: question.range(target.focus),
    };
    lsp::GotoDefinitionResponse::Link(targets.iter().map(link).collect())
}

pub(super) fn highlight(question: &Question, occurrence: ide::Occurrence) -> lsp::DocumentHighlight {
    let kind = match occurrence.access {
        ide::Access::Declaration | ide::Access::Part => lsp::DocumentHighlightKind::TEXT,
        ide::Access::Read => lsp::DocumentHighlightKind::READ,
        ide::Access::Write => lsp::DocumentHighlightKind::WRITE,
    };
    lsp::DocumentHighlight { range: question.range(occurrence.range), kind: Some(kind) }
}

pub(super) fn edits(question: &Question, edits: Vec<ide::TextEdit>) -> Vec<lsp::TextEdit> {
    let edit =
        |edit: ide::TextEdit| lsp::TextEdit { range: question.range(edit.range), new_text: edit.insert };
    edits.into_iter().map(edit).collect()
}

pub(super) fn symbols(question: &Question, symbols: Vec<ide::Symbol>) -> lsp::DocumentSymbolResponse {
    if question.abilities.symbol_tree {
        let tree = symbols.into_iter().map(|symbol| document_symbol(question, symbol));
        return lsp::DocumentSymbolResponse::Nested(tree.collect());
    }
    let mut flat = Vec::new();
    flatten(question, symbols, None, &mut flat);
    lsp::DocumentSymbolResponse::Flat(flat)
}

#[expect(deprecated, reason = "the old field must be named, and stays empty")]
fn document_symbol(question: &Question, symbol: ide::Symbol) -> lsp::DocumentSymbol {
    let children = symbol.children.into_iter().map(|child| document_symbol(question, child));
    lsp::DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: question.range(symbol.range),
        selection_range: question.range(symbol.focus),
        children: Some(children.collect()),
    }
}

#[expect(deprecated, reason = "the old field must be named, and stays empty")]
fn flatten(
    question: &Question,
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
            location: location(question, symbol.range),
            container_name: container.map(str::to_owned),
        });
        flatten(question, symbol.children, Some(&symbol.name), flat);
    }
}

pub(super) fn symbol_kind(kind: ide::SymbolKind) -> lsp::SymbolKind {
    match kind {
        ide::SymbolKind::Kernel => lsp::SymbolKind::EVENT,
        ide::SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        ide::SymbolKind::Parameter | ide::SymbolKind::Register => lsp::SymbolKind::VARIABLE,
        ide::SymbolKind::Variable => lsp::SymbolKind::FIELD,
        ide::SymbolKind::Label => lsp::SymbolKind::KEY,
        ide::SymbolKind::Section | ide::SymbolKind::Block => lsp::SymbolKind::NAMESPACE,
    }
}

/// A fold, unless it lies within one line.
pub(super) fn fold(question: &Question, fold: ide::Fold) -> Option<lsp::FoldingRange> {
    let range = question.range(fold.range);
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

/// Nested ranges, the smallest outermost as the protocol links them.
pub(super) fn selection(question: &Question, ranges: &[ide::TextRange]) -> Option<lsp::SelectionRange> {
    ranges.iter().rev().fold(None, |parent, &range| {
        Some(lsp::SelectionRange { range: question.range(range), parent: parent.map(Box::new) })
    })
}
