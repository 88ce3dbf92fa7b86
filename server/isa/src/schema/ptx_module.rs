//! Everything of PTX except instructions: directives, special registers, types, state spaces, targets and versions.

use super::ptx::{Example, Status};
use super::ptx_form::Requirement;
use super::storage::*;

entries! {
    /// A directive.
    #[derive(Debug)]
    pub struct Directive {
        /// Its name, with the dot (`@@DWARF` has none).
        name: Text,
        /// The group it belongs to: module, function, control-flow, performance, cluster, debug, linking or state-space.
        group: Text,
        /// Its section in the public description of PTX 9.4.
        section: Text,
        /// Its forms; `{x}` is optional.
        syntax: Slice<Text>,
        /// Where it is allowed.
        places: Slice<Text>,
        /// The directives that it requires.
        #[serde(default)]
        requires: Slice<Text>,
        /// The directives that it excludes.
        #[serde(default)]
        conflicts: Slice<Text>,
        /// The effect of a missing requirement.
        #[serde(default)]
        missing_requirement: MissingRequirement,
        /// What the assembler demands of a module with it.
        #[serde(skip_deserializing)]
        requirement: Requirement,
        /// The first version in which it is deprecated.
        #[serde(default)]
        deprecated: Option<Version>,
        /// The first version that rejects it.
        #[serde(default)]
        until: Option<Version>,
        /// The items that have it between their parameters and their body; empty for a directive of another place.
        #[serde(default)]
        holders: Words<Holder>,
        /// How many numbers it takes there, at least and at most.
        #[serde(default, deserialize_with = "count")]
        values: (u8, u8),
        /// Whether these may be zero.
        #[serde(default)]
        zero: bool,
        /// The largest that the assembler accepts, on all targets.
        #[serde(default)]
        greatest: Option<u16>,
        /// The first version that has it.
        since: Version,
        /// Which of its forms were added later, in prose; often empty.
        #[serde(default)]
        since_note: Text,
        /// The targets it needs, in prose.
        target: Text,
        /// Whether it is still to be used.
        #[serde(default)]
        status: Status,
        /// What it does, in a sentence.
        summary: Text,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
        /// A whole module that shows it.
        #[serde(deserialize_with = "trimmed")]
        example: Text,
    }
    data {
        /// What the assembler requires, where that is not `since` and `target`.
        gate: Option<Text>,
    }

    /// The effect of a directive without another one that it requires.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MissingRequirement {
        /// The assembler rejects it.
        Rejected,
        /// The assembler ignores it.
        Ignored,
    }

    /// An item with directives between its parameters and its body.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Holder {
        /// A kernel.
        Entry,
        /// A function.
        Func,
        /// A `.callprototype`.
        Prototype,
    }

    /// A part of a directive that was added later than the directive.
    #[derive(Debug)]
    pub struct Feature {
        /// What it is, in the middle of a sentence.
        what: Text,
        /// What the assembler demands of a module with it.
        #[serde(rename = "gate")]
        requirement: Requirement,
    }
    data {
        /// Its name in code.
        name: Text,
    }

    /// A string that `.pragma` takes.
    #[derive(Debug)]
    pub struct Pragma {
        /// The first word of the string.
        #[serde(rename = "string")]
        name: Text,
        /// The number that must follow the word inside the string; often empty.
        #[serde(default)]
        arguments: Text,
        /// Where it is allowed, in prose.
        places: Slice<Text>,
        /// The parts of a module that may have it.
        scopes: Words<PragmaScope>,
        /// The first version that has it.
        since: Version,
        /// The targets it needs, in prose.
        target: Text,
        /// What the assembler demands of a module with it.
        #[serde(skip_deserializing)]
        requirement: Requirement,
        /// What it does, in a sentence.
        summary: Text,
        /// The directive with this string.
        example: Text,
    }
    data {
        /// What the assembler requires, where that is not `since` and `target`.
        gate: Option<Text>,
    }

    /// A part of a module with pragmas.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PragmaScope {
        /// Outside of functions.
        Module,
        /// Between the parameters and the body of a kernel.
        Entry,
        /// The body of a kernel.
        Kernel,
        /// The body of a function.
        Function,
    }

    /// A special register, or a numbered family of them.
    #[derive(Debug)]
    pub struct SpecialRegister {
        /// Its name; a family shows its count in angle brackets: `%pm<8>`.
        name: Text,
        /// The names that a program writes.
        #[serde(default)]
        names: Words<Text>,
        /// Its section in the public description of PTX 9.4.
        section: Text,
        /// Its type, without the dot; `WARP_SZ` is an `integer constant`.
        #[serde(rename = "type")]
        ty: Text,
        /// How many bits it has (a component, where it is a vector).
        bits: u8,
        /// Its components, without the dot; empty for a scalar.
        #[serde(default)]
        components: Words<Text>,
        /// The threads that read the same value.
        scope: Scope,
        /// The first version that has it.
        since: Version,
        /// Which of its names or types were added later, in prose; often empty.
        #[serde(default)]
        since_note: Text,
        /// The targets it needs, in prose.
        target: Text,
        /// What the assembler demands of a module that reads it.
        #[serde(skip_deserializing)]
        requirement: Requirement,
        /// What it holds, in a sentence.
        summary: Text,
        /// Which values it can have.
        range: Text,
        /// What it reads as in the simulator.
        simulator: Text,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
        /// Statements, or a module, that read it.
        example: Example,
    }
    data {
        /// What the assembler requires, where that is not `since` and `target`.
        gate: Option<Text>,
    }

    /// The threads that read the same value from a special register.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scope {
        /// Only the thread itself.
        Thread,
        /// The threads of a warp.
        Warp,
        /// The threads of a CTA.
        Cta,
        /// The threads of a cluster.
        Cluster,
        /// All threads of a launch.
        Grid,
        /// It depends on the device, not on the program.
        Device,
    }

    /// A type.
    #[derive(Debug)]
    pub struct Type {
        /// Its name, with the dot.
        name: Text,
        /// What its bits mean.
        kind: TypeKind,
        /// How many bits a value has, all elements together.
        bits: u8,
        /// How many elements are packed in a value.
        #[serde(default = "one")]
        elements: u8,
        /// For a type that only instructions name, the type of the register that holds it.
        #[serde(default)]
        storage: Option<Text>,
        /// The types of the registers that hold a value of it, with their dots.
        #[serde(default)]
        registers: Words<Text>,
        /// The first version that has it.
        since: Version,
        /// The targets it needs, in prose.
        target: Text,
        /// What it is, in a sentence.
        summary: Text,
    }

    /// What the bits of a type mean.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TypeKind {
        /// An unsigned integer.
        Unsigned,
        /// A signed integer.
        Signed,
        /// A floating-point number.
        Float,
        /// Nothing in particular.
        Bits,
        /// True or false.
        Predicate,
        /// A handle that only some instructions understand.
        Opaque,
    }

    /// A state space.
    #[derive(Debug)]
    pub struct StateSpace {
        /// Its name, with the dot.
        name: Text,
        /// What it is, in a sentence.
        summary: Text,
        /// Where its variables are declared.
        declared: Text,
        /// What its variables hold at the start.
        initial: Text,
        /// Whether its variables have addresses.
        addressable: bool,
        /// Whether a kernel may write it.
        writable: bool,
        /// Whether a declaration may have an initialiser.
        initialisers: bool,
        /// The parts that an instruction can name.
        #[serde(skip_deserializing)]
        parts: Slice<SpacePart>,
    }

    /// A part of a state space that an instruction can name: `.shared::cluster`.
    #[derive(Debug)]
    pub struct SpacePart {
        /// Its name, with the dot.
        name: Text,
        /// What it is, in a sentence.
        summary: Text,
    }
    data {
        /// The state space.
        of: Text,
    }

    /// An architecture.
    #[derive(Debug)]
    pub struct Target {
        /// Its name: `sm_90a`.
        name: Text,
        /// Its number: 90.
        #[serde(skip_deserializing)]
        number: u16,
        /// The first version that may name it.
        since: Version,
        /// What its generation is called; empty where that is not known.
        #[serde(default)]
        generation: Text,
        /// The first number of its family, for targets that belong to one.
        #[serde(default)]
        family: Option<u16>,
        /// What one should know besides; often empty.
        #[serde(default)]
        note: Text,
        /// What its multiprocessors hold, where that is known.
        #[serde(skip_deserializing)]
        limits: Option<Reference<Limits>>,
    }

    /// What a multiprocessor (SM) of a chip holds. Sizes are in bytes.
    #[derive(Debug)]
    pub struct Limits {
        /// Threads of a CTA.
        threads_per_cta: u32,
        /// Warps at a time.
        warps_per_sm: u32,
        /// CTAs at a time.
        ctas_per_sm: u32,
        /// 32-bit registers.
        registers_per_sm: u32,
        /// Registers of a CTA.
        registers_per_cta: u32,
        /// Registers of a thread.
        registers_per_thread: u32,
        /// A warp is given registers in multiples of this.
        register_unit: u32,
        /// Shared memory.
        shared_per_sm: u32,
        /// Shared memory that a CTA can ask for.
        shared_per_cta: u32,
        /// Shared memory of each CTA that the system takes.
        shared_reserved: u32,
    }
    data {
        /// The numbers of the targets.
        chips: Slice<u16>,
    }

    /// A word that may follow the architecture.
    #[derive(Debug)]
    pub struct TargetOption {
        /// The word.
        name: Text,
        /// The first version that has it.
        since: Version,
        /// What it does, in a sentence.
        summary: Text,
    }

    /// A version of PTX.
    #[derive(Debug)]
    pub struct Release {
        /// Its number.
        version: Version,
        /// The toolkit that brought it; empty where there was none.
        #[serde(default)]
        toolkit: Text,
        /// What one should know besides; often empty.
        #[serde(default)]
        note: Text,
    }
}
