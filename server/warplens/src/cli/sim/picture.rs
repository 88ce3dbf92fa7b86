//! The listing as a page or a picture, in the colours of a terminal.

use anstyle_svg::Term;

use super::arguments::Format;

/// The listing, which has styles for terminals, as HTML or SVG.
pub(super) fn render(listing: &str, format: Format) -> String {
    let terminal = Term::new();
    let mut text = match format {
        Format::Html => terminal.render_html(listing),
        _ => terminal.render_svg(listing),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
