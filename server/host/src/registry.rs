//! The registry: the only list of the host languages.

use crate::statement::Statement;
use crate::{c, julia, mojo, python, rust};

/// A language whose files may contain inline PTX.
#[derive(Debug)]
pub struct Host {
    /// The language id of editors.
    pub id: &'static str,
    /// File extensions without the dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Without one of these words, a file has no statement.
    words: &'static [&'static str],
    scan: fn(&str) -> Vec<Statement>,
}

pub static HOSTS: &[Host] = &[
    Host { id: "cuda-cpp", extensions: &["cu", "cuh"], words: &["asm"], scan: c::statements },
    Host {
        id: "cpp",
        extensions: &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h", "inl", "ipp", "inc", "tpp"],
        words: &["asm"],
        scan: c::statements,
    },
    Host { id: "c", extensions: &["c"], words: &["asm"], scan: c::statements },
    Host { id: "rust", extensions: &["rs"], words: &["asm!"], scan: rust::statements },
    Host { id: "python", extensions: &["py"], words: &["inline_asm", "InlineAsm"], scan: python::statements },
    Host { id: "julia", extensions: &["jl"], words: &["@asmcall"], scan: julia::statements },
    Host { id: "mojo", extensions: &["mojo", "🔥"], words: &["inlined_assembly"], scan: mojo::statements },
];

impl PartialEq for Host {
    fn eq(&self, other: &Host) -> bool {
        self.id == other.id
    }
}

impl Eq for Host {}

impl Host {
    /// Whether a file may have a statement, by a search for a few words.
    pub fn may_have_statements(&self, text: &str) -> bool {
        let has = |word: &&str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        self.words.iter().any(has)
    }

    /// Whether all code of the language that may have statements is for GPUs.
    pub fn is_of_gpus(&self) -> bool {
        !matches!(self.id, "c" | "cpp" | "rust")
    }

    /// The statements of a file, in text order.
    pub fn statements(&self, text: &str) -> Vec<Statement> {
        if !self.may_have_statements(text) {
            return Vec::new();
        }
        let mut found = (self.scan)(text);
        found.sort_by_key(|statement| statement.range.start);
        found
    }
}

/// The host of a file with this extension, given without its dot.
pub fn by_extension(extension: &str) -> Option<&'static Host> {
    let extension = extension.to_ascii_lowercase();
    HOSTS.iter().find(|host| host.extensions.contains(&extension.as_str()))
}

/// The host with this language id. Neovim and Emacs call CUDA `cuda`.
pub fn by_id(id: &str) -> Option<&'static Host> {
    let id = if id == "cuda" { "cuda-cpp" } else { id };
    HOSTS.iter().find(|host| host.id == id)
}
