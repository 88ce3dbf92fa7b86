//! Every kernel of the corpora decodes, runs for a while without a panic, and reports how it ended.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::Source;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, FindingKind, LaunchConfig, Limits, RunOptions};
use warplens_test_support::corpora;

fn ptx_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            ptx_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(path);
        }
    }
    files.sort();
}

/// Passes the address of one buffer for every parameter, whatever the parameter means.
fn launch(params: u32) -> LaunchConfig {
    let mut config = launch_config([2, 1, 1], [64, 1, 1]);
    let out = config.memory.allocate("buffer", 1 << 16).expect("space");
    config.params = out.to_le_bytes().iter().copied().cycle().take(params as usize).collect();
    config.shared_memory = 49_152;
    config
}

#[test]
fn kernels_end_with_a_known_status() {
    let folders = ["ptx", "ptx-invalid"].map(corpora);
    let mut files = Vec::new();
    for folder in folders.into_iter().flatten() {
        ptx_files(&folder, &mut files);
    }
    let limits = Limits { max_steps: 4_000, ..Limits::default() };
    let options =
        RunOptions { limits, registers: true, checks: Checks::ALL, counters: true, ..RunOptions::default() };
    let (mut ends, mut unsupported) = (BTreeMap::new(), BTreeMap::new());
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > 400_000 {
            continue;
        }
        let source = Source::new(&text);
        for entry in source.entries() {
            let program = source.program(&entry);
            assert_eq!(program, source.program(&entry), "decoding repeats");
            let config = launch(program.params_size);
            let result =
                run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
            *ends.entry(result.status.as_str()).or_insert(0) += 1;
            for finding in result.findings.iter().filter(|finding| finding.kind == FindingKind::Unsupported) {
                *unsupported.entry(finding.message.clone()).or_insert(0) += 1;
            }
            for warp in &result.warps {
                for visit in warp.lines.iter().flat_map(|line| line.visits.iter()) {
                    assert_eq!(visit.executed & !visit.active, 0, "{}", path.display());
                    assert_eq!(visit.active & !warp.launched, 0, "{}", path.display());
                    assert_ne!(visit.active, 0, "{}", path.display());
                }
            }
        }
    }
    eprintln!("{ends:?}");
    let mut unsupported: Vec<_> = unsupported.into_iter().collect();
    unsupported.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (message, count) in unsupported.iter().take(60) {
        eprintln!("{count:5} {message}");
    }
}
