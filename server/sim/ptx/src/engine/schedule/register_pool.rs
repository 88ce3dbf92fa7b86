//! Checks of `setmaxnreg` after a block has exited: the registers that its threads request, and the rules of the instruction.

use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Severity};

use crate::engine::exec::register_count::RegisterCount;
use crate::engine::exec::warp::Warp;

/// Warps of a warpgroup.
const GROUP: usize = 4;

/// Findings about the registers of a block. `entry` is the count of a thread at entry, if directives specify it.
pub(super) fn findings(warps: &[Warp], entry: Option<u32>) -> Vec<Finding> {
    let counts = || warps.iter().filter_map(|warp| Some((warp, warp.register_count?)));
    let Some((first, count)) = counts().next() else { return Vec::new() };
    let about = |warp: &Warp, count: RegisterCount, message: String| {
        warp.id.finding(FindingKind::RegisterPool, message, count.statement, warp.threads.launched())
    };
    let Some(entry) = entry else {
        let message = "`setmaxnreg` is ignored\nthe assembler cannot determine the count of registers at entry: specify `.maxnreg`, or \
                       `.minnctapersm` with `.maxntid` or `.reqntid`";
        return vec![about(first, count, message.to_owned()).with_severity(Severity::Warning)];
    };
    if let Some((warp, count)) =
        counts().find(|(_, count)| if count.increases { count.count < entry } else { count.count > entry })
    {
        let (name, verb, other) =
            if count.increases { ("inc", "lowers", "dec") } else { ("dec", "raises", "inc") };
        let message = format!(
            "`setmaxnreg.{name}` to {} {verb} the count of {entry} at entry\nits behavior is undefined: use `setmaxnreg.{other}`, or \
             change the count at entry",
            count.count
        );
        return vec![about(warp, count, message)];
    }
    for group in warps.chunks(GROUP) {
        let executed = |warp: &Warp| warp.register_count.map(|count| (count.count, count.increases));
        let differs = group.iter().any(|warp| executed(warp) != executed(&group[0]));
        let mut found = group.iter().filter_map(|warp| Some((warp, warp.register_count?)));
        if let Some((warp, count)) = found.next().filter(|_| differs) {
            let message = "only some warps of the warpgroup execute this `setmaxnreg`\nits behavior is undefined: let all four warps execute it";
            return vec![about(warp, count, message.to_owned())];
        }
    }
    exceeded(warps, entry)
        .into_iter()
        .filter_map(|message| {
            let (warp, count) = counts().find(|(_, count)| count.increases)?;
            Some(about(warp, count, message))
        })
        .collect()
}

/// Why the threads request more registers than the block has, if they do.
fn exceeded(warps: &[Warp], entry: u32) -> Option<String> {
    let threads = |warps: usize| (warps * WIDTH) as u32;
    let pool = threads(warps.len()) * entry;
    // Threads and their count, in the order of warps.
    let mut requests: Vec<(u32, u32)> = Vec::new();
    for warp in warps {
        let count = warp.register_count.map_or(entry, |count| count.count);
        match requests.last_mut() {
            Some((threads, last)) if *last == count => *threads += WIDTH as u32,
            _ => requests.push((WIDTH as u32, count)),
        }
    }
    let sum: u32 = requests.iter().map(|(threads, count)| threads * count).sum();
    let parts: Vec<String> = requests.iter().map(|(threads, count)| format!("{threads} x {count}")).collect();
    (sum > pool).then(|| {
        format!(
            "{sum} registers are requested, and the block has {pool}\n{} > {} x {entry}: `setmaxnreg.inc` waits forever. Lower a \
             count, or raise the count at entry",
            parts.join(" + "),
            threads(warps.len())
        )
    })
}
