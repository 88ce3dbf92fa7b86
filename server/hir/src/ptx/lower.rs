//! From the tree of one item to the model: declarations, names, operands and constants, in a single walk in
//! text order.
//!
//! The walk uses the list of elements, because names borrowed from it live as long as the walk, and because
//! it visits every token of a large function while an editor waits. Parts that are missing in the tree are
//! missing in the model.

mod body;
mod constant;
mod declaration;
mod header;
mod instruction;
mod literal;
mod mnemonic;
mod operand;
mod rules;
mod scopes;

#[cfg(test)]
mod tests;

use text_size::TextRange;
use warplens_syntax::SyntaxKind::{BLOCK, FUNCTION};
use warplens_syntax::{Node, Token};

use self::body::Body;
use super::Function;

impl Function {
    /// Lowers the tree of a function item; `None` for any other item.
    pub fn lower(item: Node<'_>) -> Option<Function> {
        let function = item.child(FUNCTION)?;
        let mut body = Body::with_capacity_for(function.range().len().into());
        let outside = declaration::function(function, &mut body.problems);
        body.function(function.range(), &outside);
        let block = function.child(BLOCK);
        if let Some(block) = block {
            body.block(block);
        }
        Some(Function {
            kind: outside.kind,
            linkage: outside.linkage,
            name: outside.name.map(|name| name.text.into()),
            name_range: outside.name.map_or(TextRange::empty(outside.keyword.end()), Token::range),
            signature: outside.signature,
            body: block.map(|block| block.range()),
            parts: body.finish(),
        })
    }
}
