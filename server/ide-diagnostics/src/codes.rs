//! The stable names of diagnostics. A name, once released, keeps its meaning.
//!
//! To add one, write its page, `docs/diagnostics/<name>.md`, a line in the table below (without the page it does not
//! compile), and its file in the folder of its language. The doc comment is the summary. The page starts
//! with the table's severity and summary (`tests/ide/pages.rs` of `ide` has the format), explains the mistake in a few sentences, and ends with pairs of
//! code blocks: the first of a pair gives this diagnostic and no other, the second none. A block of PTX without
//! `.version` is put into the body of a kernel that declares `%p<4>`, `%h<4>` (`.b16`), `%r<8>` (`.b32`), `%f<8>`,
//! `%rd<8>` (`.b64`), `%fd<4>`, the parameter `out` (`.u64`) and the shared array `tile` of 32 `.b32`, and ends with `ret`
//! where the block does not end it. Tests check all of this, with the assembler where it is installed. `warplens explain <name>` prints the page.

use warplens_ide_db::Severity;

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    /// Its stable name, in kebab case.
    pub name: &'static str,
    /// Its severity, unless a setting changes it.
    pub severity: Severity,
    /// A one-sentence summary.
    pub summary: &'static str,
    /// Its page, as markdown.
    pub page: &'static str,
}

/// The table, and a constant for each name that this crate uses.
macro_rules! codes {
    ($(#[doc = $summary:literal] $($constant:ident =)? $name:literal, $severity:ident;)*) => {
        $($(
            #[doc = $summary]
            pub const $constant: &str = $name;
        )?)*

        /// Every diagnostic.
        const TABLE: &[Code] = &[$(Code {
            name: $name,
            severity: Severity::$severity,
            summary: $summary.trim_ascii(),
            page: include_str!(concat!("../../../docs/diagnostics/", $name, ".md")),
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
    /// The special register does not have this component.
    UNKNOWN_COMPONENT = "unknown-component", Error;
    /// No directive has this name.
    UNKNOWN_DIRECTIVE = "unknown-directive", Error;
    /// No type has this name.
    UNKNOWN_TYPE = "unknown-type", Error;
    /// A name that is not declared.
    UNRESOLVED_NAME = "unresolved-name", Error;
    /// A name that is declared after its use.
    USE_BEFORE_DECLARATION = "use-before-declaration", Error;
    /// A second declaration of a name in the same scope.
    DUPLICATE_NAME = "duplicate-name", Error;
    /// An alignment that is not a power of two.
    INVALID_ALIGNMENT = "invalid-alignment", Error;
    /// A constant expression without a value.
    INVALID_CONSTANT = "invalid-constant", Error;
    /// An expression that is not an operand.
    INVALID_OPERAND = "invalid-operand", Error;
    /// Two declarations of a name that differ in linkage.
    LINKAGE_CLASH = "linkage-clash", Error;
    /// More diagnostics than are listed.
    TOO_MANY = "too-many-problems", Information;
    /// A comment that switches off an unknown diagnostic.
    INVALID_ALLOW = "invalid-allow", Warning;

    // Directives and declarations of PTX.

    /// A module without `.version` or `.target`.
    MISSING_DIRECTIVE = "missing-directive", Error;
    /// A directive where it is not allowed.
    MISPLACED_DIRECTIVE = "misplaced-directive", Error;
    /// A target, or an option of `.target`, that does not exist.
    UNKNOWN_TARGET = "unknown-target", Error;
    /// A version of PTX that does not exist.
    UNKNOWN_VERSION = "unknown-version", Error;
    /// A `.pragma` with a string that the assembler does not know.
    UNKNOWN_PRAGMA = "unknown-pragma", Warning;
    /// A directive with values that it does not accept.
    INVALID_VALUE = "invalid-value", Error;
    /// Directives that are mutually exclusive, or a directive without another that it requires.
    CONFLICTING_DIRECTIVES = "conflicting-directives", Error;
    /// A directive that was removed from newer versions.
    REMOVED_DIRECTIVE = "removed-directive", Error;
    /// A directive without effect.
    IGNORED_DIRECTIVE = "ignored-directive", Warning;
    /// More threads, registers, CTAs or memory than the target supports.
    BEYOND_LIMITS = "beyond-limits", Warning;
    /// A variable or a parameter that breaks a rule of its state space.
    INVALID_DECLARATION = "invalid-declaration", Error;
    /// An initial value that does not fit its variable.
    INVALID_INITIALIZER = "invalid-initializer", Error;
    /// A call that does not match the signature of its callee.
    INVALID_CALL = "invalid-call", Error;
    /// A branch, or a branch table, with a target that is not a label.
    INVALID_BRANCH = "invalid-branch", Error;
    /// A store to a parameter of a function, or a load from its result.
    PARAMETER_ACCESS = "parameter-access", Error;
    /// Two declarations of a name that differ.
    PROTOTYPE_MISMATCH = "prototype-mismatch", Error;
    /// An `.alias` that does not name two functions with the same signature.
    INVALID_ALIAS = "invalid-alias", Error;
    /// An invalid `.file`, `.loc` or `.section`.
    INVALID_DEBUG = "invalid-debug-information", Error;

    // Statements of PTX against the forms of their instruction.

    /// Modifiers that no form of the instruction combines, or combines in this order.
    INVALID_FORM = "invalid-form", Error;
    /// An instruction without a required modifier.
    MISSING_MODIFIER = "missing-modifier", Error;
    /// A modifier that cannot be combined with the others.
    MODIFIER_NOT_ALLOWED = "modifier-not-allowed", Error;
    /// Modifiers in another order than documented.
    MODIFIER_ORDER = "modifier-order", Hint;
    /// A repeated modifier, which the assembler ignores.
    REPEATED_MODIFIER = "repeated-modifier", Warning;
    /// A register or constant of a type that the instruction does not accept there.
    OPERAND_TYPE = "operand-type", Error;
    /// A vector with a wrong number of registers.
    VECTOR_LENGTH = "vector-length", Error;
    /// A variable in another state space than the instruction accesses.
    STATE_SPACE = "state-space", Error;
    /// A form that the module's version of PTX does not have.
    NEEDS_VERSION = "needs-version", Error;
    /// A form that the module's target does not have.
    NEEDS_TARGET = "needs-target", Error;
    /// A form that was removed from newer versions or targets.
    REMOVED_FORM = "removed-form", Error;
    /// A form that a newer one replaces.
    DEPRECATED_FORM = "deprecated-form", Hint;

    // Published assemblers.

    /// Statements that a published version of ptxas assembles into machine code that does something else.
    ASSEMBLER_FAULT = "assembler-fault", Warning;

    // Control flow of PTX.

    /// A `.uni` on a branch that may be divergent.
    UNIFORM_PROMISE = "uniform-promise", Warning;
    /// A barrier at which only some lanes of a warp may arrive.
    DIVERGENT_BARRIER = "divergent-barrier", Warning;
    /// Control that reaches the end of a function body.
    MISSING_RETURN = "missing-return", Warning;
    /// A `ret` in a function that promises not to return.
    RETURN_IN_NORETURN = "return-in-noreturn", Warning;
    /// A result that a function may return without having written it.
    UNWRITTEN_RESULT = "unwritten-result", Warning;
    /// Instructions that are never executed.
    UNREACHABLE_CODE = "unreachable-code", Hint;
    /// A label, table or prototype that is never used.
    UNUSED_LABEL = "unused-label", Hint;
    /// A register that is never used.
    UNUSED_REGISTER = "unused-register", Hint;
    /// A variable of a function that is never used.
    UNUSED_VARIABLE = "unused-variable", Hint;

    // WAVE.

    /// A cache hint on an instruction that is not a load or store.
    "unused-cache-hint", Warning;
    /// Too few or too many operands.
    OPERAND_COUNT = "operand-count", Error;
    /// An operand of a kind that the instruction does not accept there.
    OPERAND_KIND = "operand-kind", Error;
    /// The assembler reads the next instruction as an operand, because a newline is missing.
    "missing-newline", Error;
    /// A register number that no machine has.
    "register-index", Error;
    /// A register at or above the kernel's number of registers.
    "register-beyond-count", Warning;
    /// No special register has this name.
    "unknown-special-register", Error;
    /// A number outside the range of its operand.
    IMMEDIATE_RANGE = "immediate-range", Error;
    /// A float where an integer is required.
    "float-for-integer", Warning;
    /// A fence without its scope.
    "missing-scope", Error;
    /// A directive with invalid arguments.
    "directive-arguments", Error;
    /// A resource directive outside of a kernel.
    "directive-outside-kernel", Warning;
    /// `@p0`, which the toolchain ignores.
    "guard-p0", Warning;
    /// A guard on an instruction that changes the active mask.
    "guarded-control", Warning;
    /// An atomic whose result is written to `r0` and discarded.
    "result-to-r0", Warning;
    /// `else`, `endif` or `endloop` without the instruction that opens the construct.
    "unmatched-structure", Error;
    /// `if` or `loop` without the instruction that closes the construct.
    "unclosed-structure", Error;
    /// An `else` after an `else`.
    "second-else", Error;
    /// `else`, `endif` or `endloop` that closes a construct before the one nested in it.
    "improper-nesting", Error;
    /// `break` or `continue` outside of a loop.
    "outside-loop", Error;
    /// `if` and `loop` nested deeper than the limit of 32.
    "nesting-depth", Error;
    /// A loop without an exit.
    "endless-loop", Warning;
    /// A kernel whose last instruction does not end it.
    "missing-halt", Warning;
    /// A register that is read before it is written.
    "unwritten-register", Warning;
    /// A function that calls itself.
    "recursion", Warning;
    /// Calls nested deeper than the limit of 8.
    "call-depth", Warning;
    /// A half of a register, which the toolchain reads as the whole register.
    "ignored-half", Warning;
    /// A negative number in a directive, which wraps.
    "negative-resource", Warning;
    /// A special register where a general one is required.
    "special-operand", Warning;

    // WAVE where one dialect is chosen, by the setting `warplens.wave.accepts`.

    /// Code that toolchain 0.1.2 rejects.
    "not-in-toolchain", Error;
    /// Code that toolchain 0.1.2 accepts and miscompiles.
    TOOLCHAIN_FAULT = "toolchain-fault", Warning;
    /// The toolchain's dialect where the guide's is chosen.
    "toolchain-spelling", Hint;

    // SASS.

    /// A branch to an address or a label that is not an instruction.
    MISSING_TARGET = "missing-target", Warning;
    /// A target that is not a multiple of 4.
    MISALIGNED_TARGET = "misaligned-target", Warning;
    /// A `SYNC`, `BRK` or `CONT` without a token.
    UNMATCHED_TOKEN = "unmatched-token", Warning;
    /// A `BSYNC` or `BREAK` of a barrier that is not set.
    BARRIER_NOT_SET = "barrier-not-set", Warning;
    /// An opcode that the target of the listing does not have.
    OPCODE_OF_OTHER_TARGET = "opcode-of-other-target", Warning;
    /// An address that is not above the one before it.
    DUPLICATE_ADDRESS = "duplicate-address", Warning;
    /// A branch with `.LMT` in a function without calls.
    LIMIT_WITHOUT_CALL = "limit-without-call", Hint;
    /// A condition on the state of graphics.
    GRAPHICS_CONDITION = "graphics-condition", Hint;

    // Lints: correct code that can be made cheaper.

    /// An `if` that a `select` can replace.
    BRANCH_FOR_SELECT = "branch-for-select", Hint;
    /// An `if` around a `break` or `continue`, which can be predicated.
    BRANCH_FOR_BREAK = "branch-for-break", Hint;
    /// An `if` around the rest of a loop's body that a `continue` can replace.
    BRANCH_FOR_CONTINUE = "branch-for-continue", Hint;
    /// An `if` with nothing but another `if` in it.
    NESTED_BRANCH = "nested-branch", Hint;
    /// A short branch that predicates can replace.
    BRANCH_FOR_PREDICATE = "branch-for-predicate", Hint;
}

/// Every diagnostic.
#[must_use]
pub fn codes() -> &'static [Code] {
    TABLE
}

/// Former names with the present ones. Settings, comments, options and `explain` still accept them.
const RENAMED: [(&str, &str); 3] = [
    ("crossed-structure", "improper-nesting"),
    ("idle-cache-hint", "unused-cache-hint"),
    ("swallowed-word", "missing-newline"),
];

/// The diagnostic of this name, or of this former name.
#[must_use]
pub fn code(name: &str) -> Option<&'static Code> {
    let renamed = RENAMED.iter().find(|(former, _)| *former == name);
    let name = renamed.map_or(name, |(_, present)| present);
    TABLE.iter().find(|code| code.name == name)
}
