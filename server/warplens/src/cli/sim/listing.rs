//! `sim --format human`: the source with the lanes of each line at its end, then findings, buffers and totals.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use text_size::{TextRange, TextSize};
use warplens_ide::lanes::text::Style as LaneStyle;
use warplens_ide::lanes::{Shown, Source, first_divergence, reported};
use warplens_sim::launch::{show, size};
use warplens_sim::{Finding, Severity, Status, WarpId};

use super::Simulated;

const FAINT: Style = Style::new().dimmed();
const LANES: Style = AnsiColor::Cyan.on_default();
const STRONG: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Lanes stand at this column at most, even where a line is longer.
const WIDEST: usize = 72;

/// Columns of a tab.
const TAB: usize = 8;

/// Longer files are shown only where the run could come.
const WHOLE_FILE: usize = 1000;

/// Elements of a dumped buffer on a line.
const ELEMENTS: usize = 8;

pub(super) struct Listing<'r> {
    pub(super) run: &'r Simulated,
    pub(super) warp: Option<WarpId>,
}

impl Listing<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let shown = self.run.prepared.show(Arc::clone(&self.run.result), self.warp);
        self.heading(&shown, out)?;
        self.source(&shown, out)?;
        self.findings(&shown, out)?;
        self.output(out)?;
        self.buffers(out)?;
        self.totals(out)
    }

    fn heading(&self, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
        let launch = shown.launch();
        let size = |extent: Option<[u32; 3]>| size(extent.unwrap_or([1; 3]));
        let origin = match shown.source() {
            Source::File => "from the launch file",
            Source::Comment => "from a comment",
            Source::Inferred => "nobody wrote one, so it is inferred",
            Source::Given => "as asked for",
        };
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}: launch {STRONG}{}{STRONG:#} ({origin}), grid {}, block {}, model {}",
            shown.entry(),
            launch.name,
            size(launch.grid),
            size(launch.block),
            shown.model()
        )?;
        if matches!(shown.source(), Source::Inferred | Source::Given) && !launch.args.is_empty() {
            let args: Vec<_> = launch
                .args
                .iter()
                .map(|argument| serde_json::to_string(argument).unwrap_or_default())
                .collect();
            writeln!(out, "{FAINT}args: {}{FAINT:#}", args.join(" "))?;
        }
        let WarpId { cta: [x, y, z], warp } = shown.warp();
        let prepared = &self.run.prepared;
        let all = prepared.warps() * prepared.grid().map(u64::from).iter().product::<u64>();
        match all {
            0 | 1 => writeln!(out, "{FAINT}lanes of the only warp{FAINT:#}"),
            _ => writeln!(
                out,
                "{FAINT}lanes of block {x},{y},{z}, warp {warp}; one of {all} warps (--warp X,Y,Z:W for another){FAINT:#}"
            ),
        }?;
        let line_of = |offset: TextSize| self.run.text.byte_to_line(offset.into()) as u32;
        if let Some(divergence) = first_divergence(shown, &line_of) {
            writeln!(out, "{divergence}")?;
        }
        writeln!(out)
    }

    fn source(&self, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
        let hints = self.hints(shown);
        let text = &self.run.text;
        let reached = self.reached_lines();
        let lines = text.len_lines();
        let digits = lines.max(1).ilog10() as usize + 1;
        let content = |line: usize| without_tabs(text.line(line).to_string().trim_end_matches(['\n', '\r']));
        let width = |code: &str| code.chars().count();
        let column = hints.keys().map(|line| width(&content(*line))).max().unwrap_or(0).min(WIDEST);
        let mut skipped = false;
        for line in 0..lines {
            let code = content(line);
            if line + 1 == lines && code.is_empty() {
                break;
            }
            if lines > WHOLE_FILE && !reached.contains(&line) {
                skipped = true;
                continue;
            }
            if std::mem::take(&mut skipped) {
                writeln!(out, "{FAINT}{:>digits$}{FAINT:#}", "…")?;
            }
            write!(out, "{FAINT}{:>digits$}{FAINT:#}  {code}", line + 1)?;
            match hints.get(&line) {
                Some(hint) => {
                    let gap = column.saturating_sub(width(&code)) + 2;
                    writeln!(out, "{:gap$}{LANES}{hint}{LANES:#}", "")?;
                }
                None => writeln!(out)?,
            }
        }
        writeln!(out)
    }

    /// The hints by line.
    fn hints(&self, shown: &Shown) -> BTreeMap<usize, String> {
        let text = &self.run.text;
        let size = |bytes: usize| TextSize::try_from(bytes).unwrap_or(TextSize::new(u32::MAX));
        let line_of = |offset: TextSize| text.byte_to_line(usize::from(offset).min(text.len_bytes()));
        // Lines are told apart by where they start; that it is their end where hints stand does not matter here.
        let start = |offset: TextSize| size(text.line_to_byte(line_of(offset)));
        let all = TextRange::up_to(size(text.len_bytes()));
        let hints = shown.hints(all, LaneStyle::default(), &start);
        hints.into_iter().map(|hint| (line_of(hint.offset), hint.text)).collect()
    }

    /// The lines from the first to the last statement of the program.
    fn reached_lines(&self) -> std::ops::RangeInclusive<usize> {
        let text = &self.run.text;
        let line = |offset: TextSize| text.byte_to_line(usize::from(offset).min(text.len_bytes()));
        let statements = self.run.prepared.statements();
        let first = statements.iter().map(|statement| statement.range.start()).min().unwrap_or_default();
        let last = statements.iter().map(|statement| statement.range.end()).max().unwrap_or_default();
        line(first).saturating_sub(12)..=line(last) + 1
    }

    fn findings(&self, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
        // The worst first, each kind in the order in which the run came to it.
        let mut findings = reported(&self.run.result, shown.warp());
        findings.sort_by_key(|reported| reported.finding.severity);
        for reported in findings {
            let finding = reported.finding;
            let (style, word) = severity(finding.severity);
            let place = self.place(finding);
            writeln!(out, "{style}{word}[{}]{style:#} {place}: {}", finding.code, reported.message())?;
            for related in &finding.related {
                if let Some(position) = self.run.position(related.statement) {
                    writeln!(out, "    line {}: {}", position.line + 1, related.message)?;
                }
            }
        }
        for failure in &self.run.failures {
            writeln!(out, "{ERROR}error{ERROR:#} {}: expect: {failure}", self.run.path)?;
        }
        Ok(())
    }

    fn place(&self, finding: &Finding) -> String {
        let line = finding.statement.and_then(|statement| self.run.position(statement));
        let line = line.map_or(String::new(), |position| format!(":{}", position.line + 1));
        format!("{}{line}", self.run.path)
    }

    /// What the program printed, without control characters that would reach the terminal.
    fn output(&self, out: &mut dyn Write) -> io::Result<()> {
        let output = &self.run.result.output;
        if !output.text.is_empty() {
            writeln!(out, "{STRONG}printed{STRONG:#}:")?;
        }
        for line in output.text.lines() {
            writeln!(out, "    {}", without_tabs(line))?;
        }
        if output.truncated {
            writeln!(out, "{FAINT}    … and more, which is not kept{FAINT:#}")?;
        }
        Ok(())
    }

    fn buffers(&self, out: &mut dyn Write) -> io::Result<()> {
        for buffer in &self.run.dump {
            let bytes = buffer.bytes(&self.run.result);
            let element = buffer.element;
            let values: Vec<_> =
                bytes.chunks_exact(element.bytes()).map(|bytes| show(element, element.read(bytes))).collect();
            writeln!(out, "{STRONG}{}{STRONG:#}: {element}[{}]", buffer.name, values.len())?;
            for (row, values) in values.chunks(ELEMENTS).enumerate() {
                writeln!(out, "{FAINT}{:>8}{FAINT:#}  {}", row * ELEMENTS, values.join(" "))?;
            }
        }
        Ok(())
    }

    fn totals(&self, out: &mut dyn Write) -> io::Result<()> {
        let result = &self.run.result;
        let totals = &result.totals;
        let (style, ended) = match result.status {
            Status::Finished => (STRONG, "finished"),
            Status::Faulted => (ERROR, "faulted"),
            Status::StepLimit => (WARNING, "stopped at the step limit (--max-steps)"),
            Status::NoProgress => (ERROR, "made no progress"),
            _ if self.run.prepared.stopped_at_error(result) => {
                (ERROR, "stopped at an error of the text, which `warplens check` shows")
            }
            Status::Unsupported => (WARNING, "stopped at what is not simulated"),
        };
        let expected = self.run.prepared.resolved().launch.expect.len();
        let held = match expected - self.run.failures.len() {
            _ if expected == 0 => String::new(),
            held => format!(", {held} of {expected} expectations held"),
        };
        let guarded = match totals.thread_instructions - totals.executed_thread_instructions {
            0 => String::new(),
            held_off => format!(" ({held_off} of them held off by guards)"),
        };
        writeln!(
            out,
            "{style}{ended}{style:#}: {} warp instructions, {} thread instructions{guarded}{held}",
            totals.warp_instructions, totals.thread_instructions
        )
    }
}

fn severity(severity: Severity) -> (Style, &'static str) {
    match severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
        Severity::Information => (STRONG, "note"),
    }
}

/// The line as it would stand at the left edge: a line number before it must not move its tabs.
fn without_tabs(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for char in line.chars() {
        match char {
            '\t' => {
                let blanks = TAB - column % TAB;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            // Control characters of a file must not reach the terminal.
            _ if char.is_control() => {
                out.push('\u{fffd}');
                column += 1;
            }
            _ => {
                out.push(char);
                column += 1;
            }
        }
    }
    out
}
