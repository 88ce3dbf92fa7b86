//! The passes of a reduction, which are repeated until none makes the kernel smaller.

use anyhow::Result;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use warplens_ide::{Reducible, ReducibleStatement, TextEdit, TextRange};
use warplens_sim_launch::Launch;

use super::candidate::Candidate;
use super::oracle::Oracle;
use super::{ddmin, launches};
use warplens_tools::comparison::compared::Compared;

/// The smallest candidate that shows the difference.
pub(super) struct Best {
    pub(super) candidate: Candidate,
    pub(super) compared: Compared,
}

pub(super) fn reduce(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    declarations(oracle, best)?;
    launch(oracle, best, launches::with_fewer_threads)?;
    loop {
        let before = best.candidate.clone();
        dead(oracle, best)?;
        statements(oracle, best)?;
        alternatives(oracle, best)?;
        if before.texts == best.candidate.texts || oracle.is_late() {
            break;
        }
    }
    launch(oracle, best, launches::with_fewer_threads)?;
    while launch(oracle, best, launches::with_simpler_buffers)? {}
    unused(oracle, best)?;
    parameters(oracle, best)?;
    let parts = oracle.parts(&best.candidate.texts)?;
    let candidate = best.candidate.without(|side| parts[side].notes.clone());
    attempt(oracle, best, candidate)?;
    unused(oracle, best)?;
    let parts = oracle.parts(&best.candidate.texts)?;
    let candidate = best.candidate.edited(|side| parts[side].renumbered.clone());
    attempt(oracle, best, candidate)?;
    Ok(())
}

/// Makes a candidate the best one if it shows the difference.
fn attempt(oracle: &mut Oracle<'_>, best: &mut Best, candidate: Candidate) -> Result<bool> {
    if candidate == best.candidate {
        return Ok(false);
    }
    match oracle.compare(&candidate)? {
        Some(compared) => {
            *best = Best { candidate, compared };
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Removes as many parts as possible. Each part has a range in each text.
fn remove(oracle: &mut Oracle<'_>, best: &mut Best, parts: &[Vec<TextRange>]) -> Result<()> {
    let start = best.candidate.clone();
    let without =
        |removed: &[usize]| start.without(|side| removed.iter().map(|part| parts[*part][side]).collect());
    ddmin::removable(parts.len(), |removed| attempt(oracle, best, without(removed)))?;
    Ok(())
}

fn declarations(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    let parts = oracle.parts(&best.candidate.texts)?;
    let ranges: Vec<&[TextRange]> = parts.iter().map(|parts| &parts.declarations[..]).collect();
    remove(oracle, best, &common(&best.candidate.texts, &ranges))
}

fn statements(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    let parts = oracle.parts(&best.candidate.texts)?;
    oracle.show(parts[0].statements.len());
    let ranges: Vec<Vec<TextRange>> = parts.iter().map(|parts| removable(parts, |_| true)).collect();
    let ranges: Vec<&[TextRange]> = ranges.iter().map(Vec::as_slice).collect();
    remove(oracle, best, &common(&best.candidate.texts, &ranges))
}

/// Removes all statements without an effect at once.
fn dead(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    loop {
        let parts = oracle.parts(&best.candidate.texts)?;
        let dead = |statement: &ReducibleStatement| statement.is_dead;
        let candidate = best.candidate.without(|side| removable(&parts[side], dead));
        if !attempt(oracle, best, candidate)? {
            return Ok(());
        }
    }
}

fn removable(parts: &Reducible, which: impl Fn(&ReducibleStatement) -> bool) -> Vec<TextRange> {
    let statements = parts.statements.iter().filter(|statement| !statement.is_final && which(statement));
    statements.map(|statement| statement.range).collect()
}

/// Replaces the results of statements by other registers, starting with the last statement.
fn alternatives(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    let mut parts = oracle.parts(&best.candidate.texts)?;
    let mut index = parts[0].statements.len();
    while index > 0 && !oracle.is_late() {
        index -= 1;
        oracle.show(parts[0].statements.len());
        let Some(statement) = parts[0].statements.get(index) else { continue };
        for alternative in &statement.alternatives {
            let Some(edits) = in_each(&best.candidate.texts, &parts, index, &alternative.what) else {
                continue;
            };
            let candidate = best.candidate.edited(|side| edits[side].clone());
            if attempt(oracle, best, candidate)? {
                dead(oracle, best)?;
                parts = oracle.parts(&best.candidate.texts)?;
                // Statements before this one may have been removed too.
                index = (index + 1).min(parts[0].statements.len());
                break;
            }
        }
    }
    Ok(())
}

/// The edits in each text for an alternative of a statement; `None` if a text lacks the alternative.
fn in_each(texts: &[String], parts: &[Reducible], index: usize, what: &str) -> Option<Vec<Vec<TextEdit>>> {
    let ranges: Vec<Vec<TextRange>> = parts
        .iter()
        .map(|parts| parts.statements.iter().map(|statement| statement.range).collect())
        .collect();
    let ranges: Vec<&[TextRange]> = ranges.iter().map(Vec::as_slice).collect();
    let first = parts[0].statements[index].range;
    let common = common(texts, &ranges);
    let place = common.iter().find(|place| place[0] == first)?;
    let edits = parts.iter().zip(place).map(|(parts, range)| {
        let statement = parts.statements.iter().find(|statement| statement.range == *range)?;
        let alternative = statement.alternatives.iter().find(|alternative| alternative.what == what)?;
        Some(alternative.edits.clone())
    });
    edits.collect()
}

/// Makes the first smaller launch that shows the difference the best one.
fn launch(
    oracle: &mut Oracle<'_>,
    best: &mut Best,
    smaller: impl Fn(&Compared) -> Vec<Launch>,
) -> Result<bool> {
    for launch in smaller(&best.compared) {
        let candidate = Candidate { launch, ..best.candidate.clone() };
        if attempt(oracle, best, candidate)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes declarations and labels that are not used.
fn unused(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    loop {
        let parts = oracle.parts(&best.candidate.texts)?;
        let candidate = best.candidate.edited(|side| parts[side].unused.clone());
        if !attempt(oracle, best, candidate)? {
            return Ok(());
        }
    }
}

/// Removes parameters that no kernel uses, with their arguments.
fn parameters(oracle: &mut Oracle<'_>, best: &mut Best) -> Result<()> {
    let count = best.candidate.launch.args.len();
    for index in (0..count).rev() {
        let parts = oracle.parts(&best.candidate.texts)?;
        let is_unused = |parts: &Reducible| parts.parameters.get(index).is_some_and(|it| !it.is_used);
        if !parts.iter().all(is_unused) || index >= best.candidate.launch.args.len() {
            continue;
        }
        let mut candidate = best.candidate.without(|side| vec![parts[side].parameters[index].range]);
        candidate.launch.args.remove(index);
        attempt(oracle, best, candidate)?;
    }
    Ok(())
}

/// The parts that all texts have in common, in their order. Two parts are common if they have the same words.
fn common(texts: &[String], parts: &[&[TextRange]]) -> Vec<Vec<TextRange>> {
    let [one, other] = parts else {
        return parts.first().map(|parts| parts.iter().map(|part| vec![*part]).collect()).unwrap_or_default();
    };
    let words = |side: usize, range: &TextRange| {
        texts[side][std::ops::Range::<usize>::from(*range)].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (ours, theirs): (Vec<String>, Vec<String>) =
        (one.iter().map(|part| words(0, part)).collect(), other.iter().map(|part| words(1, part)).collect());
    let operations = capture_diff_slices(Algorithm::Lcs, &ours, &theirs);
    let equal = operations.iter().filter_map(|operation| match *operation {
        DiffOp::Equal { old_index, new_index, len } => {
            Some((0..len).map(move |at| (old_index + at, new_index + at)))
        }
        _ => None,
    });
    equal.flatten().map(|(here, there)| vec![one[here], other[there]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_parts_of_two_texts() {
        let texts = ["a; b;  c; d;".to_owned(), "x; a; c; d; b;".to_owned()];
        let parts = |text: &str| -> Vec<TextRange> {
            let starts = text.match_indices(|c: char| c.is_alphabetic());
            starts.map(|(at, _)| TextRange::at((at as u32).into(), 2.into())).collect()
        };
        let (one, other) = (parts(&texts[0]), parts(&texts[1]));
        let found = common(&texts, &[&one, &other]);
        let found: Vec<&str> =
            found.iter().map(|place| &texts[0][std::ops::Range::<usize>::from(place[0])]).collect();
        assert_eq!(found, ["a;", "c;", "d;"]);
        assert_eq!(common(&texts[..1], &[&one]).len(), 4);
    }
}
