//! The formatter on the corpora: nothing is lost, formatting is idempotent, and the output of NVIDIA's compilers hardly
//! changes. `docs/formatting.md` has the figures.

use std::path::PathBuf;

use warplens_ide::{AnalysisHost, FileId, Formatted};
use warplens_syntax::{SyntaxKind, parse_file};

/// The PTX files in one of the corpora next to the repository, if present.
fn files(part: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = warplens_test_support::corpora(part);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "ptx" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn format(text: &str) -> String {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let Formatted { edits, .. } = host.snapshot().format(FileId(0)).unwrap();
    warplens_ide::edited(text, &edits)
}

/// Everything except white space.
fn tokens(text: &str) -> Vec<String> {
    let tree = parse_file(warplens_syntax::ptx::LANGUAGE, text).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token());
    let shown = tokens.filter(|token| token.kind() != SyntaxKind::WHITESPACE);
    shown.map(|token| token.text().to_owned()).collect()
}

/// How many lines of a text formatting leaves unchanged, and how many it has. Formatting splits and joins lines but
/// never moves them, so unchanged lines keep their order.
fn unchanged(before: &str, after: &str) -> (usize, usize) {
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let mut after = after.split_inclusive('\n').peekable();
    let mut same = 0;
    let blankless = |line: &str| line.split_whitespace().collect::<String>();
    for line in &before {
        let mut wanted = blankless(line);
        if after.peek() == Some(line) {
            after.next();
            same += 1;
            continue;
        }
        // Skips the lines that replace this one.
        while let Some(rest) = after.peek().and_then(|next| wanted.strip_prefix(&blankless(next))) {
            wanted = rest.to_owned();
            after.next();
            if wanted.is_empty() {
                break;
            }
        }
    }
    (same, before.len())
}

#[test]
fn nothing_is_lost_and_what_is_formatted_stays() {
    // The files of a part are similar, and the broken ones small.
    for (part, step) in [("ptx", 2), ("ptx-exec", 3), ("ptx-invalid", 4)] {
        for path in files(part).into_iter().step_by(step) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let formatted = format(&text);
            assert!(tokens(&formatted) == tokens(&text), "{}: a token changed", path.display());
            assert!(format(&formatted) == formatted, "{}: it changes again", path.display());
        }
    }
}

#[test]
fn the_output_of_compilers_hardly_changes() {
    let (mut same, mut all) = (0, 0);
    for path in files("ptx/generated") {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        if name.starts_with("nvrtc") {
            let (kept, lines) = unchanged(&text, &format(&text));
            (same, all) = (same + kept, all + lines);
        }
    }
    println!("{same} of {all} lines unchanged");
    assert!(same * 100 >= all * 97, "{same} of {all} lines unchanged");
}
