//! Delta debugging: which of several parts can be removed together.

/// Removes as many of `count` parts as possible: halves, quarters and so on down to single parts, the last ones first. `holds` is passed
/// the parts to remove, in order, and tells whether the remaining parts still show the difference. Returns the removed parts.
pub(super) fn removable<E>(
    count: usize,
    mut holds: impl FnMut(&[usize]) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut kept: Vec<usize> = (0..count).collect();
    let mut removed: Vec<usize> = Vec::new();
    let mut size = count;
    while size > 0 && !kept.is_empty() {
        let mut is_smaller = false;
        let mut end = kept.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let mut tried = removed.clone();
            tried.extend(&kept[start..end]);
            tried.sort_unstable();
            if holds(&tried)? {
                kept.drain(start..end);
                removed = tried;
                is_smaller = true;
            }
            end = start;
        }
        // After a removal, more single parts may have become removable.
        if size > 1 || !is_smaller {
            size /= 2;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn kept(count: usize, needed: &[usize], together: &[[usize; 2]]) -> (Vec<usize>, usize) {
        let mut tried = 0;
        let removed: Result<_, Infallible> = removable(count, |removed| {
            tried += 1;
            let split = |[one, other]: &[usize; 2]| removed.contains(one) && !removed.contains(other);
            Ok(!needed.iter().any(|part| removed.contains(part)) && !together.iter().any(split))
        });
        let removed = removed.unwrap_or_default();
        ((0..count).filter(|part| !removed.contains(part)).collect(), tried)
    }

    #[test]
    fn what_is_needed_is_kept() {
        assert_eq!(kept(0, &[], &[]).0, Vec::<usize>::new());
        assert_eq!(kept(7, &[], &[]), (vec![], 1));
        assert_eq!(kept(1, &[0], &[]).0, vec![0]);
        assert_eq!(kept(50, &[3, 17, 18, 49], &[]).0, vec![3, 17, 18, 49]);
    }

    /// A part that others use is removed after or with them.
    #[test]
    fn chains_are_removed() {
        let chain: Vec<[usize; 2]> = (0..39).map(|part| [part, part + 1]).collect();
        assert_eq!(kept(40, &[], &chain).0, Vec::<usize>::new());
        let chain: Vec<[usize; 2]> = (0..20).map(|part| [part, part + 1]).collect();
        assert_eq!(kept(40, &[30], &chain).0, vec![30]);
    }

    #[test]
    fn a_large_kernel_takes_few_tries() {
        let (kept, tried) = kept(1000, &[500], &[]);
        assert_eq!(kept, vec![500]);
        assert!(tried < 60, "{tried}");
    }
}
