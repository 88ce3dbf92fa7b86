//! The stable names of diagnostics. A name, once released, keeps its meaning.
//!
//! To add one, write its page, `docs/diagnostics/<name>.md`, a line in the table below (without the page it does not
//! compile), and its file in the folder of its language. The page starts
//! with the table's severity and a summary (`tests/ide/pages.rs` of `ide` has the format), explains the mistake in a few sentences, and ends with pairs of
//! code blocks: the first of a pair gives this diagnostic and no other, the second none. A block of PTX without
//! `.version` is put into the body of a kernel that declares `%p<4>`, `%h<4>` (`.b16`), `%r<8>` (`.b32`), `%f<8>`,
//! `%rd<8>` (`.b64`), `%fd<4>`, the parameter `out` (`.u64`) and the shared array `tile` of 32 `.b32`, and ends with `ret`
//! where the block does not end it. Tests check all of this, with the assembler where it is installed. `warplens explain <name>` prints the page.

use warplens_ide_db::Severity;

#[derive(Debug)]
pub struct Code {
    /// Its stable name, in kebab case.
    pub name: &'static str,
    /// Its severity, unless a setting changes it.
    pub severity: Severity,
    /// Its page, as markdown.
    pub page: &'static str,
}

impl Code {
    /// The sentence after the severity on its page: `**Error.** No type has this name.`
    pub fn summary(&self) -> &'static str {
        let head = self.page.lines().nth(2).unwrap_or_default();
        head.split_once(".** ").map_or(head, |(_, summary)| summary)
    }
}

/// The table, and a constant for each name that this crate uses.
macro_rules! codes {
    ($($($constant:ident =)? $name:literal, $severity:ident;)*) => {
        $($(pub const $constant: &str = $name;)?)*

        const TABLE: &[Code] = &[$(Code {
            name: $name,
            severity: Severity::$severity,
            page: warplens_docs::diagnostic($name),
        }),*];
    };
}

codes! {
    SYNTAX = "syntax-error", Error;
    GUARDED_BLOCK = "guarded-block", Error;
    UNKNOWN_INSTRUCTION = "unknown-instruction", Error;
    UNKNOWN_MODIFIER = "unknown-modifier", Error;
    UNKNOWN_COMPONENT = "unknown-component", Error;
    UNKNOWN_DIRECTIVE = "unknown-directive", Error;
    UNKNOWN_TYPE = "unknown-type", Error;
    UNRESOLVED_NAME = "unresolved-name", Error;
    USE_BEFORE_DECLARATION = "use-before-declaration", Error;
    DUPLICATE_NAME = "duplicate-name", Error;
    INVALID_ALIGNMENT = "invalid-alignment", Error;
    INVALID_CONSTANT = "invalid-constant", Error;
    INVALID_OPERAND = "invalid-operand", Error;
    LINKAGE_CLASH = "linkage-clash", Error;
    TOO_MANY = "too-many-problems", Information;
    INVALID_ALLOW = "invalid-allow", Warning;

    // Directives and declarations of PTX.

    MISSING_DIRECTIVE = "missing-directive", Error;
    MISPLACED_DIRECTIVE = "misplaced-directive", Error;
    UNKNOWN_TARGET = "unknown-target", Error;
    UNKNOWN_VERSION = "unknown-version", Error;
    UNKNOWN_PRAGMA = "unknown-pragma", Warning;
    INVALID_VALUE = "invalid-value", Error;
    CONFLICTING_DIRECTIVES = "conflicting-directives", Error;
    REMOVED_DIRECTIVE = "removed-directive", Error;
    IGNORED_DIRECTIVE = "ignored-directive", Warning;
    BEYOND_LIMITS = "beyond-limits", Warning;
    INVALID_DECLARATION = "invalid-declaration", Error;
    INVALID_INITIALIZER = "invalid-initializer", Error;
    INVALID_CALL = "invalid-call", Error;
    MIXED_CTA_GROUPS = "mixed-cta-groups", Error;
    INVALID_BRANCH = "invalid-branch", Error;
    PARAMETER_ACCESS = "parameter-access", Error;
    PROTOTYPE_MISMATCH = "prototype-mismatch", Error;
    INVALID_ALIAS = "invalid-alias", Error;
    INVALID_DEBUG = "invalid-debug-information", Error;

    // Statements of PTX against the forms of their instruction.

    INVALID_FORM = "invalid-form", Error;
    MISSING_MODIFIER = "missing-modifier", Error;
    MODIFIER_NOT_ALLOWED = "modifier-not-allowed", Error;
    MODIFIER_ORDER = "modifier-order", Hint;
    REPEATED_MODIFIER = "repeated-modifier", Warning;
    OPERAND_TYPE = "operand-type", Error;
    VECTOR_LENGTH = "vector-length", Error;
    STATE_SPACE = "state-space", Error;
    NEEDS_VERSION = "needs-version", Error;
    NEEDS_TARGET = "needs-target", Error;
    REMOVED_FORM = "removed-form", Error;
    DEPRECATED_FORM = "deprecated-form", Hint;

    // Published assemblers.

    ASSEMBLER_FAULT = "assembler-fault", Warning;

    // Control flow of PTX.

    UNIFORM_PROMISE = "uniform-promise", Warning;
    DIVERGENT_BARRIER = "divergent-barrier", Warning;
    MISSING_RETURN = "missing-return", Warning;
    RETURN_IN_NORETURN = "return-in-noreturn", Warning;
    UNWRITTEN_RESULT = "unwritten-result", Warning;
    UNWRITTEN_CARRY = "unwritten-carry", Warning;
    UNREACHABLE_CODE = "unreachable-code", Hint;
    NON_ASCII_COMMENT = "non-ascii-comment", Hint;
    UNUSED_LABEL = "unused-label", Hint;
    UNUSED_REGISTER = "unused-register", Hint;
    UNUSED_VARIABLE = "unused-variable", Hint;

    // WAVE.

    "unused-cache-hint", Warning;
    OPERAND_COUNT = "operand-count", Error;
    OPERAND_KIND = "operand-kind", Error;
    "missing-newline", Error;
    "register-index", Error;
    "register-beyond-count", Warning;
    "unknown-special-register", Error;
    IMMEDIATE_RANGE = "immediate-range", Error;
    "float-for-integer", Warning;
    "missing-scope", Error;
    "directive-arguments", Error;
    "directive-outside-kernel", Warning;
    "guard-p0", Warning;
    "guarded-control", Warning;
    "result-to-r0", Warning;
    "unmatched-structure", Error;
    "unclosed-structure", Error;
    "second-else", Error;
    "improper-nesting", Error;
    "outside-loop", Error;
    "nesting-depth", Error;
    "endless-loop", Warning;
    "missing-halt", Warning;
    "unwritten-register", Warning;
    "recursion", Warning;
    "call-depth", Warning;
    "ignored-half", Warning;
    "negative-resource", Warning;
    "special-operand", Warning;

    // WAVE where one dialect is chosen, by the setting `warplens.wave.accepts`.

    "not-in-toolchain", Error;
    TOOLCHAIN_FAULT = "toolchain-fault", Warning;
    "toolchain-spelling", Hint;

    // SASS.

    MISSING_TARGET = "missing-target", Warning;
    MISALIGNED_TARGET = "misaligned-target", Warning;
    UNMATCHED_TOKEN = "unmatched-token", Warning;
    BARRIER_NOT_SET = "barrier-not-set", Warning;
    OPCODE_OF_OTHER_TARGET = "opcode-of-other-target", Warning;
    DUPLICATE_ADDRESS = "duplicate-address", Warning;
    LIMIT_WITHOUT_CALL = "limit-without-call", Hint;
    GRAPHICS_CONDITION = "graphics-condition", Hint;
    NO_SUCH_ENCODING = "no-such-encoding", Warning;
    NO_INSTRUCTIONS = "no-instructions", Warning;

    // Inline PTX in host languages.

    ASM_OPERAND_INDEX = "asm-operand-index", Error;
    ASM_UNUSED_OPERAND = "asm-unused-operand", Warning;
    ASM_CONSTRAINT_TYPE = "asm-constraint-type", Error;
    ASM_OUTPUT_READ = "asm-output-read", Error;
    ASM_INPUT_WRITTEN = "asm-input-written", Error;
    ASM_REPEATED_OPERAND = "asm-repeated-operand", Warning;
    ASM_LABEL = "asm-label", Warning;
    ASM_COMMENT = "asm-comment", Warning;
    ASM_ADDRESS_SPACE = "asm-address-space", Error;
    ASM_VOLATILE = "asm-volatile", Warning;
    ASM_MEMORY_CLOBBER = "asm-memory-clobber", Warning;
    ASM_CLOBBER = "asm-clobber", Error;
    ASM_EARLY_CLOBBER = "asm-early-clobber", Hint;
    ASM_CONVERGENT = "asm-convergent", Error;
    ASM_CTA_GROUP = "asm-cta-group", Error;

    // Lints: correct code that can be made cheaper.

    BRANCH_FOR_SELECT = "branch-for-select", Hint;
    BRANCH_FOR_BREAK = "branch-for-break", Hint;
    BRANCH_FOR_CONTINUE = "branch-for-continue", Hint;
    NESTED_BRANCH = "nested-branch", Hint;
    BRANCH_FOR_PREDICATE = "branch-for-predicate", Hint;
}

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
pub fn code(name: &str) -> Option<&'static Code> {
    let renamed = RENAMED.iter().find(|(former, _)| *former == name);
    let name = renamed.map_or(name, |(_, present)| present);
    TABLE.iter().find(|code| code.name == name)
}
