//! The prologue of a module: `.version`, `.target` and `.address_size`, in this order, and their values.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx;
use warplens_hir::ptx::{AddressSize, Directive};
use warplens_ide_db::ptx::{ModuleTarget, module_target, ptx_header};
use warplens_ide_db::{Database, Db, Diagnostic, File, Fixes, Item, ItemFix, Problem, items};
use warplens_isa::{Version, ptx as isa};
use warplens_syntax::ItemKind;
use warplens_syntax::ptx::ast;

use crate::codes;
use crate::context::fix_context;
use crate::ptx::needs;

/// The first target with hardware support for `.f64`.
const WITH_F64: u16 = 13;
/// The first target for which no present assembler generates code with 32-bit addresses. Older ones have older assemblers.
const WITHOUT_32_BITS: u16 = 75;

/// Checks the prologue of a file. A file of white space only has none.
pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let context = fix_context(db, file, Fixes::Included);
    let list = file.document(db).items();
    let mut prologue = Prologue::new(db, file);
    let mut found = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        prologue.item(index, *item);
        let start = list.start_of(index);
        found.extend(prologue.problems.drain(..).map(|problem| problem.in_file(&context, start)));
    }
    found.extend(prologue.end().map(|(index, problem)| problem.in_file(&context, list.start_of(index))));
    found
}

/// Checks a `.target` between statements, which has no effect. `texmode_independent` there conflicts with the module's
/// prologue.
pub(super) fn again(target: &ast::TargetDirective) -> Option<Problem> {
    target.words().find_map(|word| {
        if isa::target(word.text()).is_some() || word.text() == "texmode_unified" {
            return None;
        }
        let message =
            format!("`{}` is not allowed here; remove this `.target`, which has no effect", word.text());
        Some(Problem::error(word.text_range(), codes::UNKNOWN_TARGET, message))
    })
}

struct Prologue<'db> {
    db: &'db Database,
    file: File,
    module: &'db ModuleTarget,
    /// Which of the three directives are in the file.
    has_version: bool,
    has_target: bool,
    /// The number of items with text so far, and the position and kind of the last one.
    seen: usize,
    last_item: Option<(usize, Item<'db>)>,
    last: Part,
    had_version: bool,
    had_target: bool,
    had_size: bool,
    problems: Vec<Problem>,
}

/// The role of an item in the prologue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Nothing,
    Version,
    Target,
    AddressSize,
    Rest,
}

impl<'db> Prologue<'db> {
    fn new(db: &'db Database, file: File) -> Prologue<'db> {
        let is = |item: &Item<'_>, part| part_of(db, *item) == part;
        Prologue {
            db,
            file,
            module: module_target(db, file),
            has_version: items(db, file).iter().any(|item| is(item, Part::Version)),
            has_target: items(db, file).iter().any(|item| is(item, Part::Target)),
            seen: 0,
            last_item: None,
            last: Part::Nothing,
            had_version: false,
            had_target: false,
            had_size: false,
            problems: Vec::new(),
        }
    }

    fn item(&mut self, index: usize, item: Item<'db>) {
        let part = part_of(self.db, item);
        if part == Part::Nothing {
            return;
        }
        if self.seen < 2 || part != Part::Rest {
            self.judge(item, part);
        }
        self.seen += 1;
        self.last_item = Some((index, item));
        self.last = part;
    }

    fn judge(&mut self, item: Item<'db>, part: Part) {
        let range = first_token(self.db, item);
        self.missing(range, part);
        match part {
            Part::Version => self.version(item, range),
            Part::Target => self.target(item, range),
            Part::AddressSize => self.address_size(item, range),
            Part::Nothing | Part::Rest => {}
        }
    }

    /// Reports a missing `.version` at the first item, a missing `.target` at the next one.
    fn missing(&mut self, range: TextRange, part: Part) {
        if self.seen == 0 && !self.has_version {
            let newest = isa::versions().last().map_or(Version::new(9, 0), |release| release.version);
            let message =
                format!("missing `.version`; a module must start with it, such as `.version {newest}`");
            let fix = ItemFix::new(format!("Insert `.version {newest}`"));
            let fix = fix.insert(range.start(), format!(".version {newest}\n"));
            self.problems.push(Problem::error(range, codes::MISSING_DIRECTIVE, message).with_fix(fix));
        }
        if self.seen == 1 && self.has_version && !self.has_target && part != Part::Version {
            let message = "missing `.target` after `.version`, such as `.target sm_80`";
            let fix = ItemFix::new("Insert `.target sm_80`").insert(range.start(), ".target sm_80\n");
            self.problems.push(Problem::error(range, codes::MISSING_DIRECTIVE, message).with_fix(fix));
        }
    }

    /// Reports what is missing in a module with nothing but `.version`.
    fn end(&self) -> Option<(usize, Problem)> {
        let (index, item) = self.last_item.filter(|_| self.last == Part::Version && !self.has_target)?;
        let version = item.parse(self.db).syntax().first_child()?.text_range();
        let message = "missing `.target` after `.version`, such as `.target sm_80`";
        let fix = ItemFix::new("Insert `.target sm_80`").insert(version.end(), "\n.target sm_80");
        Some((index, Problem::error(version, codes::MISSING_DIRECTIVE, message).with_fix(fix)))
    }

    fn misplaced(&mut self, range: TextRange, message: &str) {
        self.problems.push(Problem::error(range, codes::MISPLACED_DIRECTIVE, message));
    }

    fn version(&mut self, item: Item<'_>, range: TextRange) {
        if self.had_version {
            self.misplaced(range, "duplicate `.version`; remove this one");
        } else if self.seen > 0 {
            self.misplaced(range, "`.version` must be the first directive of a module");
        }
        self.had_version = true;
        let Some(Directive::Version(Some(version))) = &ptx_header(self.db, item).directive else { return };
        self.problems.extend(unknown_version(range, version.major, version.minor));
    }

    fn target(&mut self, item: Item<'_>, range: TextRange) {
        let follows = matches!(self.last, Part::Version | Part::Target);
        let is_second = self.had_target;
        if !follows && is_second {
            self.misplaced(range, "duplicate `.target`; remove this one");
        } else if !follows && self.had_version {
            self.misplaced(range, "`.target` must directly follow `.version`");
        }
        self.had_target = true;
        let Some(Directive::Target(words)) = &ptx_header(self.db, item).directive else { return };
        if item.parse(self.db).errors().is_empty() {
            self.architecture(words, is_second);
            self.options(words);
        }
    }

    fn architecture(&mut self, words: &ptx::Target, is_second: bool) {
        let Some((name, range)) = &words.architecture else { return };
        let Some(target) = isa::target(name) else {
            if is_option(name) {
                let message = "the target must precede its options: `.target sm_80, texmode_independent`";
                if !is_second {
                    self.problems.push(Problem::error(*range, codes::UNKNOWN_TARGET, message));
                }
                return;
            }
            let message = format!("unknown target `{name}`");
            let targets = isa::targets().iter().map(|target| target.name);
            self.problems.push(Problem::unknown(*range, codes::UNKNOWN_TARGET, &message, name, targets));
            return;
        };
        if name.trim_start_matches("compute_") != target.name.trim_start_matches("sm_") && name != target.name
        {
            let message = format!("the assembler reads `{name}` as `{}`; write that instead", target.name);
            let fix = ItemFix::replacement(*range, target.name).preferred();
            self.problems.push(Problem::warning(*range, codes::UNKNOWN_TARGET, message).with_fix(fix));
        }
        // The module may be checked against another target than the one that it names.
        let checked = self.module.architecture.as_deref().filter(|_| !is_second).and_then(isa::target);
        let target = checked.unwrap_or(target);
        let Some(version) = self.module.version.filter(|version| *version < target.since) else { return };
        // 5.1 is 6.0 under another name.
        if version == Version::new(5, 1) && target.since == Version::new(6, 0) {
            return;
        }
        self.problems.push(needs::too_old(*range, target.name, target.since, version));
    }

    fn options(&mut self, words: &ptx::Target) {
        let mut mode: Option<&str> = None;
        for (word, range) in &words.options {
            let found = match word.as_str() {
                "texmode_unified" | "texmode_independent" => {
                    let other = mode.replace(word).filter(|other| other != word);
                    other.map(|other| {
                        let message = format!("`{word}` and `{other}` are mutually exclusive; remove one");
                        Problem::error(*range, codes::CONFLICTING_DIRECTIVES, message)
                    })
                }
                "debug" => self.debug(*range),
                "map_f64_to_f32" => self.without_f64(*range),
                _ if isa::target(word).is_some() => None,
                _ => {
                    let options = isa::target_options().iter().map(|option| option.name);
                    let message = format!("unknown option `{word}` of `.target`");
                    Some(Problem::unknown(*range, codes::UNKNOWN_TARGET, &message, word, options))
                }
            };
            // The unified mode is what there was before there were modes.
            let option =
                isa::target_options().iter().find(|option| option.name == word && word != "texmode_unified");
            let requirement = option.and_then(|option| {
                let need = isa::Requirement { since: option.since, target: isa::TargetRequirement::Any };
                needs::check(*range, &format!("`{word}`"), need, self.module)
            });
            self.problems.extend(found.or(requirement));
        }
    }

    fn debug(&self, range: TextRange) -> Option<Problem> {
        let is_section = |item: &Item<'_>| {
            item.kind(self.db) == ItemKind::Directive
                && matches!(&ptx_header(self.db, *item).directive, Some(Directive::Other(word)) if word == "section")
        };
        let message = "`debug` requires debug information, but the module has no `.section`; remove the option or add a section";
        let has_section = items(self.db, self.file).iter().any(is_section);
        (!has_section).then(|| Problem::error(range, codes::CONFLICTING_DIRECTIVES, message))
    }

    fn without_f64(&self, range: TextRange) -> Option<Problem> {
        let target = self.module.architecture.as_deref().and_then(isa::target)?;
        let message = format!("`map_f64_to_f32` is for targets without `.f64` only; {} has it", target.name);
        (target.number >= WITH_F64).then(|| Problem::error(range, codes::CONFLICTING_DIRECTIVES, message))
    }

    fn address_size(&mut self, item: Item<'_>, range: TextRange) {
        if self.had_size {
            self.misplaced(range, "duplicate `.address_size`; remove this one");
        } else if self.last != Part::Target && (self.had_target || !self.has_target) && self.had_version {
            self.misplaced(range, "`.address_size` must directly follow `.target`");
        }
        self.had_size = true;
        self.problems.extend(needs::check_directive(range, ".address_size", self.module));
        if !item.parse(self.db).errors().is_empty() {
            return;
        }
        let message = match ptx_header(self.db, item).directive {
            Some(Directive::AddressSize(None)) => {
                "an address must have 32 or 64 bits; write `.address_size 64`".to_owned()
            }
            Some(Directive::AddressSize(Some(AddressSize::Bits32))) => {
                let target = self.module.architecture.as_deref().and_then(isa::target);
                let Some(target) = target.filter(|target| target.number >= WITHOUT_32_BITS) else { return };
                let name = target.name;
                format!(
                    "the assembler generates no code with 32-bit addresses for {name}; write `.address_size 64` and hold addresses in 64-bit registers"
                )
            }
            _ => return,
        };
        self.problems.push(Problem::error(range, codes::INVALID_VALUE, message));
    }
}

/// A version that was not released. The assembler looks up ten times the number before the point plus the one after it, so
/// it finds 9.0 for 8.10; the features that it then accepts are those of versions before 8.10.
fn unknown_version(range: TextRange, major: u32, minor: u32) -> Option<Problem> {
    let released = || isa::versions().iter().map(|release| release.version);
    let is_written =
        |version: &Version| (u32::from(version.major), u32::from(version.minor)) == (major, minor);
    if released().any(|version| is_written(&version)) {
        return None;
    }
    let number = |version: Version| 10 * u32::from(version.major) + u32::from(version.minor);
    let written = major.checked_mul(10).and_then(|tens| tens.checked_add(minor));
    let is_accepted = released().any(|version| Some(number(version)) == written);
    let before = released().rfind(|version| u32::from(version.major) <= major);
    if let Some(before) = before.filter(|_| is_accepted) {
        let message = format!(
            "there is no PTX version {major}.{minor}; the assembler accepts it with the features of {before}, so write that"
        );
        let fix = ItemFix::new(format!("Replace with {before}")).version(&before.to_string()).preferred();
        return Some(Problem::warning(range, codes::UNKNOWN_VERSION, message).with_fix(fix));
    }
    let newest = released().next_back().map(|version| version.to_string()).unwrap_or_default();
    let message = format!("unknown PTX version {major}.{minor}; the newest is {newest}");
    let fix = ItemFix::new(format!("Replace with {newest}")).version(&newest);
    Some(Problem::error(range, codes::UNKNOWN_VERSION, message).with_fix(fix))
}

fn is_option(word: &str) -> bool {
    isa::target_options().iter().any(|option| option.name == word)
}

fn part_of(db: &Database, item: Item<'_>) -> Part {
    match item.kind(db) {
        ItemKind::Directive => match &ptx_header(db, item).directive {
            Some(Directive::Version(_)) => Part::Version,
            Some(Directive::Target(_)) => Part::Target,
            Some(Directive::AddressSize(_)) => Part::AddressSize,
            _ => Part::Rest,
        },
        ItemKind::Other if item.parse(db).syntax().first_child().is_none() => Part::Nothing,
        _ => Part::Rest,
    }
}

/// The start of an item's text, after its comments.
pub(super) fn first_token(db: &dyn Db, item: Item<'_>) -> TextRange {
    let node = item.parse(db).syntax().first_child();
    let token = node.and_then(|node| node.first_token());
    token.map_or(TextRange::empty(TextSize::new(0)), |token| token.text_range())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use warplens_ide::AnalysisHost;
    use warplens_ide_db::FileId;

    /// Shows the problems of modules, which are separated by blank lines.
    fn check(modules: &str, expect: Expect) {
        let mut shown = String::new();
        for module in modules.split("\n\n") {
            let mut host = AnalysisHost::new();
            host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, module);
            for found in host.snapshot().diagnostics(FileId(0)).unwrap() {
                let line = 1 + module[..usize::from(found.range.start())].matches('\n').count();
                let text = &module[found.range];
                shown.push_str(&format!("{line}:`{text}` {}: {}\n", found.code, found.message));
            }
            shown.push('\n');
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn order() {
        check(
            "\
.version 8.0\n.target sm_90, texmode_independent\n.address_size 64\n.entry k() { ret; }\n
// nothing but a comment\n
.entry k() { ret; }\n
.target sm_90\n.entry k() { ret; }\n
.version 8.0\n.entry k() { ret; }\n
.version 8.0\n
.target sm_90\n.version 8.0\n
.version 8.0\n.address_size 64\n.target sm_90\n
.version 8.0\n.target sm_90\n.target sm_90\n.address_size 64\n.version 8.0\n
.version 8.0\n.target sm_90\n.entry k() { ret; }\n.address_size 64\n.target sm_90
",
            expect![[r#"


                1:`.entry` missing-directive: missing `.version`; a module must start with it, such as `.version 9.5`

                1:`.target` missing-directive: missing `.version`; a module must start with it, such as `.version 9.5`

                2:`.entry` missing-directive: missing `.target` after `.version`, such as `.target sm_80`

                1:`.version 8.0` missing-directive: missing `.target` after `.version`, such as `.target sm_80`

                2:`.version` misplaced-directive: `.version` must be the first directive of a module

                3:`.target` misplaced-directive: `.target` must directly follow `.version`

                5:`.version` misplaced-directive: duplicate `.version`; remove this one

                4:`.address_size` misplaced-directive: `.address_size` must directly follow `.target`
                5:`.target` misplaced-directive: duplicate `.target`; remove this one

            "#]],
        );
    }

    #[test]
    fn values() {
        check(
            "\
.version 4.9\n.target sm_50\n
.version 8.0\n.target sm_91\n
.version 6.2\n.target sm_80\n
.version 8.0\n.target sm_90, texmode_unifed\n
.version 8.0\n.target sm_90, texmode_unified, texmode_independent\n
.version 8.0\n.target sm_90, debug\n
.version 8.0\n.target sm_90, map_f64_to_f32\n
.version 8.0\n.target texmode_independent\n
.version 8.0\n.target sm_90\n.address_size 16\n
.version 2.2\n.target sm_20\n.address_size 64\n
.version 5.1\n.target sm_70
",
            expect![[r#"
                1:`.version` unknown-version: unknown PTX version 4.9; the newest is 9.5

                2:`sm_91` unknown-target: unknown target `sm_91`; did you mean `sm_11`?

                2:`sm_80` needs-version: sm_80 needs PTX 7.0 or later; this module is written in PTX 6.2

                2:`texmode_unifed` unknown-target: unknown option `texmode_unifed` of `.target`; did you mean `texmode_unified`?

                2:`texmode_independent` conflicting-directives: `texmode_independent` and `texmode_unified` are mutually exclusive; remove one

                2:`debug` conflicting-directives: `debug` requires debug information, but the module has no `.section`; remove the option or add a section

                2:`map_f64_to_f32` conflicting-directives: `map_f64_to_f32` is for targets without `.f64` only; sm_90 has it

                2:`texmode_independent` unknown-target: the target must precede its options: `.target sm_80, texmode_independent`

                3:`.address_size` invalid-value: an address must have 32 or 64 bits; write `.address_size 64`

                3:`.address_size` needs-version: `.address_size` needs PTX 2.3 or later; this module is written in PTX 2.2


            "#]],
        );
    }

    #[test]
    fn versions_that_were_not_released() {
        check(
            "\
.version 8.10\n.target sm_90\n
.version 8.15\n.target sm_90\n
.version 8.05\n.target sm_90\n
.version 8.19\n.target sm_90\n
.version 8.9\n.target sm_90\n
.version 7.80\n.target sm_90\n
.version 8.10\n.target sm_110\n
.version 4294967295.5\n.target sm_90
",
            expect![[r#"
                1:`.version` unknown-version: there is no PTX version 8.10; the assembler accepts it with the features of 8.8, so write that

                1:`.version` unknown-version: there is no PTX version 8.15; the assembler accepts it with the features of 8.8, so write that


                1:`.version` unknown-version: unknown PTX version 8.19; the newest is 9.5

                1:`.version` unknown-version: unknown PTX version 8.9; the newest is 9.5

                1:`.version` unknown-version: unknown PTX version 7.80; the newest is 9.5

                1:`.version` unknown-version: there is no PTX version 8.10; the assembler accepts it with the features of 8.8, so write that
                2:`sm_110` needs-version: sm_110 needs PTX 9.0 or later; this module is written in PTX 8.10

                1:`.version` unknown-version: unknown PTX version 4294967295.5; the newest is 9.5

            "#]],
        );
    }

    #[test]
    fn addresses_of_32_bits() {
        check(
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
