//! Recordings of GPUs in `tests/fixtures/gpu`, which `tests/gpu/record.py` writes, and the logs of its
//! lane-mask probes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::hex;

/// The size of a probe's log: a count, then entries of a point and a mask.
pub const LOG_BYTES: u64 = 8 + 8 * 511;

/// A point of a probe, and the mask of the lanes that reached it together.
pub type Entry = (u32, u32);

/// The recorded results of one GPU.
pub struct Recording(Value);

impl Recording {
    pub fn all() -> Vec<Recording> {
        let read = |path: PathBuf| serde_json::from_str(&fs::read_to_string(path).expect("readable"));
        files("tests/fixtures/gpu", "json")
            .into_iter()
            .map(|path| Recording(read(path).expect("JSON")))
            .collect()
    }

    pub fn device(&self) -> &str {
        self.0["device"].as_str().expect("a name")
    }

    /// The final bytes of a launch's buffers: `None` if the device did not run it, and an inner `None` for a
    /// buffer that it left unchanged.
    pub fn buffers(&self, launch: &str) -> Option<Vec<Option<Vec<u8>>>> {
        let buffers = self.0["launches"][launch]["buffers"].as_array()?;
        Some(buffers.iter().map(|bytes| bytes.as_str().map(hex)).collect())
    }

    pub fn probe(&self, name: &str) -> Vec<Entry> {
        let buffers = self.buffers(&format!("probe/{name}")).expect("a recorded probe");
        entries(buffers[0].as_ref().expect("a log"))
    }
}

/// The entries of a log, in the order in which they were written.
pub fn entries(log: &[u8]) -> Vec<Entry> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let count = word(&log[..4]) as usize;
    let entries = log[8..].chunks_exact(8).take(count);
    entries.map(|entry| (word(&entry[..4]), word(&entry[4..]))).collect()
}

/// The files in a folder of the project that have an extension, sorted.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let listing = fs::read_dir(folder).expect("the folder");
    let paths = listing.map(|entry| entry.expect("readable").path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}

pub fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).expect("a file")
}
