//! `explain --descriptor`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{Folder, run};

#[test]
fn descriptors_are_explained() {
    let folder = Folder::new();
    let text = |arguments: &[&str]| {
        let output = run(folder.path(), arguments, b"");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let matrix = text(&["explain", "--descriptor", "0x4000004000010400"]);
    assert!(matrix.contains("wgmma") && matrix.contains("1,024 bytes"), "{matrix}");
    let instruction = text(&["explain", "--descriptor", "0x08400490", "--kind", "f16"]);
    assert!(instruction.contains("N = 256") && instruction.contains("bf16"), "{instruction}");
    let unknown = text(&["explain", "--descriptor", "1", "--kind", "f17"]);
    assert!(unknown.contains("`f17` is not a kind"), "{unknown}");
    let wide = text(&["explain", "--descriptor", "0x108400490", "--kind", "f16"]);
    assert!(wide.contains("--descriptor: 0x108400490 has more than the 32 bits"), "{wide}");
    let json = text(&["explain", "--descriptor", "0x4000004000010400", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["descriptor"], "0x4000004000010400");
}

/// The kinds that the reference of the instructions has and that can be explained, those of the message, and those of the page.
#[test]
fn kinds_of_descriptors_are_listed() {
    let folder = Folder::new();
    let explain = |kind: &str| run(folder.path(), &["explain", "--descriptor", "0", "--kind", kind], b"");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let read = |page: &str| std::fs::read_to_string(docs.join(page)).expect("a page");
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| word.contains(char::is_numeric)).map(str::to_owned).collect()
    };
    let between = |text: &str, start: &str, end: &str| {
        let (_, rest) = text.split_once(start).expect("the list of kinds");
        words(rest.split_once(end).expect("the end of the list").0)
    };
    let reference = read("reference/ptx/tcgen05.md");
    let named = reference.lines().filter(|line| line.starts_with("| kind |")).flat_map(words);
    let known: BTreeSet<String> = named.filter(|kind| explain(kind).status.success()).collect();
    assert!(known.contains("f16"), "{known:?}");
    let message = String::from_utf8_lossy(&explain("f17").stderr).into_owned();
    assert_eq!(between(&message, "write ", ", with"), known);
    assert_eq!(between(&read("cli.md"), "With `--kind ", ";"), known);
}
