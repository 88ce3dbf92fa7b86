//! Checks the instruction tables' claims about simulation against the decoder, with the examples of each entry and with
//! statements generated from each of its forms.

mod statements;

use crate::common::Source;
use warplens_isa::{Simulation, ptx};
use warplens_sim_ptx::program::Op;

/// The operations to which the statements of an example decode.
fn decode(example: &ptx::Example) -> Vec<Op> {
    let (module, body): (Vec<_>, Vec<_>) =
        example.declarations.lines().partition(|line| line.trim_start().starts_with('@'));
    let module: Vec<_> = module.iter().map(|line| line.trim_start().trim_start_matches('@')).collect();
    let text = format!(
        ".version {}\n.target sm_100a\n.address_size 64\n{}\n.global .align 16 .b8 gmem[256];\n\
         .shared .align 16 .b8 smem[256];\n.shared .align 8 .b64 mbar;\n.visible .entry k(.param .u64 arg0)\n{{\n.local .align 16 .b8 lmem[256];\n\
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
fn examples_match_their_claims() {
    let mut wrong = Vec::new();
    for entry in ptx::instructions() {
        let ops = decode(&entry.example);
        let unsupported = ops.iter().any(|op| matches!(op, Op::Unsupported(_)));
        let right = match entry.simulation {
            Simulation::Simulated | Simulation::Partly(_) => {
                !unsupported && ops.iter().any(|op| *op != Op::Nop)
            }
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

/// What became of a statement: no simulated effect, a note why it is not supported, or an operation.
enum Fate {
    NoOp,
    Unsupported(String),
    Simulated,
}

fn fates(statements: &[String]) -> Vec<Fate> {
    let program = Source::new(&statements::module(statements)).program("k");
    let function = &program.functions[0];
    assert_eq!(function.code.len(), statements.len() + 1, "{statements:#?}");
    let fate = |instruction: &warplens_sim_ptx::program::Instruction| match instruction.op {
        Op::Nop => Fate::NoOp,
        Op::Unsupported(id) => Fate::Unsupported(function.tables[id].why.to_string()),
        _ => Fate::Simulated,
    };
    function.code[..statements.len()].iter().map(fate).collect()
}

/// Reasons that do not explain anything.
const EMPTY_REASONS: [&str; 3] = ["this form of it", "its operands are not", "is not among the simulated"];

/// How a statement contradicts the claim of its entry.
fn mismatch(claim: Simulation, fate: &Fate) -> Option<String> {
    let named = |why: &str| !EMPTY_REASONS.iter().any(|reason| why.contains(reason));
    match (claim, fate) {
        (Simulation::Simulated | Simulation::Partly(_), Fate::Simulated)
        | (Simulation::NoOp(_), Fate::NoOp) => None,
        (Simulation::Partly(_) | Simulation::Unsupported(_), Fate::Unsupported(why)) if named(why) => None,
        (_, Fate::Simulated) => Some("is simulated".to_owned()),
        (_, Fate::NoOp) => Some("has no effect".to_owned()),
        (_, Fate::Unsupported(why)) => Some(format!("is not simulated: {why}")),
    }
}

#[test]
fn every_form_matches_its_claim() {
    let (mut wrong, mut tried, mut refusals) = (Vec::new(), 0, 0);
    for entry in ptx::instructions() {
        let list: Vec<String> =
            entry.forms.iter().flat_map(|form| statements::of_form(entry, form)).collect();
        let fates = fates(&list);
        tried += list.len();
        let refused = fates.iter().filter(|fate| matches!(fate, Fate::Unsupported(_))).count();
        refusals += refused;
        if matches!(entry.simulation, Simulation::Partly(_)) && (refused == 0 || refused == list.len()) {
            wrong.push(format!("{}: partly, but {refused} of {} are not simulated", entry.id, list.len()));
        }
        // A discarded result leaves no operation. Fences of tensor maps only affect checks.
        let useful = |statement: &String| {
            !statement.contains(" _, ") && !statement.starts_with("fence.proxy.tensormap")
        };
        for (statement, fate) in list.iter().zip(&fates).filter(|(statement, _)| useful(statement)) {
            if let Some(mismatch) = mismatch(entry.simulation, fate) {
                wrong.push(format!("{}: {:?}, but `{statement}` {mismatch}", entry.id, entry.simulation));
            }
        }
    }
    eprintln!("{} of {tried} statements of all forms are simulated", tried - refusals);
    let shown = &wrong[..wrong.len().min(60)];
    assert!(wrong.is_empty(), "{} statements of {tried} are not:\n{}", wrong.len(), shown.join("\n"));
}
