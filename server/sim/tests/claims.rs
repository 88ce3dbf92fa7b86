//! What the instruction set's pages claim of the simulator, held against what it decodes.

mod common;

use common::Source;
use warplens_isa::{Simulation, ptx};
use warplens_sim::ptx::program::Op;

/// The operations that the statements of an example decode to.
fn decode(example: &ptx::Example) -> Vec<Op> {
    let (module, body): (Vec<_>, Vec<_>) =
        example.declarations.lines().partition(|line| line.trim_start().starts_with('@'));
    let module: Vec<_> = module.iter().map(|line| line.trim_start().trim_start_matches('@')).collect();
    let text = format!(
        ".version {}\n.target sm_100a\n.address_size 64\n{}\n.global .align 16 .b8 gmem[256];\n\
         .shared .align 16 .b8 smem[256];\n.visible .entry k(.param .u64 arg0)\n{{\n.local .align 16 .b8 lmem[256];\n\
         .reg .pred %p<30>; .reg .b16 %h<30>; .reg .b32 %r<60>; .reg .b64 %rd<30>; .reg .f32 %f<60>; .reg .f64 %fd<30>;\n\
         .reg .b128 %q<10>;\n{}\n{}\n}}\n",
        example.version,
        module.join("\n"),
        body.join("\n"),
        example.code
    );
    Source::new(&text).program("k").functions[0].code.iter().map(|instruction| instruction.op).collect()
}

#[test]
fn entries_tell_the_truth() {
    let mut wrong = Vec::new();
    for entry in ptx::instructions() {
        let ops = decode(&entry.example);
        let unsupported = ops.contains(&Op::Unsupported);
        let right = match entry.simulation {
            Simulation::Simulated => !unsupported && ops.iter().any(|op| *op != Op::Nop),
            Simulation::NoOp(_) => !unsupported && ops.contains(&Op::Nop),
            Simulation::Unsupported(_) => unsupported,
        };
        if !right {
            wrong.push(format!(
                "{}: {:?}, but `{}` gives {ops:?}",
                entry.id, entry.simulation, entry.example.code
            ));
        }
    }
    assert!(wrong.is_empty(), "{} claims are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
