//! Which branches of the conditions inside a statement are read.

/// More combinations of branches are not read.
const MOST: usize = 8;

/// The conditions inside a statement, in the order in which they are met, and the branches to read.
#[derive(Debug, Clone, Default)]
pub(super) struct Choices {
    wanted: Vec<usize>,
    met: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Condition {
    /// What it is about: `ifdef X`, `if !defined(X)` and `ifndef X` are about the same.
    about: String,
    branches: usize,
    branch: usize,
}

impl Choices {
    /// Starts with these branches; conditions that they do not mention have branch 0.
    pub(super) fn new(wanted: Vec<usize>) -> Choices {
        Choices { wanted, met: Vec::new() }
    }

    /// The branch to read of a condition with this many. `None` if there are too many conditions.
    pub(super) fn choose(&mut self, name: &str, rest: &str, branches: usize) -> Option<usize> {
        let (about, is_inverted) = about(name, rest, branches);
        let flipped = |branch: usize| if is_inverted && branches == 2 { 1 - branch } else { branch };
        let same = |known: &&Condition| known.about == about && known.branches == branches;
        if let Some(known) = self.met.iter().find(same) {
            return Some(flipped(known.branch));
        }
        if self.met.len() > MOST {
            return None;
        }
        let branch = self.wanted.get(self.met.len()).copied().unwrap_or(0);
        self.met.push(Condition { about, branches, branch: flipped(branch) });
        Some(branch)
    }

    /// The branches that were read.
    pub(super) fn branches(&self) -> Vec<usize> {
        (0..self.met.len()).map(|at| self.wanted.get(at).copied().unwrap_or(0)).collect()
    }

    /// The other combinations of branches; `None` if there are too many.
    pub(super) fn others(&self) -> Option<Vec<Vec<usize>>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for condition in &self.met {
            let longer = |before: &Vec<usize>| {
                let before = before.clone();
                (0..condition.branches).map(move |branch| [before.as_slice(), &[branch]].concat())
            };
            all = all.iter().flat_map(longer).collect();
            if all.len() > MOST {
                return None;
            }
        }
        all.remove(0);
        Some(all)
    }
}

/// What a condition is about, and whether it holds in the other case.
fn about(name: &str, rest: &str, branches: usize) -> (String, bool) {
    let rest = rest.split("//").next().unwrap_or_default();
    let rest: String = rest.split("/*").next().unwrap_or_default().split_whitespace().collect();
    let of_name = |text: &str| {
        let text = text.strip_prefix("defined")?.trim_matches(['(', ')']);
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            .then(|| format!("defined {text}"))
    };
    if branches != 2 {
        return (format!("{name} {rest}"), false);
    }
    match (name, rest.strip_prefix('!')) {
        ("ifdef", _) => (format!("defined {rest}"), false),
        ("ifndef", _) => (format!("defined {rest}"), true),
        (_, Some(negated)) if let Some(name) = of_name(negated) => (name, true),
        _ => (of_name(&rest).unwrap_or(rest), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_about_the_same_name_have_one_branch() {
        let mut choices = Choices::new(vec![1]);
        assert_eq!(choices.choose("ifdef", " X // why", 2), Some(1));
        assert_eq!(choices.choose("if", " defined( X )", 2), Some(1));
        assert_eq!(choices.choose("ifndef", " X", 2), Some(0));
        assert_eq!(choices.choose("if", " !defined(X)", 2), Some(0));
        assert_eq!(choices.choose("if", " A > 1", 3), Some(0));
        assert_eq!(choices.branches(), [1, 0]);
        assert_eq!(choices.others().expect("few").len(), 5);
        assert_eq!(choices.choose("if", " B", 2), Some(0));
        assert_eq!(choices.others(), None);
    }
}
