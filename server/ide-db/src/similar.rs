//! "Did you mean": the known word that is most similar to an unknown one.

/// The candidate with the smallest edit distance to `word`, if that distance is small for its length; the
/// first one if several are equal. A swap of two neighbors counts as one edit. Any word is similar to a word
/// of one or two characters, so these only match longer candidates.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let mut limit = (word.chars().count() / 3).clamp(1, 3) + 1;
    let mut best = None;
    for candidate in candidates {
        let is_noise = word.len() < 3 && (candidate.len() <= word.len() || !candidate.starts_with(word));
        if is_noise || candidate.len().abs_diff(word.len()) >= limit {
            continue;
        }
        let distance = strsim::osa_distance(word, candidate);
        if distance < limit && distance > 0 {
            limit = distance;
            best = Some(candidate);
        }
    }
    best
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
}
