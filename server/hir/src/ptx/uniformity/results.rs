//! The transfer function of instructions: computes the variance of results from the variance of sources.

use warplens_isa::ptx::{self as isa, Scope};

use super::cause::{Cause, Raised};
use crate::Variance;
use crate::ptx::{
    Component, Function, FunctionKind, Instruction, NameRef, Operand, ReferentId, Resolution, SymbolKind,
    Type,
};

/// How the variance of a result depends on its sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transfer {
    /// The variance that does not come from source registers.
    own: Raised,
    of_sources: OfSources,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfSources {
    /// The result varies like its sources.
    Follows,
    /// Like `Follows`, but the result may be equal within a warp although the sources differ.
    Aligned,
    /// Like `Follows`, but if two sources vary in the same way, the difference may cancel out.
    Cancels,
    /// The result is unknown if a source varies.
    Loses,
    Ignores,
}

impl Default for Transfer {
    fn default() -> Transfer {
        Transfer { own: Raised::default(), of_sources: OfSources::Follows }
    }
}

impl Transfer {
    fn fixed(variance: Variance, cause: Cause) -> Transfer {
        Transfer { own: Raised { variance, cause }, of_sources: OfSources::Ignores }
    }

    /// The instruction gives the same value to all lanes that execute it together.
    fn uniform() -> Transfer {
        Transfer::fixed(Variance::Uniform, Cause::Nothing)
    }

    fn unknown() -> Transfer {
        Transfer::fixed(Variance::Unknown, Cause::Opaque)
    }

    /// Whether the differences of two sources may cancel out.
    pub(super) fn cancels(self) -> bool {
        self.of_sources == OfSources::Cancels
    }

    /// The transfer to use if the differences may in fact cancel out.
    pub(super) fn doubted(self) -> Transfer {
        Transfer { of_sources: OfSources::Aligned, ..self }
    }

    pub(super) fn of(self, sources: Raised) -> Raised {
        let mut all = self.own;
        all.by(sources.variance, sources.cause);
        let cause = match self.of_sources {
            OfSources::Ignores => return self.own,
            OfSources::Aligned if all.variance == Variance::Varies => Cause::Aligned,
            OfSources::Loses if all.variance == Variance::Varies => Cause::Opaque,
            _ => return all,
        };
        Raised { variance: Variance::Unknown, cause }
    }
}

/// How a register varies that an instruction writes.
pub(super) fn transfer(function: &Function, instruction: Instruction<'_>, register: ReferentId) -> Transfer {
    use OfSources::{Aligned, Cancels, Follows, Loses};
    let own = special_registers(function, instruction);
    let following = |of_sources| Transfer { own, of_sources };
    match instruction.opcode() {
        "ld" | "ldu" if is_shared_memory(function, instruction) => following(Follows),
        "ld" | "ldu" | "addc" | "subc" | "madc" => {
            let mut own = own;
            own.by(Variance::Unknown, Cause::Opaque);
            Transfer { own, of_sources: Follows }
        }
        "vote" | "redux" | "activemask" => Transfer::uniform(),
        "match" if instruction.has("all") => Transfer::uniform(),
        "elect" if is_predicate(function, register) => Transfer::fixed(Variance::Varies, Cause::Picks),
        "elect" => Transfer::uniform(),
        "shfl" if reads_one_lane(function, instruction) => Transfer::uniform(),
        // After a reduction over the warp, all lanes may hold the same value.
        "shfl" => following(Loses),
        opcode if !is_arithmetic(opcode) => Transfer::unknown(),
        _ if keeps_warps_together(function, instruction, 0) => following(Aligned),
        "setp" | "set" | "sub" | "xor" => following(Cancels),
        _ => following(Follows),
    }
}

fn special_registers(function: &Function, instruction: Instruction<'_>) -> Raised {
    let mut raised = Raised::default();
    for operand in instruction.operands() {
        if let Operand::Special { name, component } = operand
            && let Resolution::Special(register) = function.name(*name).resolution
        {
            let variance = special_register(function, register, *component);
            let cause = if variance == Variance::Varies { Cause::Special } else { Cause::Aligned };
            raised.by(variance, cause);
        }
    }
    raised
}

/// How a special register varies inside a warp, whose lanes are numbered along x first.
pub(super) fn special_register(
    function: &Function,
    register: &str,
    component: Option<Component>,
) -> Variance {
    let scope = isa::special_register(register).map(|register| register.scope);
    if !matches!(scope, Some(Scope::Thread) | None) {
        return Variance::Uniform;
    }
    if register != "%tid" {
        return Variance::Varies;
    }
    let threads = function.signature.dimensions("reqntid");
    let known = |varies: bool| if varies { Variance::Varies } else { Variance::Uniform };
    match (component, threads) {
        (Some(Component::W), _) => Variance::Uniform,
        (Some(Component::X), Some([x, ..])) => known(x > 1),
        (Some(Component::Y), Some([x, y, _])) => known(y > 1 && x % WARP != 0),
        (Some(Component::Z), Some([x, y, z])) => known(z > 1 && x.saturating_mul(y) % WARP != 0),
        // If the x dimension is a multiple of 32, the lanes of a warp have the same y and z.
        (Some(Component::Y | Component::Z), None) => Variance::Unknown,
        _ => Variance::Varies,
    }
}

const WARP: u64 = 32;

/// Whether a load reads memory that is constant while the kernel runs, so that equal addresses yield equal
/// values.
fn is_shared_memory(function: &Function, instruction: Instruction<'_>) -> bool {
    if instruction.has("const") {
        return true;
    }
    let is_param = instruction.modifiers().iter().any(|modifier| modifier.starts_with("param"));
    let of_entry =
        |name: NameRef<'_>| matches!(function.symbol_kind(name.resolution), Some(SymbolKind::Param { .. }));
    is_param && function.kind == FunctionKind::Entry && function.names_of(instruction).any(of_entry)
}

fn is_predicate(function: &Function, register: ReferentId) -> bool {
    match function.symbol_kind(function.resolution(register)) {
        Some(SymbolKind::Register { ty, .. } | SymbolKind::RegisterRange { ty, .. }) => {
            *ty == Some(Type::Pred)
        }
        _ => false,
    }
}

/// Whether this is a `shfl.idx` from a constant lane over the whole warp.
fn reads_one_lane(function: &Function, instruction: Instruction<'_>) -> bool {
    let constant = |operand: usize| function.integer(*instruction.operands().get(operand)?);
    instruction.has("idx") && constant(2).is_some() && constant(3) == Some(31)
}

/// Whether the result may be equal within a warp although `%tid.x` goes into it: the instruction shifts out
/// or masks off the lane number, or compares with a multiple of the warp size.
///
/// `offset` is the constant that the compared register is above another one: compilers turn `int(t) / 32 == 0` into
/// `t + 31 < 63`, unsigned.
pub(super) fn keeps_warps_together(function: &Function, instruction: Instruction<'_>, offset: u64) -> bool {
    let is_multiple = |value: u64| value & (WARP - 1) == 0;
    let operands = instruction.operands();
    let mut constants = operands.iter().filter_map(|operand| function.integer(*operand));
    let last = || function.integer(*operands.last()?);
    match instruction.opcode() {
        "shr" => last().is_some_and(|count| count >= 5),
        "div" => last().is_some_and(|divisor| divisor != 0 && is_multiple(divisor)),
        "and" => constants.any(is_multiple),
        "bfe" => operands.get(2).and_then(|start| function.integer(*start)).is_some_and(|start| start >= 5),
        "lop3" | "prmt" | "bfi" | "shf" => constants.next().is_some(),
        "setp" | "set" => {
            let by_one =
                instruction.modifiers().iter().any(|word| matches!(word.as_str(), "le" | "gt" | "ls" | "hi"));
            let is_order = !instruction.has("eq") && !instruction.has("ne");
            let limits = constants.map(|limit| limit.wrapping_sub(offset));
            is_order
                && limits
                    .filter(|limit| *limit > 0)
                    .any(|limit| is_multiple(limit.wrapping_add(u64::from(by_one))))
        }
        _ => false,
    }
}

/// Whether the result depends on the operands alone. The results of opcodes that are not listed may differ
/// between lanes.
fn is_arithmetic(opcode: &str) -> bool {
    const OPCODES: &[&str] = &[
        "abs", "add", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "copysign", "cos", "cvt",
        "cvta", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "isspacep", "lg2", "lop3", "mad", "mad24", "max",
        "min", "mov", "mul", "mul24", "neg", "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad",
        "selp", "set", "setp", "shf", "shl", "shr", "sin", "slct", "sqrt", "sub", "szext", "tanh", "testp",
        "xor",
    ];
    OPCODES.binary_search(&opcode).is_ok()
}
