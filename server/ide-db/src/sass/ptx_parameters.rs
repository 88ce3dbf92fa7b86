//! The PTX parameters of a kernel. The PTX is in the listing's own file if that contains both (`cuobjdump
//! -ptx -sass` prints both), or else in the PTX file that the listing was assembled from.
//!
//! The grammar of listings treats PTX as prose, so its entries are found by text search.

use indexmap::IndexSet;
use smol_str::SmolStr;

use crate::db::{Db, File};

/// Starts a comment about the source of instructions.
const FILE_COMMENT: &str = "//## File \"";

const PTX_EXTENSION: &str = ".ptx";

/// The parameter names of an entry in the PTX of a file, in order.
pub fn ptx_parameters(db: &dyn Db, file: File, entry: &str) -> Vec<SmolStr> {
    parameters_in(&file.document(db).items().text(), entry)
}

/// The PTX files that a listing's comments name: `//## File "saxpy.ptx", line 3`.
pub fn ptx_files(text: &str) -> Vec<SmolStr> {
    let rest = text.match_indices(FILE_COMMENT).map(|(at, start)| &text[at + start.len()..]);
    let names = rest.map(|rest| rest.split(['"', '\n']).next().unwrap_or_default());
    let files: IndexSet<&str> = names.filter(|name| name.ends_with(PTX_EXTENSION)).collect();
    files.into_iter().map(SmolStr::new).collect()
}

/// The parameter names of an entry in a text that contains PTX, in order.
pub fn parameters_in(text: &str, entry: &str) -> Vec<SmolStr> {
    let header = text.match_indices(".entry").find_map(|(at, word)| {
        let rest = text[at + word.len()..].trim_start().strip_prefix(entry)?.trim_start();
        rest.strip_prefix('(')?.split_once(')').map(|(header, _)| header)
    });
    let of_parameter = |parameter: &str| {
        let name = parameter.split('[').next()?.split_whitespace().last()?;
        (parameter.contains(".param") && !name.starts_with('.')).then(|| SmolStr::new(name))
    };
    header.map_or_else(Vec::new, |header| header.split(',').filter_map(of_parameter).collect())
}

#[cfg(test)]
mod tests {
    use super::{parameters_in as parameters, ptx_files};

    const PTX: &str = ".entry other(.param .u32 n) { ret; }
.visible .entry k(
\t.param .u64 .ptr .global .align 4 out,
\t.param .align 8 .b8 shape[24]
)
{ ret; }
.entry none() { ret; }";

    #[test]
    fn parameters_have_their_names() {
        assert_eq!(parameters(PTX, "k"), ["out", "shape"]);
        assert_eq!(parameters(PTX, "other"), ["n"]);
        assert!(parameters(PTX, "none").is_empty() && parameters(PTX, "ot").is_empty());
        assert!(parameters(".entry k(", "k").is_empty() && parameters("", "k").is_empty());
    }

    #[test]
    fn comments_name_ptx_files() {
        let text = "//## File \"/a/k.ptx\", line 1\n//## File \".nv_debug_ptx_txt\", line 1\n//## File \"k.cu\", line 2\n";
        let again = "//## File \"/a/k.ptx\", line 9\n//## File \"b.ptx";
        assert_eq!(ptx_files(&format!("{text}{again}")), ["/a/k.ptx", "b.ptx"]);
    }
}
