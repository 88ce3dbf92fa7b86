//! After edits, a document in any language gives the same answers as a newly opened one.

use serde_json::{Value, json};

use super::budget::{self, Case};
use super::mutation::{Edit, edit, keystroke, offset};
use super::support::{Client, position};
use super::texts::{self, Text};

/// The number of edits before answers are compared.
const EDITS: u64 = 100;

struct Document {
    uri: String,
    language: &'static str,
    version: u32,
    text: String,
}

impl Document {
    fn open(client: &mut Client, name: &str, text: &str, of: &Text) -> Document {
        let uri = format!("file:///fuzz/{name}.{}", of.extension);
        let item = json!({ "uri": uri, "languageId": of.language, "version": 1, "text": text });
        client.notify("textDocument/didOpen", json!({ "textDocument": item }));
        Document { uri, language: of.language, version: 1, text: text.to_owned() }
    }

    fn position(&self, at: usize) -> Value {
        position(&self.text, at)
    }

    fn edit(&mut self, client: &mut Client, edit: Edit) {
        let Edit { range, insert } = edit;
        self.version += 1;
        let at = json!({ "start": self.position(range.start), "end": self.position(range.end) });
        let document = json!({ "uri": self.uri, "version": self.version });
        let changes = json!([{ "range": at, "text": insert }]);
        client
            .notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        self.text.replace_range(range, &insert);
    }

    /// All answers about the document, and about these positions.
    fn answers(&self, client: &mut Client, positions: &[Value]) -> Vec<String> {
        let whole = json!({ "start": { "line": 0, "character": 0 }, "end": self.position(self.text.len()) });
        let context = json!({ "includeDeclaration": true });
        let mut requests = vec![
            ("textDocument/diagnostic", json!({})),
            ("textDocument/documentSymbol", json!({})),
            ("textDocument/foldingRange", json!({})),
            ("textDocument/semanticTokens/full", json!({})),
            ("textDocument/inlayHint", json!({ "range": whole })),
            ("textDocument/codeLens", json!({})),
            ("textDocument/documentLink", json!({})),
            ("textDocument/formatting", json!({ "options": { "tabSize": 8, "insertSpaces": false } })),
        ];
        for position in positions {
            let at = json!({ "position": position, "context": context });
            requests.extend(POSITIONED.map(|method| (method, at.clone())));
            requests.push(("textDocument/selectionRange", json!({ "positions": [position] })));
        }
        requests.into_iter().map(|(method, params)| self.answer(client, method, params)).collect()
    }

    fn diagnostics(&self, client: &mut Client) -> String {
        self.answer(client, "textDocument/diagnostic", json!({}))
    }

    fn answer(&self, client: &mut Client, method: &str, mut params: Value) -> String {
        params["textDocument"] = json!({ "uri": self.uri });
        let id = client.send(method, params);
        let mut answer = match client.wait(id) {
            Ok(answer) => answer,
            // For example, a refused rename.
            Err(error) => error["message"].clone(),
        };
        if let Some(answer) = answer.as_object_mut() {
            // The names of results differ.
            answer.remove("resultId");
        }
        format!("{method}: {}", answer.to_string().replace(&self.uri, "URI"))
    }
}

/// The number of edits of a long kernel before answers are compared.
const LONG_EDITS: u64 = 20;

/// The length of a kernel whose trees and functions are adapted to edits, and of one that several threads check.
const LONG: [usize; 2] = [70_000, 1_100_000];

/// The requests about a position.
const POSITIONED: [&str; 7] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
];

fn edited_as_opened(language: usize, case: &mut Case) -> u64 {
    let mut client = Client::start();
    let texts = &texts::all()[language];
    let of = &texts[case.rng.usize(..texts.len())];
    let mut document = Document::open(&mut client, "edited", &of.text, of);
    for _ in 0..3 {
        for _ in 0..EDITS {
            let edit = edit(&document.text, &mut case.rng);
            document.edit(&mut client, edit);
            case.input(&document.text);
            if case.rng.u8(..8) == 0 {
                let position = document.position(offset(&document.text, &mut case.rng));
                document.answers(&mut client, &[position]);
            }
        }
        let positions: Vec<Value> =
            (0..6).map(|_| document.position(offset(&document.text, &mut case.rng))).collect();
        let fresh = Document::open(&mut client, "fresh", &document.text, of);
        let answers = [&document, &fresh].map(|document| document.answers(&mut client, &positions));
        for (edited, fresh) in answers[0].iter().zip(&answers[1]) {
            assert_eq!(edited, fresh, "{}", document.language);
        }
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": fresh.uri } }));
    }
    client.finish();
    3 * EDITS
}

/// Like the test above, for a kernel that is so long that its analysis is adapted to each edit.
fn long_edited_as_opened(case: &mut Case) -> u64 {
    let mut client = Client::start();
    let is_shared = case.rng.u8(..8) == 0;
    let of = texts::long_kernel(LONG[usize::from(is_shared)], &mut case.rng);
    let mut document = Document::open(&mut client, "edited", &of.text, &of);
    for _ in 0..3 {
        for _ in 0..LONG_EDITS {
            let edit = keystroke(&document.text, &mut case.rng);
            document.edit(&mut client, edit);
            case.input(&document.text);
            // Most edits follow an analysis; the others cancel one.
            if case.rng.u8(..4) > 0 {
                document.diagnostics(&mut client);
            }
        }
        let positions: Vec<Value> =
            (0..3).map(|_| document.position(offset(&document.text, &mut case.rng))).collect();
        let fresh = Document::open(&mut client, "fresh", &document.text, &of);
        let answers = [&document, &fresh].map(|document| match is_shared {
            true => document.diagnostics(&mut client),
            false => document.answers(&mut client, &positions).join("\n"),
        });
        assert_eq!(answers[0], answers[1]);
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": fresh.uri } }));
    }
    client.finish();
    3 * LONG_EDITS
}

#[test]
fn long_ptx() {
    budget::run("edits of a long kernel of PTX", 2, long_edited_as_opened);
}

#[test]
fn ptx() {
    budget::run("edits of PTX", 2, |case| edited_as_opened(0, case));
}

#[test]
fn wave() {
    budget::run("edits of WAVE", 2, |case| edited_as_opened(1, case));
}

#[test]
fn sass() {
    budget::run("edits of SASS", 2, |case| edited_as_opened(2, case));
}
