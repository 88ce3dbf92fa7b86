//! Combines all fixes that are safe to apply without review into one edit.

use std::collections::BTreeMap;

use text_size::TextSize;

use crate::answer::{Diagnostic, Fix, TextEdit};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SafeFixes {
    /// In text order.
    pub edits: Vec<TextEdit>,
    pub count: usize,
}

/// If two fixes overlap, the later one is dropped.
pub fn safe_fixes(found: &[Diagnostic]) -> SafeFixes {
    let mut taken = Taken::default();
    let fixes = found.iter().flat_map(|found| &found.fixes).filter(|fix| fix.preferred);
    let count = fixes.filter(|fix| taken.add(fix)).count();
    SafeFixes { edits: taken.0.into_values().collect(), count }
}

/// The accepted edits, by start and end, so that an insertion comes before a replacement at the same
/// position. Edits of different fixes neither overlap nor touch.
#[derive(Default)]
struct Taken(BTreeMap<(TextSize, TextSize), TextEdit>);

fn key(edit: &TextEdit) -> (TextSize, TextSize) {
    (edit.range.start(), edit.range.end())
}

impl Taken {
    fn add(&mut self, fix: &Fix) -> bool {
        let fits = fix.edits.iter().all(|edit| self.has_space(edit));
        if fits {
            self.0.extend(fix.edits.iter().map(|edit| (key(edit), edit.clone())));
        }
        fits
    }

    /// Whether an edit touches no accepted edit, or was itself accepted before.
    fn has_space(&self, edit: &TextEdit) -> bool {
        let start = edit.range.start();
        let before = self.0.range(..=(start, TextSize::new(u32::MAX))).next_back();
        let after = self.0.range((start, TextSize::new(0))..).next();
        let is_free = |(_, other): (&(TextSize, TextSize), &TextEdit)| {
            other == edit || other.range.intersect(edit.range).is_none()
        };
        before.is_none_or(is_free) && after.is_none_or(is_free)
    }
}

#[cfg(test)]
mod tests {
    use text_size::TextRange;

    use super::*;
    use crate::Severity;

    fn diagnostic(preferred: bool, edits: &[(u32, u32, &str)]) -> Diagnostic {
        let edit = |&(start, end, insert): &(u32, u32, &str)| TextEdit {
            range: TextRange::new(start.into(), end.into()),
            insert: insert.to_owned(),
        };
        let fix = Fix { title: String::new(), edits: edits.iter().map(edit).collect(), preferred };
        let range = TextRange::empty(0.into());
        Diagnostic { fixes: vec![fix], ..Diagnostic::new(range, Severity::Error, "x", "") }
    }

    #[test]
    fn an_insertion_before_a_replacement_of_the_same_fix_is_kept() {
        let found = [diagnostic(true, &[(4, 4, "a"), (4, 11, "b"), (20, 22, "c")])];
        let shown: Vec<String> = safe_fixes(&found).edits.into_iter().map(|edit| edit.insert).collect();
        assert_eq!(shown, ["a", "b", "c"]);
    }

    #[test]
    fn only_preferred_fixes_that_do_not_overlap() {
        let found = [
            diagnostic(true, &[(8, 9, "b")]),
            diagnostic(false, &[(20, 21, "no")]),
            diagnostic(true, &[(0, 2, "a"), (8, 9, "b")]),
            diagnostic(true, &[(4, 8, "touches")]),
            diagnostic(true, &[(1, 6, "overlaps"), (30, 31, "no")]),
            diagnostic(true, &[(12, 12, "c")]),
        ];
        let SafeFixes { edits, count } = safe_fixes(&found);
        assert_eq!(count, 3);
        let shown: Vec<&str> = edits.iter().map(|edit| edit.insert.as_str()).collect();
        assert_eq!(shown, ["a", "b", "c"]);
    }
}
