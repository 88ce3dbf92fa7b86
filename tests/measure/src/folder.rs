//! Any folder of PTX, with the assembler as the judge: files that only one of Warplens and `ptxas` accepts, files that take
//! long, and errors that runs of inferred launches report in files that both accept.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use warplens_sim_warp::Severity;

use crate::corpus::{ptx_files, read};
use crate::inferred;
use crate::judge;
use crate::oracle::{Oracle, Verdict};

/// How long checks and runs of a file may take before the file is listed as slow.
const SLOW: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Counts {
    files: usize,
    /// Files for targets that the assembler does not have, or that it did not finish.
    unjudged: usize,
    only_ptxas: usize,
    only_warplens: usize,
    slow: usize,
    kernels: usize,
    accused: usize,
}

pub(crate) fn run(folder: &Path, ptxas: Option<PathBuf>) -> Result<()> {
    let oracle = Oracle::find(ptxas)?;
    let mut counts = Counts::default();
    for path in ptx_files(folder)? {
        let text = read(&path)?;
        counts.files += 1;
        let start = Instant::now();
        let first = judge::errors(&text)?.into_iter().next();
        let checked = start.elapsed();
        let mut ran = Duration::ZERO;
        match (oracle.judge(&path, target(&text))?, first) {
            (Verdict::Unknown(why), _) => {
                counts.unjudged += 1;
                println!("not judged: {}: {why}", path.display());
            }
            (Verdict::Accepts, Some(error)) => {
                counts.only_ptxas += 1;
                println!("only ptxas accepts: {}:{}: {}", path.display(), error.line, error.message);
            }
            (Verdict::Rejects(message), None) => {
                counts.only_warplens += 1;
                println!("only Warplens accepts: {}: {message}", path.display());
            }
            (Verdict::Rejects(_), Some(_)) => {}
            (Verdict::Accepts, None) => {
                let start = Instant::now();
                accusations(&path, &text, &mut counts)?;
                ran = start.elapsed();
            }
        }
        if checked + ran > SLOW {
            counts.slow += 1;
            let [checked, ran] = [checked, ran].map(|time| time.as_secs_f64());
            println!("slow: {}: check {checked:.1} s, inferred launches {ran:.1} s", path.display());
        }
    }
    println!("{counts}");
    Ok(())
}

/// Lists the errors of the inferred launches of a file's kernels.
fn accusations(path: &Path, text: &str, counts: &mut Counts) -> Result<()> {
    for run in inferred::runs(text, warplens_syntax::ptx::LANGUAGE)? {
        let mut errors = run.accusations().filter(|finding| finding.severity == Severity::Error).peekable();
        counts.kernels += 1;
        counts.accused += usize::from(errors.peek().is_some());
        for finding in errors {
            let line = finding.message.lines().next().unwrap_or_default();
            println!("accused: {}: {}: {} {line}", path.display(), run.entry, finding.kind);
        }
    }
    Ok(())
}

/// The target that a module names: `sm_90a`.
fn target(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(".target"))?;
    line.split([',', ' ', '\t', '/']).find(|word| word.starts_with("sm_"))
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { files, unjudged, only_ptxas, only_warplens, slow, kernels, accused } = self;
        write!(
            f,
            "files: {files}, not judged: {unjudged}, only ptxas accepts: {only_ptxas}, only Warplens accepts: \
             {only_warplens}, slow: {slow}; kernels: {kernels}, with an error under the inferred launch: {accused}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn targets() {
        assert_eq!(target(".version 8.0\n.target sm_90a, debug\n"), Some("sm_90a"));
        assert_eq!(target("  .target\ttexmode_independent, sm_75// x\n"), Some("sm_75"));
        assert_eq!(target(".version 8.0\n"), None);
    }
}
