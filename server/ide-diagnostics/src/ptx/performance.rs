//! The directives between the parameters and the body of a function: where each is allowed, its values, its conflicts and
//! requirements, and the limits of the target.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, FunctionKind, PerformanceDirective, Signature, SymbolKind};
use warplens_ide_db::ptx::occupancy::Demand;
use warplens_ide_db::ptx::{ModuleTarget, occupancy};
use warplens_ide_db::{ItemFix, Problem, Tag};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Directive, Holder, Limits, MissingRequirement, Target};

use crate::codes;
use crate::ptx::needs;

/// The languages that `.language` accepts by name, in lower case, and the largest number it accepts.
const LANGUAGES: [&str; 9] =
    ["unknown", "ptx", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "cutile python", "fortran", "optix"];
const LAST_LANGUAGE: u64 = 10;

/// The registers that a function with a body can preserve: the assembler puts the return address after them.
const PRESERVED: u64 = 239;

/// Checks the directives of a function and of the prototypes in it.
pub(super) fn check(function: &Function, text: &str, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let holder = match function.kind {
        FunctionKind::Entry => Holder::Entry,
        FunctionKind::Func => Holder::Func,
    };
    let has_body = function.body.is_some();
    let list = List { signature: &function.signature, holder, has_body, text, module };
    list.check(problems);
    if let Some(first) = function.signature.directives.first()
        && function.body.is_none()
        && (holder == Holder::Entry || list.has("language"))
    {
        let message =
            "directives are not allowed on a declaration without a body; write them on the definition";
        problems.push(Problem::error(first.range, codes::MISPLACED_DIRECTIVE, message));
        return;
    }
    if holder == Holder::Entry {
        limits(&function.signature, module, problems);
    }
    for symbol in function.symbols() {
        if let SymbolKind::Prototype(signature) = &symbol.kind {
            List { signature, holder: Holder::Prototype, has_body: false, text, module }.check(problems);
        }
    }
}

/// The directives of one function or prototype.
struct List<'f> {
    signature: &'f Signature,
    holder: Holder,
    has_body: bool,
    text: &'f str,
    module: &'f ModuleTarget,
}

impl List<'_> {
    fn check(&self, problems: &mut Vec<Problem>) {
        for (index, written) in self.signature.directives.iter().enumerate() {
            let Some(known) = isa::directive(&format!(".{}", written.name)) else { continue };
            let problem = self
                .place(known, written, index)
                .or_else(|| self.removed(known, written))
                .or_else(|| needs::check_directive(word(written), known.name, self.module))
                .or_else(|| self.values(known, written))
                .or_else(|| self.repeated(known, written, index))
                .or_else(|| self.company(known, written, index))
                .or_else(|| self.deprecated(known, written));
            problems.extend(problem);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.signature.directive(name.trim_start_matches('.')).is_some()
    }

    fn place(&self, known: &Directive, written: &PerformanceDirective, index: usize) -> Option<Problem> {
        let error = |message: String| Problem::error(word(written), codes::MISPLACED_DIRECTIVE, message);
        let remove = || ItemFix::new(format!("Remove `{}`", known.name)).delete(written.range);
        if !known.holders.contains(&self.holder) {
            let here = holder_words(self.holder);
            let message = match holders_words(known.holders) {
                Some(right) => format!("`{}` is not allowed on {here}; it is allowed on {right}", known.name),
                None => format!("`{}` is not allowed between the parameters and the body", known.name),
            };
            return Some(error(message).with_fix(remove()));
        }
        if self.holder == Holder::Entry {
            return None;
        }
        // The directives of a function have a fixed order and are not repeated.
        let before = &self.signature.directives[..index];
        if before.iter().any(|other| other.name == written.name) {
            return Some(error(format!("duplicate `{}`; remove one", known.name)).with_fix(remove()));
        }
        let rank = rank(&written.name);
        let early = before.iter().find(|other| rank < self::rank(&other.name))?;
        Some(error(format!("`{}` must precede `.{}`", known.name, early.name)))
    }

    fn removed(&self, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
        let until = known.until?;
        if self.module.version? < until {
            return None;
        }
        let message = format!("`{}` was removed in PTX {until}; use `.minnctapersm`", known.name);
        let fix = ItemFix::replacement(word(written), ".minnctapersm").preferred();
        Some(Problem::error(word(written), codes::REMOVED_DIRECTIVE, message).with_fix(fix))
    }

    fn deprecated(&self, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
        let since = known.deprecated?;
        if self.module.version? < since {
            return None;
        }
        let message = format!(
            "`{}` is deprecated since PTX {since}, and the assembler ignores it; use `.minnctapersm`",
            known.name
        );
        let fix = ItemFix::replacement(word(written), ".minnctapersm").preferred();
        let problem = Problem::hint(word(written), codes::DEPRECATED_FORM, message);
        Some(problem.with_tag(Tag::Deprecated).with_fix(fix))
    }

    /// A directive of a kernel that a later one of the same name replaces.
    fn repeated(&self, known: &Directive, written: &PerformanceDirective, index: usize) -> Option<Problem> {
        let last = self.signature.directive(&written.name)?;
        if self.holder != Holder::Entry || !self.signature.directives[index + 1..].contains(last) {
            return None;
        }
        let used = self.text.get(std::ops::Range::<usize>::from(last.range))?;
        let used = used.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!(
            "duplicate `{}`; the assembler ignores this one and uses the last one, `{used}`",
            known.name
        );
        let fix = ItemFix::new(format!("Remove this `{}`", known.name)).delete(written.range);
        let problem = Problem::warning(written.range, codes::IGNORED_DIRECTIVE, message);
        Some(problem.with_related(last.range, "the one that is used").with_fix(fix))
    }

    fn values(&self, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
        let error = |message: String| Some(Problem::error(written.range, codes::INVALID_VALUE, message));
        let name = known.name;
        if name == ".language" {
            return language(written, self.text);
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
        if let Some(greatest) = known.greatest
            && let Some(large) = written.values.iter().find(|value| **value > u64::from(greatest))
        {
            return error(format!("{large} is too large for `{name}`; the largest number is {greatest}"));
        }
        if name == ".abi_preserve"
            && self.has_body
            && let Some(large) = written.values.iter().find(|value| **value > PRESERVED)
        {
            return error(format!("{large} is too large for `{name}`; the largest number is {PRESERVED}"));
        }
        let large = written.values.iter().find(|value| **value > u64::from(u32::MAX))?;
        error(format!("{large} does not fit into 32 bits, the size of a number of `{name}`"))
    }

    /// Its conflicts and requirements.
    fn company(&self, known: &Directive, written: &PerformanceDirective, index: usize) -> Option<Problem> {
        if written.name == "noreturn" && !self.signature.returns.is_empty() {
            let message = "a `.noreturn` function cannot have a result; remove `.noreturn` or the result";
            let fix = ItemFix::new("Remove `.noreturn`").delete(written.range);
            return Some(Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message).with_fix(fix));
        }
        let before = &self.signature.directives[..index];
        let other = before.iter().find(|other| {
            known.conflicts.iter().any(|name| name.strip_prefix('.') == Some(other.name.as_str()))
        });
        if let Some(other) = other {
            let message =
                format!("`{}` and `.{}` are mutually exclusive; remove one of them", known.name, other.name);
            let fix = ItemFix::new(format!("Remove `{}`", known.name)).delete(written.range);
            let problem = Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message);
            return Some(problem.with_related(word(other), "the other directive").with_fix(fix));
        }
        self.requirement(known, written)
    }

    fn requirement(&self, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
        let is_missing = |names: &&&str| !names.split(" or ").any(|name| self.has(name));
        let missing: Vec<&str> = known.requires.iter().filter(is_missing).copied().collect();
        if missing.is_empty() {
            return None;
        }
        let (name, missing) = (known.name, missing.join("` and `").replace(" or ", "` or `"));
        Some(match known.missing_requirement {
            MissingRequirement::Rejected => {
                let message = format!("`{name}` also needs `{missing}`");
                Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message)
            }
            MissingRequirement::Ignored => {
                let message = format!("the assembler ignores `{name}` without `{missing}`; add it");
                Problem::warning(word(written), codes::IGNORED_DIRECTIVE, message)
            }
        })
    }
}

/// The range of a directive without its values.
fn word(written: &PerformanceDirective) -> TextRange {
    TextRange::at(written.range.start(), TextSize::of('.') + TextSize::of(written.name.as_str()))
}

/// The order on functions.
fn rank(name: &str) -> u8 {
    match name {
        "noreturn" => 0,
        "language" => 2,
        _ => 1,
    }
}

fn holder_words(holder: Holder) -> &'static str {
    match holder {
        Holder::Entry => "a kernel",
        Holder::Func => "a function",
        Holder::Prototype => "a `.callprototype`",
    }
}

fn holders_words(holders: &[Holder]) -> Option<String> {
    let list: Vec<&str> = holders
        .iter()
        .map(|holder| match holder {
            Holder::Entry => "kernels",
            Holder::Func => "functions",
            Holder::Prototype => "`.callprototype`",
        })
        .collect();
    (!list.is_empty()).then(|| list.join(" and "))
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
    (strings.is_empty() && written.values.is_empty()).then(|| {
        Problem::error(written.range, codes::INVALID_VALUE, "`.language` takes a name in quotes or a number")
    })
}

/// Checks the numbers of a kernel against the limits of the target.
fn limits(signature: &Signature, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let Some(target) = module.architecture.as_deref().and_then(isa::target) else { return };
    let Some(limits) = target.limits else { return };
    let mut warn = |written: &PerformanceDirective, message: String| {
        problems.push(Problem::warning(written.range, codes::BEYOND_LIMITS, message));
    };
    let demand = Demand::of(signature);
    for name in ["maxntid", "reqntid"] {
        let Some(written) = signature.directive(name) else { continue };
        let threads = written.values.iter().copied().fold(1, u64::saturating_mul);
        let most = u64::from(limits.threads_per_cta);
        if threads > most {
            let target = target.name;
            warn(
                written,
                format!(
                    "{threads} threads exceed the limit of {most} for a CTA of {target}; such a launch fails"
                ),
            );
        }
    }
    if let Some(written) = signature.directive("maxnreg")
        && let Some(&registers) = written.values.first()
        && registers > u64::from(limits.registers_per_thread)
    {
        let most = limits.registers_per_thread;
        warn(
            written,
            format!("{registers} registers exceed the limit of {most} for a thread of {}", target.name),
        );
    }
    registers(signature, target, limits, demand, &mut warn);
    if let (Some(written), Some(threads)) = (signature.directive("minnctapersm"), demand.threads)
        && let Some(&ctas) = written.values.first()
        && threads <= u64::from(limits.threads_per_cta)
    {
        let most = occupancy::ctas_by_threads(limits, threads);
        if ctas > most {
            let message = format!(
                "{ctas} CTAs of {threads} threads do not fit on a multiprocessor of {}; the limit is {most}",
                target.name
            );
            warn(written, message);
        }
    }
}

/// The registers of `.maxnreg` for all threads of the CTAs that must fit at a time.
fn registers(
    signature: &Signature,
    target: &Target,
    limits: &Limits,
    demand: Demand,
    warn: &mut impl FnMut(&PerformanceDirective, String),
) {
    let (Some(written), Some(registers), Some(threads)) =
        (signature.directive("maxnreg"), demand.registers, demand.threads)
    else {
        return;
    };
    let ctas = demand.ctas.unwrap_or(1);
    let fits = threads <= u64::from(limits.threads_per_cta)
        && registers <= u64::from(limits.registers_per_thread)
        && ctas <= occupancy::ctas_by_threads(limits, threads);
    if !fits {
        return;
    }
    let budget = occupancy::register_budget(limits, threads, ctas);
    if registers <= budget {
        return;
    }
    let (all, name) = (registers * threads * ctas, target.name);
    let message = if demand.ctas.is_some() {
        let available = limits.registers_per_sm;
        let these = if ctas == 1 { "1 CTA".to_owned() } else { format!("{ctas} CTAs") };
        format!(
            "{registers} registers for {these} of {threads} threads are {all}, but a multiprocessor of {name} has {available}; \
             because of `.minnctapersm` the assembler uses at most {budget}"
        )
    } else {
        let available = limits.registers_per_cta;
        format!(
            "{registers} registers for {threads} threads are {all}, but a CTA of {name} has {available}; \
             a launch with {threads} threads fails if the kernel uses more than {budget}"
        )
    };
    warn(written, message);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn what_a_kernel_takes() {
        check(
            "\
.version 9.4
.target sm_90
.entry a() .maxntid 64 .reqntid 64 { ret; }
.entry b() .minnctapersm 2 { ret; }
.entry c() .maxntid 64 .maxnctapersm 2 { ret; }
.entry d() .maxntid 0 { ret; }
.entry e() .maxntid 2+2 { ret; }
.entry f() .maxnreg 8, 8 { ret; }
.entry g() .noreturn { ret; }
.entry h() .blocksareclusters .reqntid 32 { ret; }
.entry i() .maxclusterrank 4 .reqnctapercluster 2 { ret; }
.entry j() .language 11 { ret; }
.entry k() .language \"pxt\" { ret; }
.entry l() .maxntid 16;
.entry m() .maxntid 64 .maxntid 32 .minperctamemory 0 .explicitcluster { ret; }
",
            expect![[r#"
                3:`.reqntid` Error conflicting-directives: `.reqntid` and `.maxntid` are mutually exclusive; remove one of them
                    3:`.maxntid` the other directive
                4:`.minnctapersm` Warning ignored-directive: the assembler ignores `.minnctapersm` without `.maxntid` or `.reqntid`; add it
                5:`.maxnctapersm` Error removed-directive: `.maxnctapersm` was removed in PTX 2.1; use `.minnctapersm`
                6:`.maxntid 0` Error invalid-value: the numbers of `.maxntid` must be at least 1; with 0, every launch fails
                7:`.maxntid 2+2` Error invalid-value: `.maxntid` takes numbers only; an expression is not allowed here
                8:`.maxnreg 8, 8` Error invalid-value: `.maxnreg` takes one number, not 2
                9:`.noreturn` Error misplaced-directive: `.noreturn` is not allowed on a kernel; it is allowed on functions and `.callprototype`
                9:`ret` Warning return-in-noreturn: a `.noreturn` function must not return: its callers rely on that; end it with `exit;` or `trap;`, or remove `.noreturn`
                    9:`.noreturn` declared here
                10:`.blocksareclusters` Error conflicting-directives: `.blocksareclusters` also needs `.reqnctapercluster`
                11:`.reqnctapercluster` Error conflicting-directives: `.reqnctapercluster` and `.maxclusterrank` are mutually exclusive; remove one of them
                    11:`.maxclusterrank` the other directive
                12:`.language 11` Error invalid-value: 11 is not a language; the numbers are 0 to 10
                13:`.language "pxt"` Error invalid-value: unknown language `pxt`; `.language` accepts unknown, ptx, nvvm, cuda c++, cuda c++ tile, tile ir, cutile python, fortran, optix
                14:`.maxntid 16` Error misplaced-directive: directives are not allowed on a declaration without a body; write them on the definition
                15:`.maxntid 64` Warning ignored-directive: duplicate `.maxntid`; the assembler ignores this one and uses the last one, `.maxntid 32`
                    15:`.maxntid 32` the one that is used
            "#]],
        );
    }

    #[test]
    fn what_a_function_takes() {
        check(
            "\
.version 9.0
.target sm_80
.func a() .maxntid 64 { ret; }
.func (.reg .b32 r) b() .noreturn { trap; }
.func c() .abi_preserve 4 .noreturn { trap; }
.func d() .noreturn .noreturn { trap; }
.func e() .noreturn .abi_preserve 0 .abi_preserve_control 4 .language 3 { trap; }
.func f() {
p: .callprototype _ () .maxnreg 3;
    ret;
}
.func g() .pragma \"nounroll\"; { ret; }
",
            expect![[r#"
                3:`.maxntid` Error misplaced-directive: `.maxntid` is not allowed on a function; it is allowed on kernels
                4:`.noreturn` Error conflicting-directives: a `.noreturn` function cannot have a result; remove `.noreturn` or the result
                5:`.noreturn` Error misplaced-directive: `.noreturn` must precede `.abi_preserve`
                6:`.noreturn` Error misplaced-directive: duplicate `.noreturn`; remove one
                7:`.language` Error needs-version: `.language` needs PTX 9.2 or later; this module is written in PTX 9.0
                9:`.maxnreg` Error misplaced-directive: `.maxnreg` is not allowed on a `.callprototype`; it is allowed on kernels
                12:`.pragma` Error misplaced-directive: `.pragma` is allowed before the body of a kernel only; write it in the body
            "#]],
        );
    }

    #[test]
    fn what_the_module_is_too_old_for() {
        check(
            "\
.version 7.0
.target sm_75
.func f() .abi_preserve 4 { ret; }
.entry k() .reqnctapercluster 2 { ret; }
",
            expect![[r#"
                3:`.abi_preserve` Error needs-version: `.abi_preserve` needs PTX 9.0 or later; this module is written in PTX 7.0
                4:`.reqnctapercluster` Error needs-version: `.reqnctapercluster` needs PTX 7.8 or later; this module is written in PTX 7.0
            "#]],
        );
    }

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
    fn the_last_of_equal_directives_is_used() {
        check(
            "\
.version 9.0
.target sm_80
.entry a() .maxnreg 32 .maxnreg  64 { ret; }
.entry b() .maxntid 32 .minnctapersm 2 .maxntid 64, 2 .minnctapersm 4 { ret; }
",
            expect![[r#"
                3:`.maxnreg 32` Warning ignored-directive: duplicate `.maxnreg`; the assembler ignores this one and uses the last one, `.maxnreg 64`
                    3:`.maxnreg  64` the one that is used
                4:`.maxntid 32` Warning ignored-directive: duplicate `.maxntid`; the assembler ignores this one and uses the last one, `.maxntid 64, 2`
                    4:`.maxntid 64, 2` the one that is used
                4:`.minnctapersm 2` Warning ignored-directive: duplicate `.minnctapersm`; the assembler ignores this one and uses the last one, `.minnctapersm 4`
                    4:`.minnctapersm 4` the one that is used
            "#]],
        );
    }

    #[test]
    fn a_directive_that_is_deprecated() {
        for version in ["1.4", "2.0", "2.1"] {
            let target = if version == "1.4" { "sm_13" } else { "sm_20" };
            let source = format!(
                ".version {version}\n.target {target}\n.entry k() .maxntid 32 .maxnctapersm 2 {{ ret; }}\n"
            );
            let expected = match version {
                "1.4" => expect![[r#""#]],
                "2.0" => expect![[r#"
                    3:`.maxnctapersm` Hint deprecated-form: `.maxnctapersm` is deprecated since PTX 2.0, and the assembler ignores it; use `.minnctapersm`
                "#]],
                _ => expect![[r#"
                    3:`.maxnctapersm` Error removed-directive: `.maxnctapersm` was removed in PTX 2.1; use `.minnctapersm`
                "#]],
            };
            check(&source, expected);
        }
    }

    #[test]
    fn what_the_target_cannot_hold() {
        check(
            "\
.version 8.0
.target sm_86
.entry a() .maxntid 2048 { ret; }
.entry b() .reqntid 32, 32, 2 { ret; }
.entry c() .maxnreg 300 { ret; }
.entry d() .maxntid 1024 .minnctapersm 2 { ret; }
.entry e() .maxntid 512 .minnctapersm 3 .maxnreg 255 { ret; }
.entry f() .reqntid 1024 .maxnreg 255 { ret; }
.entry g() .reqntid 1024 .maxnreg 64 { ret; }
.entry h() .maxntid 256 .minnctapersm 6 .maxnreg 40 { ret; }
.entry i() .maxntid 256 .minnctapersm 1 .maxnreg 255 { ret; }
.entry j() .maxntid 512 .minnctapersm 1 .maxnreg 200 { ret; }
.entry l() .maxntid 32 .minnctapersm 2305843009213693952 .maxnreg 200 { ret; }
",
            expect![[r#"
                3:`.maxntid 2048` Warning beyond-limits: 2048 threads exceed the limit of 1024 for a CTA of sm_86; such a launch fails
                4:`.reqntid 32, 32, 2` Warning beyond-limits: 2048 threads exceed the limit of 1024 for a CTA of sm_86; such a launch fails
                5:`.maxnreg 300` Warning beyond-limits: 300 registers exceed the limit of 255 for a thread of sm_86
                6:`.minnctapersm 2` Warning beyond-limits: 2 CTAs of 1024 threads do not fit on a multiprocessor of sm_86; the limit is 1
                7:`.maxnreg 255` Warning beyond-limits: 255 registers for 3 CTAs of 512 threads are 391680, but a multiprocessor of sm_86 has 65536; because of `.minnctapersm` the assembler uses at most 40
                8:`.maxnreg 255` Warning beyond-limits: 255 registers for 1024 threads are 261120, but a CTA of sm_86 has 65536; a launch with 1024 threads fails if the kernel uses more than 64
                12:`.maxnreg 200` Warning beyond-limits: 200 registers for 1 CTA of 512 threads are 102400, but a multiprocessor of sm_86 has 65536; because of `.minnctapersm` the assembler uses at most 128
                13:`.minnctapersm 2305843009213693952` Error invalid-value: 2305843009213693952 does not fit into 32 bits, the size of a number of `.minnctapersm`
                13:`.minnctapersm 2305843009213693952` Warning beyond-limits: 2305843009213693952 CTAs of 32 threads do not fit on a multiprocessor of sm_86; the limit is 16
            "#]],
        );
    }
}
