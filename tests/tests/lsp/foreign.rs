//! `.wave` files of other tools: nothing is reported about them until they contain a kernel.

use serde_json::{Value, json};

use crate::support::{Client, File, Options, range};

const FOREIGN: &str = "fun main() {\n    println(\"hi\");\n}\n";

fn hover(client: &mut Client, file: &File, line: u32) -> Value {
    client.request("textDocument/hover", file.at(line, 3).params())
}

#[test]
fn nothing_is_published_about_a_foreign_document() {
    let mut client = Client::with_options(&Options::plain());
    for (language, name) in [("wave", "a.wave"), ("plaintext", "b.wave"), ("wave", "c.txt")] {
        let mut file = client.open_as(language, name, FOREIGN);
        client.edit(&mut file, range([0, 0], [0, 3]), "fn");
        assert_eq!(hover(&mut client, &file, 0), Value::Null);
        client.close(&file);
    }
    let published: Vec<&str> =
        client.unread().into_iter().filter(|method| *method != "textDocument/publishDiagnostics").collect();
    assert_eq!(published, Vec::<&str>::new());
}

#[test]
fn a_client_that_asks_gets_nothing_for_a_foreign_document() {
    let mut client = Client::start();
    let file = client.open_as("wave", "a.wave", FOREIGN);
    assert_eq!(client.diagnostics(&file), Vec::<Value>::new());
    assert_eq!(client.request("textDocument/documentSymbol", file.params()), Value::Null);
    let refused = client.command("warplens.selectLaunch", json!({ "uri": file.uri }));
    assert!(refused.is_err() || refused == Ok(Value::Null), "{refused:?}");
}

#[test]
fn a_kernel_that_is_typed_makes_a_document_ours() {
    let mut client = Client::with_options(&Options::plain());
    let mut file = client.open_as("plaintext", "a.wave", "; new\n\nhelt\n.end\n");
    client.edit(&mut file, range([1, 0], [1, 0]), ".kerne");
    assert_eq!(hover(&mut client, &file, 1), Value::Null);
    client.edit(&mut file, range([1, 6], [1, 6]), "l k");
    let found = client.published(&file);
    assert_eq!(found.iter().map(|found| &found["code"]).collect::<Vec<_>>(), ["unknown-instruction"]);
    assert!(hover(&mut client, &file, 1).is_object());

    // From then on, the file stays ours.
    client.edit(&mut file, range([1, 0], [1, 9]), "");
    assert!(client.published(&file).iter().any(|found| found["severity"] == 1));
}

#[test]
fn a_new_text_with_a_kernel_makes_a_document_ours() {
    let mut client = Client::start();
    let mut file = client.open_as("wave", "a.wave", FOREIGN);
    client.change(&mut file, json!([{ "text": ".kernel k\n    halt\n.end\n" }]));
    assert!(hover(&mut client, &file, 0).is_object());
    client.change(&mut file, json!([{ "text": FOREIGN }]));
    assert!(!client.diagnostics(&file).is_empty());
}

#[test]
fn its_user_can_say_that_a_document_is_ours() {
    let mut client = Client::start();
    let file = client.open_as("wave-asm", "a.wave", "    halt\n");
    assert!(!client.diagnostics(&file).is_empty(), "an instruction outside of a kernel");
}
