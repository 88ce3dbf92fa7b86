//! `compare --reduce`: finds the smallest kernel and launch that still show a difference.
//!
//! [`passes`] makes smaller candidates, [`Oracle`] decides whether they still show the difference, and [`files`] writes the result.

mod candidate;
mod ddmin;
pub(super) mod files;
mod launches;
mod oracle;
mod passes;
mod reduced;

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use warplens_ide::is_reducible;
use warplens_sim_warp::Status;

use candidate::Candidate;
use oracle::{Oracle, not_reducible};
use passes::Best;
use warplens_tools::comparison::compared::Compared;
use warplens_tools::source::Source;

pub(super) use oracle::{Other, Pair};
pub(super) use reduced::Reduced;

/// Checks that the two kernels of a pair can be reduced.
pub(super) fn check(source: &Source, other: &Other<'_>) -> Result<()> {
    let other = match other {
        Other::Kernel(other) => Some(*other),
        Other::Assembled { .. } | Other::Same => None,
    };
    let unfit = std::iter::once(source)
        .chain(other)
        .find(|side| !is_reducible(side.language) || side.language != source.language);
    match unfit {
        Some(side) => Err(not_reducible(&side.path)),
        None => Ok(()),
    }
}

/// Reduces a pair whose runs differ and their launch, for at most `limit`, and writes the result to a folder.
pub(super) fn reduce(pair: Pair<'_>, compared: &Compared, limit: Duration, folder: &Path) -> Result<Reduced> {
    let [one, _] = &compared.runs;
    if one.result.status != Status::Finished {
        bail!(
            "--reduce: the run of {} ended with `{}`. Correct the kernel or its launch first: the results of a run that does not finish \
             are not compared",
            one.path,
            one.result.status.as_str()
        );
    }
    files::create(folder)?;
    let mut oracle = Oracle::new(pair, compared, limit)?;
    let candidate = Candidate { texts: oracle.texts(), launch: launches::written(&one.prepared) };
    let before = oracle.parts(&candidate.texts)?[0].statements.len();
    let Some(first) = oracle.compare(&candidate)? else {
        bail!("--reduce: the difference does not appear again in the same runs");
    };
    let mut best = Best { candidate, compared: first };
    passes::reduce(&mut oracle, &mut best)?;
    let after = oracle.parts(&best.candidate.texts)?[0].statements.len();
    oracle.finish();
    let mut reduced = Reduced {
        statements: [before, after],
        candidates: oracle.tried(),
        is_cut: oracle.is_late(),
        texts: oracle.both_texts(&best.candidate),
        compared: Box::new(best.compared),
        files: Vec::new(),
    };
    files::write(folder, &mut reduced)?;
    Ok(reduced)
}
