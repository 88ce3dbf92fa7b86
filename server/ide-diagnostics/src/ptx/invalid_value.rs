//! `invalid-value`: a directive with values that it does not accept.

use text_size::TextRange;
use warplens_hir::ptx::{AddressSize, PerformanceDirective};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Directive, Pragma};

use crate::codes;
use crate::ptx::directive_list::List;

/// The languages that `.language` accepts by name, in lower case, and the largest number it accepts.
const LANGUAGES: [&str; 9] =
    ["unknown", "ptx", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "cutile python", "fortran", "optix"];
const LAST_LANGUAGE: u64 = 10;

/// The registers that a function with a body can preserve: the assembler puts the return address after them.
const PRESERVED: u64 = 239;

/// The first target for which no present assembler generates code with 32-bit addresses. Older ones have older assemblers.
const WITHOUT_32_BITS: u16 = 75;

pub(super) fn on_function(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
) -> Option<Problem> {
    let error = |message: String| Some(Problem::error(written.range, codes::INVALID_VALUE, message));
    let name = known.name;
    if name == ".language" {
        return language(written, list.text);
    }
    let (least, most) = known.values;
    if !written.is_plain {
        return error(format!("`{name}` takes numbers only; an expression is not allowed here"));
    }
    let count = written.values.len();
    if count < usize::from(least) || count > usize::from(most) {
        let takes = match (least, most) {
            (_, 0) => "no numbers".to_owned(),
            (1, 1) => "one number".to_owned(),
            (least, most) => format!("{least} to {most} numbers"),
        };
        return error(format!("`{name}` takes {takes}, not {count}"));
    }
    if !known.zero && written.values.contains(&0) {
        return error(format!("the numbers of `{name}` must be at least 1; with 0, every launch fails"));
    }
    let above = |limit: u64| written.values.iter().find(move |value| **value > limit);
    let preserved = (name == ".abi_preserve" && list.has_body).then_some(PRESERVED);
    for greatest in known.greatest.map(u64::from).into_iter().chain(preserved) {
        if let Some(large) = above(greatest) {
            return error(format!("{large} is too large for `{name}`; the largest number is {greatest}"));
        }
    }
    // The assembler reads a signed 64-bit number, and ignores one from -2^31 to -1.
    let is_ignored = |value: u64| (i64::from(i32::MIN)..0).contains(&(value as i64));
    let large = above(u32::MAX.into()).filter(|value| !is_ignored(**value))?;
    error(format!("{large} does not fit into 32 bits, the size of a number of `{name}`"))
}

/// `.language "ptx", 4`
fn language(written: &PerformanceDirective, text: &str) -> Option<Problem> {
    let error = |message: String| Some(Problem::error(written.range, codes::INVALID_VALUE, message));
    if let Some(large) = written.values.iter().find(|value| **value > LAST_LANGUAGE) {
        return error(format!("{large} is not a language; the numbers are 0 to {LAST_LANGUAGE}"));
    }
    let written_text = text.get(std::ops::Range::<usize>::from(written.range))?;
    let strings: Vec<&str> = written_text.split('"').skip(1).step_by(2).collect();
    if let Some(unknown) = strings.iter().find(|name| !LANGUAGES.contains(&name.to_lowercase().as_str())) {
        return error(format!("unknown language `{unknown}`; `.language` accepts {}", LANGUAGES.join(", ")));
    }
    if strings.is_empty() && written.values.is_empty() {
        return error("`.language` takes a name in quotes or a number".to_owned());
    }
    None
}

/// `.address_size`; `size` is `None` for a number other than 32 and 64.
pub(super) fn address_size(
    range: TextRange,
    size: Option<AddressSize>,
    module: &ModuleTarget,
) -> Option<Problem> {
    let message = match size {
        None => "an address must have 32 or 64 bits; write `.address_size 64`".to_owned(),
        Some(AddressSize::Bits32) => {
            let target = module.architecture.as_deref().and_then(isa::target);
            let name = target.filter(|target| target.number >= WITHOUT_32_BITS)?.name;
            format!(
                "the assembler generates no code with 32-bit addresses for {name}; write `.address_size 64` and hold addresses in 64-bit registers"
            )
        }
        Some(_) => return None,
    };
    Some(Problem::error(range, codes::INVALID_VALUE, message))
}

pub(super) fn pragma(range: TextRange, known: &Pragma, rest: &str) -> Option<Problem> {
    let name = known.name;
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

    use crate::ptx::prologue::tests::check as check_prologue;
    use crate::tests::check;

    #[test]
    fn numbers_beyond_the_largest() {
        check(
            "\
.version 9.0
.target sm_80
.func f() .abi_preserve_control 11 { ret; }
.func g() .abi_preserve_control 12 { ret; }
.func h() .abi_preserve 239 { ret; }
.func i() .abi_preserve 240;
.func j() .abi_preserve 240 { ret; }
.entry k() {
p: .callprototype _ () .abi_preserve_control 14;
q: .callprototype _ () .abi_preserve 240;
    ret;
}
",
            expect![[r#"
                4:`.abi_preserve_control 12` Error invalid-value: 12 is too large for `.abi_preserve_control`; the largest number is 11
                7:`.abi_preserve 240` Error invalid-value: 240 is too large for `.abi_preserve`; the largest number is 239
                9:`.abi_preserve_control 14` Error invalid-value: 14 is too large for `.abi_preserve_control`; the largest number is 11
            "#]],
        );
    }

    #[test]
    fn addresses_of_32_bits() {
        check_prologue(
            "\
.version 8.0\n.target sm_90\n.address_size 32\n
.version 8.0\n.target sm_75\n.address_size 32\n
.version 8.0\n.target sm_72\n.address_size 32\n
.version 8.0\n.target sm_20\n.address_size 32
",
            expect![[r#"
                3:`.address_size` invalid-value: the assembler generates no code with 32-bit addresses for sm_90; write `.address_size 64` and hold addresses in 64-bit registers

                3:`.address_size` invalid-value: the assembler generates no code with 32-bit addresses for sm_75; write `.address_size 64` and hold addresses in 64-bit registers



            "#]],
        );
    }
}
