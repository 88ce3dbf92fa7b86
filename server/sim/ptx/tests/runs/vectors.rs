//! Results of single instructions, compared with the assembler's constant folding.

use std::path::Path;

use crate::common::{Source, kernel};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, RunOptions, Status};
use warplens_test_support::{sample, shared_if_present};

/// The values of `%r30` and `%rd15` after the statements.
fn fold(statements: &str) -> Result<(u64, u64), String> {
    let body = format!(
        "ld.param.u64 %rd19, [out];\n{statements}\nst.global.b32 [%rd19], %r30;\nst.global.b64 [%rd19+8], %rd15;\nret;"
    );
    let program = Source::new(&kernel(&body)).program("k");
    let mut config = launch_config([1, 1, 1], [1, 1, 1]);
    let out = config.memory.allocate("out", 16).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let result =
        run(&program, config, Model::Stack, &RunOptions::default(), Control::none()).expect("not cancelled");
    if result.status != Status::Finished {
        return Err(format!("{:?}: {:?}", result.status, result.findings));
    }
    let word = |at: u64, len: u64| {
        let bytes = result.memory.bytes(out + at, len).expect("the buffer");
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    Ok((word(0, 4), word(8, 8)))
}

#[test]
fn instructions_agree_with_the_assembler_s_constant_folding() {
    let more = shared_if_present("reference/ptx-semantics-vectors.json");
    std::iter::once(sample("ptx-vectors.json")).chain(more).for_each(|path| check_vectors(&path));
}

fn check_vectors(path: &Path) {
    let text = std::fs::read_to_string(path).expect("readable");
    let data: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let vectors = data["vectors"].as_array().expect("a list");
    let mut wrong = Vec::new();
    for vector in vectors {
        let field = |name: &str| vector[name].as_str().unwrap_or_default();
        let expected = u64::from_str_radix(field("out").trim_start_matches("0x"), 16).expect("a number");
        let wide = field("ptx").contains("%rd15");
        match fold(field("ptx")) {
            Ok((narrow, double)) if (if wide { double } else { narrow }) == expected => {}
            Ok((narrow, double)) => {
                let got = if wide { double } else { narrow };
                wrong.push(format!("{}: {} gave {got:#x}, not {expected:#x}", field("op"), field("ptx")));
            }
            Err(error) => wrong.push(format!("{}: {}: {error}", field("op"), field("ptx"))),
        }
    }
    eprintln!("{} of {} vectors", vectors.len() - wrong.len(), vectors.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
