//! Lowers the tree of an item.

mod column_address;
mod data;
mod function;
mod operand;
mod unread;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_syntax::{Node, NodeOrToken, SyntaxKind, Token};

use super::model::{Code, Name, Stated};
use super::section::Section;
use super::target::Target;
use column_address::ColumnAddress;
use function::Builder;

pub fn lower(root: Node<'_>) -> Code {
    let mut lowering = Lowering::default();
    for element in root.elements() {
        match element {
            NodeOrToken::Node(node) => lowering.node(node),
            NodeOrToken::Token(token) => lowering.token(token),
        }
    }
    lowering.finish(root.range().end())
}

/// The target that an item states, read from its headers and directives only.
pub fn stated(root: Node<'_>) -> Option<Target> {
    let mut lowering = Lowering::default();
    for node in root.nodes() {
        match node.kind() {
            SyntaxKind::HEADER => lowering.header(node),
            SyntaxKind::DIRECTIVE => lowering.directive(node),
            _ => {}
        }
    }
    lowering.code.stated.map(|stated| stated.target)
}

#[derive(Default)]
struct Lowering {
    code: Code,
    /// How far the source of the target is trusted.
    trust: u8,
    function: Builder,
    /// Whether the line has a comment that is prose, and no code.
    only_prose: bool,
    /// The address in the columns before the instruction of the line.
    column: Option<ColumnAddress>,
    /// The opcode of a line that is not read and looks like an instruction.
    unread: Option<(SmolStr, TextRange)>,
}

impl Lowering {
    fn node(&mut self, node: Node<'_>) {
        (self.only_prose, self.unread) = (false, None);
        match node.kind() {
            SyntaxKind::INSTRUCTION => self.function.instruction(node, self.column.take()),
            SyntaxKind::LABEL => self.label(node),
            SyntaxKind::DATA => {
                if let Some(section) = &mut self.code.section {
                    data::line(section, node);
                }
            }
            SyntaxKind::DIRECTIVE => self.directive(node),
            SyntaxKind::HEADER => self.header(node),
            _ => {}
        }
    }

    fn token(&mut self, token: Token<'_>) {
        match token.kind {
            SyntaxKind::ENCODING => self.function.encoding(token),
            SyntaxKind::NEWLINE => {
                let is_prose = std::mem::take(&mut self.only_prose);
                match self.unread.take() {
                    Some((opcode, range)) => self.function.unread(opcode, range),
                    None if is_prose => self.function.prose(),
                    None => {}
                }
                self.column = None;
                self.function.newline();
            }
            SyntaxKind::COMMENT if !token.text.starts_with('/') => {
                self.only_prose = true;
                self.column = column_address::of(token);
                self.unread = unread::opcode(token).map(|(opcode, range)| (opcode.into(), range));
            }
            SyntaxKind::COMMENT if token.text.starts_with("//-") => self.note(token),
            _ => {}
        }
    }

    fn label(&mut self, node: Node<'_>) {
        let Some(name) = node.child(SyntaxKind::NAME).and_then(|name| name.tokens().next()) else { return };
        match &mut self.code.section {
            Some(section) => section.labels.push((name.text.into(), name.range(), section.size)),
            None => self.function.label(name),
        }
    }

    /// `//----- nvinfo : EIATTR_REGCOUNT`
    fn note(&mut self, token: Token<'_>) {
        let Some(section) = &mut self.code.section else { return };
        let Some(at) = token.text.find("nvinfo :") else { return };
        let name = token.text[at + 8..].trim();
        let start = token.start + TextSize::of(&token.text[..token.text.trim_end().len() - name.len()]);
        let range = TextRange::at(start, TextSize::of(name));
        section.attributes.push((name.into(), range, section.data.len() as u32));
    }

    fn directive(&mut self, node: Node<'_>) {
        let mut tokens = node.tokens();
        let Some(directive) = tokens.next() else { return };
        match directive.word() {
            "section" => {
                let Some(name) = tokens.next() else { return };
                self.section(name, node.range());
            }
            "target" => {
                if let Some(token) = tokens.next() {
                    self.state(token.text, token.range(), 3);
                }
            }
            "headerflags" => {
                if let Some(token) = node.token(SyntaxKind::STRING) {
                    self.header_flags(token);
                }
            }
            "sectioninfo" => {
                self.function.registers = node.token(SyntaxKind::STRING).and_then(number_in);
            }
            "sectionflags" => {
                let flag = node.token(SyntaxKind::STRING).filter(|token| token.text.contains("BARRIERS="));
                self.function.barriers = flag.and_then(number_in).or(self.function.barriers);
            }
            "other" => {
                let entry = node.token(SyntaxKind::STRING);
                let is_entry = entry.is_some_and(|token| token.text.contains("STO_CUDA_ENTRY"));
                let subject = tokens.next().map(|token| token.text);
                if subject == self.function.name.as_ref().map(|name| name.text.as_str()) {
                    self.function.is_kernel = Some(is_entry);
                }
            }
            "type" => {
                let subject = tokens.next();
                if node.tokens().any(|token| token.text == "function") {
                    self.function.declared.extend(subject.map(|token| SmolStr::from(token.text)));
                }
            }
            _ => {
                if let Some(section) = &mut self.code.section {
                    data::line(section, node);
                }
            }
        }
    }

    /// `.section .text.k,"ax",@progbits`
    fn section(&mut self, name: Token<'_>, range: TextRange) {
        if let Some(function) = name.text.strip_prefix(".text.") {
            let start = name.start + TextSize::of(".text.");
            let range = TextRange::at(start, TextSize::of(function));
            self.function.name = Some(Name { text: function.into(), range });
        } else {
            let section =
                Section { name: name.text.into(), name_range: name.range(), range, ..Section::default() };
            self.code.section = Some(section);
        }
    }

    /// `Function : k`, `code for sm_80`, `arch = sm_61`
    fn header(&mut self, node: Node<'_>) {
        let Some(key) = node.token(SyntaxKind::HEADER_WORD) else { return };
        let Some(name) = node.child(SyntaxKind::NAME).and_then(|name| name.tokens().next()) else { return };
        match key.text {
            "Function" | "# Kernel" => {
                self.function.name = Some(Name { text: name.text.into(), range: name.range() })
            }
            "code for" => self.state(name.text, name.range(), 4),
            "arch" | "# Arch" => self.state(name.text, name.range(), 2),
            _ => {}
        }
    }

    /// `@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"`
    fn header_flags(&mut self, token: Token<'_>) {
        let mut at = 0;
        for word in token.text.split([' ', '"']) {
            if let Some(target) = word.strip_prefix("EF_CUDA_SM") {
                let digits = target.bytes().take_while(u8::is_ascii_digit).count();
                let start = token.start + TextSize::new((at + "EF_CUDA_".len()) as u32);
                let range = TextRange::at(start, TextSize::new(digits as u32 + 2));
                return self.state(&word["EF_CUDA_".len()..][..digits + 2], range, 1);
            }
            at += word.len() + 1;
        }
    }

    fn state(&mut self, text: &str, range: TextRange, trust: u8) {
        let Some(target) = Target::parse(text) else { return };
        if trust >= self.trust {
            self.trust = trust;
            self.code.stated = Some(Stated { target, range });
        }
    }

    fn finish(mut self, end: TextSize) -> Code {
        if let Some(section) = &mut self.code.section {
            section.range = TextRange::new(section.range.start(), end);
        }
        let target = self.code.stated.as_ref().map(|stated| stated.target.clone());
        self.code.functions = self.function.finish(target.as_ref());
        self.code
    }
}

/// The number after `=` in `"SHI_REGISTERS=12"`.
fn number_in(token: Token<'_>) -> Option<u32> {
    let (_, number) = token.text.split_once('=')?;
    number.trim_end_matches('"').split_whitespace().next()?.parse().ok()
}
