//! How instructions and calls move values: the flows of a kernel and of the functions that it calls.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{
    Function, Instruction, Linkage, Operand, Parameter, Resolution, Space, SymbolKind, Type,
};

use super::constants::Constants;
use super::places::{Address, Object, Place, place_of};
use super::values::{Flow, Values};

/// Sizes of the types that can hold an address.
const ADDRESS_BYTES: [u32; 2] = [4, 8];

/// A kernel, the first of `functions`, and the functions that it can reach; and what their registers may hold.
pub(super) struct Bodies<'f> {
    pub(super) functions: &'f [&'f Function],
    values: Values,
    constants: Constants,
}

/// Whether the symbol is an array in shared memory whose size the launch decides.
pub(super) fn is_dynamic_array(kind: &SymbolKind) -> bool {
    match kind {
        SymbolKind::Variable(variable) => {
            variable.space == Space::Shared && variable.linkage == Some(Linkage::Extern)
        }
        _ => false,
    }
}

impl<'f> Bodies<'f> {
    /// Follows values through the functions. `is_dynamic` tells which names are arrays of the module that the launch sizes.
    pub(super) fn new(functions: &'f [&'f Function], is_dynamic: &dyn Fn(&str) -> bool) -> Bodies<'f> {
        let mut names = Names { functions, is_dynamic, globals: FxHashMap::default() };
        let mut values = Values::default();
        let mut flows = Vec::new();
        let mut constants = Constants::default();
        for (number, function) in functions.iter().enumerate() {
            constants.add(function, number);
            for name in function.names() {
                if let Some(object) = names.object(number, name.resolution, name.referent.index()) {
                    let place = Place::Name(number, name.referent.index());
                    values.add(place, Address { object, offset: Some(0) });
                }
            }
            for instruction in function.instructions() {
                flows_of(function, number, instruction, &mut flows);
                if instruction.opcode() == "call" {
                    names.calls(number, instruction, &mut flows);
                }
            }
        }
        values.solve(&flows);
        Bodies { functions, values, constants }
    }

    /// Each instruction, with the number of its function and the function.
    pub(super) fn instructions(&self) -> impl Iterator<Item = (usize, &'f Function, Instruction<'f>)> {
        let functions = self.functions.iter().enumerate();
        functions
            .flat_map(|(number, function)| function.instructions().map(move |it| (number, *function, it)))
    }

    /// What a register or the name of a variable may hold.
    pub(super) fn held(&self, function: usize, operand: Operand) -> &[Address] {
        place_of(self.functions[function], function, operand).map_or(&[], |place| self.values.at(place))
    }

    /// The value of a constant, or of a register that holds one constant.
    pub(super) fn constant(&self, function: usize, operand: Operand) -> Option<u64> {
        self.constants.value(self.functions[function], function, operand)
    }

    /// The numbers that an instruction loads from parameters of the entry: `ld.param.v2.u64 {%rd1, %rd2}, [p+8]` loads two.
    pub(super) fn param_loads(&self, function: usize, instruction: Instruction<'f>) -> Vec<ParamLoad> {
        let Some(access) = Access::of(self.functions[function], instruction).filter(|access| access.loads)
        else {
            return Vec::new();
        };
        let bases = self.held(function, access.base).iter();
        let params = bases.filter_map(|base| match (base.object, base.offset) {
            (Object::Param(param), Some(offset)) => Some((param, offset.wrapping_add(access.offset))),
            _ => None,
        });
        let elements = |(param, start): (usize, i64)| {
            let at = |index| u64::try_from(start.wrapping_add(access.bytes(index))).ok();
            (0..access.values.len())
                .filter_map(at)
                .map(|at| ParamLoad { param, at, ty: access.ty })
                .collect::<Vec<_>>()
        };
        params.flat_map(elements).collect()
    }
}

#[derive(Clone, Copy)]
pub(super) struct ParamLoad {
    pub(super) param: usize,
    pub(super) at: u64,
    pub(super) ty: Type,
}

/// A load or a store at a constant offset from a base.
struct Access {
    loads: bool,
    base: Operand,
    offset: i64,
    ty: Type,
    /// The registers that are written or read, in the order of memory.
    values: Vec<Operand>,
}

impl Access {
    fn of(function: &Function, instruction: Instruction<'_>) -> Option<Access> {
        // A cache policy may follow.
        let &[first, second, ..] = instruction.operands() else { return None };
        let (loads, address, value) = match instruction.opcode() {
            "ld" => (true, second, first),
            "st" => (false, first, second),
            _ => return None,
        };
        let address = function.address(address).filter(|address| address.index.is_none())?;
        let ty = instruction.modifiers().iter().rev().find_map(|word| Type::from_name(word))?;
        let values = match value {
            Operand::Vector(list) => function.operands(list).to_vec(),
            _ => vec![value],
        };
        Some(Access { loads, base: address.base, offset: address.offset, ty, values })
    }

    /// The offset of an element in bytes.
    fn bytes(&self, index: usize) -> i64 {
        i64::from(self.ty.bytes()) * index as i64
    }

    fn flows(self, function: &Function, number: usize) -> impl Iterator<Item = Flow> {
        let fits = ADDRESS_BYTES.contains(&self.ty.bytes());
        let base = place_of(function, number, self.base).filter(|_| fits);
        let places: Vec<_> = self.values.iter().map(|value| place_of(function, number, *value)).collect();
        places.into_iter().enumerate().filter_map(move |(index, place)| {
            let (base, place, offset) = (base?, place?, self.offset.wrapping_add(self.bytes(index)));
            Some(match self.loads {
                true => Flow::Load { base, offset, to: place },
                false => Flow::Store { from: place, base, offset },
            })
        })
    }
}

/// The flows of an instruction other than a call. Only those that keep an address count, and those that keep a number.
fn flows_of(function: &Function, number: usize, instruction: Instruction<'_>, flows: &mut Vec<Flow>) {
    let operands = instruction.operands();
    let place = |at: usize| operands.get(at).and_then(|operand| place_of(function, number, *operand));
    let mut value = |from: usize, added: Option<i64>| {
        if let (Some(from), Some(to)) = (place(from), place(0)) {
            flows.push(Flow::Value { from, added, to });
        }
    };
    let constant = |at: usize| {
        let value = operands.get(at).and_then(|operand| function.integer(*operand))?;
        let is_word = instruction
            .modifiers()
            .iter()
            .any(|word| Type::from_name(word).is_some_and(|ty| ty.bytes() == 4));
        Some(if is_word { i64::from(value as i32) } else { value as i64 })
    };
    match instruction.opcode() {
        "ld" | "st" => {
            let access = Access::of(function, instruction);
            flows.extend(access.into_iter().flat_map(|access| access.flows(function, number)));
        }
        "mov" if let Some(sum) = operands.get(1).and_then(|operand| function.address(*operand)) => {
            if let (Some(from), Some(to)) = (place_of(function, number, sum.base), place(0)) {
                flows.push(Flow::Value { from, added: Some(sum.offset), to });
            }
        }
        "mov" | "cvta" | "cvt" => value(1, Some(0)),
        "add" => {
            value(1, constant(2));
            value(2, constant(1));
        }
        "sub" => value(1, constant(2).map(i64::wrapping_neg)),
        "selp" => {
            value(1, Some(0));
            value(2, Some(0));
        }
        "mad" => value(3, None),
        _ => {}
    }
}

/// The names that the functions use.
struct Names<'f> {
    functions: &'f [&'f Function],
    is_dynamic: &'f dyn Fn(&str) -> bool,
    globals: FxHashMap<&'f str, usize>,
}

impl<'f> Names<'f> {
    /// The object whose address a name stands for.
    fn object(&mut self, function: usize, resolution: Resolution<'f>, referent: usize) -> Option<Object> {
        let symbol = match resolution {
            Resolution::Symbol(symbol) => &self.functions[function].symbol(symbol).kind,
            Resolution::External(name) if (self.is_dynamic)(name) => return Some(Object::Dynamic),
            Resolution::External(name) => {
                let next = self.globals.len();
                return Some(Object::Global(*self.globals.entry(name).or_insert(next)));
            }
            _ => return None,
        };
        match symbol {
            kind if is_dynamic_array(kind) => Some(Object::Dynamic),
            SymbolKind::Variable(variable) if matches!(variable.space, Space::Local | Space::Param) => {
                Some(Object::Frame(function, referent))
            }
            SymbolKind::Variable(_) => Some(Object::Variable(function, referent)),
            SymbolKind::Param { is_return: false, index } if function == 0 => {
                Some(Object::Param(*index as usize))
            }
            SymbolKind::Param { .. } => Some(Object::Frame(function, referent)),
            _ => None,
        }
    }

    /// The arguments and the results of a direct call.
    fn calls(&self, caller: usize, call: Instruction<'f>, flows: &mut Vec<Flow>) {
        let function = self.functions[caller];
        let operands = call.operands();
        let Some(at) = operands.iter().position(|operand| matches!(operand, Operand::Symbol(_))) else {
            return;
        };
        let Operand::Symbol(name) = operands[at] else { return };
        let Resolution::External(name) = function.name(name).resolution else { return };
        let named = |function: &&Function| function.name.as_deref() == Some(name);
        let Some(callee) = self.functions.iter().position(named) else { return };
        let list = |operand: Option<&Operand>| match operand {
            Some(Operand::Arguments(list)) => function.operands(*list),
            _ => &[],
        };
        let signature = &self.functions[callee].signature;
        for (argument, param) in list(operands.get(at + 1)).iter().zip(&signature.params) {
            flows.extend(self.passed(caller, *argument, callee, param).map(|(from, to)| pass(from, to)));
        }
        let results = list(at.checked_sub(1).map(|before| &operands[before]));
        for (result, param) in results.iter().zip(&signature.returns) {
            flows.extend(self.passed(caller, *result, callee, param).map(|(to, from)| pass(from, to)));
        }
    }

    /// The two sides of an argument or a result: the caller's and the callee's.
    fn passed(
        &self,
        caller: usize,
        operand: Operand,
        callee: usize,
        param: &Parameter,
    ) -> Option<(Side, Side)> {
        let outer = place_of(self.functions[caller], caller, operand)?;
        let formal = self.functions[callee].name_at(param.name_range.start())?.referent.index();
        let side = |is_register: bool, place: Place| match place {
            Place::Name(function, name) if !is_register => Side::Variable(Object::Frame(function, name)),
            place => Side::Register(place),
        };
        let is_register = matches!(operand, Operand::Register { .. });
        Some((side(is_register, outer), side(param.space == Space::Reg, Place::Name(callee, formal))))
    }
}

/// One side of a passed value.
#[derive(Clone, Copy)]
enum Side {
    Register(Place),
    /// A variable in `.param`.
    Variable(Object),
}

fn pass(from: Side, to: Side) -> Flow {
    let start = |object| Place::Memory(Address { object, offset: Some(0) });
    let place = |side| match side {
        Side::Register(place) => place,
        Side::Variable(object) => start(object),
    };
    match (from, to) {
        (Side::Variable(from), Side::Variable(to)) => Flow::Whole { from, to },
        _ => Flow::Value { from: place(from), added: Some(0), to: place(to) },
    }
}
