//! The PTX parameters of a kernel, where the file of the listing has the PTX too: `cuobjdump -ptx -sass` prints both.
//!
//! The PTX is prose to the grammar of listings, so its entries are found as text.

use smol_str::SmolStr;

use crate::db::{Db, File};

/// The names of the parameters of an entry in the PTX of a file, in order.
pub fn ptx_parameters(db: &dyn Db, file: File, entry: &str) -> Vec<SmolStr> {
    parameters(&file.document(db).items().text(), entry)
}

fn parameters(text: &str, entry: &str) -> Vec<SmolStr> {
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
    use super::parameters;

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
}
