//! Accessors of the typed tree that need more than a child look-up.

use crate::chunks;
use crate::wave::ast::*;

impl Block {
    /// The statements in order, including those in chunks.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        chunks::statements(&self.syntax)
    }
}
