//! The target of a PTX module, which is passed to the assembler.

use std::borrow::Cow;

/// Finds the target, such as `sm_90a`, in the `.target` line. It needs no syntax tree, because the assembler
/// also runs on text with errors.
pub(crate) fn ptx_target<'t>(mut lines: impl Iterator<Item = Cow<'t, str>>) -> Option<String> {
    lines.find_map(|line| {
        let names = line.trim_start().strip_prefix(".target")?.to_owned();
        let mut words = names.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.find(|word| word.starts_with("sm_")).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let of = |text: &str| ptx_target(text.lines().map(Cow::Borrowed));
        assert_eq!(of(".version 8.5\n.target sm_90a, debug\n").as_deref(), Some("sm_90a"));
        assert_eq!(of("// .target sm_20\n  .target sm_100f\n").as_deref(), Some("sm_100f"));
        assert_eq!(of(".target\ttexmode_independent, sm_80 // sm_70\n").as_deref(), Some("sm_80"));
        assert_eq!(of(".version 8.5\n"), None);
    }
}
