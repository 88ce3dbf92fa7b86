//! Random walks: each stop is what a jump to its step shows in another session.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;
use crate::example;

const MOVES: [&str; 7] = [
    "next",
    "stepIn",
    "stepBack",
    "warplens/stepBackInto",
    "continue",
    "reverseContinue",
    "warplens/position",
];

/// The position, and every register of a warp in every lane.
pub(crate) fn shown(client: &mut Client, thread: &Value) -> (Value, Value) {
    let position = client.position();
    let frames = client.ask("stackTrace", json!({ "threadId": thread }));
    let frame = frames["stackFrames"][0]["id"].clone();
    let scopes = client.ask("scopes", json!({ "frameId": frame }));
    let mut registers = Vec::new();
    for name in ["Lanes", "Registers", "Divergence"] {
        let scope = scopes["scopes"].as_array().expect("a list").iter().find(|scope| scope["name"] == name);
        let reference = scope.expect("a scope")["variablesReference"].clone();
        let asked = json!({ "variablesReference": reference, "format": { "hex": true } });
        for variable in client.ask("variables", asked)["variables"].as_array().expect("a list") {
            registers.push((variable["name"].clone(), variable["value"].clone()));
        }
    }
    (position, json!(registers))
}

fn walk(program: &Path, more: &Value, lines: &[u64], seed: u64, moves: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut client, mut other) =
        (Client::launched(program, more.clone()), Client::launched(program, more.clone()));
    let breakpoints: Vec<_> = lines.iter().map(|line| json!({ "line": line })).collect();
    client.ask("setBreakpoints", json!({ "source": { "path": program }, "breakpoints": breakpoints }));
    let steps = client.position()["steps"].as_u64().expect("a number");
    assert_ne!(steps, 0, "{}", program.display());
    let mut thread = json!(1);
    for number in 0..moves {
        let command = MOVES[random.usize(..MOVES.len())];
        let arguments = match command {
            "warplens/position" => json!({ "to": random.u64(..=steps) }),
            _ => json!({ "threadId": thread }),
        };
        let (stop, position) = client.go(command, arguments);
        thread = stop["threadId"].clone();
        // At the end of the launch, no step gives a warp the focus.
        other.go("warplens/position", json!({ "to": position["step"], "threadId": thread }));
        let (here, there) = (shown(&mut client, &thread), shown(&mut other, &thread));
        assert_eq!(here, there, "{} after move {number}, {command}", program.display());
    }
}

/// The number that an environment variable has, for longer walks.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn every_stop_of_a_walk_is_the_same_from_anywhere() {
    let (moves, seeds) = (number("WARPLENS_WALK_MOVES", 40) as usize, number("WARPLENS_WALK_SEEDS", 1));
    (0..seeds).for_each(|seed| walks(7 + seed, moves));
}

fn walks(seed: u64, moves: usize) {
    for (name, more, lines) in [
        ("divergence.ptx", json!({ "launch": "two warps, the second half full" }), [28, 32]),
        ("divergence.ptx", json!({ "model": "its" }), [26, 34]),
        ("divergence.ptx", json!({ "model": "ipdom" }), [26, 34]),
        ("divergence.ptx", json!({ "model": "frontier" }), [26, 34]),
        ("matmul.ptx", json!({}), [54, 60]),
        ("divergence.wave", json!({}), [30, 39]),
    ] {
        walk(&example(name), &more, &lines, seed, moves);
    }
    let factorials = warplens_test_support::sample("wave/from-repository/factorials.wave");
    walk(&factorials, &json!({ "model": "wave-emu" }), &[9, 12], seed, moves);
    let listing = warplens_test_support::sample("sass-exec/sass/block_sum__sm80.sass");
    walk(&listing, &json!({}), &[27, 30], seed + 4, moves);
}
