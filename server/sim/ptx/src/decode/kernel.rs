//! Decodes a kernel: all functions that it can reach, its parameters, and the module's variables.

use warplens_hir::ptx::Signature;
use warplens_sim_warp::objects::Object;

use super::function::FunctionDecoder;
use super::module::{DecodeError, Linked, Module};
use super::storage;
use crate::program::{Function, ParamLayout, Program, ProgramObjects};

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
        shared_size: linked.dynamic_shared,
        wide_addresses: linked.wide_addresses,
        lockstep: module.lockstep(),
    })
}

/// The cluster that `.reqnctapercluster` requests.
fn cluster(signature: &Signature) -> Option<[u32; 3]> {
    let sizes = signature.dimensions("reqnctapercluster")?;
    Some(sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX)))
}
