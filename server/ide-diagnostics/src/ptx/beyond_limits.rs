//! `beyond-limits`: more threads, registers or CTAs than the target supports. `memory_limits` has the arrays that are too large.

use warplens_hir::ptx::{PerformanceDirective, Signature};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::occupancy::Demand;
use warplens_ide_db::ptx::{ModuleTarget, occupancy};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Limits, Target};

use crate::codes;

pub(super) fn check(signature: &Signature, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let Some(target) = module.architecture.as_deref().and_then(isa::target) else { return };
    let Some(limits) = target.limits else { return };
    let mut warn = |written: &PerformanceDirective, message: String| {
        problems.push(Problem::warning(written.range, codes::BEYOND_LIMITS, message));
    };
    let demand = Demand::of(signature);
    for name in ["maxntid", "reqntid"] {
        let Some(written) = signature.directive(name).filter(|written| written.is_plain) else { continue };
        let threads = written.values.iter().copied().fold(1, u64::saturating_mul);
        let most = u64::from(limits.threads_per_cta);
        if threads > most {
            let of = target.name;
            let message = format!(
                "{threads} threads exceed the limit of {most} for a CTA of {of}; such a launch fails"
            );
            warn(written, message);
        }
    }
    if let Some(written) = signature.directive("maxnreg").filter(|written| written.is_plain)
        && let Some(&registers) = written.values.first()
        && registers > u64::from(limits.registers_per_thread)
    {
        let (most, of) = (limits.registers_per_thread, target.name);
        warn(written, format!("{registers} registers exceed the limit of {most} for a thread of {of}"));
    }
    registers(signature, target, limits, demand, &mut warn);
    if let (Some(written), Some(threads)) = (signature.directive("minnctapersm"), demand.threads)
        && let Some(&ctas) = written.values.first()
        && threads <= u64::from(limits.threads_per_cta)
    {
        let most = limits.ctas_by_threads(threads);
        if ctas > most {
            let message = format!(
                "{ctas} CTAs of {threads} threads do not fit on a multiprocessor of {}; the limit is {most}, \
                 and the assembler ignores `.minnctapersm`",
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
        && ctas <= limits.ctas_by_threads(threads);
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
                6:`.minnctapersm 2` Warning beyond-limits: 2 CTAs of 1024 threads do not fit on a multiprocessor of sm_86; the limit is 1, and the assembler ignores `.minnctapersm`
                7:`.maxnreg 255` Warning beyond-limits: 255 registers for 3 CTAs of 512 threads are 391680, but a multiprocessor of sm_86 has 65536; because of `.minnctapersm` the assembler uses at most 40
                8:`.maxnreg 255` Warning beyond-limits: 255 registers for 1024 threads are 261120, but a CTA of sm_86 has 65536; a launch with 1024 threads fails if the kernel uses more than 64
                12:`.maxnreg 200` Warning beyond-limits: 200 registers for 1 CTA of 512 threads are 102400, but a multiprocessor of sm_86 has 65536; because of `.minnctapersm` the assembler uses at most 128
                13:`.minnctapersm 2305843009213693952` Error invalid-value: 2305843009213693952 does not fit into 32 bits, the size of a number of `.minnctapersm`
                13:`.minnctapersm 2305843009213693952` Warning beyond-limits: 2305843009213693952 CTAs of 32 threads do not fit on a multiprocessor of sm_86; the limit is 16, and the assembler ignores `.minnctapersm`
            "#]],
        );
    }
}
