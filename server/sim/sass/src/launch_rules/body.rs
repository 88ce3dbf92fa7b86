//! What a kernel's instructions show about its arguments: which parameters are addresses, and what the memory
//! there contains.

use rustc_hash::FxHashMap;
use warplens_hir::sass::{Function, Value};
use warplens_sim_launch::body::{Access, Body, Part};
use warplens_sim_warp::scalar_type::ScalarType;

use crate::Program;
use crate::program::{Address, Constant, Op, Operation, Space};
use crate::registers::Row;

/// Passes over the code. A value may reach an address only in the next iteration of a loop.
const PASSES: usize = 2;

/// Where the value of a row comes from.
#[derive(Clone, Copy, Default)]
struct Origin {
    /// The parameter from which an address is computed.
    param: Option<usize>,
    /// The parameter from whose memory the value was loaded.
    loaded: Option<usize>,
}

/// The body of a function and its program, whose parameters have these sizes.
pub fn body(function: &Function, program: &Program, sizes: &[u64]) -> Body {
    let base = program.target.launch_constants().params;
    let mut end = 0;
    let mut places = Vec::new();
    for (index, &size) in sizes.iter().enumerate() {
        let stated = program.params.get(index).map(|(offset, _)| u64::from(offset - base));
        let at = stated.unwrap_or_else(|| u64::next_multiple_of(end, size.clamp(1, 8)));
        places.push((at, size));
        end = at + size;
    }
    let address_bytes = if sizes.iter().any(|size| *size >= 8) { 8 } else { 4 };
    let (origins, found) = (FxHashMap::default(), vec![None; sizes.len()]);
    let mut analysis = Analysis { program, places, address_bytes, origins, found };
    for _ in 0..PASSES {
        program.code.iter().for_each(|operation| analysis.operation(operation));
    }
    let uses_shared = program.accesses.values().any(|access| access.space == Space::Shared);
    let part = |(access, (_, size)): (Option<Access>, &(u64, u64))| {
        let kind = match size {
            1 => ScalarType::B8,
            2 => ScalarType::B16,
            4 => ScalarType::B32,
            _ => ScalarType::B64,
        };
        // What machine code does with a number isn't tracked.
        vec![Part { at: 0, kind, access, table: None, is_compared: true, is_exponent: false }]
    };
    Body {
        maps: Vec::new(),
        params: analysis.found.iter().copied().zip(&analysis.places).map(part).collect(),
        dynamic_shared: (uses_shared && program.shared_size == Some(0)).then_some(0),
        is_cooperative: false,
        has_rows: reads(function, &["SR_TID.Y", "SR_Tid_Y"]),
        block_axes: [
            ["SR_CTAID.X", "SR_CTAid_X"],
            ["SR_CTAID.Y", "SR_CTAid_Y"],
            ["SR_CTAID.Z", "SR_CTAid_Z"],
        ]
        .map(|names| reads(function, &names)),
        has_warps: uses_shared || function.instructions.iter().any(|it| it.opcode.as_str() == "BAR"),
        is_single: !has_several_threads(function),
    }
}

/// Instructions that threads of a block execute together.
const COLLECTIVES: [&str; 7] = ["BAR", "MATCH", "REDUX", "SHFL", "VOTE", "VOTEU", "WARPSYNC"];

/// Prefixes of the special registers that distinguish the threads of a block.
const THREAD_REGISTERS: [&str; 6] = ["SR_TID", "SR_Tid", "SR_LANEID", "SR_LaneId", "SR_EQMASK", "SR_LTMASK"];

/// Whether a function is written for several threads of a block.
fn has_several_threads(function: &Function) -> bool {
    reads(function, &THREAD_REGISTERS)
        || function.instructions.iter().any(|instruction| COLLECTIVES.contains(&instruction.opcode.as_str()))
}

/// Whether a function reads a special register with one of these prefixes.
fn reads(function: &Function, names: &[&str]) -> bool {
    function.operands.iter().any(|operand| match &operand.value {
        Value::Special(special) => names.iter().any(|name| special.starts_with(name)),
        _ => false,
    })
}

struct Analysis<'p> {
    program: &'p Program,
    places: Vec<(u64, u64)>,
    /// The size of an address.
    address_bytes: u64,
    origins: FxHashMap<Row, Origin>,
    found: Vec<Option<Access>>,
}

impl Analysis<'_> {
    /// The parameter at an offset of bank 0.
    fn param_at(&self, offset: u64) -> Option<usize> {
        let base = u64::from(self.program.target.launch_constants().params);
        let at = offset.checked_sub(base)?;
        // Only parameters large enough for an address matter.
        let found = self.places.iter().position(|(start, size)| (*start..start + size).contains(&at))?;
        (self.places[found].1 >= self.address_bytes).then_some(found)
    }

    fn origin(&self, row: Row) -> Origin {
        if let Some(origin) = self.origins.get(&row) {
            return *origin;
        }
        let constants = &self.program.layout.constants;
        let constant = constants.binary_search_by_key(&row, |(row, _)| *row).ok().map(|at| constants[at].1);
        match constant {
            Some(Constant::InBank(0, offset)) => Origin { param: self.param_at(offset.into()), loaded: None },
            _ => Origin::default(),
        }
    }

    /// The parameter that an address depends on.
    fn parameter(&self, address: &Address) -> Option<usize> {
        address.terms.iter().flatten().find_map(|term| self.origin(term.row).param)
    }

    fn operation(&mut self, operation: &Operation) {
        let program = self.program;
        match operation.op {
            Op::Load(access) | Op::Store(access) => {
                let access = &program.accesses[access];
                let param = self.parameter(&access.address);
                let loads = matches!(operation.op, Op::Load(_));
                if let Some(param) = param {
                    let element = match (access.size, access.count, access.signed) {
                        (1, _, true) => ScalarType::S8,
                        (1, _, false) => ScalarType::U8,
                        (2, _, true) => ScalarType::S16,
                        (2, _, false) => ScalarType::U16,
                        _ => ScalarType::U32,
                    };
                    self.accessed(param, element, loads);
                }
                if loads {
                    for word in 0..u16::from(access.count) {
                        self.origins.insert(access.data + word, Origin { param: None, loaded: param });
                    }
                }
            }
            Op::Atomic(atomic) => {
                let atomic = &program.atomics[atomic];
                if let Some(param) = self.parameter(&atomic.address) {
                    self.accessed(param, atomic.ty, false);
                }
                self.origins.insert(atomic.d, Origin::default());
            }
            Op::LoadConstant(access) => {
                let access = &program.accesses[access];
                for word in 0..u16::from(access.count) {
                    let param = match access.space {
                        Space::Constant(0) => {
                            self.param_at(access.address.offset as u64 + 4 * u64::from(word))
                        }
                        _ => None,
                    };
                    self.origins.insert(access.data + word, Origin { param, loaded: None });
                }
            }
            Op::Copy { from, .. } => {
                if let Some(param) = self.parameter(&program.accesses[from].address) {
                    self.accessed(param, ScalarType::U32, true);
                }
            }
            _ => self.computed(operation),
        }
    }

    /// Tracks how a computed value depends on parameters. Operations on floats show the type of loaded
    /// values.
    fn computed(&mut self, operation: &Operation) {
        let float = match operation.op {
            Op::Float(..) | Op::FloatMinMax(_) | Op::FloatSetp(..) | Op::Mufu(_) => Some(ScalarType::F32),
            Op::Double(..) | Op::DoubleSetp(..) => Some(ScalarType::F64),
            _ => None,
        };
        let origins = operation.s.map(|source| self.origin(source.row));
        if let Some(float) = float {
            for param in origins.iter().filter_map(|origin| origin.loaded) {
                if let Some(access) = &mut self.found[param]
                    && access.loaded
                {
                    access.element = float;
                }
            }
        }
        let keeps = matches!(
            operation.op,
            Op::Move
                | Op::MoveWide
                | Op::Add3
                | Op::Add3Carry { .. }
                | Op::Add3Wide { .. }
                | Op::AddCc { .. }
                | Op::MulAdd
                | Op::MulAddWide { .. }
                | Op::ScaledAdd
                | Op::ScaledAddHigh { .. }
                | Op::Select
                | Op::FirstLane
        );
        // The addend of a product is the base of an address.
        let param = origins.iter().rev().find_map(|origin| origin.param).filter(|_| keeps);
        let loaded = origins[0].loaded.filter(|_| operation.op == Op::Move);
        let words = if matches!(operation.op, Op::MulAddWide { .. } | Op::MoveWide | Op::Add3Wide { .. }) {
            2
        } else {
            1
        };
        if operation.guard.predicate == crate::registers::TRUE || param.is_some() {
            for word in 0..words {
                self.origins.insert(operation.d + word, Origin { param, loaded });
            }
        }
    }

    fn accessed(&mut self, param: usize, element: ScalarType, loads: bool) {
        let access = Access { element, loaded: loads, stored: !loads, multimem: false, empty: None };
        let known = &mut self.found[param];
        *known = Some(known.map_or(access, |known| known.join(access)));
    }
}
