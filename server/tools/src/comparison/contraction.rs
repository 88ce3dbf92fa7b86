//! Whether two results differ only because an assembler fuses products with sums.
//!
//! PTX leaves it open whether `mul` and `add` without a rounding modifier round twice or, fused, once. So a difference is a mistake only if the
//! results differ however the sums are fused. All of them are fused first, as ptxas does it; then one more or one less, as long as that
//! brings the results closer.

use std::collections::HashSet;

use warplens_ide::lanes::compare::{Comparison, Equality};
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_ide::{Contractions, FusibleSum, TextSize, edited};
use warplens_sim_launch::Launch;

use super::compared::{Compared, Contraction, FusedSum, Run, on_one_line};
use super::sides::{Sides, labeled};
use crate::source::{RunError, Source};

/// The limit of selections that are tried, and of the warp instructions that they run together.
const MAX_TRIED: usize = 64;
const MAX_INSTRUCTIONS: u64 = 100_000_000;

/// For each sum of both kernels, the product that it is fused with.
type Chosen = [Vec<Option<usize>>; 2];

/// Compares two runs. If the results differ, the kernels run again with fused sums; if those results agree, they count as equal. With
/// `lane_bytes`, which is for one kernel under two models, the steps of a lane are compared too, in at most this many bytes.
pub fn compare(
    sides: &Sides<'_>,
    runs: [Run; 2],
    equality: Equality,
    lane_bytes: Option<usize>,
) -> Result<Compared, RunError> {
    let compared = Compared::new(labeled(runs), equality, lane_bytes, sides.control)?;
    let both_finished = compared.comparison.finished == [true; 2];
    if compared.comparison.is_equal() || !both_finished || sides.is_one_kernel {
        return Ok(compared);
    }
    let [one, other] = &compared.runs;
    let sums = [sums_of(sides.sources[0], one)?, sums_of(sides.sources[1], other)?];
    if sums.iter().all(|side| side.sums.is_empty()) {
        return Ok(compared);
    }
    let contraction = Search { sides, runs: &compared.runs, equality, sums: &sums, executed: 0 }.run()?;
    let comparison = match contraction.is_equal() {
        true => Comparison { finished: [true; 2], ..Comparison::default() },
        false => compared.comparison,
    };
    Ok(Compared { comparison, contraction: Some(contraction), ..compared })
}

/// The sums in the kernel of a run and in the functions that it calls.
fn sums_of(source: &Source, run: &Run) -> Result<Contractions, RunError> {
    let starts: HashSet<TextSize> = run.prepared.statements.iter().map(|it| it.range.start()).collect();
    let mut found = source.analysis.contractions(source.file)?;
    found.sums.retain(|sum| starts.contains(&sum.range.start()));
    Ok(found)
}

struct Search<'s> {
    sides: &'s Sides<'s>,
    /// The runs without fusion.
    runs: &'s [Run; 2],
    equality: Equality,
    sums: &'s [Contractions; 2],
    /// The warp instructions so far.
    executed: u64,
}

impl Search<'_> {
    fn run(mut self) -> Result<Contraction, RunError> {
        let each = |of: fn(&FusibleSum) -> Option<usize>| -> Chosen {
            self.sums.each_ref().map(|side| side.sums.iter().map(of).collect())
        };
        let (none, usual) = (each(|_| None), each(|sum| sum.usual));
        let unfused = Comparison::differing(self.runs.each_ref().map(Run::compared), self.equality);
        let fused = if usual == none { unfused } else { self.differing(&usual)? };
        let (start, differing) = match (unfused, fused) {
            (Some(unfused), fused) if fused.is_none_or(|fused| fused > unfused) => (none, unfused),
            (_, fused) => (usual, fused.unwrap_or(usize::MAX)),
        };
        let mut found = Contraction { fused: differing == 0, ..Contraction::default() };
        let chosen = if found.fused { Some(start) } else { self.some_fused(start, differing, &mut found)? };
        found.sums = chosen.map(|chosen| self.fused_sums(&chosen)).unwrap_or_default();
        Ok(found)
    }

    /// Fuses one sum more or less at a time while that brings the results closer. Returns the selection with which they are the same.
    fn some_fused(
        &mut self,
        mut chosen: Chosen,
        mut differing: usize,
        found: &mut Contraction,
    ) -> Result<Option<Chosen>, RunError> {
        loop {
            let before = differing;
            for (side, sum, way) in self.ways() {
                if chosen[side][sum] == way {
                    continue;
                }
                if found.tried == MAX_TRIED || self.executed > MAX_INSTRUCTIONS {
                    return Ok(None);
                }
                found.tried += 1;
                let mut candidate = chosen.clone();
                candidate[side][sum] = way;
                let Some(fewer) = self.differing(&candidate)?.filter(|now| *now < differing) else {
                    continue;
                };
                (chosen, differing) = (candidate, fewer);
                if differing == 0 {
                    found.some_fused = true;
                    return Ok(Some(chosen));
                }
            }
            if differing == before {
                return Ok(None);
            }
        }
    }

    /// Every sum of both kernels, not fused and fused with each of its products.
    fn ways(&self) -> Vec<(usize, usize, Option<usize>)> {
        let of_sum = |side: usize, sum: usize| {
            let fused = 0..self.sums[side].sums[sum].fused.len();
            std::iter::once(None).chain(fused.map(Some)).map(move |way| (side, sum, way))
        };
        let of_side = |side: usize| (0..self.sums[side].sums.len()).flat_map(move |sum| of_sum(side, sum));
        (0..2).flat_map(of_side).collect()
    }

    /// How many elements differ with these sums fused; `None` if a kernel then does not finish.
    fn differing(&mut self, chosen: &Chosen) -> Result<Option<usize>, RunError> {
        let mut runs = Vec::new();
        for (side, chosen) in chosen.iter().enumerate() {
            let is_fused = chosen.iter().any(Option::is_some);
            let run = is_fused.then(|| self.fused(side, chosen)).transpose()?;
            self.executed += run.as_ref().map_or(0, |run| run.result.totals.warp_instructions);
            runs.push(run);
        }
        let run = |side: usize| runs[side].as_ref().unwrap_or(&self.runs[side]).compared();
        Ok(Comparison::differing([run(0), run(1)], self.equality))
    }

    /// Runs a kernel with fused sums, with the launch of its other run.
    fn fused(&self, side: usize, chosen: &[Option<usize>]) -> Result<Run, RunError> {
        let Sides { sources, requests, launches, .. } = self.sides;
        let Source { path, text, language, .. } = sources[side];
        let text = edited(text, &self.sums[side].edits(chosen));
        let source = Source::of_text(path.clone(), text, language)?;
        let launch = self.runs[side].prepared.resolved.launch.clone();
        let launch = Choice::Given(Box::new(Launch { expect: Vec::new(), ..launch }));
        let request = RunRequest { entry: None, launch, ..requests[side].clone() };
        let (prepared, result) = source.prepare(&request, launches)?.run_adjusted(self.sides.control)?;
        Ok(Run::new(&source, prepared, result))
    }

    fn fused_sums(&self, chosen: &Chosen) -> Vec<FusedSum> {
        let of_side = |run: usize| {
            let sums = self.sums[run].sums.iter().zip(&chosen[run]);
            let fused = sums.filter(|(_, chosen)| chosen.is_some());
            fused.map(move |(sum, _)| FusedSum {
                run,
                at: self.runs[run].position_of(sum.range.start()),
                text: on_one_line(&self.sides.sources[run].text[sum.range]),
            })
        };
        (0..2).flat_map(of_side).collect()
    }
}
