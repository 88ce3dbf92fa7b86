//! The listing as a page or a picture, in the colours of a terminal.

use anstyle_svg::Term;

use super::arguments::Format;
use crate::cli::plain::NOT_IN_XML;

/// Renders a listing with terminal styles as HTML or SVG. An HTML page has the panel above the listing.
pub(super) fn render(listing: &str, format: Format, panel: Option<&str>) -> String {
    let terminal = Term::new();
    let listing = &listing.replace(NOT_IN_XML, "\u{fffd}");
    let mut text = match format {
        Format::Html => with_panel(terminal.render_html(listing), panel),
        _ => terminal.render_svg(listing),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The page must not load anything.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                      style-src 'unsafe-inline'; script-src 'unsafe-inline'; worker-src blob:\">\n";

fn with_panel(page: String, panel: Option<&str>) -> String {
    let Some(panel) = panel else { return page };
    let (Some(head), Some(body)) = (page.find("</head>"), page.find("<body")) else { return page };
    let Some(start) = page[body..].find('>').map(|end| body + end + 1) else { return page };
    [&page[..head], POLICY, &page[head..start], "\n", panel, &page[start..]].concat()
}
