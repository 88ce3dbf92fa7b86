//! A storm of edits and requests in random order: every request is answered, no internal error occurs, and afterwards the
//! document gives the same answers as a newly opened one.

use serde_json::{Value, json};

use crate::support::{Client, File, position};

const PTX: &str = include_str!("../../../examples/divergence.ptx");
const WAVE: &str = include_str!("../../../examples/divergence.wave");

/// Typed text: pieces of the languages, and characters that break them.
const PIECES: [&str; 24] = [
    "a",
    "%r1",
    " ",
    "\n",
    "{",
    "}",
    "\"",
    "/*",
    "*/",
    "//",
    ";",
    ".",
    "@%p1 ",
    "bra DONE;\n",
    "add.u32 %r1, %r2, 3;\n",
    "ret;\n",
    ".entry k() {\n",
    "if p0\n",
    "endif\n",
    "loop\n",
    "endloop\n",
    ".kernel k2\n",
    "halt\n",
    "é𝄞",
];

/// A reproducible random number generator (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// A document, and its text in the editor.
struct Editor {
    file: File,
    text: String,
}

impl Editor {
    fn position(&self, at: usize) -> Value {
        position(&self.text, at)
    }

    fn any_offset(&self, dice: &mut Dice) -> usize {
        let mut at = dice.below(self.text.len() + 1);
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn edit(&mut self, client: &mut Client, dice: &mut Dice) {
        let start = self.any_offset(dice);
        let mut end = (start + if dice.below(3) == 0 { dice.below(30) } else { 0 }).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let insert = PIECES[dice.below(PIECES.len())];
        let range = json!({ "start": self.position(start), "end": self.position(end) });
        client.edit(&mut self.file, range, insert);
        self.text.replace_range(start..end, insert);
    }

    fn ask(&self, client: &mut Client, dice: &mut Dice) -> i64 {
        let at = self.position(self.any_offset(dice));
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": at });
        let (method, more) = match dice.below(17) {
            0 => ("textDocument/hover", json!({ "position": at })),
            1 => ("textDocument/completion", json!({ "position": at })),
            2 => ("textDocument/definition", json!({ "position": at })),
            3 => (
                "textDocument/references",
                json!({ "position": at, "context": { "includeDeclaration": true } }),
            ),
            4 => ("textDocument/documentHighlight", json!({ "position": at })),
            5 => ("textDocument/prepareRename", json!({ "position": at })),
            6 => ("textDocument/rename", json!({ "position": at, "newName": "other" })),
            7 => ("textDocument/documentSymbol", json!({})),
            8 => ("textDocument/foldingRange", json!({})),
            9 => ("textDocument/selectionRange", json!({ "positions": [at] })),
            10 => ("textDocument/semanticTokens/full", json!({})),
            11 => ("textDocument/semanticTokens/full/delta", json!({ "previousResultId": "1" })),
            12 => ("textDocument/semanticTokens/range", json!({ "range": range })),
            13 => ("textDocument/inlayHint", json!({ "range": range })),
            14 => ("textDocument/codeLens", json!({})),
            15 => ("warplens/laneMasks", json!({})),
            _ => ("textDocument/diagnostic", json!({})),
        };
        let mut params = self.file.params();
        params.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        client.send(method, params)
    }
}

fn storm(name: &str, text: &str, seed: u64) {
    let mut client = Client::start();
    let mut dice = Dice(seed);
    let file = client.open(name, text);
    let mut editor = Editor { file, text: text.to_owned() };
    client.command("warplens.selectLaunch", json!({ "uri": editor.file.uri, "launch": "inferred" })).ok();
    let mut asked = vec![];
    for _ in 0..150 {
        editor.edit(&mut client, &mut dice);
        for _ in 0..dice.below(4) {
            asked.push(editor.ask(&mut client, &mut dice));
        }
        if let Some(last) = asked.last().filter(|_| dice.below(4) == 0) {
            client.notify("$/cancelRequest", json!({ "id": last }));
        }
    }
    for id in asked {
        if let Err(error) = client.wait(id) {
            let expected = matches!(error["code"].as_i64(), Some(-32803..=-32800));
            assert!(expected, "{name}, seed {seed}: {error}\n{}", editor.text);
        }
    }
    // Findings depend on a launch, and the newly opened document has none.
    client.command("warplens.selectLaunch", json!({ "uri": editor.file.uri, "launch": null })).ok();
    as_if_just_opened(&mut client, &editor, name);
}

fn as_if_just_opened(client: &mut Client, editor: &Editor, name: &str) {
    let fresh = client.open(&format!("fresh-{name}"), &editor.text);
    assert_eq!(fresh.text, editor.text, "no line of the text looks like marks");
    for method in ["diagnostic", "documentSymbol", "foldingRange", "semanticTokens/full"] {
        let method = format!("textDocument/{method}");
        let mut answers = [&editor.file, &fresh].map(|file| {
            let answer = client.request(&method, file.params()).to_string();
            answer.replace(&file.uri, "URI")
        });
        if method.contains("semanticTokens") {
            // The names of results differ.
            answers = answers
                .map(|answer| answer[..answer.find("\"resultId\"").unwrap_or(answer.len())].to_owned());
        }
        assert_eq!(answers[0], answers[1], "{name}: {method}\n{}", editor.text);
    }
}

#[test]
fn ptx() {
    (0..6).for_each(|seed| storm("k.ptx", PTX, seed));
}

#[test]
fn wave() {
    (0..6).for_each(|seed| storm("k.wave", WAVE, 100 + seed));
}

/// A document whose first check is shared by all cores.
fn large() -> String {
    let statements = "mov.u32 %r1, %r2;\n".repeat(40);
    let function = |number| format!(".func f{number}()\n{{\n.reg .b32 %r<4>;\n{statements}ret;\n}}\n");
    let functions: String = (0..180).map(function).collect();
    format!(".version 8.0\n.target sm_80\n.address_size 64\n{functions}")
}

#[test]
fn edits_and_cancellations_interrupt_the_first_check() {
    let text = large();
    for seed in 0..3 {
        let (mut client, mut dice) = (Client::start(), Dice(200 + seed));
        let mut editor = Editor { file: client.open("large.ptx", &text), text: text.clone() };
        for _ in 0..8 {
            let id = client.send("textDocument/diagnostic", editor.file.params());
            if dice.below(2) == 0 {
                client.notify("$/cancelRequest", json!({ "id": id }));
            } else {
                editor.edit(&mut client, &mut dice);
            }
        }
        as_if_just_opened(&mut client, &editor, "large.ptx");
    }
}
