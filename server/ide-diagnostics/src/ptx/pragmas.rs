//! Checks the strings of `.pragma`.

use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::PragmaScope;
use warplens_syntax::SyntaxKind::{DOT_WORD, STRING};
use warplens_syntax::{Node, Token};

use crate::ptx::{invalid_value, misplaced_directive, needs, unknown_pragma};

pub(super) fn check(
    directive: Node<'_>,
    scope: PragmaScope,
    module: &ModuleTarget,
    problems: &mut Vec<Problem>,
) {
    let Some(word) = directive.token(DOT_WORD) else { return };
    if let Some(missing) = needs::check_directive(word.range(), word.text, module) {
        return problems.push(missing);
    }
    problems.extend(directive.tokens_of([STRING]).filter_map(|string| check_string(string, scope, module)));
}

fn check_string(string: Token<'_>, scope: PragmaScope, module: &ModuleTarget) -> Option<Problem> {
    let text = string.text.trim_matches('"');
    if !text.is_ascii() {
        // A syntax error.
        return None;
    }
    let (name, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let range = string.range();
    let Some(known) = isa::pragma(name) else { return Some(unknown_pragma::string(range, text, scope)) };
    needs::check(range, &format!("`{name}`"), known.requirement, module)
        .or_else(|| misplaced_directive::pragma(range, known, scope))
        .or_else(|| match known.arguments {
            "" => (text != name).then(|| unknown_pragma::with_argument(range, known)),
            _ => invalid_value::pragma(range, known, rest),
        })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn strings_of_pragmas() {
        check(
            "\
.version 9.3
.target sm_80
.pragma \"nounroll\";
.pragma \"nounrol\";
.pragma \"frequency 3\";
.func f() { .pragma \"enable_smem_spilling\"; .pragma \"foo bar\"; ret; }
.entry a() .pragma \"nounroll\", \"mma_throughput\"; .pragma \"something\"; { ret; }
.entry b() {
    .pragma \"nounroll 3\";
    .pragma \" nounroll\";
    .pragma \"used_bytes_mask\";
    .pragma \"used_bytes_mask 0xff\";
    .pragma \"used_byte_mask 0xff\";
    .pragma \"frequency 1 2\";
    .pragma \"enable_smem_spilling\", \"mma_throughput\", \"frequency 8\";
    ret;
}
",
            expect![[r#"
                4:`"nounrol"` Warning unknown-pragma: unknown pragma `nounrol`: code generation fails; did you mean `nounroll`?
                5:`"frequency 3"` Error misplaced-directive: `frequency` is not allowed at module scope; it is allowed in the body of a kernel or in the body of a function
                6:`"enable_smem_spilling"` Error misplaced-directive: `enable_smem_spilling` is not allowed in the body of a function; it is allowed in the body of a kernel
                6:`"foo bar"` Warning unknown-pragma: unknown pragma `foo bar`: the assembler ignores it
                7:`"mma_throughput"` Error misplaced-directive: `mma_throughput` is not allowed before the body of a kernel; it is allowed in the body of a kernel or in the body of a function
                7:`"something"` Warning unknown-pragma: unknown pragma `something`: the assembler ignores it
                9:`"nounroll 3"` Warning unknown-pragma: `nounroll` takes nothing after its name; write `"nounroll"`
                10:`" nounroll"` Warning unknown-pragma: unknown pragma ` nounroll`: the assembler ignores it; did you mean `nounroll`?
                11:`"used_bytes_mask"` Error invalid-value: `used_bytes_mask` takes a number: write `"used_bytes_mask 0xff"`
                13:`"used_byte_mask 0xff"` Warning unknown-pragma: unknown pragma `used_byte_mask 0xff`: the assembler ignores it; did you mean `used_bytes_mask`?
                14:`"frequency 1 2"` Error invalid-value: `frequency` takes a number: write `"frequency 100"`
            "#]],
        );
    }

    #[test]
    fn pragmas_of_newer_versions() {
        check(
            "\
.version 8.0
.target sm_35
.entry a() {
    .pragma \"nounroll\";
    .pragma \"frequency 1\";
    .pragma \"used_bytes_mask 1\";
    ret;
}
",
            expect![[r#"
                5:`"frequency 1"` Error needs-version: `frequency` needs PTX 9.0 or later; this module is written in PTX 8.0
                6:`"used_bytes_mask 1"` Error needs-version: `used_bytes_mask` needs PTX 8.3 or later; this module is written in PTX 8.0
            "#]],
        );
    }
}
