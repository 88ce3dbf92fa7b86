//! The line being typed. A statement never continues on another line, so the tokens of the line determine
//! what can follow.

use text_size::TextRange;
use warplens_ide_db::{FilePosition, token_before};
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::completion_context::TypedWord;

pub(crate) struct Line {
    /// The word being typed, up to the cursor.
    pub(crate) word: TextRange,
    pub(crate) typed: String,
    /// The tokens before the word, in order, without white space.
    pub(crate) tokens: Vec<SyntaxToken>,
    /// Whether the word follows the last token without white space.
    pub(crate) is_glued: bool,
}

impl Line {
    pub(crate) fn before(position: &FilePosition<'_>) -> Line {
        use SyntaxKind::{AT, BANG, COLON, COMMA, WHITESPACE};
        let tree = position.tree();
        let is_word = |kind| !matches!(kind, WHITESPACE | COMMA | COLON | AT | BANG);
        let TypedWord { range: word, text: typed, before, is_glued } =
            TypedWord::at(position, &tree, is_word, |kind| kind == WHITESPACE);
        let mut tokens = Vec::new();
        let mut token = before;
        while let Some(now) = token {
            // White space that starts on the line above ends that line.
            let up_to_word = now.text_range().intersect(TextRange::up_to(word.start())).unwrap_or_default();
            if now.text()[..usize::from(up_to_word.len())].contains('\n') {
                break;
            }
            token = token_before(&tree, &now);
            if !matches!(now.kind(), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT) {
                tokens.push(now);
            }
        }
        tokens.reverse();
        Line { word, typed, tokens, is_glued }
    }

    /// The tokens before the word in its statement, without a label.
    pub(crate) fn statement(&self) -> Statement<'_> {
        let label =
            self.tokens.iter().rposition(|token| token.kind() == SyntaxKind::COLON).map_or(0, |at| at + 1);
        let rest = &self.tokens[label..];
        let guard = match rest {
            [at, bang, ..] if at.kind() == SyntaxKind::AT && bang.kind() == SyntaxKind::BANG => 3,
            [at, ..] if at.kind() == SyntaxKind::AT => 2,
            _ => 0,
        };
        if rest.len() < guard {
            return Statement::Guard { negated: rest.len() == 2 };
        }
        match &rest[guard..] {
            [] => Statement::Start { guarded: guard > 0 },
            [mnemonic, rest @ ..] if mnemonic.kind() == SyntaxKind::IDENT => {
                let suffixes = rest.iter().take_while(|token| token.kind() == SyntaxKind::DOT_WORD).count();
                let (suffixes, operands) = rest.split_at(suffixes);
                let written = suffixes.iter().map(SyntaxToken::text);
                let name = std::iter::once(mnemonic.text()).chain(written).collect();
                Statement::Instruction { name, operands }
            }
            [directive, arguments @ ..] if directive.kind() == SyntaxKind::DOT_WORD => {
                Statement::Directive { name: directive.text(), arguments }
            }
            _ => Statement::Other,
        }
    }
}

/// The part of a statement before the word being typed.
pub(crate) enum Statement<'l> {
    /// Nothing, or a guard.
    Start {
        guarded: bool,
    },
    /// `@` or `@!`
    Guard {
        negated: bool,
    },
    /// A mnemonic with its suffixes, and the tokens of the operands, including commas.
    Instruction {
        name: String,
        operands: &'l [SyntaxToken],
    },
    /// A directive and the tokens of its arguments, including commas.
    Directive {
        name: &'l str,
        arguments: &'l [SyntaxToken],
    },
    Other,
}
