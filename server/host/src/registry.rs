//! The registry: the only list of the host languages.

use crate::launches::HostLaunch;
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
    launches: Option<Launches>,
}

/// How the launches of a file are found.
#[derive(Debug)]
struct Launches {
    /// Without one of these words, a file has no launch.
    words: &'static [&'static str],
    scan: fn(&str) -> Vec<HostLaunch>,
}

const OF_C: Option<Launches> =
    Some(Launches { words: &["<<<", "LaunchKernel", "LaunchCooperativeKernel"], scan: c::launches });

pub static HOSTS: &[Host] = &[
    Host { id: "cuda-cpp", extensions: &["cu", "cuh"], words: &["asm"], scan: c::statements, launches: OF_C },
    Host {
        id: "cpp",
        extensions: &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h", "inl", "ipp", "inc", "tpp"],
        words: &["asm"],
        scan: c::statements,
        launches: OF_C,
    },
    Host { id: "c", extensions: &["c"], words: &["asm"], scan: c::statements, launches: OF_C },
    Host { id: "rust", extensions: &["rs"], words: &["asm!"], scan: rust::statements, launches: None },
    Host {
        id: "python",
        extensions: &["py"],
        words: &["inline_asm", "InlineAsm"],
        scan: python::statements,
        launches: Some(Launches { words: &["triton", "gluon", "numba"], scan: python::launches }),
    },
    Host { id: "julia", extensions: &["jl"], words: &["@asmcall"], scan: julia::statements, launches: None },
    Host {
        id: "mojo",
        extensions: &["mojo", "🔥"],
        words: &["inlined_assembly"],
        scan: mojo::statements,
        launches: None,
    },
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
        has_word(text, self.words)
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

    /// Whether code of the language launches kernels.
    pub fn has_launches(&self) -> bool {
        self.launches.is_some()
    }

    /// The launches of kernels whose sizes a file says, in text order.
    pub fn launches(&self, text: &str) -> Vec<HostLaunch> {
        let found = self.launches.as_ref().filter(|launches| has_word(text, launches.words));
        found.map_or_else(Vec::new, |launches| (launches.scan)(text))
    }
}

fn has_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
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
