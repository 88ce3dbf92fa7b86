//! Compares the limits of multiprocessors with the assembler, which warns of a `.minnctapersm` above the limit of the
//! target.

use std::path::Path;
use std::process::Command;

use warplens_isa::ptx::{Target, targets};

/// Whether the assembler accepts a kernel with `ctas` CTAs of `threads` threads; `None` if it does not support the
/// target.
fn takes(ptxas: &Path, target: &Target, threads: u32, ctas: u32) -> Option<bool> {
    let name = target.name;
    let text = format!(
        ".version {}\n.target {name}\n.address_size 64\n.entry k() .maxntid {threads} .minnctapersm {ctas} {{ ret; }}\n",
        target.since
    );
    let file = std::env::temp_dir().join(format!("warplens-limits-{}-{name}.ptx", std::process::id()));
    std::fs::write(&file, text).ok()?;
    let run = Command::new(ptxas).args(["-arch", name, "-o", "/dev/null"]).arg(&file).output();
    let _ = std::fs::remove_file(&file);
    let run = run.ok().filter(|run| run.status.success())?;
    Some(!String::from_utf8_lossy(&run.stderr).contains("out of range"))
}

#[test]
fn the_assembler_has_the_same_limits() {
    let Some(ptxas) = warplens_test_support::ptxas() else { return };
    for target in targets() {
        let Some(limits) = target.limits else { continue };
        let fits = |threads, ctas| takes(&ptxas, target, threads, ctas).unwrap_or(true);
        let overflows = |threads, ctas| takes(&ptxas, target, threads, ctas) != Some(true);
        let (name, ctas, warps) = (target.name, limits.ctas_per_sm, limits.warps_per_sm);
        assert!(fits(32, ctas) && overflows(32, ctas + 1), "{name}: {ctas} CTAs");
        assert!(fits(128, warps / 4) && overflows(128, warps / 4 + 1), "{name}: {warps} warps");
    }
}
