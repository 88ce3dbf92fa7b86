//! The stable names of diagnostics. A name, once released, keeps its meaning.
//!
//! A new one is written in two places, and neither can be forgotten: first its page, `docs/diagnostics/<name>.md`, then
//! a line in the table below (without the page it does not compile). The doc comment is the summary. The page starts
//! with what the table says (`tests/pages.rs` tells how), explains the mistake in a few sentences, and ends with pairs of
//! code blocks: the first of a pair gives this diagnostic and no other, the second none. A block of PTX without
//! `.version` stands in the body of a kernel that declares `%p<4>`, `%h<4>` (`.b16`), `%r<8>` (`.b32`), `%f<8>`,
//! `%rd<8>` (`.b64`), `%fd<4>`, the parameter `out` (`.u64`) and the shared array `tile` of 32 `.b32`, and ends with `ret`
//! where the block does not end it. All that is tested, with the assembler where it is there. `warplens explain <name>` prints the page.

use crate::answer::Severity;

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    /// Its stable name, in kebab case.
    pub name: &'static str,
    /// How bad it is, unless a setting says otherwise.
    pub severity: Severity,
    /// What it finds, in a sentence.
    pub summary: &'static str,
    /// What to know about it, as markdown.
    pub page: &'static str,
}

/// The table, and a constant for each name that this crate uses.
macro_rules! codes {
    ($(#[doc = $summary:literal] $($constant:ident =)? $name:literal, $severity:ident;)*) => {
        $($(
            #[doc = $summary]
            pub(crate) const $constant: &str = $name;
        )?)*

        /// Every diagnostic that there is.
        const TABLE: &[Code] = &[$(Code {
            name: $name,
            severity: Severity::$severity,
            summary: $summary.trim_ascii(),
            page: include_str!(concat!("../../../../docs/diagnostics/", $name, ".md")),
        }),*];
    };
}

codes! {
    /// The text does not follow the grammar.
    SYNTAX = "syntax-error", Error;
    /// A guard before a block.
    GUARDED_BLOCK = "guarded-block", Error;
    /// No instruction has this opcode.
    UNKNOWN_INSTRUCTION = "unknown-instruction", Error;
    /// No form of the instruction takes this modifier.
    UNKNOWN_MODIFIER = "unknown-modifier", Error;
    /// The special register has no such component.
    UNKNOWN_COMPONENT = "unknown-component", Error;
    /// No directive has this name.
    UNKNOWN_DIRECTIVE = "unknown-directive", Error;
    /// No type has this name.
    UNKNOWN_TYPE = "unknown-type", Error;
    /// Nothing of this name is declared.
    UNRESOLVED_NAME = "unresolved-name", Error;
    /// What is named is declared only further down.
    USE_BEFORE_DECLARATION = "use-before-declaration", Error;
    /// A second declaration of a name in the same scope.
    DUPLICATE_NAME = "duplicate-name", Error;
    /// An alignment that is no power of two.
    INVALID_ALIGNMENT = "invalid-alignment", Error;
    /// A constant expression without a value.
    INVALID_CONSTANT = "invalid-constant", Error;
    /// An expression that is no operand.
    INVALID_OPERAND = "invalid-operand", Error;
    /// Two declarations of a name that differ in linkage.
    LINKAGE_CLASH = "linkage-clash", Error;
    /// Stands after the diagnostics that are listed when there are more.
    TOO_MANY = "too-many-problems", Information;
    /// A comment that switches off a diagnostic that there is not.
    INVALID_ALLOW = "invalid-allow", Warning;

    // What stands around the instructions of PTX.

    /// A module without `.version` or `.target`.
    MISSING_DIRECTIVE = "missing-directive", Error;
    /// A directive where it cannot stand.
    MISPLACED_DIRECTIVE = "misplaced-directive", Error;
    /// A target, or an option of `.target`, that does not exist.
    UNKNOWN_TARGET = "unknown-target", Error;
    /// A version of PTX that does not exist.
    UNKNOWN_VERSION = "unknown-version", Error;
    /// A directive with values that it does not take.
    INVALID_VALUE = "invalid-value", Error;
    /// Directives that exclude each other, or one without another that it needs.
    CONFLICTING_DIRECTIVES = "conflicting-directives", Error;
    /// A directive that newer versions no longer have.
    REMOVED_DIRECTIVE = "removed-directive", Error;
    /// A directive without an effect.
    IGNORED_DIRECTIVE = "ignored-directive", Warning;
    /// More threads, registers or CTAs than the target has.
    BEYOND_LIMITS = "beyond-limits", Warning;
    /// A variable or a parameter that breaks a rule of its state space.
    INVALID_DECLARATION = "invalid-declaration", Error;
    /// An initial value that does not fit its variable.
    INVALID_INITIALIZER = "invalid-initializer", Error;
    /// A call that does not fit what it calls.
    INVALID_CALL = "invalid-call", Error;
    /// A branch, or a table of branches, to something that is no label.
    INVALID_BRANCH = "invalid-branch", Error;
    /// A store to a parameter of a function, or a load from its result.
    PARAMETER_ACCESS = "parameter-access", Error;
    /// Two declarations of a name that do not agree.
    PROTOTYPE_MISMATCH = "prototype-mismatch", Error;
    /// An `.alias` that does not name two functions of one kind.
    INVALID_ALIAS = "invalid-alias", Error;
    /// A `.file`, `.loc` or `.section` that does not fit.
    INVALID_DEBUG = "invalid-debug-information", Error;

    // Statements of PTX against the forms of their instruction.

    /// Modifiers that no form of the instruction has together, or has in this order.
    INVALID_FORM = "invalid-form", Error;
    /// A modifier that must be there is not.
    MISSING_MODIFIER = "missing-modifier", Error;
    /// A modifier that does not go with the others.
    MODIFIER_NOT_ALLOWED = "modifier-not-allowed", Error;
    /// Modifiers in another order than documented.
    MODIFIER_ORDER = "modifier-order", Hint;
    /// A modifier that is written twice, which the assembler overlooks.
    REPEATED_MODIFIER = "repeated-modifier", Warning;
    /// A register or constant of a type that the instruction does not take there.
    OPERAND_TYPE = "operand-type", Error;
    /// Another number of registers than the instruction takes.
    VECTOR_LENGTH = "vector-length", Error;
    /// A variable in another state space than the instruction goes to.
    STATE_SPACE = "state-space", Error;
    /// A form that the module's version of PTX does not have.
    NEEDS_VERSION = "needs-version", Error;
    /// A form that the module's target does not have.
    NEEDS_TARGET = "needs-target", Error;
    /// A form that newer versions or targets have no longer.
    REMOVED_FORM = "removed-form", Error;
    /// A form for which there is a newer one.
    DEPRECATED_FORM = "deprecated-form", Hint;

    // Control flow of PTX.

    /// A `.uni` where lanes go different ways.
    UNIFORM_PROMISE = "uniform-promise", Warning;
    /// A barrier that only some lanes of a warp come to.
    DIVERGENT_BARRIER = "divergent-barrier", Warning;
    /// Control that comes to the end of a function body.
    MISSING_RETURN = "missing-return", Warning;
    /// A `ret` in a function that promises not to return.
    RETURN_IN_NORETURN = "return-in-noreturn", Warning;
    /// Instructions that control never comes to.
    UNREACHABLE_CODE = "unreachable-code", Hint;
    /// A label, table or prototype that nothing names.
    UNUSED_LABEL = "unused-label", Hint;
    /// A register that nothing reads or writes.
    UNUSED_REGISTER = "unused-register", Hint;
    /// A variable of a function that nothing uses.
    UNUSED_VARIABLE = "unused-variable", Hint;

    // What `hir` names itself: WAVE.

    /// A cache hint on an instruction that is no load or store.
    "idle-cache-hint", Warning;
    /// Too few or too many operands.
    OPERAND_COUNT = "operand-count", Error;
    /// An operand of a kind that does not fit there.
    OPERAND_KIND = "operand-kind", Error;
    /// The assembler reads the next instruction as an operand.
    "swallowed-word", Error;
    /// No machine has this register.
    "register-index", Error;
    /// A register at or above the kernel's number of registers.
    "register-beyond-count", Warning;
    /// No special register has this name.
    "unknown-special-register", Error;
    /// A number that is too small or too large for its place.
    IMMEDIATE_RANGE = "immediate-range", Error;
    /// A float for an operand that holds an integer.
    "float-for-integer", Warning;
    /// A fence without its scope.
    "missing-scope", Error;
    /// The arguments of a directive do not fit.
    "directive-arguments", Error;
    /// A resource directive outside of every kernel.
    "directive-outside-kernel", Warning;
    /// `@p0`, which the toolchain ignores.
    "guard-p0", Warning;
    /// A guard on an instruction that changes the mask.
    "guarded-control", Warning;
    /// An atomic whose result goes to `r0`, and so nowhere.
    "result-to-r0", Warning;
    /// `else`, `endif` or `endloop` that nothing opens.
    "unmatched-structure", Error;
    /// `if` or `loop` that nothing closes.
    "unclosed-structure", Error;
    /// An `else` after an `else`.
    "second-else", Error;
    /// `else`, `endif` or `endloop` inside of a construct that is still open.
    "crossed-structure", Error;
    /// `break` or `continue` outside of every loop.
    "outside-loop", Error;
    /// The 33rd `if` or `loop` inside of each other.
    "nesting-depth", Error;
    /// A loop that no lane can leave.
    "endless-loop", Warning;
    /// A kernel whose last instruction goes on past its end.
    "missing-halt", Warning;
    /// A register that is read before anything has written it.
    "unwritten-register", Warning;
    /// A function that is called from within itself.
    "recursion", Warning;
    /// The ninth call inside of each other.
    "call-depth", Warning;
    /// A half of a register, which the toolchain takes for the whole.
    "ignored-half", Warning;
    /// A negative number in a directive, which wraps.
    "negative-resource", Warning;
    /// A special register in the place of a general one.
    "special-operand", Warning;

    // WAVE where one language is chosen, by the setting `warplens.wave.accepts`.

    /// What toolchain 0.1.2 does not take.
    "not-in-toolchain", Error;
    /// What toolchain 0.1.2 takes and runs as something else.
    TOOLCHAIN_FAULT = "toolchain-fault", Warning;
    /// The toolchain's spelling where the guide's is chosen.
    "toolchain-spelling", Hint;

    // What teaches: right, and dearer than it has to be.

    /// An `if` for which a `select` does.
    BRANCH_FOR_SELECT = "branch-for-select", Hint;
    /// An `if` around a `break` or `continue`, which take a predicate themselves.
    BRANCH_FOR_BREAK = "branch-for-break", Hint;
    /// An `if` around the rest of a loop's body, for which a `continue` does.
    BRANCH_FOR_CONTINUE = "branch-for-continue", Hint;
    /// An `if` that stands alone in another.
    NESTED_BRANCH = "nested-branch", Hint;
    /// A short branch that predicates do without.
    BRANCH_FOR_PREDICATE = "branch-for-predicate", Hint;
}

/// Every diagnostic that there is.
#[must_use]
pub fn codes() -> &'static [Code] {
    TABLE
}

/// The diagnostic of this name.
#[must_use]
pub fn code(name: &str) -> Option<&'static Code> {
    TABLE.iter().find(|code| code.name == name)
}
