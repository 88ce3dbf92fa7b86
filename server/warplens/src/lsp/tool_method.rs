//! The requests that run external tools, or a whole comparison.

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolMethod {
    Listing,
    Assemble,
    Targets,
    Compare,
}

impl ToolMethod {
    /// The request with this name.
    pub(crate) fn from_name(method: &str) -> Option<ToolMethod> {
        Some(match method {
            "warplens/listing" => ToolMethod::Listing,
            "warplens/assemble" => ToolMethod::Assemble,
            "warplens/targets" => ToolMethod::Targets,
            "warplens/compare" => ToolMethod::Compare,
            _ => return None,
        })
    }
}
