//! Splits a name into its mnemonic, which is the longest prefix that is an instruction, and the remaining
//! suffixes.

use smol_str::SmolStr;
use warplens_isa::wave as isa;

use super::model::Entry;

/// A name split into its mnemonic and suffixes.
pub(crate) struct Mnemonic {
    /// The mnemonic, or the whole name if it is unknown.
    pub(crate) name: SmolStr,
    pub(crate) entry: Option<Entry>,
    /// The number of suffixes that belong to the mnemonic.
    pub(crate) taken: usize,
}

impl Mnemonic {
    /// Looks up `word` with all of its `suffixes`, then with fewer and fewer.
    pub(crate) fn of<S: AsRef<str>>(word: &str, suffixes: &[S]) -> Mnemonic {
        for taken in (1..=suffixes.len()).rev() {
            if let Some(known) = isa::named_instruction(&joined(word, &suffixes[..taken])) {
                return Mnemonic::known(known, taken);
            }
        }
        match isa::named_instruction(word) {
            Some(known) => Mnemonic::known(known, 0),
            None => Mnemonic { name: joined(word, suffixes), entry: None, taken: suffixes.len() },
        }
    }

    /// Uses the name in the tables, which need not be copied.
    fn known((name, entry): (&'static str, &'static isa::Instruction), taken: usize) -> Mnemonic {
        Mnemonic { name: SmolStr::new_static(name), entry: Some(Entry(entry)), taken }
    }
}

fn joined<S: AsRef<str>>(word: &str, suffixes: &[S]) -> SmolStr {
    std::iter::once(word).chain(suffixes.iter().map(AsRef::as_ref)).collect()
}

/// The instruction most similar to an unknown name. It never suggests an instruction on values of another
/// type: `fcmp_ge` is not `icmp_ge`.
pub(crate) fn meant(name: &str) -> Option<SmolStr> {
    let lower = name.to_ascii_lowercase();
    if isa::instruction(&lower).is_some() {
        return Some(lower.into());
    }
    let prefixed = format!("wave_{lower}");
    if isa::instruction(&prefixed).is_some() {
        return Some(prefixed.into());
    }
    if let Some(known) = isa::invalid_name(name).or_else(|| isa::invalid_name(&lower)) {
        return (!known.write.is_empty()).then(|| known.write.into());
    }
    joined_otherwise(&lower).or_else(|| near(&lower).map(SmolStr::new_static))
}

fn known() -> impl Iterator<Item = &'static str> {
    isa::instructions().flat_map(|entry| [Some(entry.mnemonic), entry.toolchain]).flatten()
}

/// The instruction with the same words, joined by other dots and underscores. A scope or a hint may follow
/// it.
fn joined_otherwise(name: &str) -> Option<SmolStr> {
    let same = |known: &str, name: &str| {
        known.len() == name.len()
            && known.bytes().zip(name.bytes()).all(|(a, b)| a == b || (is_joint(a) && is_joint(b)))
    };
    if let Some(known) = known().find(|known| same(known, name)) {
        return Some(SmolStr::new_static(known));
    }
    let (front, last) = name.rsplit_once('.')?;
    let is_suffix = isa::scope(last).is_some() || isa::cache_hint(&name[front.len()..]).is_some();
    let known = known().find(|known| is_suffix && same(known, front))?;
    Some(smol_str::format_smolstr!("{known}.{last}"))
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b'.' | b'_')
}

/// The instruction that only lacks its type in front, as `sqrt` for `fsqrt`, or else one that is a single
/// typo away.
fn near(name: &str) -> Option<&'static str> {
    let typed = |known: &&str| known.strip_prefix(TYPES) == Some(name);
    let slipped = |known: &&str| one_slip(known, name) && !is_retyped(known, name);
    known().find(typed).or_else(|| known().find(slipped))
}

/// The letters that begin a name with the type of its values: signed and unsigned integers, f32, f16, f64,
/// bf16.
const TYPES: [char; 6] = ['i', 'u', 'f', 'h', 'd', 'b'];

/// Whether two names differ only in their types.
fn is_retyped(a: &str, b: &str) -> bool {
    a.strip_prefix(TYPES).is_some_and(|rest| b.strip_prefix(TYPES) == Some(rest))
}

/// Whether `b` is `a` with one character missing, added, changed, or swapped with its neighbor.
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

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn what_others_write_leads_to_what_is_meant() {
        let pairs = [
            ("IADD", "iadd"),
            ("ballot", "wave_ballot"),
            ("mov_special", "mov_sr"),
            ("exit", "halt"),
            ("device_load", "device_load.u32"),
            ("rsqrt", "frsqrt"),
            ("sqrt", "fsqrt"),
            ("add", "iadd"),
            ("fmad", "fma"),
            ("popc", "bitcount"),
            ("fi", "endif"),
            ("end_loop", "endloop"),
            ("brea", "break"),
        ];
        for (written, write) in pairs {
            assert_eq!(meant(written).as_deref(), Some(write), "{written}");
        }
    }

    #[test]
    fn dots_and_underscores_are_easily_confused() {
        let pairs = [
            ("fcmp_ge", "fcmp.ge"),
            ("ucmp_eq", "ucmp.eq"),
            ("cvt.f32.i32", "cvt_f32_i32"),
            ("device.load.u32", "device_load.u32"),
            ("fence.release.device", "fence_release.device"),
            ("device.load.u32.cached", "device_load.u32.cached"),
        ];
        for (written, write) in pairs {
            assert_eq!(meant(written).as_deref(), Some(write), "{written}");
        }
    }

    #[test]
    fn values_of_another_type_are_not_meant() {
        for written in ["udiv", "atomic_fadd", "hsqrt", "frobnicate", "device.load.u32.nonsense"] {
            assert_eq!(meant(written), None, "{written}");
        }
    }
}
