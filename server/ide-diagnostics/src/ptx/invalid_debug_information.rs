//! `invalid-debug-information`: an invalid `.file` or `.section`.

use rustc_hash::FxHashSet;
use text_size::TextRange;
use warplens_hir::ptx::{Directive, Header, ModuleKind, ModuleNames, ModuleSymbol};
use warplens_ide_db::ptx::{ModuleTarget, checked_headers};
use warplens_ide_db::{Db, File, Problem, items};
use warplens_syntax::Node;
use warplens_syntax::SyntaxKind::*;

use crate::codes;
use crate::ptx::needs;

/// Checks a section: the first mistake is reported.
pub(super) fn section(section: Node<'_>, module: &ModuleTarget) -> Option<Problem> {
    let mut labels = FxHashSet::default();
    section.nodes().find_map(|line| match line.kind() {
        LABEL => {
            let name = line.child(NAME)?.token(IDENT)?;
            let message = || format!("duplicate label `{}` in this section", name.text);
            (!labels.insert(name.text)).then(|| error(name.range(), message()))
        }
        SECTION_DATA => values(line, module),
        _ => None,
    })
}

/// A `.file` with a number that is too large, or that one before has. `files` are the numbers so far.
pub(super) fn file_number(
    header: &Header,
    files: &mut Vec<u64>,
    range: impl FnOnce() -> TextRange,
) -> Option<Problem> {
    let Some(Directive::File { index: Some(index), .. }) = &header.directive else { return None };
    let message = if *index > u64::from(u32::MAX) {
        format!("the file number {index} does not fit into 32 bits")
    } else if files.contains(index) {
        format!("duplicate file number {index}; give each file its own")
    } else {
        files.push(*index);
        return None;
    };
    Some(Problem::error(range(), codes::INVALID_DEBUG, message))
}

/// Checks the differences of labels in a module with `.target …, debug`, for which the assembler computes them: the first mistake of each
/// section, with the section's index.
pub(super) fn differences(db: &dyn Db, file: File, names: &ModuleNames) -> Vec<(usize, Problem)> {
    let is_section =
        |header: &Header| matches!(&header.directive, Some(Directive::Other(word)) if word == "section");
    let sections = checked_headers(db, file).filter(|(_, header)| is_section(header));
    let found = sections.filter_map(|(index, _)| {
        let parse = items(db, file)[index].parse(db);
        let section = parse.root().nodes().find(|node| node.kind() == SECTION_DIRECTIVE)?;
        // The assembler builds these two itself.
        let name = section.tokens_of([DOT_WORD]).nth(1)?;
        if matches!(name.text, ".debug_info" | ".debug_line") {
            return None;
        }
        let data = section.nodes().filter(|line| line.kind() == SECTION_DATA);
        let mut values = data.flat_map(|data| data.nodes());
        Some((index, values.find_map(|value| difference(value, names))?))
    });
    found.collect()
}

fn difference(value: Node<'_>, names: &ModuleNames) -> Option<Problem> {
    value.token(MINUS).filter(|_| value.kind() == BIN_EXPR)?;
    let mut of_first = None;
    value.nodes().find_map(|label| {
        let name = label.token(IDENT)?;
        let of_section = |symbol: &ModuleSymbol| symbol.kind == ModuleKind::SectionLabel;
        let Some(symbol) = names.declarations(name.text).find(|symbol| of_section(symbol)) else {
            let message = format!(
                "`{}` is no label of a section: only the labels of one section can be subtracted",
                name.text
            );
            return Some(error(label.range(), message));
        };
        let first = *of_first.get_or_insert(symbol.item);
        let message = || format!("`{}` is a label of another section, so it has no distance", name.text);
        (first != symbol.item).then(|| error(label.range(), message()))
    })
}

fn error(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Problem {
    Problem::error(range, codes::INVALID_DEBUG, message)
}

fn values(data: Node<'_>, module: &ModuleTarget) -> Option<Problem> {
    let word = data.token(DOT_WORD)?;
    // The assembler compares the lower 32 bits.
    let most = match word.text {
        ".b8" => u32::from(u8::MAX),
        ".b16" => u32::from(u16::MAX),
        ".b32" | ".b64" => u32::MAX,
        other => {
            let message =
                format!("`{other}` is not allowed in a section; use `.b8`, `.b16`, `.b32` or `.b64`");
            return Some(error(word.range(), message));
        }
    };
    let is_large = |value: u64| (value & u64::from(u32::MAX)) > u64::from(most);
    let least = if word.text == ".b64" { i64::MAX as u64 } else { u64::from(most / 2 + 1) };
    let mut negative = data.nodes().filter(|value| value.kind() == PREFIX_EXPR);
    let below = negative.find(|value| {
        let number = value.descendants().find_map(|literal| literal.token(INT_NUMBER));
        number
            .and_then(|number| warplens_ide_db::notation::parsed(number.text))
            .is_some_and(|number| number > least)
    });
    if let Some(value) = below {
        let message = format!("`{}` takes numbers from -{least} on", word.text);
        return Some(error(value.range(), message));
    }
    let mut numbers = data.tokens_of([INT_NUMBER]);
    let large = numbers.find(|value| warplens_ide_db::notation::parsed(value.text).is_some_and(is_large));
    if let Some(value) = large {
        let message = format!("{} does not fit into `{}`", value.text, word.text);
        return Some(error(value.range(), message));
    }
    data.nodes().find_map(|value| {
        if most < u32::MAX && matches!(value.kind(), NAME_REF | BIN_EXPR) {
            let message = format!("an address does not fit into `{}`; use `.b32` or `.b64`", word.text);
            return Some(error(value.range(), message));
        }
        let feature = match value.kind() {
            BIN_EXPR if value.token(MINUS).is_some() => "section-difference",
            BIN_EXPR => "section-sum",
            PREFIX_EXPR => "section-negative",
            _ => return None,
        };
        needs::check_feature(value.range(), feature, module)
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn differences() {
        let module = |target: &str| {
            format!(
                "\
.version 8.0
.target {target}
.entry k() {{
L: ret;
M: ret;
}}
.section .debug_loc
{{
a:  .b32 b-a
b:  .b64 M-L
}}
.section .debug_str
{{
    .b32 b-a
c:  .b32 c-a
}}
.section .debug_info
{{
    .b32 M-L
    .b32 .debug_loc+4, L
}}
"
            )
        };
        check(
            &module("sm_90, debug"),
            expect![[r#"
            10:`M` Error invalid-debug-information: `M` is no label of a section: only the labels of one section can be subtracted
            15:`a` Error invalid-debug-information: `a` is a label of another section, so it has no distance
            20:`,` Error syntax-error: only numbers can be listed in a section: write each address on a line of its own
        "#]],
        );
        check(
            &module("sm_90"),
            expect![[r#"
            20:`,` Error syntax-error: only numbers can be listed in a section: write each address on a line of its own
        "#]],
        );
    }

    #[test]
    fn data() {
        check(
            "\
.version 8.0
.target sm_90
.section .debug_str
{
x:  .b8 97, 0
    .b8 300
}
.section .debug_info
{
    .u32 1
}
.section .debug_loc
{
x:  .b32 1
y:  .b32 y-x
}
.section .debug_ranges
{
    .b8 -128
    .b16 -32769
}
.section .debug_types
{
    .b64 -9223372036854775807
    .b64 -9223372036854775808
}
",
            expect![[r#"
                6:`300` Error invalid-debug-information: 300 does not fit into `.b8`
                10:`.u32` Error invalid-debug-information: `.u32` is not allowed in a section; use `.b8`, `.b16`, `.b32` or `.b64`
                20:`-32769` Error invalid-debug-information: `.b16` takes numbers from -32768 on
                25:`-9223372036854775808` Error invalid-debug-information: `.b64` takes numbers from -9223372036854775807 on
            "#]],
        );
    }
}
