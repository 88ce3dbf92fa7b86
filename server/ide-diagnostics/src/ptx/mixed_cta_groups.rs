//! `mixed-cta-groups`: a kernel that, with the functions it calls, uses tensor memory both for one CTA and for a pair.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{ModuleKind, ModuleNames};
use warplens_ide_db::{Db, File, Problem, items};
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
    let items = items(db, file);
    let kernels = (0..uses.len()).filter(|index| items[*index].kind(db) == ItemKind::Kernel);
    kernels.filter_map(|kernel| Some((kernel as u32, mixed(names, uses, kernel)?))).collect()
}

/// Where a kernel uses a group.
#[derive(Clone)]
enum Use {
    Here(TextRange),
    /// In a function that it calls.
    In(SmolStr),
}

fn mixed(names: &ModuleNames, uses: &[Option<&CrossItemUses>], kernel: usize) -> Option<Problem> {
    let CrossItemUses { calls, cta_groups, .. } = uses[kernel]?;
    let own = cta_groups.as_ref().map_or([None; 2], |groups| groups.0);
    let mut first_uses = own.map(|range| range.map(Use::Here));
    let mut seen = FxHashSet::from_iter([kernel]);
    let mut open: Vec<&SmolStr> = calls.iter().filter_map(Call::callee).collect();
    while let Some(name) = open.pop() {
        let is_function = |kind| matches!(kind, ModuleKind::Function { has_body: true, .. });
        let Some(callee) = names.declarations(name).find(|found| is_function(found.kind)) else { continue };
        let callee = callee.item as usize;
        let Some(uses) = uses.get(callee).copied().flatten().filter(|_| seen.insert(callee)) else {
            continue;
        };
        let groups = uses.cta_groups.as_ref().map_or([None; 2], |groups| groups.0);
        for (first, found) in first_uses.iter_mut().zip(groups) {
            *first = first.take().or(found.map(|_| Use::In(name.clone())));
        }
        open.extend(uses.calls.iter().filter_map(Call::callee));
    }
    let [Some(one), Some(two)] = first_uses else { return None };
    let at = match (&one, &two) {
        (Use::Here(one), Use::Here(two)) => {
            if one.start() < two.start() {
                *two
            } else {
                *one
            }
        }
        (Use::Here(at), Use::In(_)) | (Use::In(_), Use::Here(at)) => *at,
        (Use::In(_), Use::In(_)) => calls.first()?.target_range(),
    };
    let place = |of: &Use| if let Use::In(name) = of { format!(" in `{name}`") } else { String::new() };
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

    #[test]
    fn groups_of_different_kernels() {
        check_module(
            ".entry j() { REG TWO ret; }\n.func f() { REG ONE TWO ret; }\n.entry k() { ONE ret; }\n",
            expect![""],
        );
    }
}
