//! Contraction: an assembler may compute a product and a sum without a rounding modifier as one fused multiply-add, which rounds once.

use text_size::TextRange;
use warplens_ide_db::TextEdit;

/// The sums of a file that may be fused with a product.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contractions {
    /// Edits that save the factors of products: their registers may change before the sum.
    pub kept: Vec<TextEdit>,
    /// In text order.
    pub sums: Vec<FusibleSum>,
}

/// An addition or subtraction of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FusibleSum {
    pub range: TextRange,
    /// The fused statements, one for each operand that is a product.
    pub fused: Vec<String>,
    /// The one that the assembler is known to choose, if it fuses the sum.
    pub usual: Option<usize>,
}

impl Contractions {
    /// The edits, in text order, that fuse each sum with the chosen product. No line moves.
    pub fn edits(&self, chosen: &[Option<usize>]) -> Vec<TextEdit> {
        let fuse = |(sum, chosen): (&FusibleSum, &Option<usize>)| {
            Some(TextEdit { range: sum.range, insert: sum.fused.get((*chosen)?)?.clone() })
        };
        let fused = self.sums.iter().zip(chosen).filter_map(fuse);
        let mut edits: Vec<_> = self.kept.iter().cloned().chain(fused).collect();
        edits.sort_by_key(|edit| edit.range.start());
        edits
    }
}
