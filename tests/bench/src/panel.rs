//! The data of the lanes panel for long runs of one warp, over stdio: the time from the request to the whole answer, and the
//! server's processor time meanwhile, which does not depend on the load of the machine.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::client::{Client, URI};
use crate::memory;
use crate::processor;
use crate::sample;
use crate::statistics::Times;

/// The steps of one loop iteration, in which some lanes skip a statement.
const ITERATION: u64 = 7;

/// The line of the first statement of the loop.
const LOOP_LINE: usize = 11;

/// The number of columns in a panel of common width.
const COLUMNS: u64 = 1_130;

fn kernel(iterations: u64) -> String {
    format!(
        "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry long()
{{
	.reg .pred %p<3>;
	.reg .b32 %r<6>;
	mov.u32 %r1, %laneid;
	mov.u32 %r2, 0;
	mov.u32 %r3, 0;
again:
	and.b32 %r4, %r2, 31;
	setp.lt.u32 %p1, %r1, %r4;
	@%p1 bra skip;
	add.u32 %r3, %r3, %r1;
skip:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, {iterations};
	@%p2 bra again;
	ret;
}}
"
    )
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    // The second run is almost as long as the default limit allows.
    for steps in [1_000_000, 9_800_000] {
        measure(steps, rounds)?;
    }
    Ok(())
}

fn measure(steps: u64, rounds: usize) -> Result<()> {
    println!("a warp of {steps} steps");
    let mut client = Client::start(&sample::server()?)?;
    client.open(1, &kernel(steps / ITERATION))?;
    let select = json!({ "uri": URI, "launch": { "name": "bench", "grid": [1], "block": [32], "args": [] } });
    let command = json!({ "command": "warplens.selectLaunch", "arguments": [select] });
    client.request("workspace/executeCommand", command)?;
    let masks = timed(&mut client, "  the run, to its lanes", 1, "warplens/laneMasks", |_| json!({}))?;
    ensure!(masks["status"] == "finished", "the run did not finish: {}", masks["status"]);

    let first = "  time line, first page";
    let page = timed(&mut client, first, 1, "warplens/timeline", |_| json!({ "bins": COLUMNS }))?;
    let all = page["steps"].as_u64().unwrap_or_default();
    ensure!(all.abs_diff(steps) < steps / 10, "the warp has {all} steps");

    // Steps that are spread over the run, in no particular order.
    let step = |round: usize| (round as u64 * 7_919 * all / 10_007) % all;
    timed(&mut client, "  scrub: moment", rounds, "warplens/moment", |round| json!({ "step": step(round) }))?;
    timed(
        &mut client,
        "  the line of the cursor: moment",
        rounds,
        "warplens/moment",
        |round| json!({ "line": LOOP_LINE + round % 3 }),
    )?;
    for part in [2, 16, 256, 4_096] {
        let span = all / part;
        timed(
            &mut client,
            &format!("  time line, page of {span} steps"),
            rounds,
            "warplens/timeline",
            |round| {
                let from = step(round).min(all - span);
                json!({ "from": from, "to": from + span, "bins": COLUMNS })
            },
        )?;
    }
    let some = rounds.min(10);
    for method in ["registers", "accesses"] {
        let name = format!("  {method} of a step");
        timed(
            &mut client,
            &name,
            some,
            &format!("warplens/{method}"),
            |round| json!({ "step": step(round) }),
        )?;
    }
    timed(&mut client, "  graph", some, "warplens/graph", |_| json!({}))?;
    memory::report_sizes(&client)
}

/// Sends a request repeatedly, and returns the last answer.
fn timed(
    client: &mut Client,
    name: &str,
    rounds: usize,
    method: &str,
    params: impl Fn(usize) -> Value,
) -> Result<Value> {
    let (mut times, mut work, mut last) = (Times::default(), Times::default(), Value::Null);
    for round in 0..rounds {
        let before = processor::of_process(client.process_id())?;
        let (time, answer) = client.ask(method, params(round))?;
        work.push(processor::of_process(client.process_id())?.saturating_sub(before));
        times.push(time);
        last = answer;
    }
    times.print(name);
    work.print("    processor time");
    Ok(last)
}
