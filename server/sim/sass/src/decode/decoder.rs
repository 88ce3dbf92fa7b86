//! The state of decoding a program.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_hir::sass::{Destination, Function, Listed, Listing};

use super::instruction::Inst;
use super::pool::Pool;
use super::unsupported::Unsupported;
use crate::program::{self, Program};
use crate::target::Target;

/// For each statement of a program, its location in the listing: the function, as an index of
/// [`Listing::functions`], and the instruction.
pub type InstructionIndices = Vec<(usize, u32)>;

/// What a function without a name is called.
pub const UNNAMED: &str = "kernel";

/// The name of a function, or [`UNNAMED`] if it has none.
pub fn function_name(listing: &Listing, listed: &Listed) -> SmolStr {
    listing.function(listed).name.as_ref().map_or_else(|| UNNAMED.into(), |name| name.text.clone())
}

pub(super) struct Decoder<'l> {
    pub(super) listing: &'l Listing,
    pub(super) target: Target,
    /// Indices of the functions in the listing.
    pub(super) functions: Vec<usize>,
    /// The first statement of each function.
    pub(super) firsts: Vec<u32>,
    pub(super) pool: Pool,
    pub(super) program: Program,
    pub(super) places: InstructionIndices,
    pub(super) variables: FxHashMap<SmolStr, u32>,
}

impl<'l> Decoder<'l> {
    pub(super) fn new(listing: &'l Listing, target: Target, functions: Vec<usize>) -> Decoder<'l> {
        let function = |index: &usize| listing.function(&listing.functions()[*index]);
        let mut first = 0;
        let firsts = functions.iter().map(|index| {
            first += function(index).instructions.len() as u32;
            first - function(index).instructions.len() as u32
        });
        let firsts = firsts.collect();
        let pool = Pool::new(functions.iter().map(function));
        let program = Program { target, ..Program::default() };
        let mut decoder = Decoder {
            listing,
            target,
            functions,
            firsts,
            pool,
            program,
            places: InstructionIndices::new(),
            variables: FxHashMap::default(),
        };
        decoder.place_functions();
        decoder.read_variables();
        decoder
    }

    pub(super) fn function(&self, number: usize) -> &'l Function {
        self.listing.function(&self.listing.functions()[self.functions[number]])
    }

    /// Assigns addresses to all statements before decoding, because operands may name them.
    pub(super) fn place_functions(&mut self) {
        for number in 0..self.functions.len() {
            let function = self.function(number);
            let first = self.firsts[number];
            let end = first + function.instructions.len() as u32;
            let name = function_name(self.listing, &self.listing.functions()[self.functions[number]]);
            self.program.functions.push(program::Function { name, first, end });
            self.program
                .addresses
                .extend(function.instructions.iter().map(|instruction| instruction.address));
            let index = self.functions[number];
            self.places.extend((0..function.instructions.len() as u32).map(|at| (index, at)));
        }
    }

    /// The statement that an instruction targets.
    pub(super) fn statement(&self, inst: &Inst<'_>) -> Result<u32, Unsupported> {
        match inst.ins.destination {
            Destination::Instruction(index) => Ok(self.firsts[inst.number] + index),
            Destination::Symbol => {
                let name = inst.target_symbol().ok_or(
                    "its target is not in the listing: `cuobjdump` prints 0 for an address that the linker fills in; \
                     `nvdisasm` prints the name",
                )?;
                self.label(&name).ok_or_else(|| format!("`{name}` is not in the listing").into())
            }
            Destination::End => Err("its target is the end of the function".into()),
            Destination::Indirect => {
                Err("its target is the value of a constant or register, which is simulated only for branches"
                    .into())
            }
            _ => Err("its target is not an instruction of the listing".into()),
        }
    }

    /// The statement at which the lanes of a token or barrier continue. The end of a function may be such a point; it is
    /// the end of the program, so that no lane continues in the function after it.
    pub(super) fn resume(&self, inst: &Inst<'_>) -> Result<u32, Unsupported> {
        match inst.ins.destination {
            Destination::End => Ok(self.program.addresses.len() as u32),
            _ => self.statement(inst),
        }
    }

    /// The statement that a label or a function name refers to.
    pub(super) fn label(&self, name: &str) -> Option<u32> {
        let function = self.program.functions.iter().find(|function| function.name == name);
        function.map(|function| function.first).or_else(|| {
            (0..self.functions.len()).find_map(|number| {
                let label = self.function(number).label(name)?;
                Some(self.firsts[number] + label.before)
            })
        })
    }
}
