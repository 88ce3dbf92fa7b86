//! What a mnemonic with its suffixes names: the longest part that is an instruction, and what is left over.

use smol_str::SmolStr;
use warplens_isa::wave as isa;

use super::model::Entry;

/// A mnemonic taken apart.
pub(crate) struct Mnemonic {
    /// The part that is the instruction's name, or all of it.
    pub(crate) name: SmolStr,
    pub(crate) entry: Option<Entry>,
    /// How many suffixes the name took.
    pub(crate) taken: usize,
}

impl Mnemonic {
    /// Looks `word` with its `suffixes` up: all of them first, then fewer.
    pub(crate) fn of<S: AsRef<str>>(word: &str, suffixes: &[S]) -> Mnemonic {
        if suffixes.is_empty() {
            return Mnemonic { name: word.into(), entry: isa::instruction(word).map(Entry), taken: 0 };
        }
        for taken in (0..=suffixes.len()).rev() {
            let name: SmolStr =
                std::iter::once(word).chain(suffixes[..taken].iter().map(AsRef::as_ref)).collect();
            if let Some(entry) = isa::instruction(&name) {
                return Mnemonic { name, entry: Some(Entry(entry)), taken };
            }
        }
        let name = std::iter::once(word).chain(suffixes.iter().map(AsRef::as_ref)).collect();
        Mnemonic { name, entry: None, taken: suffixes.len() }
    }
}

/// What was probably meant by a name that is no instruction.
pub(crate) fn meant(name: &str) -> Option<SmolStr> {
    let lower = name.to_ascii_lowercase();
    if isa::instruction(&lower).is_some() {
        return Some(lower.into());
    }
    let prefixed = format!("wave_{lower}");
    if isa::instruction(&prefixed).is_some() {
        return Some(prefixed.into());
    }
    if let Some(spelling) = isa::spelling(name) {
        return (!spelling.write.is_empty()).then(|| spelling.write.into());
    }
    let near = isa::instructions().iter().flat_map(|entry| [Some(entry.mnemonic), entry.toolchain]);
    near.flatten().find(|known| one_slip(known, &lower)).map(SmolStr::new_static)
}

/// Whether `b` is `a` with one character missing, added, changed, or swapped with its neighbour.
fn one_slip(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 1 || a.len() < 3 {
        return false;
    }
    let same_start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - same_end], &b[..b.len() - same_end]);
    match (a, b) {
        ([x, y], [z, w]) => x == w && y == z,
        (a, b) => a.len() <= 1 && b.len() <= 1,
    }
}
