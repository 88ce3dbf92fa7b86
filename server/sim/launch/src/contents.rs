//! The initial contents of a buffer.

use std::error::Error;

use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::{Cancelled, SplitMix64};

use super::model::{Buffer, Contents, Fill};

/// Reads a file that a launch names.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, Box<dyn Error>>;

/// Buffers that have this size together, in bytes, are filled when a run starts, which can be cancelled; until then they take no
/// memory. Smaller ones are copied, which is faster.
const DEFERRED: u64 = 64 << 20;

/// The bytes that a launch may generate: few characters must not take much time and memory.
pub(crate) const MAX_GENERATED: u64 = 256 << 20;

/// Elements that are generated at a time.
const CHUNK: usize = 4096;

/// The bits that a random float of 16 bits has at most, and the size in bytes from which a table of them is faster.
const FRACTION_BITS: u32 = 11;
const TABLED: usize = 64 << 10;

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
        Contents::Filled { fill, .. } => (fill.is_zero() || together >= DEFERRED).then_some(fill),
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

/// Whether the contents are more than zeros, and none that the launch gives element by element.
pub(crate) fn is_generated(buffer: &Buffer) -> bool {
    matches!(buffer.contents, Contents::Filled { fill, .. } if !fill.is_zero())
}

pub(crate) fn too_much(generated: u64) -> String {
    format!(
        "the buffers are filled with {generated} bytes, the limit is {MAX_GENERATED}: make them shorter, or use `zero`, `uninitialized` or \
         a `file`"
    )
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
        Fill::Unset | Fill::Zero | Fill::Uninitialized => return Ok(()),
        Fill::Random { seed } => SplitMix64(seed),
        Fill::Iota | Fill::Value(_) => SplitMix64(0),
    };
    let size = element.bytes();
    let is_integer = element.format().is_none() && element.bits() as usize == 8 * size;
    // The first bits of a number decide its fraction of 16 bits.
    let is_narrow = !is_integer && size == 2 && matches!(fill, Fill::Random { .. }) && memory.len() > TABLED;
    let fractions: Vec<u64> = if is_narrow {
        (0..1 << FRACTION_BITS).map(|bits| element.random(bits << (64 - FRACTION_BITS))).collect()
    } else {
        Vec::new()
    };
    for (first, target) in (0..).step_by(CHUNK).zip(memory.chunks_mut(CHUNK * size)) {
        if cancelled() {
            return Err(Cancelled);
        }
        let mut index = first..;
        let mut count = || index.next().unwrap_or_default();
        // A loop for each pattern: a gigabyte has a billion elements.
        match fill {
            Fill::Unset | Fill::Zero | Fill::Uninitialized => {}
            Fill::Value(bits) => elements(size, target, || bits),
            Fill::Iota if is_integer => elements(size, target, count),
            Fill::Iota => {
                // Of a narrow type, large numbers are equal.
                let last = element.iota(first + CHUNK as u64);
                match element.iota(first) == last {
                    true => elements(size, target, || last),
                    false => elements(size, target, || element.iota(count())),
                }
            }
            Fill::Random { .. } if is_integer => elements(size, target, || random.next()),
            Fill::Random { .. } if is_narrow => {
                elements(size, target, || fractions[(random.next() >> (64 - FRACTION_BITS)) as usize]);
            }
            Fill::Random { .. } => elements(size, target, || element.random(random.next())),
        }
    }
    Ok(())
}

/// Writes the low bytes of numbers to elements of a size.
fn elements(size: usize, memory: &mut [u8], mut next: impl FnMut() -> u64) {
    match size {
        1 => memory.iter_mut().for_each(|byte| *byte = next() as u8),
        2 => memory.as_chunks_mut().0.iter_mut().for_each(|to| *to = (next() as u16).to_le_bytes()),
        4 => memory.as_chunks_mut().0.iter_mut().for_each(|to| *to = (next() as u32).to_le_bytes()),
        _ => memory.as_chunks_mut().0.iter_mut().for_each(|to| *to = next().to_le_bytes()),
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

    #[test]
    fn patterns_of_large_buffers() {
        use warplens_sim_warp::scalar_type::ScalarType::{Bf16, F16, F32, S32, U8, U64};
        for element in [U8, F16, Bf16, S32, F32, U64] {
            let size = element.bytes();
            let mut memory = vec![0; 100_000 * size];
            let at = |memory: &[u8], index: usize| element.read(&memory[index * size..][..size]);
            write(Fill::Iota, element, &mut memory);
            for index in [0, 1, 4095, 4096, 65_519, 65_520, 99_999] {
                assert_eq!(at(&memory, index), element.iota(index as u64), "{element}[{index}]");
            }
            write(Fill::Random { seed: 7 }, element, &mut memory);
            let mut random = SplitMix64(7);
            assert!(
                (0..100_000).all(|index| at(&memory, index) == element.random(random.next())),
                "{element}"
            );
        }
    }

    #[test]
    fn limits_and_files() {
        assert_eq!(
            bytes("f64[1000000]"),
            "the buffer requires 8000000 bytes, the limit is 1048576: make it shorter"
        );
        let file = |element| Buffer::new(element, Contents::File("y.bin".to_owned()));
        use warplens_sim_warp::scalar_type::ScalarType::{U8, U32};
        assert_eq!(build(&file(U8), 9, &|_| Ok(vec![1, 2, 3])), Ok(vec![1, 2, 3]));
        assert!(build(&file(U32), 9, &|_| Ok(vec![1, 2, 3])).is_err());
        assert_eq!(build(&file(U8), 9, &|path| Err(format!("no {path}").into())), Err("no y.bin".to_owned()));
    }
}
