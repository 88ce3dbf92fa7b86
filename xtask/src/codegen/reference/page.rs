//! A page of the reference, and its Markdown.

use std::fmt::{Display, Write};

use crate::codegen::isa::data::Category;
use crate::codegen::isa::schema::entry::{Evidence, Simulation};

pub(super) struct Page {
    /// Path relative to the folder of the pages, without `.md`.
    pub(super) path: String,
    pub(super) title: String,
    /// The subject, for the index.
    pub(super) about: String,
    pub(super) body: String,
}

impl Page {
    /// A page below a folder, whose subject is `about` without markup.
    pub(super) fn new(path: String, title: &str, about: &str, body: String) -> Page {
        Page { path, title: title.into(), about: plain(about), body }
    }

    /// The page of a category of instructions, each as `entry` describes it.
    pub(super) fn of_category<I>(
        folder: &str,
        Category { id, title, about, instructions, .. }: &Category<I>,
        entry: impl Fn(&I) -> String,
    ) -> Page {
        let entries: String = instructions.iter().map(entry).collect();
        Page::new(format!("{folder}/{id}"), title, about, format!("{}\n\n{entries}", plain(about)))
    }
}

pub(super) fn code(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n\n", text.trim_matches('\n'))
}

/// A table; empty if there are no rows.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rows: String = rows.into_iter().map(|row| line(&row.map(|cell| cell.replace('|', "\\|")))).collect();
    if rows.is_empty() {
        return rows;
    }
    line(&head.map(str::to_owned)) + &line(&["---"; N].map(str::to_owned)) + &rows + "\n"
}

/// Names as code, separated by spaces.
pub(super) fn code_names<S: Display>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().map(code_name).collect::<Vec<_>>().join(" ")
}

/// A name in backquotes, as Markdown writes code.
pub(super) fn code_name(name: impl Display) -> String {
    format!("`{name}`")
}

/// A list; empty if there are no items.
pub(super) fn list<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let mut out = String::new();
    for item in items {
        let _ = writeln!(out, "* {}", plain(item.as_ref()));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Escapes a text so that Markdown sees no markup. Underscores within a word need no escape.
pub(super) fn plain(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let in_word = |at: usize| chars.get(at).is_some_and(|c| c.is_alphanumeric());
    let mut out = String::new();
    for (at, &c) in chars.iter().enumerate() {
        match c {
            '<' => out += "&lt;",
            '*' => out += "\\*",
            '_' if !(at > 0 && in_word(at - 1) && in_word(at + 1)) => out += "\\_",
            c => out.push(c),
        }
    }
    out
}

/// How far the simulator supports an entry, as a phrase.
pub(super) fn simulation(decision: &Simulation) -> String {
    match decision {
        Simulation::Simulated => "simulated".to_owned(),
        Simulation::Partly(exception) => format!("simulated, but {exception}"),
        Simulation::NoOp(why) => format!("accepted by the simulator without effect ({why})"),
        Simulation::Unsupported(why) => format!("not simulated ({why})"),
    }
}

/// How the effect of an entry is known, as a phrase.
pub(super) fn evidence(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::Text => "known by the ISA text",
        Evidence::Assembler => "known by machine code",
        Evidence::Gpu => "run on a GPU",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_escapes_bars_and_vanishes_without_rows() {
        let rows = [["a|b".to_owned(), "c".to_owned()]];
        assert_eq!(table(["x", "y"], rows), "| x | y |\n| --- | --- |\n| a\\|b | c |\n\n");
        assert_eq!(table(["x", "y"], []), "");
    }

    #[test]
    fn text_is_shown_as_it_is() {
        assert_eq!(plain("a * b_c < d, _ or _e"), "a \\* b_c &lt; d, \\_ or \\_e");
    }
}
