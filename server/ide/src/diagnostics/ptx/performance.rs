//! The directives between the parameters and the body of a function: where each may stand, what it takes, what it goes
//! with, and whether the target can do what they ask for.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, FunctionKind, PerformanceDirective, Signature, SymbolKind};
use warplens_isa::ptx::{self as isa, Directive, Holder, Unmet};

use super::super::problem::Mend;
use super::super::{Problem, codes};
use super::needs;
use crate::module_target::ModuleTarget;
use crate::occupancy::{self, Demand};

/// The languages that `.language` knows by name, in lower case, and the largest number it takes.
const LANGUAGES: [&str; 9] =
    ["unknown", "ptx", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "cutile python", "fortran", "optix"];
const LAST_LANGUAGE: u64 = 10;

/// Checks the directives of a function and of the prototypes in it.
pub(super) fn check(function: &Function, text: &str, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let holder = match function.kind {
        FunctionKind::Entry => Holder::Entry,
        FunctionKind::Func => Holder::Func,
    };
    let list = List { signature: &function.signature, holder, text, module };
    list.check(problems);
    if let Some(first) = function.signature.directives.first()
        && function.body.is_none()
        && (holder == Holder::Entry || list.has("language"))
    {
        let message = "a declaration without a body takes no directives; write them where the body is";
        problems.push(Problem::error(first.range, codes::MISPLACED_DIRECTIVE, message));
        return;
    }
    if holder == Holder::Entry {
        limits(&function.signature, text, module, problems);
    }
    for symbol in function.symbols() {
        if let SymbolKind::Prototype(signature) = &symbol.kind {
            List { signature, holder: Holder::Prototype, text, module }.check(problems);
        }
    }
}

/// The directives of one function or prototype.
struct List<'f> {
    signature: &'f Signature,
    holder: Holder,
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
                .or_else(|| {
                    needs::unmet(word(written), &format!("`{}`", known.name), known.need, self.module)
                })
                .or_else(|| self.values(known, written))
                .or_else(|| self.company(known, written, index));
            problems.extend(problem);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.signature.directive(name.trim_start_matches('.')).is_some()
    }

    fn place(&self, known: &Directive, written: &PerformanceDirective, index: usize) -> Option<Problem> {
        let error = |message: String| Problem::error(word(written), codes::MISPLACED_DIRECTIVE, message);
        let remove = || Mend::new(format!("Remove `{}`", known.name)).delete(written.range);
        if !known.holders.contains(&self.holder) {
            let here = holder_words(self.holder);
            let message = match holders_words(known.holders) {
                Some(right) => format!("`{}` cannot stand at {here}; it belongs to {right}", known.name),
                None => format!("`{}` cannot stand between the parameters and the body", known.name),
            };
            return Some(error(message).with_fix(remove()));
        }
        if self.holder == Holder::Entry {
            return None;
        }
        // Functions have a fixed order, and nothing twice.
        let before = &self.signature.directives[..index];
        if before.iter().any(|other| other.name == written.name) {
            return Some(
                error(format!("`{}` stands here already; once is enough", known.name)).with_fix(remove()),
            );
        }
        let rank = rank(&written.name);
        let early = before.iter().find(|other| rank < self::rank(&other.name))?;
        Some(error(format!("`{}` has to stand before `.{}`", known.name, early.name)))
    }

    fn removed(&self, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
        let until = known.until?;
        if self.module.version? < until {
            return None;
        }
        let message = format!("`{}` is gone since PTX {until}; use `.minnctapersm`", known.name);
        let mend = Mend::replacement(word(written), ".minnctapersm").preferred();
        Some(Problem::error(word(written), codes::REMOVED_DIRECTIVE, message).with_fix(mend))
    }

    fn values(&self, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
        let error = |message: String| Some(Problem::error(written.range, codes::INVALID_VALUE, message));
        let name = known.name;
        if name == ".language" {
            return language(written, self.text);
        }
        let (least, most) = known.values;
        if !written.is_plain {
            return error(format!("`{name}` takes plain numbers; the assembler computes nothing here"));
        }
        let count = written.values.len();
        if count < usize::from(least) || count > usize::from(most) {
            let takes = match (least, most) {
                (_, 0) => "no numbers".to_owned(),
                (1, 1) => "one number".to_owned(),
                (least, most) => format!("{least} to {most} numbers"),
            };
            return error(format!("`{name}` takes {takes}; it has {count}"));
        }
        if !known.zero && written.values.contains(&0) {
            return error(format!("the numbers of `{name}` are at least 1; a 0 allows no launch at all"));
        }
        let large = written.values.iter().find(|value| **value > u64::from(u32::MAX))?;
        error(format!("{large} does not fit into the 32 bits of a number of `{name}`"))
    }

    /// What it conflicts with, and what it requires.
    fn company(&self, known: &Directive, written: &PerformanceDirective, index: usize) -> Option<Problem> {
        if written.name == "noreturn" && !self.signature.returns.is_empty() {
            let message = "a function that never returns has no result; remove `.noreturn` or the result";
            let mend = Mend::new("Remove `.noreturn`").delete(written.range);
            return Some(
                Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message).with_fix(mend),
            );
        }
        let before = &self.signature.directives[..index];
        let other = before.iter().find(|other| {
            known.conflicts.iter().any(|name| name.strip_prefix('.') == Some(other.name.as_str()))
        });
        if let Some(other) = other {
            let message =
                format!("`{}` and `.{}` exclude each other; keep one of them", known.name, other.name);
            let mend = Mend::new(format!("Remove `{}`", known.name)).delete(written.range);
            let problem = Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message);
            return Some(problem.with_related(word(other), "the other one").with_fix(mend));
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
        Some(match known.unmet {
            Unmet::Rejected => {
                let message = format!("`{name}` needs `{missing}` too");
                Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message)
            }
            Unmet::Ignored => {
                let message = format!("the assembler ignores `{name}` without `{missing}`; add one");
                Problem::warning(word(written), codes::IGNORED_DIRECTIVE, message)
            }
        })
    }
}

/// The word of a directive without its values.
fn word(written: &PerformanceDirective) -> TextRange {
    TextRange::at(written.range.start(), TextSize::of('.') + TextSize::of(written.name.as_str()))
}

/// The order at functions.
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
        return error(format!("{large} is no language; the numbers go from 0 to {LAST_LANGUAGE}"));
    }
    let written_text = text.get(std::ops::Range::<usize>::from(written.range))?;
    let strings: Vec<&str> = written_text.split('"').skip(1).step_by(2).collect();
    if let Some(unknown) = strings.iter().find(|name| !LANGUAGES.contains(&name.to_lowercase().as_str())) {
        return error(format!("`.language` knows no `{unknown}`; it knows {}", LANGUAGES.join(", ")));
    }
    (strings.is_empty() && written.values.is_empty()).then(|| {
        Problem::error(written.range, codes::INVALID_VALUE, "`.language` takes a name in quotes or a number")
    })
}

/// Whether the target can hold what a kernel asks for.
fn limits(signature: &Signature, text: &str, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let Some(target) = module.architecture.as_deref().and_then(isa::target) else { return };
    let Some(limits) = target.limits else { return };
    let mut warn = |written: &PerformanceDirective, message: String| {
        problems.push(Problem::warning(written.range, codes::BEYOND_LIMITS, message));
    };
    let _ = text;
    let demand = Demand::of(signature);
    for name in ["maxntid", "reqntid"] {
        let Some(written) = signature.directive(name) else { continue };
        let threads = written.values.iter().copied().fold(1, u64::saturating_mul);
        let most = u64::from(limits.threads_per_cta);
        if threads > most {
            let target = target.name;
            warn(
                written,
                format!("{threads} threads; a CTA of {target} has at most {most}, so such a launch fails"),
            );
        }
    }
    if let Some(written) = signature.directive("maxnreg")
        && let Some(&registers) = written.values.first()
        && registers > u64::from(limits.registers_per_thread)
    {
        let most = limits.registers_per_thread;
        warn(written, format!("{registers} registers; a thread of {} has at most {most}", target.name));
    }
    if let (Some(written), Some(threads)) = (signature.directive("minnctapersm"), demand.threads)
        && let Some(&ctas) = written.values.first()
        && threads <= u64::from(limits.threads_per_cta)
    {
        let most = occupancy::ctas_by_threads(limits, threads);
        if ctas > most {
            let message = format!(
                "{ctas} CTAs of {threads} threads do not fit on a multiprocessor of {}, which holds {most} of them",
                target.name
            );
            warn(written, message);
        }
    }
}
