//! From an edit to the complete diagnostics of that version, over stdio, with hovers in between.
//!
//! Processor time excludes threads that end, such as the one that shares the check of a function above a megabyte. For such a
//! function only the elapsed time shows the cost of a keystroke.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::client::Client;
use crate::processor;
use crate::sample;
use crate::statistics::Times;

/// A text that is typed and then removed, its position, and whether the diagnostics meanwhile must contain its
/// error.
struct Edit {
    name: &'static str,
    text: &'static str,
    position: EditPosition,
    must_show: bool,
}

#[derive(Clone, Copy)]
enum EditPosition {
    /// Inside the opcode of an instruction.
    Opcode,
    /// At the start of the line with that instruction.
    LineStart,
    /// Inside the name of the kernel around it.
    KernelName,
}

const EDITS: [Edit; 6] = [
    Edit { name: "a letter into an opcode", text: "q", position: EditPosition::Opcode, must_show: true },
    Edit { name: "a newline", text: "\n", position: EditPosition::LineStart, must_show: false },
    Edit { name: "`{`", text: "{", position: EditPosition::LineStart, must_show: true },
    Edit { name: "`\"`", text: "\"", position: EditPosition::LineStart, must_show: true },
    Edit { name: "`/*`", text: "/*", position: EditPosition::LineStart, must_show: true },
    Edit { name: "the kernel renamed", text: "x", position: EditPosition::KernelName, must_show: false },
];

pub(crate) fn run(text: Option<String>, bytes: Option<usize>, rounds: usize) -> Result<()> {
    let Some(text) = text else { return Ok(()) };
    let text = bytes.map_or(text.as_str(), |bytes| sample::cut(&text, bytes));
    let positions = Positions::find(text)?;
    let mut client = Client::start(&sample::server()?)?;
    let start = client.open(1, text)?;
    let (end, first) = client.diagnostics(1)?;
    println!(
        "file: {:.2} MB, opened to diagnostics in {:.0} ms",
        text.len() as f64 / 1e6,
        (end - start).as_secs_f64() * 1e3
    );

    let mut version = 1;
    let (mut all, mut used) = (Times::default(), Times::default());
    for edit in &EDITS {
        let (mut made, mut undone, mut work) = (Times::default(), Times::default(), Times::default());
        let [line, character] = positions.of(edit.position);
        for _ in 0..rounds {
            version += 1;
            let before = processor::of_process(client.process_id())?;
            let sent = client.change(version, [line, character, line, character], edit.text)?;
            let (received, list) = client.diagnostics(version)?;
            made.push(received - sent);
            work.push(processor::of_process(client.process_id())?.saturating_sub(before));
            ensure!(
                !edit.must_show || errors(&list) > errors(&first),
                "{}: its error is not reported",
                edit.name
            );

            version += 1;
            let sent = client.change(version, undo_range(line, character, edit.text), "")?;
            let (received, list) = client.diagnostics(version)?;
            undone.push(received - sent);
            ensure!(list == first, "{}: its undo does not restore the diagnostics", edit.name);
        }
        made.print(edit.name);
        undone.print("  its undo");
        work.print("  its processor time");
        used.extend(&work);
        all.extend(&made);
        all.extend(&undone);
    }
    all.print("all edits");
    used.print("processor time of an edit");
    hovers(&mut client, &positions, rounds)?;
    fresh_open(client, text, version)
}

/// The number of errors. Other diagnostics are limited in number if there are errors.
fn errors(list: &[Value]) -> usize {
    list.iter().filter(|diagnostic| diagnostic["severity"] == 1).count()
}

/// Checks that the diagnostics after all edits equal those of a newly opened file.
fn fresh_open(mut client: Client, text: &str, version: i32) -> Result<()> {
    let [line, _] = Positions::find(text)?.of(EditPosition::Opcode);
    client.change(version + 1, [line, 0, line, 0], "\n")?;
    client.change(version + 2, [line, 0, line + 1, 0], "")?;
    let (_, edited) = client.diagnostics(version + 2)?;
    client.close()?;
    client.open(version + 3, text)?;
    let (_, fresh) = client.diagnostics(version + 3)?;
    ensure!(edited == fresh, "the diagnostics after the edits differ from those of a fresh open");
    println!("diagnostics after all edits equal those of a fresh open ({} of them)", fresh.len());
    Ok(())
}

fn hovers(client: &mut Client, positions: &Positions, rounds: usize) -> Result<()> {
    let mut times = Times::default();
    let [line, character] = positions.of(EditPosition::Opcode);
    for round in 0..rounds as u32 * 4 {
        let position = json!({ "line": line + round % 20, "character": character });
        let (time, _): (_, Value) = client.ask("textDocument/hover", json!({ "position": position }))?;
        times.push(time);
    }
    times.print("hover");
    Ok(())
}

fn undo_range(line: u32, character: u32, text: &str) -> [u32; 4] {
    if text == "\n" {
        [line, character, line + 1, 0]
    } else {
        [line, character, line, character + text.len() as u32]
    }
}

/// The text at the start of an edited line.
const INSTRUCTIONS: [&str; 3] = ["\tadd.", "\tmov.", "        iadd "];

/// The first word of a function or kernel.
const HEADS: [&str; 3] = [".entry ", ".func ", ".kernel "];

/// The positions of the edits, near the middle of the file.
struct Positions {
    opcode: [u32; 2],
    kernel_name: [u32; 2],
}

impl Positions {
    fn find(text: &str) -> Result<Positions> {
        let lines: Vec<&str> = text.lines().collect();
        let middle = lines.len() / 2;
        let opcode = (middle..lines.len())
            .find(|&line| INSTRUCTIONS.iter().any(|start| lines[line].starts_with(start)))
            .context("the file has no instruction after its middle")?;
        let (line, name) = (0..opcode)
            .rev()
            .find_map(|line| Some((line, HEADS.iter().find_map(|head| lines[line].find(head))?)))
            .context("the file has no function before its middle")?;
        let name = name + lines[line][name..].find(' ').unwrap_or(0) + 3;
        let indent = lines[opcode].len() - lines[opcode].trim_start().len();
        Ok(Positions { opcode: [opcode as u32, indent as u32 + 1], kernel_name: [line as u32, name as u32] })
    }

    fn of(&self, position: EditPosition) -> [u32; 2] {
        match position {
            EditPosition::Opcode => self.opcode,
            EditPosition::LineStart => [self.opcode[0], 0],
            EditPosition::KernelName => self.kernel_name,
        }
    }
}
