//! The pages of `docs/lanes`: below each program are commands, each followed by what it prints. `UPDATE_EXPECT=1` writes the
//! pages anew.

use std::path::Path;

use expect_test::expect_file;

/// The languages of programs: the word after the fence, and the id for `--language`.
const LANGUAGES: [(&str, &str); 3] = [("ptx", "ptx"), ("wave", "wave-asm"), ("sass", "sass")];

const PROMPT: &str = "$ warplens sim ";

fn language(name: &str) -> Option<&'static str> {
    LANGUAGES.into_iter().find(|(it, _)| *it == name).map(|(_, id)| id)
}

/// What `sim` prints of a program, without white space at the ends of lines.
fn printed(program: &str, command: &str) -> String {
    let (file, options) = command.split_once(' ').unwrap_or((command, ""));
    let id = file.rsplit('.').next().and_then(language).expect("a file name in a command");
    let arguments: Vec<&str> =
        ["sim", "-", "--language", id].into_iter().chain(options.split_whitespace()).collect();
    let output = crate::support::run(Path::new("."), &arguments, program.as_bytes());
    let is_usable = output.status.code().is_some_and(|code| code != 2);
    assert!(is_usable, "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    lines.trim_end().lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The page with the output of its commands.
fn with_output(page: &str) -> String {
    let (mut text, mut program, mut block) = (String::new(), String::new(), None);
    for line in page.lines() {
        let command = line.strip_prefix(PROMPT).filter(|_| block == Some("text"));
        match (block, line.strip_prefix("```")) {
            (None, Some(name)) => {
                block = Some(name);
                if language(name).is_some() {
                    program.clear();
                }
            }
            (Some(_), Some("")) => block = None,
            (Some("text"), _) if command.is_none() => continue,
            (Some(name), _) if language(name).is_some() => program = program + line + "\n",
            _ => {}
        }
        if command.is_some() && !text.ends_with("```text\n") {
            text.push('\n');
        }
        text = text + line + "\n";
        text.extend(command.map(|command| printed(&program, command)));
    }
    text
}

#[test]
fn pages_show_what_the_simulator_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lanes");
    let mut commands = 0;
    for entry in std::fs::read_dir(folder).expect("the pages") {
        let path = entry.expect("an entry").path();
        let page = std::fs::read_to_string(&path).expect("a page");
        commands += page.matches(PROMPT).count();
        expect_file![path].assert_eq(&with_output(&page));
    }
    assert!(commands > 10, "only {commands} commands");
}
