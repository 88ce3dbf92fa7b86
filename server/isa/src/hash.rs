//! The hash of the name tables. The generator includes this file too, so the function that lays out the tables is the one that searches them.

/// Hashes `key`; each `seed` gives another function.
pub(crate) const fn hash(key: &str, seed: u32) -> u32 {
    let bytes = key.as_bytes();
    let mut hash = 0x811c_9dc5_u32 ^ seed.wrapping_mul(0x9e37_79b9);
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b);
    hash ^ (hash >> 13)
}
