//! The line of the source that a statement was compiled from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use smol_str::SmolStr;

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileLine {
    /// The path of the file as the compiler recorded it.
    #[serde(serialize_with = "text")]
    #[schemars(with = "String")]
    #[cfg_attr(test, ts(type = "string"))]
    pub file: SmolStr,
    /// From 1.
    pub line: u64,
}

/// The source line of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct SourceLine {
    /// The innermost line that is not in a library: a header, or a module of Triton.
    #[serde(flatten)]
    pub line: FileLine,
    /// The line of an inlined header function, if the statement is in one.
    #[serde(rename = "inlined", skip_serializing_if = "Option::is_none")]
    pub header: Option<FileLine>,
    /// The position in that line.
    #[serde(skip)]
    pub column: u64,
}

impl SourceLine {
    /// The source line of a statement at `here`; `outside` is the innermost line around it that is not in a library header.
    pub(crate) fn new(here: FileLine, outside: Option<FileLine>, column: u64) -> SourceLine {
        let line = outside.unwrap_or_else(|| here.clone());
        let header = Some(here).filter(|here| *here != line);
        SourceLine { line, header, column }
    }
}

impl FileLine {
    pub(crate) fn is_in_header(&self) -> bool {
        let name = self.name();
        const LIBRARIES: [&str; 4] =
            ["/include/", "/triton/language/", "/triton/experimental/", "/site-packages/"];
        LIBRARIES.iter().any(|folder| self.file.contains(folder))
            || [".h", ".hpp", ".inl"].iter().any(|extension| name.ends_with(extension))
            || !name.contains('.')
    }

    fn name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}

/// `reduce.cu:41`
impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name(), self.line)
    }
}

/// `reduce.cu:41 (inlined: cooperative_groups.h:542)`
impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.line)?;
        self.header.as_ref().map_or(Ok(()), |header| write!(f, " (inlined: {header})"))
    }
}

pub(super) fn text<S: Serializer>(text: &SmolStr, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}
