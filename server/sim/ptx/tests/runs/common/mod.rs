//! Runs PTX text, for the tests of this crate.

pub(crate) mod case;
pub(crate) mod shapes;
pub(crate) mod watched;

use std::collections::HashMap;
use std::sync::Arc;

use warplens_hir::ptx::{Function, FunctionKind, Header};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{DecodeError, Model, Module, Program, decode, run};
use warplens_sim_warp::{Control, RunOptions, RunResult, StatementId};
use warplens_syntax::{ItemList, parse_item};

/// A lowered module.
pub(crate) struct Source {
    text: String,
    headers: Vec<Header>,
    /// Each with the start of its item.
    functions: HashMap<String, (usize, Arc<Function>)>,
}

impl Source {
    pub(crate) fn new(text: &str) -> Source {
        let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
        let (mut headers, mut functions) = (Vec::new(), HashMap::new());
        for (index, item) in items.iter().enumerate() {
            let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &item.text);
            headers.push(Header::lower(parse.root()));
            let function = Function::lower(parse.root()).filter(|function| function.body.is_some());
            if let Some(function) = function {
                let name = function.name.clone().unwrap_or_default().to_string();
                functions.insert(name, (items.start_of(index).into(), Arc::new(function)));
            }
        }
        Source { text: text.to_owned(), headers, functions }
    }

    /// The headers of all items, in text order.
    pub(crate) fn headers(&self) -> &[Header] {
        &self.headers
    }

    /// The kernels with a body, by name.
    pub(crate) fn entries(&self) -> Vec<String> {
        let entries = self.functions.iter().filter(|(_, (_, function))| function.kind == FunctionKind::Entry);
        let mut names: Vec<String> = entries.map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    }

    pub(crate) fn program(&self, entry: &str) -> Program {
        self.try_program(entry).expect("the entry is there")
    }

    pub(crate) fn try_program(&self, entry: &str) -> Result<Program, DecodeError> {
        let function = |name: &str| self.functions.get(name).map(|(_, function)| Arc::clone(function));
        decode(&Module::new(&self.headers, &function), entry)
    }

    /// The functions with a body.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.values().map(|(_, function)| &**function)
    }

    /// A function with a body.
    pub(crate) fn function(&self, name: &str) -> Arc<Function> {
        Arc::clone(&self.functions[name].1)
    }

    /// The source line of a statement, counted from 0.
    pub(crate) fn line(&self, program: &Program, statement: StatementId) -> usize {
        let (function, pc) = program.locate(statement).expect("a statement of the program");
        let (start, function) = &self.functions[program.functions[function].name.as_str()];
        let instruction = function.instructions().nth(pc as usize).expect("an instruction");
        let offset = start + usize::from(instruction.opcode_range().start());
        self.text[..offset].matches('\n').count()
    }

    /// The text in which each line ends with the masks of a warp's visits: `active/executed`, or only `active` if both are
    /// equal.
    pub(crate) fn listing(&self, program: &Program, result: &RunResult, warp: u32) -> String {
        let trace = result.warps.iter().find(|trace| trace.warp == warp).expect("the warp is listed");
        let mut notes: Vec<String> = vec![String::new(); self.text.lines().count()];
        for line in &trace.lines {
            let note = &mut notes[self.line(program, line.statement)];
            for visit in line.visits.iter() {
                note.push_str(&format!(" {:08x}", visit.active));
                if visit.executed != visit.active {
                    note.push_str(&format!("/{:08x}", visit.executed));
                }
                if visit.repeat > 1 {
                    note.push_str(&format!("*{}", visit.repeat));
                }
            }
        }
        let lines = self.text.lines().zip(notes).filter(|(_, note)| !note.is_empty());
        lines.map(|(text, note)| format!("{:<40}{note}\n", text.trim())).collect()
    }
}

/// Wraps a body into a module with one kernel `k` whose only parameter is a pointer.
pub(crate) fn kernel(body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<10>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<40>; .reg .f64 %fd<20>;\n\
         {body}\n}}\n"
    )
}

/// Runs kernel `k` of a text with an output buffer of `bytes` bytes; returns the result and the buffer.
pub(crate) fn run_kernel(
    text: &str,
    block: u32,
    bytes: usize,
    model: Model,
) -> (Source, Program, RunResult, Vec<u8>) {
    run_with(text, block, bytes, model, &RunOptions::default())
}

/// Like [`run_kernel`], with options.
pub(crate) fn run_with(
    text: &str,
    block: u32,
    bytes: usize,
    model: Model,
    options: &RunOptions,
) -> (Source, Program, RunResult, Vec<u8>) {
    let source = Source::new(text);
    let program = source.program("k");
    let mut config = launch_config([1, 1, 1], [block, 1, 1]);
    let out = config.memory.allocate("out", bytes as u64).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let result = run(&program, config, model, options, Control::none()).expect("not cancelled");
    let contents = result.memory.bytes(out, bytes as u64).expect("the buffer").to_vec();
    (source, program, result, contents)
}

/// The words of a little-endian buffer.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect()
}
