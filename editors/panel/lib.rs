//! The lanes panel in HTML reports. A crate of its own, because a package contains only files of its crate.

pub const STYLE: &str = include_str!("src/panel.css");

/// The script that draws the panel; `npm run build` in `editors/vscode` bundles it.
pub const SCRIPT: &str = include_str!("report.js");
