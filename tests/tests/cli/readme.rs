//! Runs the commands of the README, as a reader types them in the root of a clone.

use std::path::Path;

/// The lines in the README's shell blocks that run `warplens`, without their comments.
fn commands(readme: &str) -> Vec<&str> {
    let mut in_block = false;
    let mut commands = Vec::new();
    for line in readme.lines() {
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
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README is text");
    let commands = commands(&readme);
    assert!(commands.len() >= 7, "the README has the commands of the terminal: {commands:?}");
    for command in commands {
        // The README only quotes arguments without white space, to protect brackets from the shell.
        let arguments: Vec<&str> =
            command.split_whitespace().skip(1).map(|argument| argument.trim_matches('\'')).collect();
        let output = crate::support::run(root, &arguments, b"");
        let (printed, error) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "`{command}` fails\n{printed}{error}");
        assert!(arguments[0] != "sim" || printed.contains("finished: "), "`{command}` stops\n{printed}");
        assert!(arguments[0] != "explain" || !printed.is_empty(), "`{command}` prints nothing");
    }
}
