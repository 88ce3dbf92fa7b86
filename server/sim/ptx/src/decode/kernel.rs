//! Decodes a kernel: all functions that it can reach, its parameters, and the module's variables.

use warplens_hir::ptx::Signature;
use warplens_sim_warp::objects::Object;

use super::function::FunctionDecoder;
use super::module::{DecodeError, Linked, Module};
use super::storage;
use crate::program::{Function, Op, ParamLayout, Program, ProgramObjects};

pub fn decode(module: &Module<'_>, entry: &str) -> Result<Program, DecodeError> {
    let mut linked = Linked::new(module, entry)?;
    let mut functions: Vec<Function> = Vec::with_capacity(linked.functions.len());
    let mut frames = Vec::with_capacity(linked.functions.len());
    for index in 0..linked.functions.len() {
        let (mut function, frame) = FunctionDecoder::new(&linked, index).decode();
        function.first_statement =
            functions.last().map_or(0, |last: &Function| last.first_statement + last.code.len() as u32);
        functions.push(function);
        frames.push(frame);
    }
    let signature = &linked.functions[0].signature;
    let (param_objects, params_size) = storage::entry_params(signature);
    let layout = |param: &Object| ParamLayout {
        name: param.name.clone(),
        offset: param.start as u32,
        size: param.len as u32,
    };
    let (cluster, params) = (cluster(signature), param_objects.iter().map(layout).collect());
    let objects = ProgramObjects { params: param_objects, frames, ..std::mem::take(&mut linked.objects) };
    let entry_registers = entry_registers(signature, &functions);
    let chip = module.target().map(|target| target.number);
    linked.initialize();
    Ok(Program {
        name: entry.into(),
        functions,
        params,
        params_size,
        globals: linked.globals,
        constants: linked.constants,
        objects: objects.into(),
        cluster,
        entry_registers,
        shared_size: linked.dynamic_shared,
        wide_addresses: linked.wide_addresses,
        lockstep: chip.is_some_and(|chip| chip < 70),
        chip,
    })
}

/// Registers of a multiprocessor, and the granularity of a thread's count.
const REGISTERS: u64 = 65_536;
const REGISTER_UNIT: u64 = 8;
/// Threads of a warpgroup; the registers of a block are divided among whole ones.
const WARPGROUP: u64 = 128;

/// The registers of a thread at entry as `ptxas` chooses them if `setmaxnreg` is used: the limit that directives give, or the largest
/// requested count if that is less.
fn entry_registers(signature: &Signature, functions: &[Function]) -> Option<u32> {
    let counts = functions.iter().flat_map(|function| &function.code).filter_map(|one| match one.op {
        Op::RegisterCount { count, .. } => Some(u64::from(count)),
        _ => None,
    });
    let most = counts.max()?;
    let number = |name: &str| signature.directive(name)?.values.first().copied().filter(|number| *number > 0);
    let by_blocks = || {
        let block = signature.dimensions("reqntid").or_else(|| signature.dimensions("maxntid"))?;
        let threads = block.iter().fold(1u64, |all, size| all.saturating_mul(*size));
        let threads = threads.checked_next_multiple_of(WARPGROUP)?.checked_mul(number("minnctapersm")?)?;
        Some(REGISTERS.checked_div(threads)? / REGISTER_UNIT * REGISTER_UNIT)
    };
    let limit = number("maxnreg").map(|count| count.next_multiple_of(REGISTER_UNIT)).or_else(by_blocks)?;
    u32::try_from(limit.min(most)).ok()
}

/// The cluster that `.reqnctapercluster` requests.
fn cluster(signature: &Signature) -> Option<[u32; 3]> {
    let sizes = signature.dimensions("reqnctapercluster")?;
    Some(sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX)))
}
