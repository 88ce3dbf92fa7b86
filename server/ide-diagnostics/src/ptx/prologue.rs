//! The prologue of a module: `.version`, `.target` and `.address_size`, in this order, and their values.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx;
use warplens_hir::ptx::Directive;
use warplens_ide_db::ptx::{module_target, ptx_header};
use warplens_ide_db::{Database, Diagnostic, File, Fixes, Item, Problem, items, placed_items};
use warplens_isa::{Version, ptx as isa};
use warplens_syntax::ItemKind;

use crate::context::fix_context;
use crate::ptx::prologue_state::{Part, Prologue};
use crate::ptx::symbols::first_token;
use crate::ptx::{
    conflicting_directives, dump_header, invalid_value, misplaced_directive, missing_directive, needs,
    unknown_target, unknown_version,
};

/// Checks the prologue of a file. A file of white space only has none.
pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let context = fix_context(db, file, Fixes::Included);
    let mut prologue = Prologue::new(db, file);
    let mut found = Vec::new();
    for (item, start) in placed_items(db, file) {
        prologue.item(item, start);
        found.extend(prologue.problems.drain(..).map(|problem| problem.in_file(&context, start)));
    }
    found.extend(prologue.end().map(|(start, problem)| problem.in_file(&context, start)));
    found
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

    fn item(&mut self, item: Item<'db>, start: TextSize) {
        let part = part_of(self.db, item);
        if part == Part::Nothing {
            return;
        }
        if dump_header::is_header(self.db, item) {
            self.begin_module();
            return;
        }
        if self.seen < 2 || part != Part::Rest {
            self.judge(item, part);
        }
        self.seen += 1;
        self.last_item = Some((start, item));
        self.last = part;
    }

    /// What follows the header of a dump is another module.
    fn begin_module(&mut self) {
        (self.seen, self.last_item, self.last) = (0, None, Part::Nothing);
        (self.had_version, self.had_target, self.had_size) = (false, false, false);
    }

    fn judge(&mut self, item: Item<'db>, part: Part) {
        let range = first_token(self.db, item);
        self.problems.extend(missing_directive::check(self, range, part));
        match part {
            Part::Version => self.version(item, range),
            Part::Target => self.target(item, range),
            Part::AddressSize => self.address_size(item, range),
            Part::Nothing | Part::Rest => {}
        }
    }

    fn version(&mut self, item: Item<'_>, range: TextRange) {
        self.problems.extend(misplaced_directive::version(self, range));
        self.had_version = true;
        let Some(Directive::Version(Some(version))) = &ptx_header(self.db, item).directive else { return };
        self.problems.extend(unknown_version::check(range, version.major, version.minor));
    }

    fn target(&mut self, item: Item<'_>, range: TextRange) {
        let is_second = self.had_target;
        self.problems.extend(misplaced_directive::target(self, range));
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
            self.problems.extend(unknown_target::architecture(name, *range, is_second));
            return;
        };
        self.problems.extend(unknown_target::other_name(name, target, *range));
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
                    other.map(|other| conflicting_directives::texture_modes(*range, word, other))
                }
                "debug" => conflicting_directives::debug(self.db, self.file, *range),
                "map_f64_to_f32" => conflicting_directives::without_f64(self.module, *range),
                _ if isa::target(word).is_some() => None,
                _ => Some(unknown_target::option(word, *range)),
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

    fn address_size(&mut self, item: Item<'_>, range: TextRange) {
        self.problems.extend(misplaced_directive::address_size(self, range));
        self.had_size = true;
        self.problems.extend(needs::check_directive(range, ".address_size", self.module));
        if item.parse(self.db).errors().is_empty()
            && let Some(Directive::AddressSize(size)) = ptx_header(self.db, item).directive
        {
            self.problems.extend(invalid_value::address_size(range, size, self.module));
        }
    }

    /// Reports what is missing in a module with nothing but `.version`.
    fn end(&self) -> Option<(TextSize, Problem)> {
        let (start, item) = self.last_item.filter(|_| self.last == Part::Version && !self.has_target)?;
        let version = item.parse(self.db).root().nodes().next()?.range();
        Some((start, missing_directive::target_at_end(version)))
    }
}

fn part_of(db: &Database, item: Item<'_>) -> Part {
    match item.kind(db) {
        ItemKind::Directive => match &ptx_header(db, item).directive {
            Some(Directive::Version(_)) => Part::Version,
            Some(Directive::Target(_)) => Part::Target,
            Some(Directive::AddressSize(_)) => Part::AddressSize,
            _ => Part::Rest,
        },
        ItemKind::Other if item.parse(db).root().nodes().next().is_none() => Part::Nothing,
        _ => Part::Rest,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use expect_test::{Expect, expect};

    use warplens_ide::AnalysisHost;
    use warplens_ide_db::FileId;

    /// Shows the problems of modules, which are separated by blank lines.
    pub(in crate::ptx) fn check(modules: &str, expect: Expect) {
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
}
