//! The initial texts: the examples, and the corpora next to the repository if present.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fastrand::Rng;
use warplens_test_support::shared_if_present;

/// A text of a language.
pub(crate) struct Text {
    /// The id of the language in the protocol.
    pub(crate) language: &'static str,
    /// The file extension.
    pub(crate) extension: &'static str,
    pub(crate) text: String,
}

/// The maximum size of a text in bytes, so that cases are short.
const MAX_BYTES: u64 = 24_000;

/// The maximum number of texts per language.
const MAX_TEXTS: usize = 400;

static ALL: LazyLock<[Vec<Text>; 3]> = LazyLock::new(|| {
    [
        texts(
            "ptx",
            "ptx",
            include_str!("../../../examples/divergence.ptx"),
            &["ptx", "ptx-exec", "ptx-invalid", "prove"],
        ),
        texts("wave-asm", "wave", include_str!("../../../examples/divergence.wave"), &["wave"]),
        texts("cuda-sass", "sass", LISTING, &["sass", "sass-exec"]),
    ]
});

/// A listing, in case the corpora are not present.
const LISTING: &str = "\
\t\tFunction : k
\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)\"
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
        /*0020*/                   ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x168], PT ;
        /*0030*/               @P0 EXIT ;
        /*0040*/                   MOV R3, 0x4 ;
        /*0050*/                   IMAD.WIDE.U32 R2, R0, R3, c[0x0][0x160] ;
        /*0060*/                   STG.E [R2.64], R0 ;
        /*0070*/                   EXIT ;
        /*0080*/                   BRA 0x80;
";

/// The texts, with one list per language.
pub(crate) fn all() -> &'static [Vec<Text>; 3] {
    &ALL
}

/// A text of any language.
pub(crate) fn any(rng: &mut Rng) -> &'static Text {
    let texts = &ALL[rng.usize(..3)];
    &texts[rng.usize(..texts.len())]
}

/// A kernel of at least this many bytes, which repeats its body in many blocks.
pub(crate) fn long_kernel(bytes: usize, rng: &mut Rng) -> Text {
    let kernels: Vec<_> = ALL[0].iter().filter_map(|text| only_kernel(&text.text)).collect();
    let [before, body, after] = kernels[rng.usize(..kernels.len())];
    let blocks = format!("{{{body}}}\n").repeat(bytes / body.len() + 1);
    Text { language: "ptx", extension: "ptx", text: format!("{before}\n{{\n{blocks}}}{after}") }
}

/// Splits a text with one kernel and no function into the text before the body, the body, and the text after
/// it.
fn only_kernel(text: &str) -> Option<[&str; 3]> {
    let is_only = text.matches(".entry").count() == 1 && !text.contains(".func");
    let (before, rest) = text.split_once("\n{").filter(|_| is_only)?;
    let (body, after) = rest.rsplit_once('}')?;
    Some([before, body, after])
}

fn texts(language: &'static str, extension: &'static str, own: &str, folders: &[&str]) -> Vec<Text> {
    let mut paths = Vec::new();
    let present = |folder: &&str| shared_if_present(&format!("corpus/{folder}"));
    for folder in folders.iter().filter_map(present) {
        collect(&folder, extension, &mut paths);
    }
    paths.sort();
    let step = paths.len().div_ceil(MAX_TEXTS).max(1);
    let read = paths.iter().step_by(step).filter_map(|path| fs::read_to_string(path).ok());
    let text = |text: String| Text { language, extension, text };
    std::iter::once(own.to_owned()).chain(read).map(text).collect()
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, extension, paths);
        } else if path.extension().is_some_and(|found| found == extension)
            && entry.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES)
        {
            paths.push(path);
        }
    }
}
