//! Functions and blocks, as far as a statement needs them: whether it is in a function, and which statements run together.

use super::lexer::Lexer;
use crate::statement::Place;
use crate::tokens::{Kind, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BraceKind {
    /// A namespace or `extern "C"`.
    Namespace,
    Type,
    /// A function, or a block that always runs with the one around it.
    Code,
    /// A block behind a condition.
    Conditional,
}

#[derive(Debug, Clone, Copy)]
struct Brace {
    kind: BraceKind,
    id: usize,
    /// Where the declaration starts whose braces these are.
    header: usize,
    /// Whether it is a constructor or destructor.
    is_of_lifetime: bool,
}

/// What the last token was, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    Boundary,
    /// `)` after `if (`, `for (` …
    Head,
    /// `else`, `do`.
    Keyword,
    /// `)` of anything else, a name, `]`.
    Declarator,
    Other,
}

#[derive(Debug, Default)]
pub(super) struct Scopes {
    braces: Vec<Brace>,
    /// For each open parenthesis, the word before it.
    heads: Vec<&'static str>,
    last: Last,
    word: &'static str,
    /// Whether a condition precedes directly: `if (x) asm(…)`. A lambda runs where it is called, so it counts as one.
    conditional: bool,
    after_bracket: bool,
    declares: Option<BraceKind>,
    /// Where the declaration or statement starts, and whether it is that of a constructor or destructor.
    header: usize,
    is_of_lifetime: bool,
    next: usize,
    /// For each open condition, its branch and the braces at its start.
    saved: Vec<(usize, Vec<Brace>)>,
    outside_macro: Option<Vec<Brace>>,
}

/// What precedes an `asm`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    /// Whether a statement may start here in any case.
    pub(super) is_start: bool,
    /// Whether it is outside of all functions.
    pub(super) is_outside: bool,
    pub(super) place: Place,
}

impl Scopes {
    pub(super) fn position(&self, lexer: &Lexer<'_>) -> Position {
        let is_code = |brace: &&Brace| matches!(brace.kind, BraceKind::Code | BraceKind::Conditional);
        let outermost = self.braces.iter().position(|brace| is_code(&brace));
        let function = outermost.map_or(0, |at| self.braces[at].id);
        let always = self.braces.iter().rposition(|brace| brace.kind != BraceKind::Code);
        let block = self.braces.get(always.map_or(0, |at| at + 1)).or(self.braces.last());
        // A single statement behind a condition is a block of its own.
        let block = match self.conditional {
            true => usize::MAX - self.next,
            false => block.map_or(0, |brace| brace.id) ^ lexer.conditions.branch() << (usize::BITS / 2),
        };
        Position {
            is_start: self.last != Last::Declarator,
            is_outside: function == 0 && !lexer.is_in_macro(),
            place: Place {
                function,
                block,
                is_of_lifetime: self.braces.iter().any(|brace| brace.is_of_lifetime),
                is_on_demand: outermost.is_none_or(|at| self.is_on_demand(lexer.source, at)),
                architecture: lexer.conditions.architecture(),
            },
        }
    }

    /// Whether the function with the brace at `at` may be left out. A function is not if it says that it is a kernel or one of the device,
    /// and has no word that lets the compiler drop it.
    fn is_on_demand(&self, source: &str, at: usize) -> bool {
        let header =
            source.get(self.braces[at].header..).and_then(|text| text.split('{').next()).unwrap_or_default();
        let mut words = header.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let may_be_left_out = |word: &str| {
            matches!(word, "static" | "template" | "constexpr")
                || word.to_ascii_lowercase().contains("inline")
        };
        self.braces[..at].iter().any(|brace| brace.kind == BraceKind::Type)
            || words.clone().any(may_be_left_out)
            || !words.any(|word| matches!(word, "__global__" | "__device__"))
    }

    pub(super) fn after_statement(&mut self) {
        self.last = Last::Other;
        self.next += 1;
        self.conditional = false;
    }

    pub(super) fn add(&mut self, lexer: &mut Lexer<'_>, token: Token) {
        self.follow_conditions(lexer);
        if self.last == Last::Boundary {
            self.header = token.start;
        }
        match token.kind {
            Kind::Name => self.name(lexer.text(token)),
            Kind::String if self.word == "extern" => self.word = "linkage",
            Kind::MacroStart => {
                self.outside_macro = Some(std::mem::take(&mut self.braces));
                self.next += 1;
                self.braces.push(Brace {
                    kind: BraceKind::Code,
                    id: self.next,
                    header: token.start,
                    is_of_lifetime: false,
                });
                self.boundary();
            }
            Kind::MacroEnd => {
                self.braces = self.outside_macro.take().unwrap_or_default();
                self.boundary();
            }
            Kind::Punctuation(byte) => {
                let is_outermost = byte == b'(' && self.heads.is_empty();
                self.is_of_lifetime |= is_outermost && self.is_of_lifetime(lexer.source, token.start);
                self.punctuation(byte);
            }
            _ => self.last = Last::Other,
        }
    }

    /// Whether the name before the parenthesis at `open` is that of a constructor or destructor: `~S`, `S::S`, or `S` in the type `S`.
    fn is_of_lifetime(&self, source: &str, open: usize) -> bool {
        let before = source[..open].trim_end();
        let name = &before[before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..];
        let before = before[..before.len() - name.len()].trim_end();
        let is_of_type = self.braces.last().is_some_and(|brace| {
            let header = source.get(brace.header..open).and_then(|text| text.split('{').next());
            let mut words = header.unwrap_or_default().split(|c: char| !(c.is_alphanumeric() || c == '_'));
            brace.kind == BraceKind::Type && words.any(|word| word == name)
        });
        let is_qualified = before.strip_suffix("::").is_some_and(|owner| owner.trim_end().ends_with(name));
        !name.is_empty() && (before.ends_with('~') || is_qualified || is_of_type)
    }

    /// Each branch of a condition starts with the braces that were open before it.
    fn follow_conditions(&mut self, lexer: &Lexer<'_>) {
        let depth = lexer.conditions.depth();
        self.saved.truncate(depth);
        let branch = lexer.conditions.branch();
        while self.saved.len() < depth {
            self.saved.push((branch, self.braces.clone()));
        }
        if let Some((last, braces)) = self.saved.last_mut()
            && *last != branch
        {
            *last = branch;
            self.braces.clone_from(braces);
            self.boundary();
        }
    }

    fn name(&mut self, name: &str) {
        self.after_bracket = false;
        self.last = match name {
            "else" | "do" => Last::Keyword,
            "return" => Last::Other,
            _ => Last::Declarator,
        };
        self.conditional |= name == "else";
        self.word = match name {
            "if" | "constexpr" => "if",
            "for" => "for",
            "while" => "while",
            "switch" => "switch",
            "extern" => "extern",
            _ => "",
        };
        match name {
            "namespace" => self.declares = Some(BraceKind::Namespace),
            "struct" | "class" | "union" | "enum" if self.heads.is_empty() && self.declares.is_none() => {
                self.declares = Some(BraceKind::Type);
            }
            "case" | "default" => self.conditional = true,
            _ => {}
        }
    }

    fn punctuation(&mut self, byte: u8) {
        match byte {
            b'(' => {
                // `[&](int x) {`
                self.heads.push(if self.after_bracket { "lambda" } else { self.word });
                self.last = Last::Other;
            }
            b')' => {
                let head = self.heads.pop().unwrap_or_default();
                self.last = if matches!(head, "" | "lambda") { Last::Declarator } else { Last::Head };
                self.conditional |= matches!(head, "if" | "switch" | "while" | "lambda");
                if head.is_empty() && self.declares == Some(BraceKind::Type) {
                    // `struct S f() {`; a type has no parentheses after its name but those of attributes.
                    self.declares = None;
                }
            }
            b'{' => {
                let kind = match self.declares.take() {
                    Some(kind) => kind,
                    None if self.word == "linkage" => BraceKind::Namespace,
                    None if self.conditional || self.after_bracket => BraceKind::Conditional,
                    None => BraceKind::Code,
                };
                self.next += 1;
                let (header, is_of_lifetime) = (self.header, self.is_of_lifetime);
                self.braces.push(Brace { kind, id: self.next, header, is_of_lifetime });
                self.boundary();
            }
            b'}' => {
                self.braces.pop();
                self.boundary();
            }
            b';' if self.heads.is_empty() => self.boundary(),
            b']' => self.last = Last::Declarator,
            b':' => self.last = Last::Boundary,
            _ => self.last = Last::Other,
        }
        self.after_bracket = byte == b']';
        self.word = "";
    }

    fn boundary(&mut self) {
        self.last = Last::Boundary;
        self.conditional = false;
        self.declares = None;
        self.is_of_lifetime = false;
        self.heads.clear();
        self.word = "";
    }
}
