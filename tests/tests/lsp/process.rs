//! The server as a process: real standard input and output, and how it ends.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Client, Line, Options};
use warplens::lsp::Ended;

#[test]
fn a_session_over_standard_input_and_output() {
    let mut client = Client::stdio();
    let file = client.open("k.ptx", ".version 8.5\n.target sm_90\n");
    assert_eq!(client.text(&file), ".version 8.5\n.target sm_90\n");
    assert_eq!(client.diagnostics(&file), Vec::<Value>::new());
    assert_eq!(client.finish().exit_status().code(), Some(0));
}

#[test]
fn a_client_that_disconnects_silently_ends_the_server() {
    let mut client = Client::stdio();
    client.open("k.ptx", "// text\n");
    client.line.close_input();
    assert_eq!(client.line.exit_status().code(), Some(1));
}

#[test]
fn exit_without_shutdown_is_an_abrupt_end() {
    let mut client = Client::stdio();
    client.notify("exit", Value::Null);
    assert_eq!(client.line.exit_status().code(), Some(1));
}

#[test]
fn waiting_requests_are_let_go_at_the_end() {
    let mut client = Client::start();
    let file = client.open("k.ptx", "// text\n");
    for _ in 0..50 {
        client.send("textDocument/documentSymbol", file.params());
    }
    client.line.close_input();
    assert_eq!(client.line.ended(), Ended::Abruptly);
}

#[test]
#[cfg(target_os = "linux")]
fn the_server_ends_with_the_process_of_its_client() {
    let mut editor = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().expect("`sleep` starts");
    let options = Options { process_id: Some(editor.id()), ..Options::default() };
    let mut client = Client::with(Line::process(), &options);
    // The response shows that the server has read `initialize` and monitors the process.
    client.request("workspace/symbol", json!({ "query": "" }));
    editor.kill().and_then(|()| editor.wait()).expect("it ends");
    // Its input stays open.
    assert_eq!(client.line.exit_status().code(), Some(1));
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_is_dropped_ends_its_threads() {
    /// The number of state threads in this process, which other tests may share.
    fn state_threads() -> usize {
        let tasks = std::fs::read_dir("/proc/self/task").expect("the process has threads");
        let name = |task: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
        };
        tasks.filter_map(name).filter(|name| name.trim() == "state").count()
    }
    fn wait_until(holds: impl Fn() -> bool) {
        while !holds() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
    const SERVERS: usize = 40;
    let clients: Vec<Client> = (0..SERVERS).map(|_| Client::start()).collect();
    // A thread sets its name after its start, and ends after its server was dropped.
    wait_until(|| state_threads() >= SERVERS);
    drop(clients);
    wait_until(|| state_threads() < SERVERS);
}

#[test]
fn the_log_goes_to_a_file_and_never_to_the_protocol() {
    let folder = crate::support::Folder::new();
    let log = folder.path().join("warplens.log");
    let line = Line::process_with(&["--log-file", &log.to_string_lossy()], &[("WARPLENS_LOG", "debug")]);
    let client = Client::with(line, &Options::default());
    assert_eq!(client.finish().exit_status().code(), Some(0));
    let log = std::fs::read_to_string(log).expect("there is a log");
    assert!(log.contains("DEBUG") || log.contains("INFO"), "{log}");
}
