//! The seam of languages: outside the folders of a language and the one registry, no code names a particular language.

use std::path::Path;

use super::tokens;

/// The file that lists the languages.
const REGISTRY: &str = "server/ide/src/languages.rs";

/// Names of the folders and files of a language.
const FOLDERS: [&str; 3] = ["ptx", "wave", "sass"];

/// Reports where a file of the program names a particular language.
pub(super) fn check(name: &str, text: &str, problems: &mut Vec<String>) {
    let program = ["syntax/src/", "server/"].iter().any(|folder| name.starts_with(folder));
    if !program || !name.contains("/src/") || name == REGISTRY || is_test(name) || belongs_to_a_language(name)
    {
        return;
    }
    let tokens = tokens::code(text);
    let follows = |first: &str, second: &str| {
        tokens.windows(2).any(|pair| matches!(pair, [one, other] if one == first && other == second))
    };
    let named = [("Language", "::"), ("match", "language"), ("::", "LANGUAGE")];
    for (first, second) in named.into_iter().filter(|(first, second)| follows(first, second)) {
        problems.push(format!(
            "{name}: `{first} {second}`: what differs by language is a field of LanguageInfo, a method of LanguageSupport, or \
             in the language's own folder"
        ));
    }
}

/// Whether a file has only tests and what they need.
pub(super) fn is_test(name: &str) -> bool {
    Path::new(name).components().any(|part| {
        ["tests", "tests.rs", "fixture.rs", "testing.rs", "testing"]
            .iter()
            .any(|test| part.as_os_str() == *test)
    })
}

fn belongs_to_a_language(name: &str) -> bool {
    name.trim_end_matches(".rs").split('/').any(|part| FOLDERS.contains(&part))
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
    fn only_a_language_and_the_registry_name_languages() {
        let text = "fn f(language: Language) -> bool { language == ptx::LANGUAGE }";
        assert_eq!(found("server/ide/src/hover.rs", text), 1);
        assert_eq!(found("server/ide/src/ptx/hover.rs", text), 0);
        assert_eq!(found("server/ide/src/hover/ptx.rs", text), 0);
        assert_eq!(found(REGISTRY, text), 0);
        assert_eq!(
            found("server/ide/src/hover.rs", "#[cfg(test)]\nmod tests { fn f() { ptx::LANGUAGE; } }"),
            0
        );
    }
}
