//! Only the module `disk` of `warplens-system` opens, creates and replaces files: it follows no prepared links and does not wait for pipes.

use super::{languages, tokens};

/// The module that may call `std::fs` directly.
const DISK: &str = "server/system/src/disk/";

/// The crates of the program, which call it.
const PROGRAM: [&str; 3] = ["server/warplens/src/", "server/lsp/src/", "server/system/src/"];

/// Functions of `std::fs`, by the name before them.
const CALLS: [(&str, &[&str]); 3] = [
    (
        "fs",
        &["copy", "create_dir", "create_dir_all", "hard_link", "read", "read_to_string", "rename", "write"],
    ),
    ("File", &["create", "create_new", "open", "options"]),
    ("OpenOptions", &["new"]),
];

/// Reports calls of `std::fs` outside this module. Tests may make them.
pub(super) fn check(name: &str, text: &str, problems: &mut Vec<String>) {
    let is_of_program = PROGRAM.iter().any(|folder| name.starts_with(folder));
    if !is_of_program || name.starts_with(DISK) || languages::is_test(name) {
        return;
    }
    for call in tokens::code(text).windows(3) {
        let [owner, separator, function] = call else { continue };
        let is_raw = |(known, functions): &(&str, &[&str])| {
            owner == known && separator == "::" && functions.contains(&function.as_str())
        };
        if CALLS.iter().any(is_raw) {
            problems.push(format!("{name}: `{owner}::{function}`: use the functions of `{DISK}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> usize {
        let mut problems = Vec::new();
        let text = "fn f() { std::fs::write(a, b); File::open(a); fs::metadata(a); }\n\
                    #[cfg(test)]\nmod tests { fn g() { std::fs::read(a); } }";
        check(name, text, &mut problems);
        problems.len()
    }

    #[test]
    fn only_one_module_opens_files() {
        assert_eq!(found("server/warplens/src/cli/log.rs"), 2);
        assert_eq!(found("server/system/src/disk/new_file.rs"), 0);
        assert_eq!(found("server/warplens/src/cli/compare/tests.rs"), 0);
        assert_eq!(found("server/tools/src/process.rs"), 0);
    }
}
