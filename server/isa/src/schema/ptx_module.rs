//! PTX except its instructions: directives, special registers, types, state spaces, targets and versions.

use super::ptx::{Example, Status};
use super::ptx_form::Requirement;
use super::storage::*;

entries! {
    #[derive(Debug)]
    pub struct Directive {
        /// Name, with the dot (`@@DWARF` has none).
        name: Text,
        /// Group: module, function, control-flow, performance, cluster, debug, linking or state-space.
        group: Text,
        /// Section of the PTX 9.4 manual.
        section: Text,
        /// The syntax as documentation shows it; `{x}` is optional.
        syntax: Slice<Text>,
        places: Slice<Text>,
        /// Directives that it requires.
        #[serde(default)]
        requires: Slice<Text>,
        /// Directives that it excludes.
        #[serde(default)]
        conflicts: Slice<Text>,
        /// What happens if a required directive is missing.
        #[serde(default)]
        missing_requirement: MissingRequirement,
        /// What the assembler requires of a module that uses it.
        #[serde(skip_deserializing)]
        requirement: Requirement,
        #[serde(default)]
        deprecated: Option<Version>,
        /// The first version that rejects it.
        #[serde(default)]
        until: Option<Version>,
        /// The items that have it between their parameters and their body; empty for a directive that is written
        /// elsewhere.
        #[serde(default)]
        holders: Words<Holder>,
        /// The least and the greatest number of values it has there.
        #[serde(default, deserialize_with = "count")]
        values: (u8, u8),
        #[serde(default)]
        zero: bool,
        /// The largest value that the assembler accepts on all targets.
        #[serde(default)]
        greatest: Option<u16>,
        /// First PTX version with the directive.
        since: Version,
        /// Which forms were added later, in prose; often empty.
        #[serde(default)]
        since_note: Text,
        /// Required targets, in prose.
        target: Text,
        /// Whether the directive is deprecated or removed.
        #[serde(default)]
        status: Status,
        /// One sentence: what the directive does.
        summary: Text,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
        /// A whole module that uses it.
        #[serde(deserialize_with = "trimmed")]
        example: Text,
    }
    data {
        /// What the assembler requires, if different from `since` and `target`.
        gate: Option<Text>,
    }

    /// What happens to a directive if another one that it requires is missing.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MissingRequirement {
        Rejected,
        Ignored,
    }

    /// An item with directives between its parameters and its body.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Holder {
        Entry,
        Func,
        Prototype,
    }

    /// A part of a directive that was added later than the directive.
    #[derive(Debug)]
    pub struct Feature {
        /// A noun phrase for messages.
        what: Text,
        /// What the assembler requires of a module that uses it.
        #[serde(rename = "gate")]
        requirement: Requirement,
    }
    data {
        /// Name by which code refers to it.
        name: Text,
    }

    /// A function or variable of CUDA C++ that is one instruction, special register or constant of PTX.
    #[derive(Debug)]
    pub struct CudaName {
        name: Text,
        ptx: Text,
        kind: CudaNameKind,
    }

    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CudaNameKind {
        Function,
        /// A function without arguments and result.
        Statement,
        Variable,
    }

    /// A string that `.pragma` accepts.
    #[derive(Debug)]
    pub struct Pragma {
        /// The first word of the string.
        #[serde(rename = "string")]
        name: Text,
        /// The number that must follow the word in the string; often empty.
        #[serde(default)]
        arguments: Text,
        /// Where it is allowed, in prose.
        places: Slice<Text>,
        /// The parts of a module that may contain it.
        scopes: Words<PragmaScope>,
        /// First PTX version with the pragma.
        since: Version,
        /// Required targets, in prose.
        target: Text,
        /// What the assembler requires of a module that uses it.
        #[serde(skip_deserializing)]
        requirement: Requirement,
        /// One sentence: what the pragma does.
        summary: Text,
        /// A directive with this string.
        example: Text,
    }
    data {
        /// What the assembler requires, if different from `since` and `target`.
        gate: Option<Text>,
    }

    /// A part of a module that may contain a pragma.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PragmaScope {
        /// Outside functions.
        Module,
        /// Between the parameters and the body of a kernel.
        Entry,
        Kernel,
        Function,
    }

    /// A special register, or a numbered family of them.
    #[derive(Debug)]
    pub struct SpecialRegister {
        /// Name; a family has its count in angle brackets: `%pm<8>`.
        name: Text,
        #[serde(default)]
        names: Words<Text>,
        /// Section of the PTX 9.4 manual.
        section: Text,
        /// Type, without the dot; `WARP_SZ` is an `integer constant`.
        #[serde(rename = "type")]
        ty: Text,
        /// Width in bits; for a vector, the width of a component.
        bits: u8,
        /// The components, without dots; empty for a scalar.
        #[serde(default)]
        components: Words<Text>,
        /// The threads that read the same value.
        scope: Scope,
        /// First PTX version with the register.
        since: Version,
        /// Which names or types were added later, in prose; often empty.
        #[serde(default)]
        since_note: Text,
        /// Required targets, in prose.
        target: Text,
        /// What the assembler requires of a module that reads it.
        #[serde(skip_deserializing)]
        requirement: Requirement,
        /// One sentence: what the register contains.
        summary: Text,
        /// The range of its values, in prose.
        range: Text,
        /// Its value in the simulator, in prose.
        simulator: Text,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
        /// Statements, or a module, that read it.
        example: Example,
    }
    data {
        /// What the assembler requires, if different from `since` and `target`.
        gate: Option<Text>,
    }

    /// The threads that read equal values from a special register.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scope {
        Thread,
        Warp,
        Cta,
        Cluster,
        Grid,
        /// The value depends on the device, not on the program.
        Device,
    }

    #[derive(Debug)]
    pub struct Type {
        /// Its name, with the dot.
        name: Text,
        /// How the bits are interpreted.
        kind: TypeKind,
        /// Width of a value in bits, for all elements together.
        bits: u8,
        /// Number of elements packed in a value.
        #[serde(default = "one")]
        elements: u8,
        /// For a type that only instructions name, the type of the register that contains it.
        #[serde(default)]
        storage: Option<Text>,
        /// The types of registers that can contain it, with their dots.
        #[serde(default)]
        registers: Words<Text>,
        /// First PTX version with the type.
        since: Version,
        /// Required targets, in prose.
        target: Text,
        /// One sentence: what the type is.
        summary: Text,
    }

    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TypeKind {
        Unsigned,
        Signed,
        Float,
        Bits,
        Predicate,
        /// A handle that only some instructions accept.
        Opaque,
    }

    #[derive(Debug)]
    pub struct StateSpace {
        /// Its name, with the dot.
        name: Text,
        /// One sentence: what the space is.
        summary: Text,
        /// Where variables are declared, in prose.
        declared: Text,
        /// Initial contents of its variables, in prose.
        initial: Text,
        addressable: bool,
        writable: bool,
        initializers: bool,
        #[serde(skip_deserializing)]
        parts: Slice<SpacePart>,
    }

    /// A part of a state space that an instruction can name: `.shared::cluster`.
    #[derive(Debug)]
    pub struct SpacePart {
        /// Its name, with the dot.
        name: Text,
        /// One sentence: what the part is.
        summary: Text,
    }
    data {
        of: Text,
    }

    #[derive(Debug)]
    pub struct Target {
        /// Name, such as `sm_90a`.
        name: Text,
        /// Number, such as 90.
        #[serde(skip_deserializing)]
        number: u16,
        /// First PTX version that may name it.
        since: Version,
        /// Name of the generation; empty if unknown.
        #[serde(default)]
        generation: Text,
        /// The lowest number in its family, if it belongs to one.
        #[serde(default)]
        family: Option<u16>,
        /// What else a user should know; often empty.
        #[serde(default)]
        note: Text,
        /// Resources of its multiprocessors, if known.
        #[serde(skip_deserializing)]
        limits: Option<Reference<Limits>>,
        /// The largest GPU with this chip, if known.
        #[serde(skip_deserializing)]
        gpu: Option<Reference<Gpu>>,
    }

    /// The GPU with the most multiprocessors of those with one chip.
    #[derive(Debug)]
    pub struct Gpu {
        /// Its short product name, such as `H100`.
        name: Text,
        multiprocessors: u32,
    }
    data {
        /// The number of the chip, such as 90.
        chip: u16,
    }

    /// The resources of a multiprocessor (SM). Sizes are in bytes.
    #[derive(Debug)]
    pub struct Limits {
        threads_per_cta: u32,
        warps_per_sm: u32,
        ctas_per_sm: u32,
        /// Number of 32-bit registers.
        registers_per_sm: u32,
        registers_per_cta: u32,
        registers_per_thread: u32,
        /// Registers are allocated to a warp in multiples of this.
        register_unit: u32,
        /// Parts of a multiprocessor, each with its share of the registers and of the warps.
        partitions: u32,
        shared_per_sm: u32,
        shared_per_cta: u32,
        /// Shared memory is allocated to a CTA in multiples of this.
        shared_unit: u32,
        /// Shared memory that the system reserves for each CTA.
        shared_reserved: u32,
    }
    data {
        /// The numbers of the targets with these resources.
        chips: Slice<u16>,
    }

    /// A word that may follow the architecture in `.target`.
    #[derive(Debug)]
    pub struct TargetOption {
        /// The word, as written.
        name: Text,
        /// First PTX version with the option.
        since: Version,
        /// One sentence: what the option does.
        summary: Text,
    }

    #[derive(Debug)]
    pub struct Release {
        version: Version,
        /// The CUDA toolkit that introduced it; empty if none did.
        #[serde(default)]
        toolkit: Text,
        /// What else a user should know; often empty.
        #[serde(default)]
        note: Text,
    }
}
