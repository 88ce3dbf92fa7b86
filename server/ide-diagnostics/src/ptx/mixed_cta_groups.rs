//! `mixed-cta-groups`: a kernel that, with the functions it calls, uses tensor memory both for one CTA and for a pair.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{DeclarationKind, ModuleNames, Resolution, Role};
use warplens_ide_db::ptx::{checked_headers, ptx_function};
use warplens_ide_db::{Access, Db, File, NameUse, Problem, group_uses, item_groups, items, items_of};
use warplens_syntax::ItemKind;

use crate::codes;
use crate::ptx::cross_item::CrossItemUses;
use crate::ptx::invalid_call::Call;

/// Checks the kernels of a module. `uses` are those of its items.
pub(super) fn check(
    db: &dyn Db,
    file: File,
    names: &ModuleNames,
    uses: &[Option<&CrossItemUses>],
) -> Vec<(u32, Problem)> {
    if !uses.iter().flatten().any(|uses| uses.cta_groups.is_some()) {
        return Vec::new();
    }
    let mut module = Module { names, uses, aliases: aliases(db, file), taken: [None, None] };
    let names = taken_names(db, file);
    let mut taken = Reached::default();
    taken.add(&module, names.iter().collect(), Use::Taken);
    module.taken = taken.first_uses;
    let items = items(db, file);
    let kernels = (0..uses.len()).filter(|index| items[*index].kind(db) == ItemKind::Kernel);
    kernels.filter_map(|kernel| Some((kernel as u32, mixed(&module, kernel)?))).collect()
}

struct Module<'a> {
    names: &'a ModuleNames,
    uses: &'a [Option<&'a CrossItemUses>],
    /// The functions that aliases name.
    aliases: FxHashMap<&'a SmolStr, &'a SmolStr>,
    /// The first uses of each group in functions whose address is taken, and in those that they call.
    taken: [Option<Use>; 2],
}

fn aliases(db: &dyn Db, file: File) -> FxHashMap<&SmolStr, &SmolStr> {
    let declared = checked_headers(db, file).flat_map(|(_, header)| &header.declarations);
    declared
        .filter_map(|it| {
            if let DeclarationKind::Alias { target } = &it.kind { Some((&it.name, target)) } else { None }
        })
        .collect()
}

/// The names of the module that code reads other than to call them, and those in initial values.
fn taken_names(db: &dyn Db, file: File) -> Vec<SmolStr> {
    let mut taken = Vec::new();
    for group in item_groups(db, file) {
        for (item, names) in items_of(db, *group).iter().zip(group_uses(db, *group)) {
            if let Some(function) = ptx_function(db, *item) {
                let read = function.names().filter(|name| name.role == Role::Read);
                taken.extend(read.filter_map(|name| match name.resolution {
                    Resolution::External(name) => Some(SmolStr::from(name)),
                    _ => None,
                }));
            } else if item.kind(db) == ItemKind::Variable {
                let is_read = |place: &NameUse| place.access == Access::Read;
                taken.extend(names.iter().filter(|it| it.uses.iter().any(is_read)).map(|it| it.name.clone()));
            }
        }
    }
    taken
}

/// Where a kernel uses a group.
#[derive(Clone)]
enum Use {
    Here(TextRange),
    /// In a function that it calls.
    In(SmolStr),
    /// In a function whose address is taken: the assembler assumes that a kernel may call it.
    Taken(SmolStr),
}

/// The functions that a kernel may call, and the groups that it and they use.
#[derive(Default)]
struct Reached {
    first_uses: [Option<Use>; 2],
    seen: FxHashSet<usize>,
    calls_indirectly: bool,
}

impl Reached {
    /// Adds functions and those that they call; `place` is where their uses of a group are.
    fn add<'a>(&mut self, module: &'a Module<'_>, mut open: Vec<&'a SmolStr>, place: fn(SmolStr) -> Use) {
        while let Some(name) = open.pop() {
            let target = module.aliases.get(name).copied().unwrap_or(name);
            let Some(callee) = module.names.function_with_body(target) else { continue };
            let callee = callee.item as usize;
            let uses = module.uses.get(callee).copied().flatten();
            let Some(uses) = uses.filter(|_| self.seen.insert(callee)) else { continue };
            let groups = uses.cta_groups.as_ref().map_or([None; 2], |groups| groups.0);
            for (first, found) in self.first_uses.iter_mut().zip(groups) {
                *first = first.take().or(found.map(|_| place(target.clone())));
            }
            self.calls_indirectly |= uses.calls.iter().any(Call::is_indirect);
            open.extend(uses.calls.iter().filter_map(Call::callee));
        }
    }
}

fn mixed(module: &Module<'_>, kernel: usize) -> Option<Problem> {
    let CrossItemUses { calls, cta_groups, .. } = module.uses[kernel]?;
    let own = cta_groups.as_ref().map_or([None; 2], |groups| groups.0);
    let mut reached = Reached {
        first_uses: own.map(|range| range.map(Use::Here)),
        seen: FxHashSet::from_iter([kernel]),
        calls_indirectly: calls.iter().any(Call::is_indirect),
    };
    reached.add(module, calls.iter().filter_map(Call::callee).collect(), Use::In);
    if reached.calls_indirectly || reached.first_uses.iter().any(Option::is_some) {
        for (first, taken) in reached.first_uses.iter_mut().zip(&module.taken) {
            if first.is_none() {
                first.clone_from(taken);
            }
        }
    }
    let first_uses = reached.first_uses;
    let [Some(one), Some(two)] = first_uses else { return None };
    let at = match (&one, &two) {
        (Use::Here(one), Use::Here(two)) => {
            if one.start() < two.start() {
                *two
            } else {
                *one
            }
        }
        (Use::Here(at), _) | (_, Use::Here(at)) => *at,
        _ => calls.first()?.target_range(),
    };
    let place = |of: &Use| match of {
        Use::Here(_) => String::new(),
        Use::In(name) => format!(" in `{name}`"),
        Use::Taken(name) => format!(" in `{name}`, whose address is taken"),
    };
    let message = format!(
        "this kernel uses `.cta_group::1`{} and `.cta_group::2`{}; use one of them in a kernel and the functions that it calls",
        place(&one),
        place(&two)
    );
    let problem = Problem::error(at, codes::MIXED_CTA_GROUPS, message);
    let here =
        [one, two].into_iter().filter_map(|of| if let Use::Here(range) = of { Some(range) } else { None });
    Some(
        here.filter(|range| *range != at)
            .fold(problem, |problem, range| problem.with_related(range, "the other group is used here")),
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::tests::check;

    #[track_caller]
    fn check_module(text: &str, expect: Expect) {
        let head = ".version 8.7\n.target sm_100a\n.address_size 64\n.shared .align 8 .b64 bar; .shared .b32 slot;\n";
        let one = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;";
        let two = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r, 32;";
        let text =
            text.replace("ONE", one).replace("TWO", two).replace("REG", ".reg .b32 %r; mov.b32 %r, 0;");
        check(&format!("{head}{text}"), expect);
    }

    #[test]
    fn kernels_with_both_groups() {
        check_module(
            ".entry k() { REG\nONE\nTWO\nret; }\n",
            expect![[r#"
                7:`tcgen05` Error mixed-cta-groups: this kernel uses `.cta_group::1` and `.cta_group::2`; use one of them in a kernel and the functions that it calls
                    6:`tcgen05` the other group is used here
            "#]],
        );
        check_module(
            ".func g() { REG\nTWO\nret; }\n.func f() { call g; ret; }\n.entry k() {\nONE\ncall f;\nret; }\n",
            expect![[r#"
                10:`tcgen05` Error mixed-cta-groups: this kernel uses `.cta_group::1` and `.cta_group::2` in `g`; use one of them in a kernel and the functions that it calls
            "#]],
        );
        check_module(
            ".func g() { REG\nTWO\nret; }\n.func f() { ONE ret; }\n.entry k() {\ncall f;\ncall g;\nret; }\n",
            expect![[r#"
                10:`f` Error mixed-cta-groups: this kernel uses `.cta_group::1` in `f` and `.cta_group::2` in `g`; use one of them in a kernel and the functions that it calls
            "#]],
        );
    }

    /// The assembler assumes that a kernel may call every function whose address is taken.
    #[test]
    fn groups_of_functions_whose_address_is_taken() {
        for taken in [
            ".global .u64 t[1] = {g};",
            ".func h() { .reg .b64 %a; mov.u64 %a, g; ret; }",
            ".entry j() { .reg .b64 %a; mov.u64 %a, g; ret; }",
            ".func h() { call g; ret; } .const .u64 t[1] = {h};",
        ] {
            let text = format!(".func g() {{ REG TWO ret; }}\n{taken}\n.entry k() {{ ONE ret; }}\n");
            check_module(
                &text,
                expect![[r#"
                    7:`tcgen05` Error mixed-cta-groups: this kernel uses `.cta_group::1` and `.cta_group::2` in `g`, whose address is taken; use one of them in a kernel and the functions that it calls
                "#]],
            );
        }
        for right in [
            ".func h() { call g; ret; }",
            ".entry j() { ts: .calltargets g; ret; }",
            ".func other() { ret; } .global .u64 t[1] = {other};",
        ] {
            let text = format!(".func g() {{ REG TWO ret; }}\n{right}\n.entry k() {{ ONE ret; }}\n");
            check_module(&text, expect![""]);
        }
        // A kernel that neither uses tensor memory nor calls through an address.
        check_module(
            ".func f() { ONE ret; } .func g() { REG TWO ret; }\n.global .u64 t[2] = {f, g};\n.entry k() { ret; }\n",
            expect![""],
        );
    }

    #[test]
    fn groups_of_different_kernels() {
        check_module(
            ".entry j() { REG TWO ret; }\n.func f() { REG ONE TWO ret; }\n.entry k() { ONE ret; }\n",
            expect![""],
        );
    }
}
