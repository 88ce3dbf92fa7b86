//! PTX grammar: one file a level of the language.

use crate::SyntaxKind::*;
use crate::parser::Parser;

/// One item of the scanner.
pub(crate) fn item(p: &mut Parser<'_>) {
    let item = p.start();
    while p.current() != EOF {
        p.bump();
    }
    item.complete(p, ITEM);
}
