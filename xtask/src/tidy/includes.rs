//! A crate includes no file from outside its folder, because its package does not contain that file.

use super::languages;

/// Reports inclusions of such files in the sources of a published crate. Tests are not built from a package.
pub(super) fn check(name: &str, text: &str, problems: &mut Vec<String>) {
    let Some((krate, file)) = name.split_once("/src/") else { return };
    if !["server/", "syntax"].iter().any(|folder| name.starts_with(folder)) || languages::is_test(name) {
        return;
    }
    let folders = file.split('/').count();
    let sources = text.split("#[cfg(test)]").next().unwrap_or_default();
    for call in ["include!(", "include_str!(", "include_bytes!("] {
        for (at, _) in sources.match_indices(call) {
            let argument = sources[at + call.len()..].split(')').next().unwrap_or_default();
            if argument.matches("../").count() > folders {
                problems.push(format!("{name}: includes a file from outside `{krate}`: {}", argument.trim()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> usize {
        let mut problems = Vec::new();
        check(name, text, &mut problems);
        problems.len()
    }

    #[test]
    fn only_files_of_the_crate_are_included() {
        let outside = "const A: &str = include_str!(concat!(\"../../../docs/\", $name));";
        assert_eq!(found("server/hir/src/a.rs", outside), 1);
        assert_eq!(found("server/hir/src/a/b/c.rs", outside), 0);
        assert_eq!(found("server/hir/src/tests.rs", outside), 0);
        assert_eq!(found("server/hir/tests/a.rs", outside), 0);
        assert_eq!(found("server/hir/src/a.rs", &format!("#[cfg(test)]\nmod tests {{ {outside} }}")), 0);
        assert_eq!(found("syntax/src/a.rs", "include!(\"../data/a.rs\")"), 0);
    }
}
