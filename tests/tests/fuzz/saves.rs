//! Save races: an editor saves a file while a command replaces it. The saved text stays.

use std::thread;
use std::time::{Duration, Instant};

use super::budget;
use super::support::{Folder, run};

/// Long enough that a command works on it for a while.
fn text(kernels: usize) -> String {
    let kernel =
        |number| format!(".visible .entry k{number}(){{.reg .b32 %r<4>;mov.u32 %r1,{number};ret;}}\n");
    format!(".version 8.0\n.target sm_80\n.address_size 64\n{}", (0..kernels).map(kernel).collect::<String>())
}

#[test]
fn saves_while_a_command_writes() {
    budget::run("saves", 3, |case| {
        let folder = Folder::new();
        let before = text(case.rng.usize(50..400));
        let path = folder.write("k.ptx", &before);
        let started = Instant::now();
        assert_eq!(run(folder.path(), &["fmt", "k.ptx"], b"").status.code(), Some(0));
        let takes = started.elapsed();
        std::fs::write(&path, &before).expect("it is ours");
        // A save at any time from before the start to after the end, longer, shorter, or by a rename.
        let pause = Duration::from_nanos(case.rng.u64(..takes.as_nanos() as u64 * 5 / 4));
        let saved = match case.rng.u8(..3) {
            0 => format!("{before}// saved\n"),
            _ => "// saved\n".to_owned(),
        };
        let renames = case.rng.bool();
        case.input(&format!("a save after {pause:?} of {takes:?}"));
        let (beside, saves) = (folder.path().join("beside"), saved.clone());
        let editor = thread::spawn(move || {
            thread::sleep(pause);
            let written = if renames { &beside } else { &path };
            std::fs::write(written, saves).expect("it is ours");
            if renames {
                std::fs::rename(&beside, &path).expect("it is ours");
            }
            path
        });
        let output = run(folder.path(), &["fmt", "k.ptx"], b"");
        let path = editor.join().expect("the editor saves");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0..=2)), "{:?} {error}", output.status);
        let kept = std::fs::read_to_string(path).expect("it is there");
        assert!(kept.contains("// saved"), "lost a save after {pause:?} of {takes:?}: {error}");
        1
    });
}
