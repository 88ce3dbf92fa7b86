//! From an edit to the lanes of the new text, over stdio: one block of 256 threads, ten thousand instructions a warp.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::client::{Client, URI};
use crate::sample;
use crate::statistics::Times;

/// A loop of four instructions, 2,500 trips, with a part that a quarter of the lanes skips.
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

    let mut times = Times::default();
    for round in 0..rounds as i32 {
        let version = round + 2;
        let digit = (b'0' + (round % 10) as u8) as char;
        let end = KERNEL.lines().nth(EDITED_LINE as usize).map_or(0, |line| line.len() as u32);
        let sent =
            client.change(version, [EDITED_LINE, end - 2, EDITED_LINE, end - 1], &digit.to_string())?;
        let (_, masks) = client.ask("warplens/laneMasks", json!({}))?;
        let time: Duration = sent.elapsed();
        ensure!(masks["version"] == version, "the lanes are those of another version: {}", masks["version"]);
        ensure!(masks["status"] == "finished", "the run did not finish: {}", masks["status"]);
        times.push(time);
    }
    times.print("edit to lanes (8 warps x 10^4)");
    Ok(())
}
