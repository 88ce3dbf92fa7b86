//! Runs the commands of the README and of the page for programs, as a reader types them in the root of a clone.

use std::path::Path;

/// The lines in shell blocks that run `warplens`, without their comments.
fn commands(page: &str) -> Vec<&str> {
    let mut in_block = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = line == "```sh";
        } else if in_block && line.starts_with("warplens ") {
            commands.push(line.split(" # ").next().unwrap_or(line).trim_end());
        }
    }
    commands
}

#[test]
fn each_command_succeeds_in_a_clone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the workspace");
    let [readme, automation] = ["README.md", "docs/automation.md"]
        .map(|page| std::fs::read_to_string(root.join(page)).expect("a page of text"));
    assert!(automation.len() <= 20_000, "a program reads the page whole: {}", automation.len());
    // `tests/python` tests scripts, which need Triton.
    let needs_triton = |command: &&str| command.starts_with("warplens run ");
    let commands = [&readme, &automation].into_iter().flat_map(|page| commands(page));
    let commands: Vec<&str> = commands.filter(|command| !needs_triton(command)).collect();
    assert!(commands.len() >= 16, "the pages have the commands of the terminal: {commands:?}");
    for command in commands {
        // The pages only quote arguments without white space, to protect brackets from the shell.
        let arguments: Vec<&str> =
            command.split_whitespace().skip(1).map(|argument| argument.trim_matches('\'')).collect();
        let output = crate::support::run(root, &arguments, b"");
        let (printed, error) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "`{command}` fails\n{printed}{error}");
        let is_run = arguments[0] == "sim";
        assert!(!is_run || printed.contains("finished"), "`{command}` stops\n{printed}");
        assert!(arguments[0] != "explain" || !printed.is_empty(), "`{command}` prints nothing");
    }
}
