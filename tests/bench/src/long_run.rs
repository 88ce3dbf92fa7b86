//! A launch of 10^9 lane instructions with all checks, over stdio: the time to its first lanes and to its first progress report,
//! the cores that it uses, and the time to stop it.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::client::{Client, URI};
use crate::processor;
use crate::sample;

/// Each thread adds to its own element of an array, in a loop of seven instructions.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry long(.param .u64 values)
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [values];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r1, %r1, %r2, %r3;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	mov.u32 %r4, 0;
again:
	ld.global.u32 %r5, [%rd1];
	xor.b32 %r5, %r5, %r4;
	add.u32 %r5, %r5, 7;
	st.global.u32 [%rd1], %r5;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p, %r4, 545;
	@%p bra again;
	ret;
}
";

/// Blocks of 256 threads: 10^9 lane instructions.
const BLOCKS: u32 = 1024;

/// How long a run proceeds before it is stopped.
const RUNNING: Duration = Duration::from_millis(500);

pub(crate) fn run(rounds: usize) -> Result<()> {
    for _ in 0..rounds {
        let mut client = Client::start(&sample::server()?)?;
        let settings = json!({ "warplens": { "simulation": { "maxSteps": u64::MAX } } });
        client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }))?;
        client.open(1, KERNEL)?;
        client.diagnostics(1)?;
        let start = select(&mut client)?;
        let (_, lanes) = client.ask("warplens/laneMasks", json!({ "partial": true }))?;
        let first_lanes = start.elapsed();
        let progress = client.run_progress(|running| !running.is_null())? - start;
        let before = processor::of_ended_threads_too(client.process_id())?;
        let measured = Instant::now();
        let (_, whole) = client.ask("warplens/laneMasks", json!({}))?;
        let cores = (processor::of_ended_threads_too(client.process_id())? - before).as_secs_f64()
            / measured.elapsed().as_secs_f64();
        let end = start.elapsed();
        ensure!(whole["status"] == "finished", "the run did not finish: {}", whole["status"]);
        ensure!(lanes["partial"] == true, "the first lanes are those of the whole run, which took {end:?}");
        let stop = stop(&mut client)?;
        println!(
            "first lanes after {first_lanes:.0?}, progress after {progress:.0?}; the whole run {end:.1?} on {cores:.2} cores; \
             stopped after {stop:.0?}"
        );
    }
    Ok(())
}

/// Selects the launch. Returns the time just before.
fn select(client: &mut Client) -> Result<Instant> {
    let values = json!({ "name": "values", "buffer": "u32", "len": BLOCKS * 256, "fill": "iota" });
    let launch = json!({ "name": "long", "grid": [BLOCKS], "block": [256], "args": [values] });
    let start = Instant::now();
    command(client, "warplens.selectLaunch", json!({ "uri": URI, "entry": "long", "launch": launch }))?;
    Ok(start)
}

/// Runs the launch again and stops it. Returns how long stopping took.
fn stop(client: &mut Client) -> Result<Duration> {
    command(client, "warplens.selectLaunch", json!({ "uri": URI, "launch": null }))?;
    client.forget();
    select(client)?;
    thread::sleep(RUNNING);
    let start = Instant::now();
    command(client, "warplens.stopRun", json!({ "uri": URI }))?;
    Ok(client.run_progress(Value::is_null)? - start)
}

fn command(client: &mut Client, command: &str, argument: Value) -> Result<()> {
    client
        .request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
        .map(drop)
}
