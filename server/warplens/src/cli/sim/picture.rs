//! The listing as a page or a picture, in the colours of a terminal.

use anstyle_svg::Term;

use super::arguments::Format;
use crate::cli::plain::NOT_IN_XML;

/// Renders a listing with terminal styles as HTML or SVG, in the colours of the reader's theme. An HTML page has the panel above the
/// listing.
pub(super) fn render(listing: &str, format: Format, panel: Option<&str>) -> String {
    let terminal = Term::new();
    let listing = &listing.replace(NOT_IN_XML, "\u{fffd}");
    let mut text = match format {
        Format::Html => with_panel(themed(&terminal.render_html(listing), "color", "background"), panel),
        _ => themed(&terminal.render_svg(listing), "fill", "fill"),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A class of the renderer, with its colour in a light and in a dark theme. The contrast of each with the background is at least 4.5:1.
const COLOURS: [(&str, &str, &str); 8] = [
    ("fg", "#1f1f1f", "#cccccc"),
    ("fg-red", "#b01011", "#f48771"),
    ("fg-green", "#1c6b2b", "#73c991"),
    ("fg-yellow", "#7a5200", "#cca700"),
    ("fg-blue", "#0550ae", "#6cb6ff"),
    ("fg-bright-blue", "#0550ae", "#6cb6ff"),
    ("fg-magenta", "#7c3aad", "#d2a8ff"),
    ("fg-cyan", "#00627a", "#56c8d8"),
];
const BACKGROUND: (&str, &str) = ("#ffffff", "#181818");

/// Adds colours that follow the theme of the reader. `text` and `behind` are the properties of the colour of text and of the background.
fn themed(rendered: &str, text: &str, behind: &str) -> String {
    let rules = |colour: fn((&'static str, &'static str)) -> &'static str| -> String {
        let texts =
            COLOURS.map(|(class, light, dark)| format!(".{class} {{ {text}: {} }} ", colour((light, dark))));
        format!("{}.bg {{ {behind}: {} }}", texts.concat(), colour(BACKGROUND))
    };
    let style = format!(
        "    .dimmed {{ opacity: 0.75 }}\n    {}\n    @media (prefers-color-scheme: dark) {{ {} }}\n  </style>",
        rules(|(light, _)| light),
        rules(|(_, dark)| dark)
    );
    rendered.replacen("</style>", style.trim_start_matches("    "), 1)
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
