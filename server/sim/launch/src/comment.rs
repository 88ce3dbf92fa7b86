//! Launches in the source: `// @launch { … }` before a kernel.

use super::model::Launch;
use super::problem::Problem;
use super::read::{Home, Listed, read_launch};
use super::toml_text;
use super::tree::{Node, Value};

#[derive(Debug, Clone, PartialEq)]
pub struct CommentLaunch {
    /// The offset of the comment in the source. The launch belongs to the first kernel after it.
    pub offset: usize,
    /// The launch, with spans in the source.
    pub listed: Listed,
}

/// The tag between the comment mark and the table. A text without the tag has no launches.
pub const LAUNCH_TAG: &str = "@launch";

/// The launches in the comment lines of `source`. `marks` are the tokens that open a comment line: `//` in PTX, `;` and
/// `#` in WAVE.
pub fn in_comments(source: &str, marks: &[&str]) -> Vec<CommentLaunch> {
    // Most sources have no launches, and walking a large one line by line is slow.
    if !source.contains(LAUNCH_TAG) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut line_start = 0;
    for line in source.split_inclusive('\n') {
        if let Some((mark, table)) = table_of(line, marks) {
            let listed = read(&line[table..], line_start + table);
            found.push(CommentLaunch { offset: line_start + mark, listed });
        }
        line_start += line.len();
    }
    found
}

/// The offsets of the comment mark and of the text after the tag, if the line is a launch comment.
fn table_of(line: &str, marks: &[&str]) -> Option<(usize, usize)> {
    let comment = line.trim_start();
    let inside = marks.iter().find_map(|mark| comment.strip_prefix(mark))?;
    let table = inside.trim_start().strip_prefix(LAUNCH_TAG)?;
    if table.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    Some((line.len() - comment.len(), line.len() - table.len()))
}

/// Reads the inline table at `offset`.
fn read(table: &str, offset: usize) -> Listed {
    /// Turns the table into a document.
    const KEY: &str = "x=";
    let table = table.trim_end();
    let broken = |problem: Problem| {
        let launch = Launch { name: LAUNCH_TAG.to_owned(), ..Default::default() };
        Listed { launch, problem: Some(problem) }
    };
    if !table.trim_start().starts_with('{') {
        let message =
            "`@launch` must be followed by a table: `@launch { grid = [1], block = [32], args = [ … ] }`";
        return broken(Problem::at(offset..offset + table.len(), message));
    }
    // Offsets in the document exceed those in the text after the tag by `KEY.len()`.
    let shift = offset - KEY.len();
    let document = match toml_text::read(&format!("{KEY}{table}")) {
        Ok(document) => document,
        Err(problem) => return broken(problem.moved(shift)),
    };
    let launch = match document.value {
        Value::Table(mut entries) if entries.len() == 1 => entries.remove(0).1.moved(shift),
        _ => Node { value: Value::Other("text"), span: offset..offset + table.len() },
    };
    read_launch(&launch, Home::Comment).unwrap_or_else(broken)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(source: &str, marks: &[&str], expect: Expect) {
        let mut answer = String::new();
        for CommentLaunch { offset, listed } in in_comments(source, marks) {
            answer += &format!("{offset}: {} {:?}", listed.launch.name, listed.launch.grid);
            if let Some(problem) = listed.problem {
                let at = problem.at.clone().unwrap();
                answer += &format!(" {:?} {problem} [{}]", problem.line_column(source).unwrap(), &source[at]);
            }
            answer.push('\n');
        }
        expect.assert_eq(&answer);
    }

    #[test]
    fn finds_comment_lines_only() {
        check(
            "// @launch { grid = [2], block = [64] }\n.entry k\n  //@launch{name=\"b\"}\nadd.u32 a, b, c; // @launch {}\n// @launches\n",
            &["//"],
            expect![[r#"
                0: 2 x 64 Some([2, 1, 1])
                51: b None
            "#]],
        );
    }

    #[test]
    fn wave_comments() {
        check(
            "; @launch { name = 'a' }\r\n# @launch { name = 'b' }\n;@launch{name='c'}",
            &[";", "#"],
            expect![[r#"
                0: a None
                26: b None
                51: c None
            "#]],
        );
    }

    #[test]
    fn places_are_those_of_the_source() {
        check(
            "\n// @launch { grid = [0] }\n// @launch { file = 'x' }",
            &["//"],
            expect![[r#"
                1: grid 1 None (2, 22) `grid` must be between 1 and 2147483647, not 0 [0]
                27: grid 1 None (3, 14) `file` is allowed only in launch files, because a comment launches its own file: remove it [file]
            "#]],
        );
        check(
            "// @launch { grid = [1 }\n// @launch grid = 1\n// @launch",
            &["//"],
            expect![[r#"
                0: @launch None (1, 24) invalid TOML: missing comma between array elements, expected `,` []
                25: @launch None (2, 11) `@launch` must be followed by a table: `@launch { grid = [1], block = [32], args = [ … ] }` [ grid = 1]
                45: @launch None (3, 11) `@launch` must be followed by a table: `@launch { grid = [1], block = [32], args = [ … ] }` []
            "#]],
        );
        check(
            "// @launch {} y = 1",
            &["//"],
            expect![[r#"
                0: @launch None (1, 15) invalid TOML: unexpected key or value, expected newline, `#` []
            "#]],
        );
    }
}
