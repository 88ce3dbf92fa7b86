//! Special registers that the module's version or target does not have.

use warplens_hir::ptx::{Function, ReferentId, Resolution};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_isa::ptx as isa;

use crate::ptx::needs;

pub(super) fn check(function: &Function, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    // Few referents are special registers, and few of these are missing; only then the names are visited.
    let register = |referent| match function.resolution(referent) {
        Resolution::Special(name) => isa::special_register(name),
        _ => None,
    };
    let lacks = |referent: &ReferentId| {
        let missing = |register: &isa::SpecialRegister| {
            needs::check(function.name_range, "", register.requirement, module)
        };
        register(*referent).and_then(missing).is_some()
    };
    let missing: Vec<ReferentId> = function.special_registers().filter(lacks).collect();
    if missing.is_empty() {
        return;
    }
    for name in function.names().filter(|name| missing.contains(&name.referent)) {
        let Some(register) = register(name.referent) else { continue };
        let text = function.referent_text(name.referent);
        problems.extend(needs::check(name.range, &format!("`{text}`"), register.requirement, module));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::tests::check;

    fn check_on(version: &str, target: &str, expect: Expect) {
        let source = format!(
            "\
.version {version}
.target {target}
.entry k() {{
    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd; .reg .b32 %clusterid;
    mov.u32 %r, %tid.x;
    mov.u32 %r, %cluster_ctarank;
    mov.u32 %r, %cluster_nctaid.y;
    mov.u32 %r, %aggr_smem_size;
    mov.b32 %r, %reserved_smem_offset_begin;
    mov.b32 %r, %reserved_smem_offset_1;
    mov.pred %p, %is_explicit_cluster;
    mov.u64 %rd, %globaltimer;
    mov.u64 %rd, %current_graph_exec;
    mov.u32 %r, %clusterid;
    mov.u32 %r, %envreg3;
    ret;
}}
"
        );
        check(&source, expect);
    }

    #[test]
    fn of_newer_targets() {
        check_on(
            "8.1",
            "sm_75",
            expect![[r#"
            6:`%cluster_ctarank` Error needs-target: `%cluster_ctarank` needs sm_90 or later; this module is for sm_75
            7:`%cluster_nctaid` Error needs-target: `%cluster_nctaid` needs sm_90 or later; this module is for sm_75
            8:`%aggr_smem_size` Error needs-target: `%aggr_smem_size` needs sm_90 or later; this module is for sm_75
            9:`%reserved_smem_offset_begin` Error needs-target: `%reserved_smem_offset_begin` needs sm_80 or later; this module is for sm_75
            10:`%reserved_smem_offset_1` Error needs-target: `%reserved_smem_offset_1` needs sm_80 or later; this module is for sm_75
            11:`%is_explicit_cluster` Error needs-target: `%is_explicit_cluster` needs sm_90 or later; this module is for sm_75
        "#]],
        );
        check_on(
            "8.1",
            "sm_80",
            expect![[r#"
            6:`%cluster_ctarank` Error needs-target: `%cluster_ctarank` needs sm_90 or later; this module is for sm_80
            7:`%cluster_nctaid` Error needs-target: `%cluster_nctaid` needs sm_90 or later; this module is for sm_80
            8:`%aggr_smem_size` Error needs-target: `%aggr_smem_size` needs sm_90 or later; this module is for sm_80
            11:`%is_explicit_cluster` Error needs-target: `%is_explicit_cluster` needs sm_90 or later; this module is for sm_80
        "#]],
        );
        check_on("8.1", "sm_90", expect![[r#""#]]);
    }

    #[test]
    fn of_newer_versions() {
        check_on(
            "7.0",
            "sm_80",
            expect![[r#"
            6:`%cluster_ctarank` Error needs-version: `%cluster_ctarank` needs PTX 7.8 or later; this module is written in PTX 7.0
            7:`%cluster_nctaid` Error needs-version: `%cluster_nctaid` needs PTX 7.8 or later; this module is written in PTX 7.0
            8:`%aggr_smem_size` Error needs-version: `%aggr_smem_size` needs PTX 8.1 or later; this module is written in PTX 7.0
            9:`%reserved_smem_offset_begin` Error needs-version: `%reserved_smem_offset_begin` needs PTX 7.6 or later; this module is written in PTX 7.0
            10:`%reserved_smem_offset_1` Error needs-version: `%reserved_smem_offset_1` needs PTX 7.6 or later; this module is written in PTX 7.0
            11:`%is_explicit_cluster` Error needs-version: `%is_explicit_cluster` needs PTX 7.8 or later; this module is written in PTX 7.0
            13:`%current_graph_exec` Error needs-version: `%current_graph_exec` needs PTX 8.0 or later; this module is written in PTX 7.0
        "#]],
        );
    }
}
