//! The words that structure PTX, classified by what they begin. The item scanner and the grammar both use
//! these lists, so that they agree on where things end.

/// The linkage words, which precede a function or a variable.
pub(super) fn is_linkage(word: &str) -> bool {
    matches!(word, ".visible" | ".extern" | ".weak" | ".common")
}

pub(super) fn is_function(word: &str) -> bool {
    matches!(word, ".entry" | ".func")
}

/// The words that begin a variable.
pub(super) fn is_state_space(word: &str) -> bool {
    matches!(
        word,
        ".reg" | ".sreg" | ".const" | ".global" | ".local" | ".param" | ".shared" | ".tex" | ".surf"
    )
}

/// The state spaces that are also modifiers of instructions.
pub(super) fn is_memory(word: &str) -> bool {
    matches!(word, ".const" | ".global" | ".local" | ".param" | ".shared")
}

/// Directives that end with their line rather than with a `;`.
pub(super) fn ends_with_line(word: &str) -> bool {
    matches!(word, ".version" | ".target" | ".address_size" | ".file" | ".loc")
}

/// Words of module items that are rare elsewhere. One of them at the start of a statement closes every open
/// body, unless it can be a statement there. A linkage word that begins a function does so too.
pub(super) fn is_module_only(word: &str) -> bool {
    is_function(word) || matches!(word, ".version" | ".target")
}

/// Words that begin an item no matter what precedes them on the lines above.
pub(super) fn begins_item(word: &str) -> bool {
    is_linkage(word)
        || is_function(word)
        || is_state_space(word)
        || ends_with_line(word)
        || matches!(word, ".section" | ".pragma" | ".alias")
}

/// Words that end stray code: they begin an item and are rare in a body.
pub(super) fn ends_stray_code(word: &str) -> bool {
    begins_item(word) && !matches!(word, ".reg" | ".local" | ".param" | ".pragma" | ".loc" | ".file")
}

/// Words that a body can start with. Before one of them the `{` of the body is missing.
pub(super) fn begins_body(word: &str) -> bool {
    matches!(word, ".reg" | ".local" | ".loc")
}

/// Words that begin another item of the module, so that the function before them has no body. Old compilers
/// wrote function declarations without a `;`.
pub(super) fn ends_header(word: &str) -> bool {
    matches!(word, ".global" | ".const" | ".shared" | ".tex" | ".surf" | ".file" | ".section" | ".alias")
}

pub(super) fn is_vector_size(word: &str) -> bool {
    matches!(word, ".v2" | ".v4" | ".v8")
}

/// Whether this is the name of a basic type without its dot.
pub(super) fn is_type_without_point(word: &str) -> bool {
    let Some(first) = word.chars().next() else { return false };
    word == "pred"
        || matches!(first, 'b' | 's' | 'u' | 'f') && matches!(&word[1..], "8" | "16" | "32" | "64" | "128")
}
