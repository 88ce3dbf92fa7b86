//! What a call of a function outside of the text reads and writes, by the convention of CUDA's compilers.
//!
//! `nvdisasm -plr` marks the registers that a call writes; from sm_75 to sm_90 they are the same. Earlier targets are
//! assumed to agree.

use super::{Access, Accesses};
use crate::sass::flow::flow;
use crate::sass::model::{Destination, Function, Instruction};
use crate::sass::register::{Register, RegisterFile};
use warplens_isa::sass::Flow;

/// Arguments and results.
const ARGUMENTS: std::ops::RangeInclusive<u8> = 4..=15;

/// Uniform registers from this one on keep their values.
const SAVED_UNIFORM: u8 = 36;

/// Adds the accesses of calls to the accesses of all instructions of a function. Calls write no register that the
/// function does not use.
pub(in crate::sass) fn add_calls(function: &Function, all: &mut [Accesses]) {
    let is_call = |instruction: &Instruction| {
        flow(instruction) == Flow::Call && !matches!(instruction.destination, Destination::Instruction(_))
    };
    if !function.instructions.iter().any(is_call) {
        return;
    }
    let used = |file: RegisterFile| {
        let of_file = all.iter().flatten().filter(move |access| access.register.file == file);
        of_file.map(|access| access.register.number.saturating_add(access.count)).max().unwrap_or(0)
    };
    let (general, uniform) = (used(RegisterFile::General), used(RegisterFile::Uniform).min(SAVED_UNIFORM));
    let written = (0..general).filter(|number| !keeps(*number)).map(|number| (RegisterFile::General, number));
    let written = written.chain((0..uniform).map(|number| (RegisterFile::Uniform, number)));
    let predicates = [RegisterFile::Predicate, RegisterFile::UniformPredicate];
    let written =
        written.chain(predicates.into_iter().flat_map(|file| (0..used(file)).map(move |it| (file, it))));
    let written: Vec<Register> = written.map(|(file, number)| Register::new(file, number)).collect();
    for (instruction, accesses) in function.instructions.iter().zip(all) {
        if !is_call(instruction) {
            continue;
        }
        for &register in &written {
            let access = Access { register, count: 1, is_write: true, range: instruction.opcode_range };
            if register.file == RegisterFile::General && ARGUMENTS.contains(&register.number) {
                accesses.push(Access { is_write: false, ..access });
            }
            accesses.push(access);
        }
    }
}

/// Whether a general register has the same value after a call.
fn keeps(number: u8) -> bool {
    matches!(number, 1 | 2 | 16..=31) || number >= 32 && number % 8 >= 4
}
