//! Conditional compilation: which branches a constant disables, and the least target that the others admit.

/// The open conditions, outermost first.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    open: Vec<Condition>,
    /// The number of branches so far.
    branches: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Condition {
    /// Whether a branch before this one is always taken.
    decided: bool,
    disabled: bool,
    architecture: Option<u32>,
    /// Whether it may be about the target in another way: `defined(__CUDA_ARCH_FEAT_SM100_ALL)`.
    is_unclear: bool,
    /// The least target of the next branch.
    otherwise: Option<u32>,
    branch: usize,
}

impl Condition {
    pub(super) fn new(name: &str, rest: &str) -> Condition {
        let (constant, architecture, otherwise) = if name == "if" { read(rest) } else { (None, None, None) };
        Condition {
            decided: constant == Some(true),
            disabled: constant == Some(false),
            architecture,
            is_unclear: is_unclear(rest),
            otherwise,
            branch: 0,
        }
    }
}

impl Conditions {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn push(&mut self, mut condition: Condition) {
        self.branches += 1;
        condition.branch = self.branches;
        self.open.push(condition);
    }

    pub(super) fn pop(&mut self) {
        self.open.pop();
    }

    /// The next branch of the innermost condition.
    pub(super) fn change(&mut self, name: &str, rest: &str) {
        self.branches += 1;
        let Some(last) = self.open.last_mut() else { return };
        let (constant, architecture, otherwise) = match name {
            "else" => (None, None, None),
            "elif" => read(rest),
            _ => (None, None, None),
        };
        last.branch = self.branches;
        last.disabled = last.decided || constant == Some(false);
        last.decided |= constant == Some(true);
        last.is_unclear |= is_unclear(rest);
        last.architecture = architecture.max(last.otherwise);
        last.otherwise = last.otherwise.max(otherwise);
    }

    pub(super) fn is_disabled(&self) -> bool {
        self.open.last().is_some_and(|condition| condition.disabled)
    }

    /// Whether the innermost condition is a constant.
    pub(super) fn is_decided(&self) -> bool {
        self.open.last().is_some_and(|condition| condition.decided)
    }

    /// The least target that all conditions admit.
    pub(super) fn architecture(&self) -> Option<u32> {
        if self.open.iter().any(|condition| condition.is_unclear) {
            return None;
        }
        self.open.iter().filter_map(|condition| condition.architecture).max()
    }

    /// A number of the innermost branch; 0 outside of all.
    pub(super) fn branch(&self) -> usize {
        self.open.last().map_or(0, |condition| condition.branch)
    }
}

/// Whether a condition names a macro that may depend on the target.
fn is_unclear(text: &str) -> bool {
    let others = text.replace("__CUDA_ARCH__", "");
    ["ARCH", "SM", "_ENABLED", "FAMILY", "PTX"].iter().any(|word| others.contains(word))
}

/// The constant value of a condition, and the least targets if it holds and if it does not.
fn read(text: &str) -> (Option<bool>, Option<u32>, Option<u32>) {
    let text = text.split("//").next().unwrap_or_default();
    let text = text.split("/*").next().unwrap_or_default().trim();
    let constant = match text.trim_matches(['(', ')', ' ']) {
        "0" | "false" => Some(false),
        "1" | "true" => Some(true),
        _ => None,
    };
    if text.contains("||") {
        return (constant, None, None);
    }
    let mut least = None;
    for (at, name) in text.match_indices("__CUDA_ARCH__") {
        let after = text[at + name.len()..].trim_start();
        let (operator, value) = match after.as_bytes() {
            [b'>' | b'<' | b'=', b'=', ..] => after.split_at(2),
            [b'>' | b'<', ..] => after.split_at(1),
            _ => continue,
        };
        let value = value.trim_start();
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = value[..digits].parse::<u32>() else { continue };
        // Above 890 begins with the next target.
        let number = number / 10 + u32::from(operator == ">" || operator == "<=");
        let is_negated = text[..at].trim_end().ends_with("!(") || text.trim_start().starts_with('!');
        match operator {
            "<" | "<=" if !text.contains("&&") => return (constant, None, Some(number)),
            ">=" | "==" | ">" if !is_negated => least = least.max(Some(number)),
            _ => {}
        }
    }
    (constant, least, None)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn conditions() {
        for (text, expected) in [
            ("0", (Some(false), None, None)),
            (" (1) // on", (Some(true), None, None)),
            ("__CUDA_ARCH__ >= 900", (None, Some(90), None)),
            ("defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 1000)", (None, Some(100), None)),
            ("__CUDA_ARCH__ > 890", (None, Some(90), None)),
            ("__CUDA_ARCH__ < 800", (None, None, Some(80))),
            ("__CUDA_ARCH__ <= 890", (None, None, Some(90))),
            ("!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700", (None, None, None)),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
