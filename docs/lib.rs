//! The pages that the program shows. A crate of their own, because a package contains only files of its crate.

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page for programs that use the command line, as markdown.
pub const AUTOMATION: &str = include_str!("automation.md");

/// The page of a diagnostic. A constant of a page that does not exist does not compile.
///
/// # Panics
///
/// If there is no page.
pub const fn diagnostic(name: &str) -> &'static str {
    match page(DIAGNOSTICS, name) {
        Some(page) => page,
        None => panic!("docs/diagnostics has no page with the name of this diagnostic"),
    }
}

/// The page of a finding. A constant of a page that does not exist does not compile.
///
/// # Panics
///
/// If there is no page.
pub const fn finding(name: &str) -> &'static str {
    match page(FINDINGS, name) {
        Some(page) => page,
        None => panic!("docs/findings has no page with the name of this finding"),
    }
}

const fn page(pages: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let mut index = 0;
    while index < pages.len() {
        if is_equal(pages[index].0.as_bytes(), name.as_bytes()) {
            return Some(pages[index].1);
        }
        index += 1;
    }
    None
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}
