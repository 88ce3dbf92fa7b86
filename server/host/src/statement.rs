//! A statement of inline PTX, as all hosts describe it.

use std::ops::Range;

use crate::template::Template;

/// A statement. All ranges are bytes of the host file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub range: Range<usize>,
    /// `asm`, or the name of the called function or macro.
    pub keyword: Range<usize>,
    pub dialect: Dialect,
    pub template: Template,
    /// Whether the compiler may not delete, merge or move the statement freely.
    pub volatile: bool,
    /// What denies side effects, if the statement is not volatile because of it.
    pub denial: Option<Denial>,
    /// Outputs, then inputs, as the template numbers them.
    pub operands: Vec<Operand>,
    /// Whether `operands` has all of them: macros may add others.
    pub knows_operands: bool,
    /// Whether the template may have placeholders: `asm("…")` without a colon is passed on as it is.
    pub has_placeholders: bool,
    /// What the statement changes besides its outputs: `memory`.
    pub clobbers: Vec<(String, Range<usize>)>,
    /// The string with all constraints, if the host has one.
    pub constraints: Option<Range<usize>>,
    /// `register_only`, `may_diverge`, `nomem` …
    pub options: Vec<(String, Range<usize>)>,
    /// How many values the host passes for the inputs, if that is known and written apart from the constraints.
    pub arguments: Option<usize>,
    pub pack: Option<Pack>,
    pub place: Place,
    /// What the statement is in the other branches of the conditions inside it; `None` if there are too many.
    pub readings: Option<Vec<Reading>>,
}

/// A statement with some branches of the conditions inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// For each condition, which branch was read. The statement itself has branch 0 of each.
    pub branches: Vec<usize>,
    pub statement: Statement,
}

impl Statement {
    /// The statement from `keyword` to `end`, as if it had no operands and could not be deleted.
    pub(crate) fn new(keyword: Range<usize>, end: usize, dialect: Dialect, template: Template) -> Statement {
        Statement {
            range: keyword.start..end,
            keyword,
            dialect,
            template,
            volatile: true,
            denial: None,
            operands: Vec::new(),
            knows_operands: true,
            has_placeholders: true,
            clobbers: Vec::new(),
            constraints: None,
            options: Vec::new(),
            arguments: None,
            pack: None,
            place: Place::default(),
            readings: Some(Vec::new()),
        }
    }

    /// Whether the compiler knows that the statement may access any memory.
    pub fn clobbers_memory(&self) -> bool {
        self.clobbers.iter().any(|(clobber, _)| clobber == "memory")
    }
}

/// Where a statement is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Equal for the statements of a function.
    pub function: usize,
    /// Equal for statements that run together, whatever a condition or a template parameter is.
    pub block: usize,
    /// Whether the function is a constructor or destructor: one may open a scope that the other closes, in another file.
    pub is_of_lifetime: bool,
    /// Whether the compiler may leave out the function because nothing calls it: it is `inline`, a template, a member …
    pub is_on_demand: bool,
    /// The least target that conditional compilation admits: 80 inside `#if __CUDA_ARCH__ >= 800`.
    pub architecture: Option<u32>,
}

/// The form of a statement, which decides about placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `asm` of C and C++: `%0`, `%[x]`, `%%`.
    Gcc,
    /// `asm!`: `{0}`, `{x}`, `{{`.
    Rust,
    /// `ptx_asm!` of cuda-oxide: `%0`, `%%`.
    PtxAsm,
    /// `inline_asm_elementwise`: `$0`, `$$`.
    Triton,
    /// `llvm.inline_asm` of CuTe: `$0`, `$$`.
    Cute,
    /// LLVM's own: `$0`, `$$`.
    Llvm,
}

impl Dialect {
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Gcc => "gcc",
            Dialect::Rust => "rust",
            Dialect::PtxAsm => "ptx_asm",
            Dialect::Triton => "triton",
            Dialect::Cute => "cute",
            Dialect::Llvm => "llvm",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Input,
    Output,
    /// Read and written: `"+r"`.
    Both,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    pub direction: Direction,
    /// As the host writes it: `=&r`, `reg32`. Empty if it is not known.
    pub constraint: String,
    /// The name in `%[x]` or `{x}`.
    pub name: Option<String>,
    /// The value, as written; `None` if the host has no expression for this operand.
    pub expression: Option<String>,
    /// From the constraint or the name to the end of the expression.
    pub range: Range<usize>,
}

impl Operand {
    /// The letters of the constraint, without `=`, `+`, `&`, `%`.
    pub fn class(&self) -> &str {
        self.constraint.trim_start_matches(['=', '+', '&', '%', '*'])
    }

    /// The output that shares the register of this input: `"0"`.
    pub fn tied(&self) -> Option<usize> {
        self.class().parse().ok()
    }

    /// Whether the output is written before all inputs are read.
    pub fn is_early(&self) -> bool {
        self.constraint.contains('&')
    }
}

/// What denies side effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The argument, or the keyword of a statement that has none.
    pub range: Range<usize>,
    /// As a subject of a sentence: "`is_pure=True`", or "`inline_asm` without `has_side_effects=True`".
    pub text: String,
    /// What to do about it, as an imperative: "write `is_pure=False`".
    pub remedy: String,
}

/// How many elements a call of Triton processes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    pub elements: u32,
    /// The bits of an element of the result, if it is known.
    pub result_bits: Option<u32>,
}
