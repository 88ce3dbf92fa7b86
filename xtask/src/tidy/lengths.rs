//! How long a file and a function may be.

use super::languages::is_test;

/// The limit of lines in a file written by hand. A longer file has more than one idea.
const MAX_LINES: usize = 700;

/// The limit of lines in a function, which should fit a screen.
const MAX_FUNCTION: usize = 60;

/// Longer functions that are tables: a line for each of many cases.
const TABLES: [(&str, &str); 6] = [
    ("server/ide-diagnostics/src/ptx/forms/operands.rs", "message"),
    ("server/ide-diagnostics/src/ptx/invalid_declaration.rs", "message"),
    ("server/ide-diagnostics/src/wave_messages.rs", "problem"),
    ("server/sim/ptx/src/engine/exec/execute.rs", "uncommon"),
    ("server/sim/sass/src/decode/table.rs", "simulated"),
    ("server/sim/sass/src/exec/quick_run.rs", "compute"),
];

pub(super) fn check(name: &str, text: &str, problems: &mut Vec<String>) {
    if name.contains("/generated/") {
        return;
    }
    let lines = text.lines().count();
    if lines > MAX_LINES {
        problems.push(format!("{name}: {lines} lines; one idea a file, at most {MAX_LINES} lines"));
    }
    if is_test(name) || name.starts_with("tests/") {
        return;
    }
    for (line, function, length) in
        functions(text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default())
    {
        if length > MAX_FUNCTION && !TABLES.contains(&(name, function)) {
            problems.push(format!(
                "{name}:{line}: `{function}` has {length} lines, at most {MAX_FUNCTION} fit a screen: split it, or add it to TABLES if it is one"
            ));
        }
    }
}

/// The functions of a formatted file, each with its first line and its number of lines. rustfmt indents the last line as the first one.
fn functions(text: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len()).filter_map(move |first| {
        let (before, after) = lines[first].split_once("fn ")?;
        let indent = indentation(before);
        let modifiers = before.split_whitespace();
        modifiers
            .clone()
            .all(|word| word.starts_with("pub") || ["const", "async", "unsafe"].contains(&word))
            .then_some(())?;
        let name = after.split(|char: char| !char.is_alphanumeric() && char != '_').next()?;
        let is_end = |line: &&str| indentation(line) == indent && line.ends_with(['}', ';']);
        let length = lines[first..].iter().position(is_end)? + 1;
        Some((first + 1, name, length))
    })
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_functions_are_found() {
        let body = "    step();\n".repeat(MAX_FUNCTION);
        let text = format!("//! A file.\n\nfn short() {{}}\n\npub(crate) const fn long(\n) {{\n{body}}}\n");
        let found = |name: &str| {
            let mut problems = Vec::new();
            check(name, &text, &mut problems);
            problems
        };
        assert_eq!(
            found("server/hir/src/a.rs"),
            [
                "server/hir/src/a.rs:5: `long` has 63 lines, at most 60 fit a screen: split it, or add it to TABLES if it is one"
            ]
        );
        assert_eq!(found("server/hir/tests/a.rs"), [""; 0]);
    }
}
