//! Entries of SASS by name.

use crate::Category;
use crate::generated::sass as tables;
use crate::schema::sass::{
    ConditionTest, Flow, Generation, Instruction, LaunchConstant, Modifier, OperandWord, Sequence,
    SpecialRegister,
};

accessors! {
    shared Modifier = MODIFIER;
    categories: all Category = CATEGORIES;
    /// All tests of the condition code, in the order of their numbers.
    conditions: all ConditionTest = CONDITIONS;
    condition: ConditionTest = CONDITION_NAMES in CONDITIONS;
    special_registers: all SpecialRegister = SPECIAL_REGISTERS;
    special_register: SpecialRegister = SPECIAL_REGISTER_NAMES in SPECIAL_REGISTERS;
    operand_word: OperandWord = OPERAND_WORD_NAMES in OPERAND_WORDS;
    /// All sequences that compilers emit for one operation.
    sequences: all Sequence = SEQUENCES;
    /// All values that a launch puts into constant bank 0.
    launch_constants: all LaunchConstant = LAUNCH_CONSTANTS;
}

/// All opcodes, grouped by category.
pub fn opcodes() -> impl ExactSizeIterator<Item = &'static Instruction> + Clone {
    tables::INSTRUCTIONS.iter().copied()
}

pub fn opcode(name: &str) -> Option<&'static Instruction> {
    tables::OPCODES.get(name).map(|index| tables::INSTRUCTIONS[index])
}

impl Instruction {
    pub fn modifier(&self, name: &str) -> Option<&'static Modifier> {
        self.modifiers.iter().find(|modifier| modifier.name == name)
    }

    /// What the instruction computes on a generation; empty if unknown.
    pub fn effect_on(&self, generation: Generation) -> &'static str {
        let earlier = !generation.has_convergence_barriers() && !self.earlier.is_empty();
        if earlier || self.effect.is_empty() { self.earlier } else { self.effect }
    }
}

impl Flow {
    /// Whether the last operand is a target.
    pub const fn has_target(self) -> bool {
        matches!(
            self,
            Flow::Branch | Flow::IndirectBranch | Flow::Call | Flow::Return | Flow::Push | Flow::BarrierSet
        )
    }
}

impl Generation {
    pub const ALL: [Generation; 8] = {
        use Generation::*;
        [Fermi, Kepler, Maxwell, Volta, Turing, Ampere, Hopper, Blackwell]
    };

    /// Whether convergence barriers manage divergence, instead of tokens on a stack.
    pub const fn has_convergence_barriers(self) -> bool {
        self as u8 >= Generation::Volta as u8
    }

    pub const fn instruction_bytes(self) -> u32 {
        if self.has_convergence_barriers() { 16 } else { 8 }
    }

    pub const fn targets(self) -> &'static str {
        match self {
            Generation::Fermi => "sm_20",
            Generation::Kepler => "sm_30 to sm_37",
            Generation::Maxwell => "sm_50 to sm_62",
            Generation::Volta => "sm_70, sm_72",
            Generation::Turing => "sm_75",
            Generation::Ampere => "sm_80 to sm_89",
            Generation::Hopper => "sm_90",
            Generation::Blackwell => "sm_100 and later",
        }
    }
}

impl LaunchConstant {
    /// Offset in bank 0 for a target (`61` for `sm_61`) of a generation.
    pub fn offset(&self, generation: Generation, target: Option<u16>) -> Option<u16> {
        match generation {
            Generation::Fermi => self.fermi,
            Generation::Kepler => self.kepler,
            Generation::Maxwell if target.is_some_and(|target| target >= 60) => self.pascal,
            Generation::Maxwell => self.maxwell,
            Generation::Volta | Generation::Turing => self.volta,
            Generation::Ampere => self.ampere,
            Generation::Hopper => self.hopper,
            Generation::Blackwell => self.blackwell,
        }
    }
}

/// The offset of the first parameter in bank 0.
pub fn parameter_base(generation: Generation) -> u16 {
    let parameters = launch_constants().iter().find(|constant| constant.name == "parameters");
    parameters.and_then(|constant| constant.offset(generation, None)).unwrap_or_default()
}

/// The value at an offset of bank 0, other than a parameter.
pub fn launch_constant(
    generation: Generation,
    target: Option<u16>,
    offset: u32,
) -> Option<&'static LaunchConstant> {
    let covers = |constant: &&LaunchConstant| {
        let start = constant.offset(generation, target).map(u32::from);
        start.is_some_and(|start| (start..start + u32::from(constant.size)).contains(&offset))
    };
    launch_constants().iter().find(covers)
}
