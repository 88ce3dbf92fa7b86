//! What the items of a file declare for each other, and what of it an edit changed: another item has to be checked again only if it
//! uses one of these names.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// What one item declares. Equal values mean the same to the other items.
pub trait Declares: PartialEq + Debug + Send + Sync + 'static {
    /// The declared names; `None` if they cannot be listed.
    fn names(&self) -> Option<Vec<SmolStr>>;
}

/// The declarations of all items of a file.
pub trait Declarations: Debug + Send + Sync {
    /// How they differ from earlier ones of the same file; `None` if names that changed cannot be listed.
    fn changes(&self, before: &dyn Declarations) -> Option<Changes>;

    /// Itself, for a comparison with others of its type.
    fn as_any(&self) -> &dyn Any;
}

/// The difference between the declarations of a file before and after an edit.
#[derive(Debug, PartialEq, Eq)]
pub struct Changes {
    /// The items before the edit whose declarations are not the same.
    pub removed: Range<usize>,
    /// The number of items in their place.
    pub inserted: usize,
    /// The names that these items declare, before or after the edit.
    pub names: FxHashSet<SmolStr>,
}

/// The declarations by item, in the order of the text.
impl<T: Declares> Declarations for Box<[Arc<T>]> {
    fn changes(&self, before: &dyn Declarations) -> Option<Changes> {
        let before = before.as_any().downcast_ref::<Self>()?;
        let is_same = |(one, other): &(&Arc<T>, &Arc<T>)| Arc::ptr_eq(one, other) || one == other;
        let first = before.iter().zip(self).take_while(is_same).count();
        let last = before[first..].iter().rev().zip(self[first..].iter().rev()).take_while(is_same).count();
        let (removed, inserted) = (first..before.len() - last, first..self.len() - last);
        let mut names = FxHashSet::default();
        for item in before[removed.clone()].iter().chain(&self[inserted.clone()]) {
            names.extend(item.names()?);
        }
        Some(Changes { removed, inserted: inserted.len(), names })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that an item declares.
    #[derive(Debug, PartialEq)]
    struct Names(&'static str);

    impl Declares for Names {
        fn names(&self) -> Option<Vec<SmolStr>> {
            (!self.0.contains('<')).then(|| self.0.split_whitespace().map(SmolStr::from).collect())
        }
    }

    fn declarations(items: &[&'static str]) -> Box<[Arc<Names>]> {
        items.iter().map(|names| Arc::new(Names(names))).collect()
    }

    #[test]
    fn the_changed_items_are_in_a_row() {
        let before = declarations(&["a", "b", "", "c d"]);
        let changes = |after: &[&'static str]| {
            let changes = declarations(after).changes(&before)?;
            let mut names: Vec<SmolStr> = changes.names.into_iter().collect();
            names.sort();
            Some((changes.removed, changes.inserted, names.join(" ")))
        };
        assert_eq!(changes(&["a", "b", "", "c d"]), Some((4..4, 0, String::new())));
        assert_eq!(changes(&["a", "e", "", "c d"]), Some((1..2, 1, "b e".into())));
        assert_eq!(changes(&["a", "b", "", "", "c d"]), Some((3..3, 1, String::new())));
        assert_eq!(changes(&["a", "c d"]), Some((1..3, 0, "b".into())));
        assert_eq!(changes(&["e", "b", "", "c"]), Some((0..4, 4, "a b c d e".into())));
        assert_eq!(changes(&["a", "v<2>", "", "c d"]), None, "names of ranges are not listed");
    }
}
