//! `compare --format human`: how the runs ended, and the first differences with their lines and lanes.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use warplens_ide::lanes::compare::{BufferDifference, Comparison, LaneDifference, OutputDifference};
use warplens_ide::lanes::count;
use warplens_sim_launch::size;
use warplens_sim_warp::{LaneStore, StatementId, Status, WarpId};

use super::reduce::Reduced;
use crate::cli::plain::plain;
use warplens_tools::comparison::compared::{
    Compared, Contraction, Drawn, FusedSum, NOT_COMPARED, Run, Scope, on_one_line, same_or_different,
};

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const SUCCESS: Style = AnsiColor::Green.on_default().bold();

/// The limit of buffers whose first difference is shown.
const MAX_BUFFERS: usize = 4;

/// The limit of fused sums that are shown.
const MAX_SUMS: usize = 8;

pub(super) fn write(compared: &Compared, reduced: Option<&Reduced>, out: &mut dyn Write) -> io::Result<()> {
    let Compared { runs, comparison, lane, .. } = compared;
    heading(runs, out)?;
    for run in runs {
        end(run, out)?;
    }
    writeln!(out)?;
    for difference in comparison.buffers.iter().take(MAX_BUFFERS) {
        buffer(runs, difference, out)?;
    }
    if let Some(more) = comparison.buffers.len().checked_sub(MAX_BUFFERS).filter(|more| *more > 0) {
        writeln!(out, "{FAINT}… and {}{FAINT:#}\n", count(more, "more buffer"))?;
    }
    if let Some(difference) = &comparison.output {
        output(runs, difference, out)?;
    }
    if let Some(difference) = lane {
        first_step(runs, difference, out)?;
    }
    verdict(compared, out)?;
    contraction(compared, out)?;
    scope(compared, out)?;
    reduced.map_or(Ok(()), |reduced| self::reduced(reduced, out))
}

/// The smallest kernel, its difference, and the written files.
fn reduced(reduced: &Reduced, out: &mut dyn Write) -> io::Result<()> {
    let Reduced { statements: [before, after], candidates, is_cut, compared, files, texts } = reduced;
    let tried = count(*candidates, "candidate");
    writeln!(
        out,
        "\n{STRONG}reduced{STRONG:#} from {} to {after}, {tried} tried",
        count(*before, "statement")
    )?;
    if *is_cut {
        writeln!(out, "the time limit is over (--reduce-limit): it may become smaller")?;
    }
    writeln!(out)?;
    for line in texts[0].as_deref().unwrap_or_default().lines() {
        writeln!(out, "    {}", plain(&line.replace('\t', "    ")))?;
    }
    writeln!(out)?;
    heading(&compared.runs, out)?;
    if let Some(difference) = compared.comparison.buffers.first() {
        buffer(&compared.runs, difference, out)?;
    }
    if let Some(difference) = &compared.comparison.output {
        output(&compared.runs, difference, out)?;
    }
    let files: Vec<_> = files.iter().map(|file| plain(file)).collect();
    writeln!(out, "written: {}", files.join(", "))
}

fn scope(compared: &Compared, out: &mut dyn Write) -> io::Result<()> {
    let Scope { launches, buffers, elements } = compared.scope;
    if let Some(drawn) = &compared.drawn {
        let Drawn { seed, requested, discarded, discarded_by_other, reason, .. } = drawn;
        writeln!(out, "seed {seed}: `--random {requested} --seed {seed}` draws the same launches")?;
        if discarded + discarded_by_other > 0 {
            let reason = reason.as_deref().unwrap_or_default();
            write!(out, "discarded: {}", count(discarded + discarded_by_other, "launch"))?;
            if *discarded_by_other > 0 {
                write!(out, ", {discarded_by_other} of them because of {}", plain(&compared.runs[1].label))?;
            }
            writeln!(out, "; the last one: {}", plain(reason))?;
        }
    }
    if launches > 0 {
        writeln!(
            out,
            "{FAINT}compared: {}, {}, {}; not compared: {}{FAINT:#}",
            count(launches, "launch"),
            count(buffers, "buffer"),
            count(elements, "element"),
            NOT_COMPARED.join(", ")
        )?;
    }
    Ok(())
}

fn heading(runs: &[Run; 2], out: &mut dyn Write) -> io::Result<()> {
    let launch = &runs[0].prepared.resolved.launch;
    let extent = |extent: Option<[u32; 3]>| size(extent.unwrap_or([1; 3]));
    writeln!(
        out,
        "{STRONG}{}{STRONG:#} and {STRONG}{}{STRONG:#}: launch {}, grid {}, block {}",
        plain(&runs[0].label),
        plain(&runs[1].label),
        plain(&launch.name),
        extent(launch.grid),
        extent(launch.block)
    )
}

/// How a run ended, and why.
fn end(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let (style, ended) = match run.result.status {
        Status::Finished => (SUCCESS, "finished"),
        Status::Faulted => (ERROR, "faulted"),
        Status::StepLimit => (ERROR, "stopped at the step limit (--max-steps)"),
        Status::NoProgress => (ERROR, "no forward progress"),
        Status::Unsupported => (ERROR, "stopped: unsupported instruction"),
    };
    let instructions = count(run.result.totals.warp_instructions, "warp instruction");
    writeln!(out, "  {}: {style}{ended}{style:#}, {instructions}", plain(&run.label))?;
    if let Some(found) = run.result.first_failure() {
        let at = found.statement.map_or(String::new(), |statement| format!("{}: ", place(run, statement)));
        let message = plain(found.message.lines().next().unwrap_or_default());
        writeln!(out, "    {at}{ERROR}{}[{}]{ERROR:#}: {message}", found.severity.as_str(), found.kind)?;
    }
    Ok(())
}

fn buffer(runs: &[Run; 2], difference: &BufferDifference, out: &mut dyn Write) -> io::Result<()> {
    let BufferDifference { name, index, values, stores, count, of, .. } = difference;
    writeln!(out, "{STRONG}{}[{index}]{STRONG:#} differs; {count} of {of} elements differ", plain(name))?;
    for (run, (value, store)) in runs.iter().zip(values.iter().zip(stores)) {
        write!(out, "  {}: {STRONG}{value}{STRONG:#}", plain(&run.label))?;
        match store {
            Some(store) => writeln!(
                out,
                ", stored by {}\n    {}",
                thread(run, store.warp, store.lane),
                line(run, store)
            )?,
            None => writeln!(out, ", its initial value: no thread stored it")?,
        }
    }
    writeln!(out)
}

fn output(runs: &[Run; 2], difference: &OutputDifference, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{STRONG}line {} of the printed text{STRONG:#} differs", difference.line)?;
    for (run, text) in runs.iter().zip(&difference.texts) {
        match text {
            Some(text) => writeln!(out, "  {}: {}", plain(&run.label), plain(text))?,
            None => writeln!(out, "  {}: no further line", plain(&run.label))?,
        }
    }
    writeln!(out)
}

fn first_step(runs: &[Run; 2], difference: &LaneDifference, out: &mut dyn Write) -> io::Result<()> {
    let thread = thread(&runs[0], difference.warp, difference.lane);
    writeln!(out, "{STRONG}first different step{STRONG:#} of {thread}")?;
    for (run, step) in runs.iter().zip(&difference.steps) {
        let label = plain(&run.label);
        let Some(step) = step else {
            writeln!(out, "  {label}: no further step")?;
            continue;
        };
        let what = match (step.executed, step.written.is_empty()) {
            (false, _) => "predicated off".to_owned(),
            (true, true) => "executed".to_owned(),
            (true, false) => step.written.join(", "),
        };
        let at = place(run, step.statement);
        writeln!(out, "  {label}: {STRONG}{what}{STRONG:#} (visit {})", step.visit)?;
        writeln!(out, "    {at}: {}", text(run, step.statement))?;
    }
    writeln!(out)
}

fn verdict(compared: &Compared, out: &mut dyn Write) -> io::Result<()> {
    let Compared { runs, comparison, .. } = compared;
    match (comparison.is_equal(), comparison.finished) {
        (true, _) => {
            let (buffers, _) = Comparison::extent(&runs[0].prepared);
            write!(out, "{SUCCESS}same results{SUCCESS:#} in {}", count(buffers, "buffer"))?;
            match compared.drawn {
                Some(_) => writeln!(out, " of each of {}", count(compared.scope.launches, "launch")),
                None => writeln!(out),
            }
        }
        (false, [true, true]) => writeln!(out, "{ERROR}different results{ERROR:#}"),
        (false, [false, false]) => writeln!(out, "{ERROR}not compared{ERROR:#}: neither run finished"),
        (false, _) => writeln!(out, "{ERROR}different{ERROR:#}: only one of the runs finished"),
    }
}

/// Says whether fused sums explain the difference, and which ones.
fn contraction(compared: &Compared, out: &mut dyn Write) -> io::Result<()> {
    let Some(Contraction { fused, some_fused, tried, sums }) = &compared.contraction else {
        return Ok(());
    };
    write!(
        out,
        "{STRONG}contraction{STRONG:#}: fused: {}; unfused: {}",
        same_or_different(*fused),
        same_or_different(false)
    )?;
    match (*fused, *some_fused) {
        (true, _) => writeln!(out)?,
        (_, true) => writeln!(out, "; some fused: same")?,
        (_, false) => writeln!(out, "; some fused: different ({})", count(*tried, "selection"))?,
    }
    for FusedSum { run, at, text } in sums.iter().take(MAX_SUMS) {
        writeln!(out, "  {}:{}: {}", plain(&compared.runs[*run].path), at.line + 1, plain(text))?;
    }
    if let Some(more) = sums.len().checked_sub(MAX_SUMS).filter(|more| *more > 0) {
        writeln!(out, "  {FAINT}… and {}{FAINT:#}", count(more, "more sum"))?;
    }
    if !sums.is_empty() {
        writeln!(
            out,
            "  neither is wrong: without a rounding modifier, an assembler may fuse `mul` and `add` (PTX ISA, add); `.rn` forbids it"
        )?;
    }
    Ok(())
}

/// `thread (5,0,0) of block (0,0,0), lane 5 of warp 0`.
fn thread(run: &Run, warp: WarpId, lane: u32) -> String {
    let [x, y, z] = run.prepared.resolved.config.block.map(u64::from);
    let width = u64::from(run.prepared.width());
    let number = u64::from(warp.warp) * width + u64::from(lane);
    let (tx, ty, tz) = (number % x, number / x % y, number / (x * y) % z.max(1));
    let [bx, by, bz] = warp.cta;
    format!("thread ({tx},{ty},{tz}) of block ({bx},{by},{bz}), lane {lane} of warp {}", warp.warp)
}

fn line(run: &Run, store: &LaneStore) -> String {
    let statement = run.prepared.statements.get(store.statement.index());
    let source = statement.filter(|statement| statement.code.is_some());
    let source = source.and_then(|statement| statement.source.as_ref());
    let from = source.map_or_else(String::new, |source| format!(" (from {})", plain(&source.to_string())));
    format!("{}: {}{from}", place(run, store.statement), text(run, store.statement))
}

/// `k.ptx:12`.
fn place(run: &Run, statement: StatementId) -> String {
    let line = run.position(statement).map_or(0, |position| position.line + 1);
    format!("{}:{line}", plain(&run.path))
}

/// The text of a statement on one line.
fn text(run: &Run, statement: StatementId) -> String {
    let Some(statement) = run.prepared.statements.get(statement.index()) else { return String::new() };
    let range = usize::from(statement.range.start())..usize::from(statement.range.end());
    let text = run.text.byte_slice(range).to_string();
    plain(&on_one_line(&text)).into_owned()
}
