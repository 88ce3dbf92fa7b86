//! Characters are counted in the units that client and server agreed on.

use serde_json::json;

use crate::support::{Client, Options, range};

/// Characters of one, two, three and four bytes before the requested position.
const SOURCE: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry k() {
    .reg .u32 %r<3>;
    /* é€𝄞 */ mov.u32 %r1, %laneid; /* é€𝄞 */ add.u32 %r2, %r1, %r1;
                                                           ^^^
    exit;
}
";

fn definition_works(options: &Options, encoding: &str) {
    let mut client = Client::with_options(options);
    assert_eq!(client.capabilities["positionEncoding"], encoding);
    let file = client.open("k.ptx", SOURCE);
    let at = json!({ "textDocument": { "uri": file.uri }, "position": file.ranges[0]["start"] });
    let uses = client.request("textDocument/references", {
        let mut params = at.clone();
        params["context"] = json!({ "includeDeclaration": false });
        params
    });
    let uses: Vec<_> = uses.as_array().expect("there are some").iter().map(|found| &found["range"]).collect();
    assert!(uses.contains(&&file.ranges[0]), "{uses:?} has {}", file.ranges[0]);
}

#[test]
fn utf_16_is_the_default() {
    definition_works(&Options::default(), "utf-16");
    definition_works(&Options::plain(), "utf-16");
}

#[test]
fn utf_8_is_taken_where_it_is_offered() {
    definition_works(&Options::utf8(), "utf-8");
}

#[test]
fn edits_count_in_the_same_units() {
    for (options, after_clef) in [(Options::default(), 8), (Options::utf8(), 13)] {
        let mut client = Client::with_options(&options);
        let mut file = client.open("k.ptx", "/* é€𝄞x */\n");
        client.edit(&mut file, range([0, after_clef - 1], [0, after_clef]), "y");
        assert_eq!(client.text(&file), "/* é€𝄞y */\n");
    }
}

#[test]
fn every_line_end_of_the_protocol_counts() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", "// a\r\n// b\r// c\n// d\u{2028}\n// e");
    for line in 0..5 {
        client.edit(&mut file, range([line, 3], [line, 4]), "X");
    }
    assert_eq!(client.text(&file), "// X\r\n// X\r// X\n// X\u{2028}\n// X");
}
