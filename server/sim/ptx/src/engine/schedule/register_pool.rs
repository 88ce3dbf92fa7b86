//! Checks of `setmaxnreg` after a block has exited: the registers that its threads request, and the rules of the instruction.
//!
//! The order in which warps reach their `setmaxnreg` depends on the schedule. An increase that waits forever in every schedule is
//! found without it: by what all hold in the end, and by what the other warpgroups hold at least.

use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Severity};

use crate::engine::exec::register_count::RegisterCount;
use crate::engine::exec::warp::Warp;

/// Warps of a warpgroup.
const GROUP: usize = 4;

/// Findings about the registers of a block. `entry` is the count of a thread at entry, if directives specify it.
pub(super) fn findings(warps: &[Warp], entry: Option<u32>) -> Vec<Finding> {
    let first = warps.iter().find_map(|warp| Some((warp, *warp.register_counts.all().first()?)));
    let Some((first, count)) = first else { return Vec::new() };
    let Some(entry) = entry else {
        let message = "`setmaxnreg` is ignored\nthe assembler cannot determine the count of registers at entry: specify `.maxnreg`, or \
                       `.minnctapersm` with `.maxntid` or `.reqntid`";
        return vec![about(first, count, message.to_owned()).with_severity(Severity::Warning)];
    };
    let wrong = warps.iter().find_map(|warp| wrong_direction(warp, entry));
    let wrong = wrong.or_else(|| warps.chunks(GROUP).find_map(partial));
    let wrong = wrong.or_else(|| exceeded(warps, entry)).or_else(|| unavailable(warps, entry));
    wrong.or_else(|| overtaken(warps, entry)).into_iter().collect()
}

fn about(warp: &Warp, count: RegisterCount, message: String) -> Finding {
    warp.id.finding(FindingKind::RegisterPool, message, count.statement, warp.threads.launched())
}

/// A decrease that raises the count of a warp, or an increase that lowers it.
fn wrong_direction(warp: &Warp, entry: u32) -> Option<Finding> {
    let mut held = entry;
    for (index, count) in warp.register_counts.all().iter().enumerate() {
        if count.increases && count.count < held || !count.increases && count.count > held {
            let (name, verb, other) =
                if count.increases { ("inc", "lowers", "dec") } else { ("dec", "raises", "inc") };
            let at_entry = if index == 0 { " at entry" } else { "" };
            let message = format!(
                "`setmaxnreg.{name}` to {} {verb} the count of {held}{at_entry}\nits behavior is undefined: use `setmaxnreg.{other}`, or \
                 change the count{at_entry}",
                count.count
            );
            return Some(about(warp, *count, message));
        }
        held = count.count;
    }
    None
}

/// A `setmaxnreg` that only some warps of a warpgroup execute.
fn partial(group: &[Warp]) -> Option<Finding> {
    let count = |warp: &Warp, index: usize| warp.register_counts.all().get(index).copied();
    let request = |warp: &Warp, index: usize| count(warp, index).map(|it| (it.count, it.increases));
    let longest = group.iter().map(|warp| warp.register_counts.all().len()).max()?;
    let differs =
        |index: &usize| group.iter().any(|warp| request(warp, *index) != request(&group[0], *index));
    let index = (0..longest).find(differs)?;
    let (warp, count) = group.iter().find_map(|warp| Some((warp, count(warp, index)?)))?;
    let message = "only some warps of the warpgroup execute this `setmaxnreg`\nits behavior is undefined: let all four warps execute it";
    Some(about(warp, count, message.to_owned()))
}

fn threads(warps: usize) -> u32 {
    (warps * WIDTH) as u32
}

/// An increase for which the block has too few registers even while each other warpgroup holds the fewest that it ever does.
fn unavailable(warps: &[Warp], entry: u32) -> Option<Finding> {
    let pool = threads(warps.len()) * entry;
    let groups: Vec<(&[Warp], u32)> = warps
        .chunks(GROUP)
        .map(|group| {
            let counts = group[0].register_counts.all().iter().map(|count| count.count);
            (group, threads(group.len()) * counts.fold(entry, u32::min))
        })
        .collect();
    let fewest: u32 = groups.iter().map(|(_, fewest)| fewest).sum();
    groups.iter().find_map(|(group, own)| {
        let requested = |count: &RegisterCount| threads(group.len()) * count.count;
        let others = fewest - own;
        let counts = group[0].register_counts.all().iter().filter(|count| count.increases);
        let count = counts.into_iter().find(|count| requested(count) + others > pool)?;
        let message = format!(
            "{} registers are requested, and the block has {pool}\nthe other warpgroups hold at least {others}, whatever the order of warps: \
             `setmaxnreg.inc` waits forever. Lower its count, or that of another warpgroup before",
            requested(count)
        );
        Some(about(&group[0], *count, message))
    })
}

/// An increase for which the block has too few registers until another warpgroup decreases its count, which it does only after the
/// increase.
fn overtaken(warps: &[Warp], entry: u32) -> Option<Finding> {
    let pool = threads(warps.len()) * entry;
    warps.chunks(GROUP).enumerate().find_map(|(index, group)| {
        let increases = group[0].register_counts.all().iter().filter(|count| count.increases);
        increases.copied().find_map(|count| {
            let others = warps.chunks(GROUP).enumerate().filter(|(other, _)| *other != index);
            let held = others.map(|(_, other)| {
                let counts = other[0].register_counts.not_after(group[0].id.warp, count.statement);
                threads(other.len()) * counts.fold(entry, u32::min)
            });
            let (requested, held) = (threads(group.len()) * count.count, held.sum::<u32>());
            (requested + held > pool).then(|| {
                let message = format!(
                    "{requested} registers are requested, and the block has {pool}\nthe other warpgroups hold at least {held} until this \
                     `setmaxnreg.inc` is over: it waits forever for a `setmaxnreg.dec` that comes after it, as behind a barrier. Decrease \
                     before the barrier"
                );
                about(&group[0], count, message)
            })
        })
    })
}

/// The threads request more registers in the end than the block has.
fn exceeded(warps: &[Warp], entry: u32) -> Option<Finding> {
    let pool = threads(warps.len()) * entry;
    // Threads and their count, in the order of warps.
    let mut requests: Vec<(u32, u32)> = Vec::new();
    for warp in warps {
        let count = warp.register_counts.all().last().map_or(entry, |count| count.count);
        match requests.last_mut() {
            Some((threads, last)) if *last == count => *threads += WIDTH as u32,
            _ => requests.push((WIDTH as u32, count)),
        }
    }
    let sum: u32 = requests.iter().map(|(threads, count)| threads * count).sum();
    if sum <= pool {
        return None;
    }
    let last = |warp: &Warp| warp.register_counts.all().last().copied().filter(|count| count.increases);
    let (warp, count) = warps.iter().find_map(|warp| Some((warp, last(warp)?)))?;
    let parts: Vec<String> = requests.iter().map(|(threads, count)| format!("{threads} x {count}")).collect();
    let message = format!(
        "{sum} registers are requested, and the block has {pool}\n{} > {} x {entry}: `setmaxnreg.inc` waits forever. Lower a \
         count, or raise the count at entry",
        parts.join(" + "),
        threads(warps.len())
    );
    Some(about(warp, count, message))
}
