//! `sim --format human`: the source with the lanes at the end of each line, then findings, buffers and totals.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use annotate_snippets::Level;
use anstyle::{AnsiColor, Style};
use text_size::{TextRange, TextSize};
use warplens_ide::lanes::text::{Format as LaneFormat, Style as LaneStyle};
use warplens_ide::lanes::{
    BranchSides, Coverage, Explored, LaneView, LaunchSource, Reporter, count, counter_totals,
    first_divergence,
};
use warplens_sim_launch::{show, size};
use warplens_sim_warp::{Finding, FindingKind, Limits, Severity, StatementId, Status, WarpId, WarpTrace};

use super::simulated::Simulated;
use super::strips::Strips;
use super::warp_choice::{active_share, instructions, longest, most_divergent};
use super::{registers, steps};
use crate::cli::code_frame::{Location, Problem};
use crate::cli::plain::{plain, without_tabs};

const FAINT: Style = Style::new().dimmed();
const LANES: Style = AnsiColor::Cyan.on_default();
const STRONG: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The limit of the column in which the lanes start. They start further right after a longer line.
const MAX_COLUMN: usize = 72;

/// In a narrow terminal the limit is lower, but at least this.
const MIN_COLUMN: usize = 24;

/// Columns before the text of a note below code, at most.
const NOTE_INDENT: usize = 14;

/// If a file has more lines, only the kernel is shown.
const MAX_LINES: usize = 1000;

/// Inexact results that are named.
const MOST_RESULTS: usize = 3;

/// Branches of which the side that no lane took is named.
const MOST_BRANCHES: usize = 3;

/// Elements of a buffer on each line.
const ELEMENTS: usize = 8;

pub(super) struct Listing<'r> {
    pub(super) run: &'r Simulated,
    /// The columns of the terminal.
    pub(super) width: Option<usize>,
    /// Whether a strip before each line shows which lanes executed it.
    pub(super) strips: bool,
}

impl Listing<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // The steps are those of the first warp.
        let interesting = self.run.steps.is_none().then(|| self.run.interesting_warp());
        let warp = self.run.warp.or(interesting);
        let shown = self.run.prepared.show(Arc::clone(&self.run.result), warp);
        self.heading(&shown, out)?;
        match &self.run.steps {
            Some(steps) => steps::write(steps, self.run, out)?,
            None => self.source(&shown, out)?,
        }
        self.findings(&shown, out)?;
        self.output(out)?;
        self.buffers(out)?;
        if let Some(registers) = self.run.result.warps.iter().find(|warp| is_of(warp, shown.warp)) {
            registers::write(registers, self.width, out)?;
        }
        self.totals(&shown, out)
    }

    fn heading(&self, shown: &LaneView, out: &mut dyn Write) -> io::Result<()> {
        let launch = shown.launch();
        let size = |extent: Option<[u32; 3]>| size(extent.unwrap_or([1; 3]));
        let name = format!("launch {STRONG}{}{STRONG:#}", plain(&launch.name));
        let assumed = plain(&launch.assumed.join(", ")).into_owned();
        let origin = match shown.source() {
            LaunchSource::File => format!("{name} (from the launch file)"),
            LaunchSource::Comment => format!("{name} (from a comment)"),
            LaunchSource::Host if assumed.is_empty() => {
                format!("{name} (host code, other arguments inferred)")
            }
            LaunchSource::Host => {
                format!("{name} (host code, other arguments inferred; with {assumed})")
            }
            LaunchSource::Inferred if assumed.is_empty() => {
                "inferred launch (no launch configured)".to_owned()
            }
            LaunchSource::Inferred => {
                format!(
                    "inferred launch (no launch configured; with {assumed}, since the first guess had findings)"
                )
            }
            LaunchSource::Given if !assumed.is_empty() => {
                format!("launch from the command line (with {assumed}, since the first guess had findings)")
            }
            LaunchSource::Given => "launch from the command line".to_owned(),
        };
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}: {origin}, grid {}, block {}, model {}",
            plain(shown.entry()),
            size(launch.grid),
            size(launch.block),
            shown.model()
        )?;
        if !shown.source().is_configured() && !launch.args.is_empty() {
            let args: Vec<_> = launch
                .args
                .iter()
                .map(|argument| serde_json::to_string(argument).unwrap_or_default())
                .collect();
            writeln!(out, "{FAINT}args: {}{FAINT:#}", plain(&args.join(" ")))?;
        }
        let WarpId { cta: [x, y, z], warp } = shown.warp;
        let prepared = &self.run.prepared;
        let all = prepared.warps() * prepared.grid().map(u64::from).iter().product::<u64>();
        match all {
            0 | 1 => writeln!(out, "{FAINT}warp 0 of 1{FAINT:#}"),
            _ => writeln!(
                out,
                "{FAINT}warp {warp} of block {x},{y},{z}; {all} warps in total (--warp X,Y,Z:W, divergent or worst selects another){FAINT:#}"
            ),
        }?;
        let line_of = |offset: TextSize| self.run.text.byte_to_line(offset.into()) as u32;
        if let Some(divergence) = first_divergence(shown, &line_of) {
            writeln!(out, "{}", plain(&divergence))?;
        }
        writeln!(out)
    }

    fn source(&self, shown: &LaneView, out: &mut dyn Write) -> io::Result<()> {
        let (hints, strips) = (self.hints(shown), self.strips(shown));
        let text = &self.run.text;
        let kernel = self.kernel_lines();
        let lines = text.len_lines();
        let digits = lines.max(1).ilog10() as usize + 1;
        let content = |line: usize| without_tabs(text.line(line).to_string().trim_end_matches(['\n', '\r']));
        let width = |code: &str| code.chars().count();
        let column = hints.keys().map(|line| width(&content(*line))).max().unwrap_or(0);
        let column = column.min(self.max_column(digits + strips.width, &hints));
        let mut skipped = false;
        for line in 0..lines {
            let code = content(line);
            if line + 1 == lines && code.is_empty() {
                break;
            }
            let is_hidden = self.run.hidden.iter().any(|lines| lines.contains(&line));
            if is_hidden || lines > MAX_LINES && !kernel.contains(&line) {
                skipped = true;
                continue;
            }
            if std::mem::take(&mut skipped) {
                writeln!(out, "{FAINT}{:>digits$}{FAINT:#}", "…")?;
            }
            write!(out, "{FAINT}{:>digits$}{FAINT:#}  ", line + 1)?;
            strips.write(line, out)?;
            write!(out, "{code}")?;
            let before = digits + 2 + strips.width;
            match hints.get(&line) {
                Some(hint) => {
                    let used = column.max(width(&code)) + 2;
                    let fits = self.width.is_none_or(|all| before + used + width(hint) <= all);
                    // If the hint does not fit after the code, it goes to the next line.
                    let gap = match fits || width(&code) <= column {
                        true => used - width(&code),
                        false => {
                            writeln!(out)?;
                            before + column + 2
                        }
                    };
                    writeln!(out, "{:gap$}{LANES}{hint}{LANES:#}", "")?;
                }
                None => writeln!(out)?,
            }
        }
        writeln!(out)
    }

    /// The limit of the column in which the lanes start. In a narrow terminal it leaves space for the longest hint.
    fn max_column(&self, digits: usize, hints: &BTreeMap<usize, String>) -> usize {
        let longest = hints.values().map(|hint| hint.chars().count()).max().unwrap_or(0);
        let left = self.width.map(|width| width.saturating_sub(digits + 4 + longest));
        left.map_or(MAX_COLUMN, |left| left.clamp(MIN_COLUMN, MAX_COLUMN))
    }

    fn strips(&self, shown: &LaneView) -> Strips {
        if self.strips { Strips::new(shown, &self.run.text) } else { Strips::default() }
    }

    fn hints(&self, shown: &LaneView) -> BTreeMap<usize, String> {
        let text = &self.run.text;
        let size = |bytes: usize| TextSize::try_from(bytes).unwrap_or(TextSize::new(u32::MAX));
        let line_of = |offset: TextSize| text.byte_to_line(usize::from(offset).min(text.len_bytes()));
        // The start of a line identifies it. The hint is printed at the end anyway.
        let start = |offset: TextSize| size(text.line_to_byte(line_of(offset)));
        let all = TextRange::up_to(size(text.len_bytes()));
        let format = if self.strips { LaneFormat::Label } else { LaneFormat::default() };
        let hints = shown.hints(all, LaneStyle { format, ..LaneStyle::default() }, &start);
        hints.into_iter().map(|hint| (line_of(hint.offset), hint.text)).collect()
    }

    /// The lines from the first to the last statement of the program.
    fn kernel_lines(&self) -> std::ops::RangeInclusive<usize> {
        let text = &self.run.text;
        let line = |offset: TextSize| text.byte_to_line(usize::from(offset).min(text.len_bytes()));
        let statements = &self.run.prepared.statements;
        let first = statements.iter().map(|statement| statement.range.start()).min().unwrap_or_default();
        let last = statements.iter().map(|statement| statement.range.end()).max().unwrap_or_default();
        line(first).saturating_sub(12)..=line(last) + 1
    }

    fn findings(&self, shown: &LaneView, out: &mut dyn Write) -> io::Result<()> {
        // The most severe first, and in order of execution within a severity.
        let mut findings = shown.findings();
        findings.sort_by_key(|reported| reported.finding.severity);
        for reported in &findings {
            let finding = reported.finding;
            let message = reported.message();
            let related = finding.related.iter().filter_map(|related| {
                Some(Location::related(self.range(related.statement)?, &related.message))
            });
            let at = finding.statement.and_then(|statement| self.range(statement));
            let locations = at.map(Location::primary).into_iter().chain(related).collect();
            self.problem(level(finding.severity), finding.kind.name(), &message, locations, out)?;
        }
        let reporter = Reporter::new(&self.run.prepared.resolved, self.run.prepared.width());
        for failure in &self.run.failures {
            let message = failure.described(reporter);
            let writer = failure.writer.and_then(|store| self.range(store.statement));
            let locations = writer.map(Location::primary).into_iter().collect();
            self.problem(Level::ERROR, FindingKind::ExpectFailed.name(), &message, locations, out)?;
        }
        Ok(())
    }

    /// The first line of a message is its title.
    fn problem(
        &self,
        level: Level<'static>,
        code: &str,
        message: &str,
        locations: Vec<Location<'_>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut lines = message.lines();
        // `warning[code]: `
        let title = self.wrapped(&plain(lines.next().unwrap_or_default()), code.len() + 11).into();
        let notes = lines.map(|line| self.wrapped(&plain(line), NOTE_INDENT).into()).collect();
        let problem = Problem { level, code, title, locations, notes };
        writeln!(out, "{}\n", problem.render(&plain(&self.run.path), &self.run.text))
    }

    /// A text with this many columns before it, broken at words to fit the terminal.
    fn wrapped(&self, text: &str, indent: usize) -> String {
        let Some(width) = self.width else { return text.to_owned() };
        textwrap::fill(text, width.saturating_sub(indent).max(MIN_COLUMN))
    }

    fn range(&self, statement: StatementId) -> Option<TextRange> {
        Some(self.run.prepared.statements.get(statement.index())?.range)
    }

    /// The output of the program, without control characters.
    fn output(&self, out: &mut dyn Write) -> io::Result<()> {
        let output = &self.run.result.output;
        if !output.text.is_empty() {
            writeln!(out, "{STRONG}printed{STRONG:#}:")?;
        }
        for line in output.text.lines() {
            writeln!(out, "    {}", without_tabs(line))?;
        }
        if output.truncated {
            writeln!(
                out,
                "{FAINT}    … truncated (limit {} KB){FAINT:#}",
                Limits::default().max_output >> 10
            )?;
        }
        Ok(())
    }

    fn buffers(&self, out: &mut dyn Write) -> io::Result<()> {
        for buffer in &self.run.dump {
            let bytes = buffer.bytes(&self.run.result);
            let element = buffer.element;
            let values: Vec<_> =
                bytes.chunks_exact(element.bytes()).map(|bytes| show(element, element.read(bytes))).collect();
            writeln!(out, "{STRONG}{}{STRONG:#}: {element}[{}]", plain(&buffer.name), values.len())?;
            for (row, values) in values.chunks(ELEMENTS).enumerate() {
                writeln!(out, "{FAINT}{:>8}{FAINT:#}  {}", row * ELEMENTS, values.join(" "))?;
            }
        }
        Ok(())
    }

    /// Which of several warps diverges most, and which one runs longest.
    fn summary_of_warps(&self, out: &mut dyn Write) -> io::Result<()> {
        let result = &self.run.result;
        let (Some(divergent), Some(longest)) = (most_divergent(result), longest(result)) else {
            return Ok(());
        };
        let mut parts = Vec::new();
        let share = active_share(divergent);
        if share < 1.0 {
            parts.push(format!("fewest active lanes {:.0} % ({})", share * 100.0, named(divergent)));
        }
        let most = instructions(longest);
        if result.warps.iter().any(|warp| instructions(warp) < most) {
            parts.push(format!("most instructions {most} ({})", named(longest)));
        }
        if result.warps.len() < 2 || parts.is_empty() {
            return Ok(());
        }
        writeln!(out, "{FAINT}warps: {}{FAINT:#}", parts.join(", "))
    }

    fn totals(&self, shown: &LaneView, out: &mut dyn Write) -> io::Result<()> {
        let result = &self.run.result;
        for line in counter_totals(result, shown.width()) {
            writeln!(out, "{FAINT}{line}{FAINT:#}")?;
        }
        self.summary_of_warps(out)?;
        let totals = &result.totals;
        let (style, ended) = match result.status {
            Status::Finished => (STRONG, "finished"),
            Status::Faulted => (ERROR, "faulted"),
            Status::StepLimit => (WARNING, "stopped at the step limit (--max-steps)"),
            Status::NoProgress => (ERROR, "no forward progress"),
            _ if self.run.prepared.stopped_at_error(result) => {
                (ERROR, "stopped at an error in the program (run `warplens check` to show it)")
            }
            Status::Unsupported => (WARNING, "stopped: unsupported instruction"),
        };
        let expected = self.run.prepared.resolved.launch.expect.len();
        let checks = match expected {
            0 => String::new(),
            _ if result.status != Status::Finished => {
                format!(", {} not performed", count(expected, "check"))
            }
            _ => {
                let is_failure = |finding: &&Finding| finding.kind == FindingKind::ExpectFailed;
                let failed = self.run.failures.len() + result.findings.iter().filter(is_failure).count();
                format!(", {} of {expected} checks passed", expected.saturating_sub(failed))
            }
        };
        let predicated_off = match totals.thread_instructions - totals.executed_thread_instructions {
            0 => String::new(),
            off => format!(" ({off} predicated off)"),
        };
        writeln!(
            out,
            "{style}{ended}{style:#}: {}, {}{predicated_off}{checks}",
            count(totals.warp_instructions, "warp instruction"),
            count(totals.thread_instructions, "thread instruction")
        )?;
        self.schedules(out)?;
        self.coverage(out)?;
        self.numbers(out)?;
        let verdict = &self.run.verdict;
        if verdict.missing().is_empty() {
            return Ok(());
        }
        writeln!(out, "{WARNING}verdict{WARNING:#}: {verdict}")
    }

    /// The statements and the sides of branches that no lane reached, if there are some.
    fn coverage(&self, out: &mut dyn Write) -> io::Result<()> {
        let Coverage { executed, statements, branches, switches, .. } = &self.run.coverage;
        let sides = |branch: &BranchSides| [branch.taken, branch.not_taken];
        let targets = || switches.iter().flat_map(|switch| &switch.targets);
        let taken = targets().filter(|(_, is_taken)| *is_taken).count();
        let reached = taken + branches.iter().flat_map(sides).filter(|is_reached| *is_reached).count();
        let all = targets().count() + branches.len() * 2;
        if executed == statements && reached == all {
            return Ok(());
        }
        let line = |statement: StatementId| Some(self.run.position(statement)?.line + 1);
        let one_sided = branches.iter().filter_map(|branch| {
            let side = match sides(branch) {
                [false, true] => "never taken",
                [true, false] => "always taken",
                _ => return None,
            };
            Some(format!("line {} is {side}", line(branch.statement)?))
        });
        let not_taken = switches.iter().flat_map(|switch| {
            let missed = switch.targets.iter().filter(|(_, is_taken)| !is_taken);
            missed.filter_map(|(target, _)| {
                Some(format!("line {} never leads to line {}", line(switch.statement)?, line(*target)?))
            })
        });
        let one_sided: Vec<String> = one_sided.chain(not_taken).collect();
        let listed = match one_sided.len() {
            0 => String::new(),
            many if many > MOST_BRANCHES => {
                let listed = &one_sided[..MOST_BRANCHES];
                format!(" ({}, and {} more)", listed.join(", "), many - MOST_BRANCHES)
            }
            _ => format!(" ({})", one_sided.join(", ")),
        };
        write!(out, "coverage: {executed} of {}", count(*statements, "statement"))?;
        match all {
            0 => writeln!(out),
            _ => writeln!(out, ", {reached} of {}{listed}", count(all, "branch side")),
        }
    }

    /// The results that are not determined to the bit, if there are some.
    fn numbers(&self, out: &mut dyn Write) -> io::Result<()> {
        let results = &self.run.coverage.numbers;
        let line = |statement: StatementId| Some(self.run.position(statement)?.line + 1);
        let described =
            |(statement, why): (StatementId, &str)| Some(format!("line {}: {why}", line(statement)?));
        for (what, why, listed) in [
            ("approximate result", "", results.approximate().filter_map(described).collect::<Vec<_>>()),
            ("result", " left open", results.open().filter_map(described).collect()),
        ] {
            let more = match listed.len().saturating_sub(MOST_RESULTS) {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            if !listed.is_empty() {
                let shown = &listed[..listed.len().min(MOST_RESULTS)];
                writeln!(out, "numbers: {}{why} ({}{more})", count(listed.len(), what), shown.join("; "))?;
            }
        }
        let decided: Vec<String> =
            results.decided.iter().filter_map(|at| Some(line(*at)?.to_string())).collect();
        match decided.len() {
            0 => Ok(()),
            1 => writeln!(out, "numbers: approximate results decide the branch at line {}", decided[0]),
            _ => writeln!(
                out,
                "numbers: approximate results decide the branches at lines {}",
                decided.join(", ")
            ),
        }
    }

    /// How many other schedules ran, if any were requested.
    fn schedules(&self, out: &mut dyn Write) -> io::Result<()> {
        let Explored { schedules, requested, order_independent, .. } = self.run.coverage.explored;
        match (requested, order_independent) {
            (0, _) => Ok(()),
            (_, true) => {
                writeln!(
                    out,
                    "schedules: one run stands for all; no statement depends on the order of threads"
                )
            }
            _ if schedules == 0 && self.run.verdict.has_findings() => {
                writeln!(out, "schedules: no others ran, because the default one has findings")
            }
            _ => writeln!(out, "schedules: {schedules} of {requested} others ran to an end"),
        }
    }
}

/// `warp 3 of block 1,0,0`
fn named(warp: &WarpTrace) -> String {
    let [x, y, z] = warp.cta;
    format!("warp {} of block {x},{y},{z}", warp.warp)
}

fn is_of(trace: &WarpTrace, warp: WarpId) -> bool {
    (trace.cta, trace.warp) == (warp.cta, warp.warp)
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::NOTE,
    }
}
