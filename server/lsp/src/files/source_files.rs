//! Finds the source files that a document was compiled from.

use std::cell::OnceCell;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use warplens_host::{HOSTS, Host, by_extension};
use warplens_ide::lanes::HostFile;

use crate::documents::snapshot::Snapshot;
use crate::files::file_names;
use warplens_system::disk::read_file;

/// The limit of a source file in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// The most files in debug information that are searched for launches. The headers of CUDA are far more.
const MAX_STATED: usize = 32;

/// Finds the files that a document was compiled from. Links are resolved: a file outside of the workspace is never found, because a
/// workspace of others could show its contents, or just that it exists.
pub(crate) struct Search {
    document: Option<PathBuf>,
    /// The folders of the workspace.
    workspace: Vec<PathBuf>,
    /// The resolved folders in which files are found: those of the workspace, or the folder of a document that is opened without one.
    roots: OnceCell<Vec<PathBuf>>,
}

impl Search {
    pub(crate) fn of(snapshot: &Snapshot) -> Search {
        let document = snapshot.uri.to_file_path().map(std::borrow::Cow::into_owned);
        Search::new(document, snapshot.folders.to_vec())
    }

    pub(crate) fn new(document: Option<PathBuf>, workspace: Vec<PathBuf>) -> Search {
        Search { document, workspace, roots: OnceCell::new() }
    }

    /// The file that a path in debug information names. If `origin` is an extension, it is the file of that extension beside the document.
    pub(crate) fn find(&self, path: &str, origin: Option<&str>) -> Option<PathBuf> {
        match origin {
            Some(extension) => self.origin(extension),
            None => self.named(path),
        }
    }

    /// The file that a path in debug information means: at that path, or of that name beside the document or in the workspace.
    pub(crate) fn named(&self, path: &str) -> Option<PathBuf> {
        let name = path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())?;
        let beside = self.folder().map(|folder| folder.join(name));
        below(&self.folders(), Path::new(path))
            .filter(|path| self.has(path))
            .or_else(|| beside.filter(|path| self.has(path)))
            .or_else(|| file_names::find(&self.workspace, name).filter(|path| self.has(path)))
    }

    /// The file beside the document that it was assembled from: `k.ptx` for `k.sass`, `k.ptx.sass` or `k.ptx.sm_90.sass`.
    pub(crate) fn origin(&self, extension: &str) -> Option<PathBuf> {
        let mut stem = self.document.clone()?;
        while stem.extension().is_some() {
            stem.set_extension("");
            let is_named = stem.extension().is_some_and(|found| found == extension);
            let candidates = [is_named.then(|| stem.clone()), Some(stem.with_added_extension(extension))];
            let found = candidates.into_iter().flatten().find(|path| self.has(path));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn folder(&self) -> Option<&Path> {
        self.document.as_deref().and_then(Path::parent)
    }

    /// First the folder of the document, then those of the workspace.
    fn folders(&self) -> Vec<PathBuf> {
        self.folder().map(Path::to_path_buf).into_iter().chain(self.workspace.iter().cloned()).collect()
    }

    /// Whether there is a regular file at a path, and it lies in the workspace.
    fn has(&self, path: &Path) -> bool {
        // A page has no links, and decides itself what it gives.
        if cfg!(target_family = "wasm") {
            return read_file::is_there(path);
        }
        let is_inside = |path: PathBuf| self.roots().iter().any(|root| path.starts_with(root));
        path.is_file() && path.canonicalize().is_ok_and(is_inside)
    }

    fn roots(&self) -> &[PathBuf] {
        self.roots.get_or_init(|| {
            let is_in =
                |folder: &PathBuf| self.document.as_ref().is_some_and(|path| path.starts_with(folder));
            let alone = self.folder().filter(|_| !self.workspace.iter().any(is_in));
            let folders = self.workspace.iter().map(PathBuf::as_path).chain(alone);
            folders.filter_map(|folder| folder.canonicalize().ok()).collect()
        })
    }
}

/// The host files of a document: those beside it under its name, and those that debug information names.
pub(crate) fn host_files(search: &Search, named: &[String]) -> Vec<HostFile> {
    let with_launches = || HOSTS.iter().filter(|host| host.has_launches());
    let beside =
        with_launches().flat_map(|host| host.extensions).filter_map(|extension| search.origin(extension));
    let host_of = |path: &Path| {
        let host = by_extension(path.extension()?.to_str()?)?;
        host.has_launches().then_some(host)
    };
    let stated = named.iter().filter(|path| host_of(Path::new(path)).is_some());
    let mut found: Vec<PathBuf> = Vec::new();
    for path in beside.chain(stated.take(MAX_STATED).filter_map(|path| search.named(path))) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    let read = |path: &PathBuf| host_file(path, host_of(path)?);
    found.iter().filter_map(read).collect()
}

/// A host file that was read, and when it was written and how large it was then.
struct Kept {
    path: PathBuf,
    stamp: (SystemTime, u64),
    file: HostFile,
}

/// The host files that were read last: lenses and lists of launches ask for them again and again.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// Reads a host file, unless it is as it was when it was read last.
fn host_file(path: &Path, host: &'static Host) -> Option<HostFile> {
    let stamp = path.metadata().ok().and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept().iter().find(|kept| kept.path == path && Some(kept.stamp) == stamp) {
        return Some(found.file.clone());
    }
    let file = HostFile::new(path.to_string_lossy().into_owned().into(), host, text(path)?.into());
    if let Some(stamp) = stamp {
        let mut kept = kept();
        kept.retain(|kept| kept.path != path);
        kept.insert(0, Kept { path: path.to_owned(), stamp, file: file.clone() });
        kept.truncate(MAX_STATED);
    }
    Some(file)
}

pub(crate) fn text(path: &Path) -> Option<String> {
    let bytes = read_file::read(path, MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A line of a file, counted from 1.
pub(crate) fn line(path: &Path, line: u32) -> Option<String> {
    text(path)?.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
}

/// The path, if it lies in one of the folders. Files elsewhere are not looked up: a link would reveal that the file exists, and a path on
/// another computer would cause network access.
fn below(folders: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let path = folders.first()?.join(path);
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    folders.iter().any(|folder| normal.starts_with(folder)).then_some(normal)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_beside_the_document_under_its_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.ptx"), "").unwrap();
        std::fs::write(folder.path().join("k"), "").unwrap();
        let origin = |name: &str| {
            let search = Search::new(Some(folder.path().join(name)), Vec::new());
            let found = search.origin("ptx")?;
            Some(found.file_name()?.to_str()?.to_owned())
        };
        for name in ["k.sass", "k.ptx.sass", "k.ptx.sm_90a.sass"] {
            assert_eq!(origin(name).as_deref(), Some("k.ptx"), "{name}");
        }
        assert_eq!(origin("other.sass"), None);
        assert_eq!(origin("k"), None);
    }

    #[test]
    fn a_host_file_is_read_again_when_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let (code, document) = (folder.path().join("k.cu"), folder.path().join("k.ptx"));
        let search = Search::new(Some(document), Vec::new());
        let texts = || host_files(&search, &[]).into_iter().map(|file| file.text).collect::<Vec<_>>();
        std::fs::write(&code, "k<<<1, 32>>>();").unwrap();
        let (first, second) = (texts(), texts());
        assert!(std::ptr::eq(&*first[0], &*second[0]));
        std::fs::write(&code, "k<<<1, 128>>>();").unwrap();
        assert_eq!(*texts()[0], *"k<<<1, 128>>>();");
        std::fs::remove_file(&code).unwrap();
        assert!(texts().is_empty());
    }

    #[test]
    fn links_out_of_the_workspace_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (workspace, secret) = (folder.path().join("workspace"), folder.path().join("secret"));
        for folder in [workspace.join("inner"), secret.clone()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        for file in [secret.join("id_rsa"), secret.join("k.ptx"), workspace.join("inner/real.cu")] {
            std::fs::write(file, "text").unwrap();
        }
        let link =
            |target: &str, name: &str| std::os::unix::fs::symlink(target, workspace.join(name)).unwrap();
        link("../secret", "src");
        link("..", "up");
        link("../secret/id_rsa", "id_rsa");
        link("../secret/k.ptx", "k.ptx");
        link("inner/real.cu", "linked.cu");
        let search = Search::new(Some(workspace.join("k.sass")), vec![workspace.clone()]);
        for path in ["src/id_rsa", "up/secret/id_rsa", "inner/../src/id_rsa", "id_rsa", "/elsewhere/id_rsa"] {
            assert_eq!(search.named(path), None, "{path}");
        }
        assert_eq!(search.origin("ptx"), None);
        assert_eq!(search.named("linked.cu"), Some(workspace.join("linked.cu")));
        assert_eq!(search.named("/build/real.cu"), Some(workspace.join("inner/real.cu")));
        // A document behind such a link has no files beside it, and one that is opened alone has.
        let behind = Search::new(Some(workspace.join("src/k.sass")), vec![workspace.clone()]);
        assert_eq!((behind.origin("ptx"), behind.named("id_rsa")), (None, None));
        let alone = Search::new(Some(secret.join("k.sass")), vec![workspace]);
        assert_eq!(alone.origin("ptx"), Some(secret.join("k.ptx")));
    }

    #[test]
    fn only_paths_in_the_workspace_or_beside_the_document() {
        let folders = ["/home/ada/build", "/home/ada/src"].map(PathBuf::from);
        let below = |path: &str| below(&folders, Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(below("k.cu").as_deref(), Some("/home/ada/build/k.cu"));
        assert_eq!(below("../src/./k.cu").as_deref(), Some("/home/ada/src/k.cu"));
        assert_eq!(below("/home/ada/src/a/k.cu").as_deref(), Some("/home/ada/src/a/k.cu"));
        for path in [
            "/etc/passwd",
            "../k.cu",
            "/home/ada/src/../k.cu",
            "/home/ada/source/k.cu",
            "//server/share/k.cu",
        ] {
            assert_eq!(below(path), None, "{path}");
        }
    }
}
