//! From an edit to the lanes of the new text, over stdio: one block of 256 threads, ten thousand instructions per warp. Then
//! again while a run of the previous text, which would continue up to the step limit, is in progress and must be cancelled.

use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::client::{Client, URI};
use crate::sample;
use crate::statistics::Times;

/// A loop of four instructions and 2,500 iterations, part of which a quarter of the lanes skips.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry loop()
{
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 8;
	mov.u32 %r2, 0;
again:
	@%p1 add.u32 %r3, %r3, %r2;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, 2500;
	@%p2 bra again;
	ret;
}
";

/// The line of the first `mov`, whose operand the edits change.
const EDITED_LINE: u32 = 9;

/// The line with the number of iterations.
const ITERATIONS_LINE: u32 = 13;
const SHORT: &str = "2500";
const ENDLESS: &str = "2000000000";

/// How long a run proceeds before it is cancelled: a fraction of the time to the limit.
const RUNNING: Duration = Duration::from_millis(20);

pub(crate) fn run(rounds: usize) -> Result<()> {
    let mut client = Client::start(&sample::server()?)?;
    client.open(1, KERNEL)?;
    let launch = json!({ "name": "bench", "grid": [1], "block": [256], "args": [] });
    let select = json!({ "uri": URI, "entry": "loop", "launch": launch });
    client.request(
        "workspace/executeCommand",
        json!({ "command": "warplens.selectLaunch", "arguments": [select] }),
    )?;
    client.ask("warplens/laneMasks", json!({}))?;

    let mut version = 1;
    let mut times = Times::default();
    for round in 0..rounds {
        times.push(lanes_after(&mut client, &mut version, digit(round))?);
    }
    times.print("edit to lanes (8 warps x 10^4)");

    let mut times = Times::default();
    for round in 0..rounds {
        version += 1;
        client.change(version, iterations(SHORT.len()), ENDLESS)?;
        thread::sleep(RUNNING);
        version += 1;
        client.change(version, iterations(ENDLESS.len()), SHORT)?;
        times.push(lanes_after(&mut client, &mut version, digit(round))?);
    }
    times.print("the same during a longer run");
    Ok(())
}

/// The edit of a repetition: a range, and the digit that replaces it.
fn digit(round: usize) -> ([u32; 4], String) {
    let end = KERNEL.lines().nth(EDITED_LINE as usize).map_or(0, |line| line.len() as u32);
    ([EDITED_LINE, end - 2, EDITED_LINE, end - 1], (round % 10).to_string())
}

/// The range of the number of iterations, if it has this many digits.
fn iterations(length: usize) -> [u32; 4] {
    let line = ITERATIONS_LINE as usize;
    let start = KERNEL.lines().nth(line).and_then(|line| line.find(SHORT)).map_or(0, |at| at as u32);
    [ITERATIONS_LINE, start, ITERATIONS_LINE, start + length as u32]
}

/// Makes an edit, and returns the time until the lanes of the new text are available.
fn lanes_after(
    client: &mut Client,
    version: &mut i32,
    (range, text): ([u32; 4], String),
) -> Result<Duration> {
    *version += 1;
    let sent = client.change(*version, range, &text)?;
    let (_, masks) = client.ask("warplens/laneMasks", json!({}))?;
    let time = sent.elapsed();
    ensure!(masks["version"] == *version, "the lanes are those of another version: {}", masks["version"]);
    ensure!(masks["status"] == "finished", "the run did not finish: {}", masks["status"]);
    Ok(time)
}
