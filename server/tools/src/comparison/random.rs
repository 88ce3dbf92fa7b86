//! Varies one launch at random until two runs differ.

use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::compare::{Drawer, Equality, Unusable, unusable};
use warplens_sim_launch::Launch;
use warplens_sim_warp::Status;
use warplens_system::clock::unix_time;

use super::compared::{Compared, Drawn, Run, Scope};
use super::contraction;
use super::sides::Sides;
use crate::source::RunError;

/// How many launches may be discarded for each compared one.
const DISCARDED_FOR_EACH: usize = 20;

/// The limit of warp instructions of a random launch: this multiple of the original launch, but at least
/// `LEAST_STEPS`.
const STEPS_FACTOR: u64 = 8;
const LEAST_STEPS: u64 = 100_000;

/// After this many launches that stopped at an unsupported instruction, no other launch is expected to get
/// past it.
const UNSUPPORTED: usize = 8;

/// How many launches to compare, and the seed.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    pub launches: usize,
    pub seed: u64,
}

/// A seed from the clock, for commands without one.
pub fn seed() -> u64 {
    let now = unix_time();
    u64::from(now.subsec_nanos()) ^ now.as_secs() << 20 & 0xffff_ffff
}

/// Compares the kernels with random variations of the launch of `first` until the results differ, and returns
/// the last comparison. `progress` receives the number of compared launches.
pub fn compare(
    sides: &Sides<'_>,
    first: &Run,
    random: Random,
    equality: Equality,
    progress: &mut dyn FnMut(usize, &Drawn),
) -> Result<Compared, RunError> {
    let mut drawer = Drawer::new(&first.prepared.resolved, random.seed);
    let mut drawn = Drawn {
        seed: random.seed,
        requested: random.launches,
        compared: 0,
        discarded: 0,
        discarded_by_other: 0,
        reason: None,
    };
    let steps = first.result.totals.warp_instructions.saturating_mul(STEPS_FACTOR).max(LEAST_STEPS);
    let mut scope = Scope::default();
    let (mut last, mut fused) = (None, None);
    let mut number = 0;
    let mut unsupported = 0;
    while scope.launches < random.launches && number < random.launches.saturating_mul(DISCARDED_FOR_EACH) {
        number += 1;
        progress(scope.launches, &drawn);
        let runs = match run_both(sides, &drawer.draw(number), steps)? {
            Ok(runs) => runs,
            Err(discarded) => {
                drawer.discard();
                *(if discarded.by_other { &mut drawn.discarded_by_other } else { &mut drawn.discarded }) += 1;
                drawn.reason = Some(discarded.reason);
                unsupported += usize::from(discarded.is_unsupported);
                if unsupported >= UNSUPPORTED && scope.launches == 0 {
                    break;
                }
                continue;
            }
        };
        scope.add(&runs[0].prepared);
        drawn.compared += 1;
        let compared = contraction::compare(sides, runs, equality, None)?;
        let differs = !compared.comparison.is_equal();
        if compared.contraction.is_some() {
            fused.clone_from(&compared.contraction);
        }
        last = Some(compared);
        if differs {
            break;
        }
    }
    match last {
        Some(compared) => Ok(Compared { scope, contraction: fused, drawn: Some(drawn), ..compared }),
        None => {
            let Drawn { discarded, discarded_by_other, reason, .. } = drawn;
            Err(RunError::NothingDrawn { discarded, discarded_by_other, reason })
        }
    }
}

struct Discarded {
    by_other: bool,
    reason: String,
    is_unsupported: bool,
}

impl Discarded {
    /// Why the result of a run cannot be compared, if it cannot.
    fn of(run: &Run, by_other: bool) -> Option<Discarded> {
        let why = unusable(&run.result, by_other)?;
        let is_unsupported = run.result.status == Status::Unsupported;
        Some(Discarded { by_other, reason: reason(run, &why), is_unsupported })
    }
}

/// Runs both kernels with a launch, each for at most `steps` warp instructions.
fn run_both(sides: &Sides<'_>, launch: &Launch, steps: u64) -> Result<Result<[Run; 2], Discarded>, RunError> {
    let limited = |mut prepared: Prepared| {
        prepared.options.limits.max_steps = prepared.options.limits.max_steps.min(steps);
        prepared
    };
    let one = match sides.prepare_first(launch) {
        Ok(prepared) => sides.run(0, limited(prepared))?,
        Err(error) => {
            let reason = error.to_string();
            return Ok(Err(Discarded { by_other: false, reason, is_unsupported: false }));
        }
    };
    if let Some(discarded) = Discarded::of(&one, false) {
        return Ok(Err(discarded));
    }
    let other = sides.run(1, limited(sides.prepare_other(&one.prepared.resolved.launch)?))?;
    Ok(match Discarded::of(&other, true) {
        Some(discarded) => Err(discarded),
        None => Ok([one, other]),
    })
}

fn reason(run: &Run, why: &Unusable) -> String {
    match why {
        Unusable::Found(finding) => {
            let at = finding.statement.and_then(|statement| run.position(statement));
            let line = at.map_or_else(String::new, |at| format!(":{}", at.line + 1));
            let message = finding.message.lines().next().unwrap_or_default();
            format!("{}{line}: {message}", run.path)
        }
        Unusable::Status(status) => format!("{}: the run ended with `{}`", run.path, status.as_str()),
    }
}
