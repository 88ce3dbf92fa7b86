//! Texts with placeholders, for LSP's snippet syntax or as plain text.

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A placeholder with its default text.
    Placeholder(String),
    Choice(Vec<String>),
}

impl Snippet {
    pub fn text(text: &str) -> Snippet {
        Snippet::default().then(text)
    }

    /// A text in which `‹name›` is a placeholder.
    pub fn template(text: &str) -> Snippet {
        let mut snippet = Snippet::default();
        for (index, part) in text.split(['‹', '›']).enumerate() {
            snippet = if index % 2 == 0 { snippet.then(part) } else { snippet.placeholder(part) };
        }
        snippet
    }

    #[must_use]
    pub fn then(mut self, text: &str) -> Snippet {
        self.parts.push(Part::Text(text.to_owned()));
        self
    }

    #[must_use]
    pub fn placeholder(mut self, name: &str) -> Snippet {
        self.parts.push(Part::Placeholder(name.to_owned()));
        self
    }

    /// Adds a choice. If there is only one word, adds it as text.
    #[must_use]
    pub fn choice(mut self, words: &[&str]) -> Snippet {
        match words {
            [only] => self.then(only),
            _ => {
                self.parts.push(Part::Choice(words.iter().map(|word| (*word).to_owned()).collect()));
                self
            }
        }
    }

    /// The text in LSP's snippet syntax.
    pub fn snippet(&self) -> String {
        let mut text = String::new();
        let mut number = 0;
        for part in &self.parts {
            match part {
                Part::Text(part) => text.push_str(&escape(part, "\\$}")),
                Part::Placeholder(name) => {
                    number += 1;
                    text.push_str(&format!("${{{number}:{}}}", escape(name, "\\$}")));
                }
                Part::Choice(words) => {
                    number += 1;
                    let words: Vec<String> = words.iter().map(|word| escape(word, "\\$},|")).collect();
                    text.push_str(&format!("${{{number}|{}|}}", words.join(",")));
                }
            }
        }
        text
    }

    /// The text up to the first placeholder, for a client without snippets.
    pub fn plain(&self) -> String {
        let texts = self.parts.iter().map_while(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Placeholder(_) | Part::Choice(_) => None,
        });
        texts.collect::<String>().trim_end().to_owned()
    }
}

fn escape(text: &str, special: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_both_syntaxes() {
        let snippet =
            Snippet::text("mov.").choice(&["u32", "b,64"]).then(" {$x}, ").placeholder("a}").then(";");
        assert_eq!(snippet.snippet(), "mov.${1|u32,b\\,64|} {\\$x\\}, ${2:a\\}};");
        assert_eq!(snippet.plain(), "mov.");
        assert_eq!(Snippet::text("ret;").plain(), "ret;");
        assert_eq!(Snippet::text("a").choice(&["b"]).snippet(), "ab");
    }
}
