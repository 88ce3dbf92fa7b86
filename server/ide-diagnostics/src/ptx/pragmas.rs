//! The strings of `.pragma`: unknown ones, those of another place, and their numbers.

use text_size::TextRange;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{ItemFix, Problem, any_of, did_you_mean, nearest};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Pragma, PragmaScope};
use warplens_syntax::SyntaxToken;
use warplens_syntax::ptx::ast;

use crate::codes;
use crate::ptx::needs;

/// Checks a directive in this part of a module.
pub(super) fn check(
    directive: &ast::PragmaDirective,
    scope: PragmaScope,
    module: &ModuleTarget,
    problems: &mut Vec<Problem>,
) {
    let Some(word) = directive.directive_token() else { return };
    if let Some(missing) = needs::check_directive(word.text_range(), word.text(), module) {
        return problems.push(missing);
    }
    problems.extend(directive.strings().filter_map(|string| check_string(&string, scope, module)));
}

fn check_string(string: &SyntaxToken, scope: PragmaScope, module: &ModuleTarget) -> Option<Problem> {
    let text = string.text().trim_matches('"');
    let (name, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let range = string.text_range();
    let Some(known) = isa::pragma(name) else { return Some(unknown(range, text, scope)) };
    needs::check(range, &format!("`{name}`"), known.requirement, module)
        .or_else(|| misplaced(range, known, scope))
        .or_else(|| number(range, known, rest, text != name))
}

/// The assembler warns of it in a kernel; in a module its code generation fails.
fn unknown(range: TextRange, text: &str, scope: PragmaScope) -> Problem {
    let name = text.split_whitespace().next().unwrap_or_default();
    let is_spaced = isa::pragma(text.trim()).is_some();
    let names = isa::pragmas().iter().map(|known| known.name);
    let meant = if is_spaced { Some(text.trim()) } else { nearest(name, names) };
    let consequence = match scope {
        PragmaScope::Module => "code generation fails",
        _ => "the assembler ignores it",
    };
    let message = format!("unknown pragma `{text}`: {consequence}{}", did_you_mean(meant));
    let problem = Problem::warning(range, codes::UNKNOWN_PRAGMA, message);
    problem.with_fix(meant.map(|meant| {
        let fixed = if is_spaced { meant.to_owned() } else { text.replacen(name, meant, 1) };
        ItemFix::replacement(range, &format!("\"{fixed}\""))
    }))
}

fn misplaced(range: TextRange, known: &Pragma, scope: PragmaScope) -> Option<Problem> {
    if known.scopes.contains(&scope) {
        return None;
    }
    let places: Vec<&str> = known.scopes.iter().map(|scope| words(*scope)).collect();
    let message =
        format!("`{}` is not allowed {}; it is allowed {}", known.name, words(scope), any_of(&places));
    Some(Problem::error(range, codes::MISPLACED_DIRECTIVE, message))
}

fn words(scope: PragmaScope) -> &'static str {
    match scope {
        PragmaScope::Module => "at module scope",
        PragmaScope::Entry => "before the body of a kernel",
        PragmaScope::Kernel => "in the body of a kernel",
        PragmaScope::Function => "in the body of a function",
    }
}

/// Checks what follows the name in the string.
fn number(range: TextRange, known: &Pragma, rest: &str, has_more: bool) -> Option<Problem> {
    let name = known.name;
    if known.arguments.is_empty() {
        let message = format!("`{name}` takes nothing after its name; write `\"{name}\"`");
        let fix = ItemFix::replacement(range, &format!("\"{name}\"")).preferred();
        return has_more.then(|| Problem::warning(range, codes::UNKNOWN_PRAGMA, message).with_fix(fix));
    }
    let rest = rest.trim();
    let digits = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"));
    let is_number = match digits {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()),
    };
    if is_number {
        return None;
    }
    let example = known.example.trim_start_matches(".pragma ").trim_end_matches(';');
    let message = format!("`{name}` takes a number: write `{example}`");
    Some(Problem::error(range, codes::INVALID_VALUE, message))
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
