//! "Did you mean": the known word that is most similar to an unknown one.

/// The candidate with the smallest edit distance to `word`, if that is small for its length; the first of equals. A swap of
/// two neighbors counts as one edit. Words of one or two characters are similar to any; for them only a longer one is used.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let mut limit = (word.chars().count() / 3).clamp(1, 3) + 1;
    let mut best = None;
    for candidate in candidates {
        let is_noise = word.len() < 3 && (candidate.len() <= word.len() || !candidate.starts_with(word));
        if is_noise || candidate.len().abs_diff(word.len()) >= limit {
            continue;
        }
        let distance = distance(word.as_bytes(), candidate.as_bytes());
        if distance < limit && distance > 0 {
            limit = distance;
            best = Some(candidate);
        }
    }
    best
}

/// Insertions, deletions, replacements and swaps of neighbors (optimal string alignment).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replaced = above[j] + usize::from(a[i] != b[j]);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// `; did you mean …?` if a word was found.
pub fn did_you_mean(found: Option<&str>) -> String {
    found.map_or_else(String::new, |found| format!("; did you mean `{found}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest() {
        let words = ["add", "addc", "sub", "setp", "bar", "barrier", "mul"];
        assert_eq!(nearest("ad", words), Some("add"));
        assert_eq!(nearest("mlu", words), Some("mul"));
        assert_eq!(nearest("step", words), Some("setp"));
        assert_eq!(nearest("barier", words), Some("barrier"));
        assert_eq!(nearest("frobnicate", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("k", ["g", "l"]), None);
    }

    #[test]
    fn distances() {
        assert_eq!(distance(b"abc", b"abc"), 0);
        assert_eq!(distance(b"abc", b"acb"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
    }
}
