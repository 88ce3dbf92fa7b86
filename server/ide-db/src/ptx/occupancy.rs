//! The occupancy of a kernel according to its directives: how many CTAs fit on a multiprocessor of the
//! target, and how many registers that leaves a thread. Only chips with known limits are supported.

use std::fmt::Write;

use warplens_hir::ptx::Signature;
use warplens_isa::ptx::{Limits, Target};

use crate::ptx::target::ModuleTarget;

const WARP: u64 = 32;
const USUAL_BUDGETS: [u64; 4] = [32, 64, 128, 255];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Demand {
    /// Threads of the largest CTA: `.reqntid` or `.maxntid`.
    pub threads: Option<u64>,
    /// Concurrent CTAs of a multiprocessor: `.minnctapersm`.
    pub ctas: Option<u64>,
    /// Registers per thread: `.maxnreg`.
    pub registers: Option<u64>,
}

impl Demand {
    pub fn of(signature: &Signature) -> Demand {
        let product = |name| Some(signature.dimensions(name)?.into_iter().fold(1, u64::saturating_mul));
        let first = |name| signature.directive(name)?.values.first().copied();
        Demand {
            threads: product("reqntid").or_else(|| product("maxntid")).filter(|threads| *threads > 0),
            ctas: first("minnctapersm").filter(|ctas| *ctas > 0),
            registers: first("maxnreg").filter(|registers| *registers > 0),
        }
    }
}

/// How many registers a thread can have if this many CTAs are to fit.
pub fn register_budget(limits: &Limits, threads: u64, ctas: u64) -> u64 {
    let warps = threads.div_ceil(WARP).max(1).saturating_mul(ctas.max(1));
    let unit = u64::from(limits.register_unit);
    let all = u64::from(limits.registers_per_sm)
        .min(u64::from(limits.registers_per_cta).saturating_mul(ctas.max(1)));
    let warp = all / warps / unit * unit;
    (warp / WARP).min(u64::from(limits.registers_per_thread))
}

/// The hover on one of these directives: a table in markdown. `None` if the target's limits are unknown, or
/// the kernel declares neither its threads nor its registers.
pub fn markdown(signature: &Signature, module: &ModuleTarget) -> Option<String> {
    let target = module.architecture.as_deref().and_then(warplens_isa::ptx::target)?;
    let limits = target.limits?;
    let demand = Demand::of(signature);
    let Some(threads) = demand.threads else {
        return demand.registers.map(|registers| warps_by_registers(target, limits, registers));
    };
    if threads > u64::from(limits.threads_per_cta) {
        let most = limits.threads_per_cta;
        return Some(format!(
            "A CTA of {threads} threads does not run on {}: it has at most {most}.\n",
            target.name
        ));
    }
    Some(table(target, limits, demand, threads))
}

/// How many warps fit, if only the registers of a thread are known.
fn warps_by_registers(target: &Target, limits: &Limits, registers: u64) -> String {
    let warps = limits.warps_by_registers(registers);
    format!(
        "With {registers} registers per thread, a multiprocessor of {} has registers for {} threads: {warps} of {} {}. `.maxntid` or \
         `.reqntid` tells how many CTAs that is.\n",
        target.name,
        warps * WARP,
        limits.warps_per_sm,
        plural(limits.warps_per_sm.into(), "warp"),
    )
}

fn table(target: &Target, limits: &Limits, demand: Demand, threads: u64) -> String {
    let warps = threads.div_ceil(WARP);
    let by_threads = limits.ctas_by_threads(threads);
    let resident =
        demand.registers.map_or(by_threads, |registers| limits.ctas_by_registers(threads, registers));
    let mut out = format!(
        "Occupancy of a multiprocessor of {}, ignoring shared memory:\n\n| | |\n|---|---|\n",
        target.name
    );
    let mut row = |what: &str, value: String| writeln!(out, "| {what} | {value} |").unwrap_or_default();
    row("threads of a CTA", format!("{threads}, {warps} {}", plural(warps, "warp")));
    row("CTAs", resident.to_string());
    let (resident_warps, most) = (resident * warps, limits.warps_per_sm);
    row("warps", format!("{resident_warps} of {most} ({} %)", resident_warps * 100 / u64::from(most).max(1)));
    if let Some(registers) = demand.registers {
        row("registers of a thread", format!("at most {registers} (`.maxnreg`)"));
    }
    if let Some(ctas) = demand.ctas {
        let budget = register_budget(limits, threads, ctas);
        let value = match ctas <= by_threads {
            true => format!("a thread can have {budget} registers"),
            false => "they do not fit".to_owned(),
        };
        row(&format!("for {ctas} {}", plural(ctas, "CTA")), value);
    }
    for registers in USUAL_BUDGETS.into_iter().filter(|it| *it <= u64::from(limits.registers_per_thread)) {
        let ctas = limits.ctas_by_registers(threads, registers);
        let value = match ctas {
            0 => "not even one CTA".to_owned(),
            ctas => format!("{ctas} {}, {} warps", plural(ctas, "CTA"), ctas * warps),
        };
        row(&format!("with {registers} registers per thread"), value);
    }
    out
}

fn plural(count: u64, one: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{one}s") }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use warplens_hir::ptx::{DeclarationKind, Header};
    use warplens_syntax::parse_item;

    use super::*;

    fn signature(directives: &str) -> Signature {
        let text = format!(".entry k() {directives} {{ ret; }}");
        let header = Header::lower(parse_item(warplens_syntax::ptx::LANGUAGE, &text).root());
        match &header.declarations[0].kind {
            DeclarationKind::Function { signature, .. } => Signature::clone(signature),
            other => panic!("{other:?}"),
        }
    }

    fn on(architecture: &str, directives: &str) -> String {
        let module = ModuleTarget { architecture: Some(architecture.into()), ..ModuleTarget::default() };
        markdown(&signature(directives), &module).unwrap_or_else(|| "nothing".into())
    }

    #[test]
    fn a_kernel_with_threads_and_ctas() {
        expect![[r#"
            Occupancy of a multiprocessor of sm_90, ignoring shared memory:

            | | |
            |---|---|
            | threads of a CTA | 256, 8 warps |
            | CTAs | 8 |
            | warps | 64 of 64 (100 %) |
            | for 2 CTAs | a thread can have 128 registers |
            | with 32 registers per thread | 8 CTAs, 64 warps |
            | with 64 registers per thread | 4 CTAs, 32 warps |
            | with 128 registers per thread | 2 CTAs, 16 warps |
            | with 255 registers per thread | 1 CTA, 8 warps |
        "#]]
        .assert_eq(&on("sm_90", ".maxntid 256 .minnctapersm 2"));
    }

    #[test]
    fn a_budget_of_registers_decides() {
        expect![[r#"
            Occupancy of a multiprocessor of sm_86, ignoring shared memory:

            | | |
            |---|---|
            | threads of a CTA | 1000, 32 warps |
            | CTAs | 1 |
            | warps | 32 of 48 (66 %) |
            | registers of a thread | at most 40 (`.maxnreg`) |
            | with 32 registers per thread | 1 CTA, 32 warps |
            | with 64 registers per thread | 1 CTA, 32 warps |
            | with 128 registers per thread | not even one CTA |
            | with 255 registers per thread | not even one CTA |
        "#]]
        .assert_eq(&on("sm_86", ".reqntid 10,10,10 .maxnreg 40"));
    }

    #[test]
    fn numbers_of_any_size_are_accepted() {
        for number in ["4294967296", "2305843009213693952", "9223372036854775808", "18446744073709551615"] {
            for block in ["1", "64", "1024"] {
                let shown =
                    on("sm_90", &format!(".maxntid {block} .minnctapersm {number} .maxnreg {number}"));
                assert!(shown.contains("they do not fit"), "{shown}");
            }
            let shown = on("sm_90", &format!(".maxntid {number},{number} .maxnreg 32"));
            assert!(shown.contains("does not run"), "{shown}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_computed() {
        assert_eq!(on("sm_82", ".maxntid 64"), "nothing");
        assert_eq!(on("sm_82", ".maxnreg 64"), "nothing");
        assert_eq!(
            on("sm_75", ".maxntid 2048"),
            "A CTA of 2048 threads does not run on sm_75: it has at most 1024.\n"
        );
    }

    #[test]
    fn budgets_follow_the_granularity() {
        let limits = warplens_isa::ptx::target("sm_80").and_then(|target| target.limits).unwrap();
        assert_eq!(register_budget(limits, 256, 3), 80);
        assert_eq!(limits.ctas_by_registers(256, 80), 3);
        assert_eq!(limits.ctas_by_registers(256, 81), 2);
        assert_eq!(register_budget(limits, 32, 1), 255);
    }
}
