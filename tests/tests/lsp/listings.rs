//! `warplens/listing`, for files that an editor cannot show as text.

use serde_json::json;

use crate::support::{Client, Folder, Line, Options};

/// The first bytes of a cubin.
const CUBIN: &[u8] = b"\x7fELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0";

#[cfg(unix)]
#[test]
fn the_first_request_uses_the_settings_of_the_client() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let cubin = folder.write("k.cubin", CUBIN);
    let listing = "\\t\\tFunction : k\\n        /*0000*/                   EXIT ;\\n";
    let tool = folder.write("nvdisasm", format!("#!/bin/sh\nprintf '{listing}'\n"));
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).expect("its mode can be set");
    let settings = json!({ "sass": { "nvdisasm": tool } });
    let options = Options { settings, ..Options::default() };
    let mut client = Client::with(Line::memory(), &options);
    let uri = format!("file://{}", cubin.display());
    let answer = client.request("warplens/listing", json!({ "uri": uri }));
    let text = answer["text"].as_str().expect("a text");
    assert!(text.contains("EXIT ;"), "{text}");
}

#[test]
fn without_a_tool_the_message_names_the_setting() {
    let folder = Folder::new();
    let cubin = folder.write("k.cubin", CUBIN);
    let mut client = Client::start();
    let uri = format!("file://{}", cubin.display());
    let id = client.send("warplens/listing", json!({ "uri": uri }));
    let error = client.wait(id).expect_err("there is no tool");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("warplens.sass.nvdisasm"), "{message}");
}
