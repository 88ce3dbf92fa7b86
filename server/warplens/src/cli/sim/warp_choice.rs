//! The warp that `--warp` selects.

use warplens_sim_warp::{RunResult, WarpId, WarpTrace};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WarpChoice {
    This(WarpId),
    /// The warp with the smallest share of active lanes.
    Divergent,
    /// The warp that executes the most instructions.
    Worst,
}

impl WarpChoice {
    /// Parses `X,Y,Z:W`, `W` for a warp of the first block, `divergent` or `worst`.
    pub(super) fn parse(flag: &str) -> Result<WarpChoice, String> {
        match flag {
            "divergent" => Ok(WarpChoice::Divergent),
            "worst" => Ok(WarpChoice::Worst),
            _ => warp(flag).map(WarpChoice::This),
        }
    }

    /// The warp, if it is known before the run.
    pub(super) fn known(self) -> Option<WarpId> {
        match self {
            WarpChoice::This(warp) => Some(warp),
            WarpChoice::Divergent | WarpChoice::Worst => None,
        }
    }

    /// The warp of a run; of equal ones the first. `None` if the run lists no warps.
    pub(super) fn among(self, result: &RunResult) -> Option<WarpId> {
        match self {
            WarpChoice::This(warp) => Some(warp),
            WarpChoice::Divergent => most_divergent(result).map(id),
            WarpChoice::Worst => longest(result).map(id),
        }
    }
}

/// The warp with the smallest share of active lanes.
pub(super) fn most_divergent(result: &RunResult) -> Option<&WarpTrace> {
    result.warps.iter().min_by(|a, b| active_share(a).total_cmp(&active_share(b)))
}

/// The warp that executes the most instructions.
pub(super) fn longest(result: &RunResult) -> Option<&WarpTrace> {
    result.warps.iter().rev().max_by_key(|warp| instructions(warp))
}

/// Active lanes as a fraction of the launched ones, over all instructions.
pub(super) fn active_share(warp: &WarpTrace) -> f64 {
    let active: u64 = warp.lines.iter().map(|line| line.active_lanes).sum();
    let most = instructions(warp) * u64::from(warp.launched.count_ones());
    if most == 0 { 1.0 } else { active as f64 / most as f64 }
}

pub(super) fn instructions(warp: &WarpTrace) -> u64 {
    warp.lines.iter().map(|line| line.count).sum()
}

pub(super) fn id(warp: &WarpTrace) -> WarpId {
    WarpId { cta: warp.cta, warp: warp.warp }
}

fn warp(flag: &str) -> Result<WarpId, String> {
    let invalid = || {
        format!(
            "`{flag}` is not a warp: use X,Y,Z:W, such as 1,0,0:3 for warp 3 of block 1,0,0, or `divergent` or `worst`"
        )
    };
    let (block, warp) = flag.split_once(':').unwrap_or(("0,0,0", flag));
    let numbers: Vec<u32> =
        block.split(',').map(|part| part.trim().parse().map_err(|_| invalid())).collect::<Result<_, _>>()?;
    let cta = <[u32; 3]>::try_from(numbers).map_err(|_| invalid())?;
    Ok(WarpId { cta, warp: warp.trim().parse().map_err(|_| invalid())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps() {
        let this = |cta, warp| Ok(WarpChoice::This(WarpId { cta, warp }));
        assert_eq!(WarpChoice::parse("1,0,2:3"), this([1, 0, 2], 3));
        assert_eq!(WarpChoice::parse("3"), this([0; 3], 3));
        assert_eq!(WarpChoice::parse("worst"), Ok(WarpChoice::Worst));
        for invalid in ["", "-1", "1,0:2", "1,0,0", "1,0,0:x", "1,0,0,0:1", "-1,0,0:1", "best"] {
            assert!(WarpChoice::parse(invalid).is_err(), "{invalid}");
        }
    }
}
