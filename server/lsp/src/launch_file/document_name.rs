//! Whether the `file` of a launch names a document, by its path or by a pattern such as `kernels/*.ptx`.

use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf, Prefix};

use warplens_sim_launch::file_pattern;

/// Whether `file`, relative to `folder`, names `document`. Both paths are absolute and resolved.
pub(super) fn is(file: &str, folder: &Path, document: &Path) -> bool {
    // A launch file means the same on every system.
    let file = file.replace('\\', "/");
    let Some(path) = normal(&folder.join(&file)) else { return false };
    path == document || matches_pattern(&file, folder, document) || leads_to(&path, folder, document)
}

/// The path without `.` and `..`; `None` for a path on another computer, because looking it up would cause network access.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Prefix(prefix)
                if matches!(
                    prefix.kind(),
                    Prefix::UNC(..) | Prefix::VerbatimUNC(..) | Prefix::DeviceNS(_)
                ) =>
            {
                return None;
            }
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    Some(normal)
}

/// Whether a pattern matches: `*` and `?` within a folder, `**` across folders, `[ab]`, `{a,b}`.
fn matches_pattern(pattern: &str, folder: &Path, document: &Path) -> bool {
    if !file_pattern::is_pattern(pattern) || file_pattern::mistake(pattern).is_some() {
        return false;
    }
    let folder = literal(&folder.to_string_lossy());
    let Some(pattern) = normal(&Path::new(&folder).join(pattern)) else { return false };
    fast_glob::glob_match(with_slashes(&pattern), with_slashes(document))
}

/// The pattern that matches only this text: each special character is a class of its own.
fn literal(text: &str) -> String {
    let special = |char| "*?[]{}".contains(char);
    text.chars().map(|char| if special(char) { format!("[{char}]") } else { char.to_string() }).collect()
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

/// Whether the path leads to the document by symbolic links. Only paths with the name of the document or in the folder of the launch file
/// are looked up.
fn leads_to(path: &Path, folder: &Path, document: &Path) -> bool {
    let may_lead = path.file_name() == document.file_name() || path.starts_with(folder);
    let is_text = path.extension() == document.extension();
    may_lead && is_text && path.canonicalize().is_ok_and(|path| path == document)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn names(file: &str) -> bool {
        is(file, Path::new("/home/ada/launches"), Path::new("/home/ada/kernels/deep/k.ptx"))
    }

    #[test]
    fn paths_are_resolved() {
        for file in [
            "../kernels/deep/k.ptx",
            "./../launches/../kernels/./deep//k.ptx",
            "/home/ada/kernels/deep/k.ptx",
            "/home/ada/kernels/x/../deep/k.ptx",
            "..\\kernels\\deep\\k.ptx",
        ] {
            assert!(names(file), "{file}");
        }
        for file in ["k.ptx", "../kernels/k.ptx", "kernels/deep/k.ptx", "", "../kernels/deep", "~/k.ptx"] {
            assert!(!names(file), "{file}");
        }
    }

    #[test]
    fn patterns() {
        for file in [
            "../kernels/deep/*.ptx",
            "../kernels/*/k.ptx",
            "../**/k.ptx",
            "/home/ada/**",
            "../kernels/{deep,flat}/k.{ptx,wave}",
            "../kernels/deep/[jk].pt?",
        ] {
            assert!(names(file), "{file}");
        }
        for file in
            ["*.ptx", "../*.ptx", "../kernels/*.ptx", "../kernels/deep/[!k].ptx", "../kernels/[deep/k.ptx"]
        {
            assert!(!names(file), "{file}");
        }
    }

    #[test]
    fn a_pattern_with_a_mistake_matches_nothing() {
        let nested = format!("{}{}", "{".repeat(400), "}".repeat(400));
        for file in [nested, "[".to_owned(), "*".repeat(2000), "[\u{1}-\u{10ffff}]".repeat(200)] {
            assert!(!names(&file), "{file}");
        }
    }

    #[test]
    fn a_link_leads_to_its_target() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = folder.path().canonicalize().expect("it is there");
        std::fs::write(folder.join("k.ptx"), "").expect("it can be written");
        std::os::unix::fs::symlink("k.ptx", folder.join("link.ptx")).expect("a link can be made");
        assert!(is("link.ptx", &folder, &folder.join("k.ptx")));
        assert!(!is("other.ptx", &folder, &folder.join("k.ptx")));
    }

    #[test]
    fn special_characters_in_a_name_are_not_a_pattern() {
        assert!(is("k[1].ptx", Path::new("/home/ada"), Path::new("/home/ada/k[1].ptx")));
        assert!(is("*.ptx", Path::new("/home/ada/a[1]{b}"), Path::new("/home/ada/a[1]{b}/k.ptx")));
    }
}
