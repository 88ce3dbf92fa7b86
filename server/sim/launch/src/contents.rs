//! The initial contents of a buffer.

use std::error::Error;

use warplens_sim_warp::Cancelled;
use warplens_sim_warp::scalar_type::ScalarType;

use super::model::{Buffer, Contents, Fill};

/// Reads a file that a launch names.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, Box<dyn Error>>;

/// Buffers that have this size together, in bytes, are filled when a run starts, which can be cancelled; until then they take no
/// memory. Smaller ones are copied, which is faster.
const DEFERRED: u64 = 64 << 20;

/// Elements that are generated at a time.
const CHUNK: usize = 4096;

/// The length of a buffer in bytes; `None` if its file gives it.
pub(crate) fn size(buffer: &Buffer) -> Option<u64> {
    let element = buffer.element.bytes() as u64;
    match &buffer.contents {
        Contents::Filled { len, .. } => Some(len.saturating_mul(element)),
        Contents::Values(values) => Some(values.len() as u64 * element),
        Contents::Bytes(bytes) => Some(bytes.len() as u64),
        Contents::File(_) => None,
    }
}

/// What a run fills the buffer with when it starts; memory is zero until then. `together` is the size of all buffers.
pub(crate) fn deferred(buffer: &Buffer, together: u64) -> Option<Fill> {
    match buffer.contents {
        Contents::Filled { fill, .. } => (fill == Fill::Zero || together >= DEFERRED).then_some(fill),
        Contents::Values(_) | Contents::Bytes(_) | Contents::File(_) => None,
    }
}

/// The initial bytes of `buffer`; an error if there are more than `max_bytes`.
pub fn build(buffer: &Buffer, max_bytes: u64, read_file: FileReader<'_>) -> Result<Vec<u8>, String> {
    let element = buffer.element;
    if let Some(size) = size(buffer).filter(|size| *size > max_bytes) {
        return Err(too_large(size, max_bytes));
    }
    let bytes = match &buffer.contents {
        Contents::Filled { len, fill } => {
            let mut bytes = vec![0; *len as usize * element.bytes()];
            write(*fill, element, &mut bytes);
            bytes
        }
        Contents::Values(values) => {
            let mut bytes = Vec::with_capacity(values.len() * element.bytes());
            values.iter().for_each(|bits| element.write(*bits, &mut bytes));
            bytes
        }
        Contents::Bytes(bytes) => bytes.clone(),
        Contents::File(path) => read_file(path).map_err(|error| error.to_string())?,
    };
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(bytes.len() as u64, max_bytes));
    }
    match bytes.len() % element.bytes() {
        0 => Ok(bytes),
        _ => Err(format!(
            "{} bytes are not a whole number of {element} elements ({} bytes each)",
            bytes.len(),
            element.bytes()
        )),
    }
}

pub(crate) fn too_large(size: u64, max_bytes: u64) -> String {
    format!("the buffer requires {size} bytes, the limit is {max_bytes}: make it shorter")
}

/// Writes a pattern to memory that is zero.
pub(crate) fn write(fill: Fill, element: ScalarType, memory: &mut [u8]) {
    let _always = write_unless(&|| false, fill, element, memory);
}

/// Writes a pattern to memory that is zero, which takes seconds for a gigabyte.
pub(crate) fn write_unless(
    cancelled: &dyn Fn() -> bool,
    fill: Fill,
    element: ScalarType,
    memory: &mut [u8],
) -> Result<(), Cancelled> {
    let mut random = match fill {
        Fill::Zero => return Ok(()),
        Fill::Random { seed } => SplitMix64(seed),
        Fill::Iota | Fill::Value(_) => SplitMix64(0),
    };
    let mut next = |index: u64| match fill {
        Fill::Zero => 0,
        Fill::Iota => element.iota(index),
        Fill::Value(bits) => bits,
        Fill::Random { .. } => element.random(random.next()),
    };
    let size = element.bytes();
    let mut bytes = Vec::with_capacity(CHUNK * size);
    for (first, target) in (0..).step_by(CHUNK).zip(memory.chunks_mut(CHUNK * size)) {
        if cancelled() {
            return Err(Cancelled);
        }
        bytes.clear();
        let count = (target.len() / size) as u64;
        (first..first + count).for_each(|index| element.write(next(index), &mut bytes));
        target.copy_from_slice(&bytes);
    }
    Ok(())
}

/// SplitMix64 by Steele, Lea and Flood. Every implementation gives the same numbers for the same seed.
#[derive(Debug, Clone)]
pub struct SplitMix64(
    /// The state, initially the seed.
    pub u64,
);

impl SplitMix64 {
    #[allow(clippy::should_implement_trait, reason = "it never ends, so it is not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::argument;
    use crate::model::{Passed, hex};

    fn bytes(flag: &str) -> String {
        match argument(flag).unwrap().passed {
            Passed::Buffer(buffer) => match build(&buffer, 1 << 20, &|path| Err(format!("no {path}").into()))
            {
                Ok(bytes) => hex(&bytes),
                Err(message) => message,
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn fills() {
        assert_eq!(bytes("u16[3]"), "000000000000");
        assert_eq!(bytes("u16[3]:iota"), "000001000200");
        assert_eq!(bytes("f32[3]:iota"), "000000000000803f00000040");
        assert_eq!(bytes("u8[2]:7"), "0707");
        assert_eq!(bytes("f16:[1,-2]"), "003c00c0");
        assert_eq!(
            bytes("u8[300]:iota")[510..],
            *"ff000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b"
        );
    }

    /// The published test vector of SplitMix64 with seed 1234567.
    #[test]
    fn random_is_split_mix_64() {
        let mut random = SplitMix64(1234567);
        assert_eq!(random.next(), 6457827717110365317);
        assert_eq!(random.next(), 3203168211198807973);
        assert_eq!(random.next(), 9817491932198370423);
    }

    #[test]
    fn limits_and_files() {
        assert_eq!(
            bytes("f64[1000000]"),
            "the buffer requires 8000000 bytes, the limit is 1048576: make it shorter"
        );
        let file = |element| Buffer { element, contents: Contents::File("y.bin".to_owned()) };
        use warplens_sim_warp::scalar_type::ScalarType::{U8, U32};
        assert_eq!(build(&file(U8), 9, &|_| Ok(vec![1, 2, 3])), Ok(vec![1, 2, 3]));
        assert!(build(&file(U32), 9, &|_| Ok(vec![1, 2, 3])).is_err());
        assert_eq!(build(&file(U8), 9, &|path| Err(format!("no {path}").into())), Err("no y.bin".to_owned()));
    }
}
