//! Markdown for the client.

use ls_types::{MarkupContent, MarkupKind};

use crate::markdown;

/// Markdown, or plain text for a client that does not render it.
pub(crate) fn markup(markdown: String, rendered: bool) -> MarkupContent {
    if rendered {
        return MarkupContent { kind: MarkupKind::Markdown, value: markdown };
    }
    MarkupContent { kind: MarkupKind::PlainText, value: markdown::plain(&markdown) }
}
