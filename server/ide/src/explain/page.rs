//! Builds a page of documentation: headings, lists and code. Empty parts are omitted.

use warplens_ide_db::markdown::code_block;
use warplens_isa::{Evidence, Role, Simulation};

pub(crate) const RULE: &str = "\n\n---\n\n";

/// Markdown, paragraph by paragraph.
#[derive(Default)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    pub(crate) fn titled(name: &str, facts: &[String]) -> Page {
        let mut page = Page::default();
        let facts: Vec<&str> = facts.iter().map(String::as_str).filter(|fact| !fact.is_empty()).collect();
        page.paragraph(&format!("**`{name}`** · {}", facts.join(" · ")));
        page
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.separate();
            self.text.push_str(&keep_products(text));
        }
    }

    pub(crate) fn code(&mut self, language: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        let code: Vec<String> = lines.into_iter().map(|line| line.as_ref().trim_end().to_owned()).collect();
        if !code.is_empty() {
            self.separate();
            self.text.push_str(&code_block(language, &code.join("\n")));
        }
    }

    pub(crate) fn titled_code(&mut self, title: &str, language: &str, code: &str) {
        if !code.trim().is_empty() {
            self.paragraph(&format!("**{title}**"));
            self.code(language, code.trim_end().lines());
        }
    }

    pub(crate) fn list(&mut self, title: &str, entries: impl IntoIterator<Item = impl AsRef<str>>) {
        let mut entries = entries.into_iter().peekable();
        if entries.peek().is_some() {
            self.paragraph(&format!("**{title}**"));
            self.text.push('\n');
            for entry in entries {
                self.text.push_str("\n- ");
                self.text.push_str(&keep_products(entry.as_ref()));
            }
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
    }
}

/// Escapes the stars of products such as `y*ntid.x`, because Markdown reads two of them as emphasis. A star with white
/// space or the end of the text on one side is emphasis, and stays.
fn keep_products(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_code = false;
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        in_code ^= character == '`';
        let left = before.is_alphanumeric() || matches!(before, ')' | ']');
        let right = rest.peek().is_some_and(|next| next.is_alphanumeric() || matches!(next, '(' | '[' | '%'));
        if character == '*' && left && right && !in_code {
            kept.push('\\');
        }
        kept.push(character);
        before = character;
    }
    kept
}

/// A note on how the simulator handles an instruction, unless it is fully supported.
pub(crate) fn simulation(simulation: Simulation) -> String {
    match simulation {
        Simulation::Simulated => String::new(),
        Simulation::Partly(why) => format!("**Simulator.** Simulated, but {why}."),
        Simulation::NoOp(why) => format!("**Simulator.** No effect: {why}."),
        Simulation::Unsupported(why) => format!("**Simulator.** Unsupported: {why}."),
    }
}

/// How the effect of an instruction is known.
pub(crate) fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Text => "**Known from** the text of the ISA.",
        Evidence::Assembler => {
            "**Known from** the assembler: what it computes from constants, or its machine code."
        }
        Evidence::Gpu => "**Known from** runs on a GPU: kernels with it leave the same memory there.",
    }
}

pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::Read => "read",
        Role::Write => "written",
        Role::Both => "read and written",
    }
}

#[cfg(test)]
mod tests {
    use super::keep_products;

    #[test]
    fn products_are_not_emphasis_and_emphasis_is_kept() {
        assert_eq!(keep_products("x + y*ntid.x + z*(a)*%b"), r"x + y\*ntid.x + z\*(a)\*%b");
        assert_eq!(keep_products("**Lanes.** *(old)*, `a*b`"), "**Lanes.** *(old)*, `a*b`");
    }
}
