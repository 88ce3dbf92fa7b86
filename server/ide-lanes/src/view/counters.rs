//! The memory counters of a statement as text. Pure.

use warplens_sim_warp::{Counters, LineTrace, RunResult};

use crate::count::count;

/// The hint at the end of a line if its accesses cost more than necessary.
pub(crate) fn words(counters: &Counters) -> Option<String> {
    let Counters { global, shared } = counters;
    if global.worst > global.worst_ideal {
        return Some(format!("{} sectors, ideal {}", global.worst, global.worst_ideal));
    }
    (shared.worst_ways > 1).then(|| format!("{}-way bank conflict", shared.worst_ways))
}

/// The sentences of the hover; `None` if the run did not collect counters.
pub(crate) fn sentences(trace: &LineTrace, width: u32) -> Option<String> {
    let Counters { global, shared } = trace.counters.as_deref()?;
    let mut sentences = vec![format!("Active lanes: {:.0}%.", trace.efficiency(width) * 100.0)];
    if global.requests > 0 {
        let worst = if global.worst > global.worst_ideal {
            format!("; the worst touches {}, ideal {}", global.worst, global.worst_ideal)
        } else {
            String::new()
        };
        sentences.push(format!(
            "Global memory: {}, {} of 32 bytes, ideal {}{worst}.",
            count(global.requests, "request"),
            count(global.sectors, "sector"),
            global.ideal
        ));
    }
    if shared.requests > 0 {
        let worst = match shared.worst_ways {
            0 | 1 => String::new(),
            ways => format!("; at worst a {ways}-way bank conflict"),
        };
        sentences.push(format!(
            "Shared memory: {} in {}, ideal {}{worst}.",
            count(shared.requests, "request"),
            count(shared.wavefronts, "wavefront"),
            shared.ideal
        ));
    }
    Some(sentences.join(" "))
}

/// The totals of a run over all warps; empty if it did not collect counters.
pub fn totals(result: &RunResult, width: u32) -> Vec<String> {
    let mut sum = Counters::default();
    let counters = result.summed.iter().filter_map(|line| line.counters.as_deref());
    if counters.clone().next().is_none() {
        return Vec::new();
    }
    counters.for_each(|counters| sum.add(counters));
    let Counters { global, shared } = sum;
    let slots = result.totals.warp_instructions * u64::from(width);
    let used = result.totals.thread_instructions as f64 / slots.max(1) as f64;
    vec![
        format!("active lanes: {:.0}%", used * 100.0),
        match global.requests {
            0 => "global memory: no accesses".to_owned(),
            requests => format!(
                "global memory: {}, {} of 32 bytes, ideal {}",
                count(requests, "request"),
                count(global.sectors, "sector"),
                global.ideal
            ),
        },
        match shared.requests {
            0 => "shared memory: no accesses".to_owned(),
            requests => format!(
                "shared memory: {}, {}, ideal {}",
                count(requests, "request"),
                count(shared.wavefronts, "wavefront"),
                shared.ideal
            ),
        },
    ]
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use warplens_sim_warp::trace::{Sectors, Wavefronts};

    use super::*;
    use crate::testing::{ALL, trace};

    fn check(counters: Counters, expect: Expect) {
        let line = LineTrace {
            counters: Some(Box::new(counters)),
            ..trace(0, &[(ALL, ALL, 2), (0xffff, 0xffff, 2)])
        };
        let words = words(&counters).unwrap_or_default();
        expect.assert_eq(&format!("{words} | {}", sentences(&line, 32).unwrap_or_default()));
    }

    #[test]
    fn only_costs_above_the_ideal_are_shown_at_the_line() {
        check(Counters::default(), expect![" | Active lanes: 75%."]);
        let global = Sectors { requests: 4, sectors: 16, ideal: 16, worst: 4, worst_ideal: 4 };
        check(
            Counters { global, ..Counters::default() },
            expect![" | Active lanes: 75%. Global memory: 4 requests, 16 sectors of 32 bytes, ideal 16."],
        );
        let global = Sectors { requests: 4, sectors: 32, ideal: 16, worst: 8, worst_ideal: 4 };
        check(
            Counters { global, ..Counters::default() },
            expect![
                "8 sectors, ideal 4 | Active lanes: 75%. Global memory: 4 requests, 32 sectors of 32 bytes, ideal 16; the worst touches 8, ideal 4."
            ],
        );
        let shared = Wavefronts { requests: 1, wavefronts: 2, ideal: 1, worst_ways: 2 };
        check(
            Counters { shared, ..Counters::default() },
            expect![
                "2-way bank conflict | Active lanes: 75%. Shared memory: 1 request in 2 wavefronts, ideal 1; at worst a 2-way bank conflict."
            ],
        );
    }
}
