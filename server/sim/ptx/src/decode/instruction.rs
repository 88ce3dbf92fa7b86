//! Dispatches each opcode to its family.

use warplens_hir::ptx::Instruction;
use warplens_isa::Simulation;

use super::function::FunctionDecoder;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Op, Slots};

pub(super) type Decoded = Result<(Op, Slots)>;

/// Opcodes whose effects cannot be observed in a simulation without time and caches.
const NO_EFFECT: &[&str] = &[
    "membar",
    "fence",
    "prefetch",
    "prefetchu",
    "applypriority",
    "discard",
    "pmevent",
    "griddepcontrol",
    "brkpt",
    "createpolicy",
];

/// Why the instruction table does not support an opcode.
fn unknown(opcode: &str) -> Why {
    let entries = warplens_isa::ptx::by_opcode(opcode).iter();
    let reasons = entries.filter_map(|entry| match entry.simulation {
        Simulation::Unsupported(why) => Some(why),
        Simulation::Simulated | Simulation::Partly(_) | Simulation::NoOp(_) => None,
    });
    Why::new(reasons.into_iter().next().unwrap_or("the instruction is unknown"))
}

/// Replaces `why` by the instruction table's reason, unless `why` is more specific.
fn better(why: Why, instruction: Instruction<'_>) -> Why {
    let leftover = why.0.ends_with("is not among the simulated forms");
    if why != Why::form() && why != Why::operands() && !leftover {
        return why;
    }
    let fits = |entry: &&warplens_isa::ptx::Instruction| {
        entry.name.split('.').skip(1).all(|word| instruction.has(word))
    };
    let entries = warplens_isa::ptx::by_opcode(instruction.opcode()).iter().copied().filter(fits);
    // The entry with the longest name matches best.
    match entries.max_by_key(|entry| entry.name.len()).map(|entry| entry.simulation) {
        Some(Simulation::Unsupported(why)) => Why(why.into()),
        // An unsupported modifier is usually one that the table names, but operands can be wrong in any way.
        Some(Simulation::Partly(but)) if leftover => {
            Why(smol_str::format_smolstr!("it is simulated, but {but}"))
        }
        _ => why,
    }
}

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn instruction(&mut self, instruction: Instruction<'l>) -> Decoded {
        self.decoded(instruction).map_err(|why| better(why, instruction))
    }

    fn decoded(&mut self, instruction: Instruction<'l>) -> Decoded {
        let mut m = Modifiers::new(instruction.modifiers());
        let decoded = match instruction.opcode() {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "abs" | "neg" | "min" | "max" | "sad"
            | "mul24" | "mad24" | "addc" | "subc" | "madc" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos"
            | "lg2" | "ex2" | "tanh" | "copysign" | "dp4a" | "dp2a" => self.arithmetic(instruction, &mut m),
            "and" | "or" | "xor" | "not" | "cnot" | "lop3" | "popc" | "clz" | "brev" | "bfind" | "bfe"
            | "bfi" | "fns" | "bmsk" | "szext" | "prmt" | "shl" | "shr" | "shf" | "clmad" => {
                self.bits(instruction, &mut m)
            }
            "setp" | "set" | "selp" | "slct" | "testp" => self.compare(instruction, &mut m),
            "cvt" => self.convert(instruction, &mut m),
            "mov" | "ld" | "ldu" | "st" | "atom" | "red" | "cvta" | "isspacep" | "mapa" | "getctarank" => {
                self.memory(instruction, &mut m)
            }
            "nanosleep" => return Ok((Op::Sleep, Slots::default())),
            "clusterlaunchcontrol" => self.launch_control(instruction, &mut m),
            "mbarrier" => self.mbarrier(instruction, &mut m),
            "alloca" | "stacksave" | "stackrestore" => self.stack(instruction, &mut m),
            "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix" => self.matrix(instruction, &mut m),
            "cp" => self.copying(instruction, &mut m),
            "multimem" => self.multimem(instruction, &mut m),
            "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
                self.exchange(instruction, &mut m)
            }
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "bar" | "barrier" => {
                self.control(instruction, &mut m)
            }
            "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vshl" | "vshr" | "vset" | "vmad" | "vadd2"
            | "vsub2" | "vavrg2" | "vabsdiff2" | "vmin2" | "vmax2" | "vset2" | "vadd4" | "vsub4"
            | "vavrg4" | "vabsdiff4" | "vmin4" | "vmax4" | "vset4" => self.video(instruction, &mut m),
            "wgmma" => self.warpgroup(instruction, &mut m),
            "tcgen05" => self.tensor_memory(instruction, &mut m),
            "spcompress" => self.compress(instruction, &mut m),
            "spdecompress" => self.decompress(instruction, &mut m),
            "tensormap" => self.tensor_map(instruction, &mut m),
            "fence" if instruction.has("tensormap::generic") => {
                return self.tensor_map_fence(instruction);
            }
            "setmaxnreg" => self.register_count(instruction, &mut m),
            opcode if NO_EFFECT.contains(&opcode) => return Ok((Op::Nop, Slots::default())),
            opcode => Err(unknown(opcode)),
        }?;
        m.finish()?;
        Ok(decoded)
    }
}
