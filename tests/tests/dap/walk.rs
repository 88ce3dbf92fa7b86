//! Random walks: each stop is what a jump to its step shows in another session.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};
use warplens_test_support::random_kernel::RandomKernel;

use crate::client::Client;
use crate::example;
use crate::support::Folder;

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

fn walk(program: &Path, more: &Value, lines: &[u64], seed: u64, moves: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut client, mut other) =
        (Client::launched(program, more.clone()), Client::launched(program, more.clone()));
    let breakpoints: Vec<_> = lines.iter().map(|line| json!({ "line": line })).collect();
    client.ask("setBreakpoints", json!({ "source": { "path": program }, "breakpoints": breakpoints }));
    let steps = client.position()["steps"].as_u64().expect("a number");
    assert_ne!(steps, 0, "{}", program.display());
    let mut thread = json!(1);
    // What the other session shows, by step and thread.
    let mut known: HashMap<(u64, u64), (Value, Value)> = HashMap::new();
    for number in 0..moves {
        let command = MOVES[random.usize(..MOVES.len())];
        let arguments = match command {
            "warplens/position" => json!({ "to": random.u64(..=steps) }),
            _ => json!({ "threadId": thread }),
        };
        let (stop, position) = client.go(command, arguments);
        thread = stop["threadId"].clone();
        let at = (position["step"].as_u64().expect("a number"), thread.as_u64().expect("a number"));
        let there = known.entry(at).or_insert_with(|| {
            // At the end of the launch, no step gives a warp the focus.
            other.go("warplens/position", json!({ "to": at.0, "threadId": at.1 }));
            shown(&mut other, &thread)
        });
        assert_eq!(
            shown(&mut client, &thread),
            *there,
            "{} after move {number}, {command}",
            program.display()
        );
    }
}

/// The number that an environment variable has, for longer walks.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn every_stop_of_a_walk_is_the_same_from_anywhere() {
    let (seed, kernels) = (number("WARPLENS_WALK_SEED", 1), number("WARPLENS_WALK_KERNELS", 1));
    let moves = number("WARPLENS_WALK_MOVES", 25);
    examples(seed, moves);
    let folder = Folder::new();
    for number in 0..kernels {
        let mut random = fastrand::Rng::with_seed(seed << 32 | number);
        let kernel = RandomKernel::new(&mut random);
        let ptx = folder.write(&format!("{number}.ptx"), kernel.ptx());
        let wave = folder.write(&format!("{number}.wave"), kernel.wave());
        let barriers = folder.write(&format!("{number}-75.sass"), kernel.sass(true));
        let tokens = folder.write(&format!("{number}-52.sass"), kernel.sass(false));
        for (file, model) in [
            (&ptx, "stack"),
            (&ptx, "ipdom"),
            (&ptx, "frontier"),
            (&ptx, "its"),
            (&wave, "structured"),
            (&wave, "wave-emu"),
            (&barriers, "barriers"),
            (&tokens, "tokens"),
        ] {
            let lines = [random.u64(10..60), random.u64(10..60)];
            let more = json!({ "model": model, "stopOnFinding": random.bool() });
            walk(file, &more, &lines, random.u64(..), moves);
        }
    }
}

fn examples(seed: u64, moves: u64) {
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
