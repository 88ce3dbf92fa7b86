//! Functions that the device provides without a body in the module: `vprintf`, `malloc`, `free` and `__assertfail`.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::heap::FreeError;
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::meter::Meter;
use warplens_sim_cuda::registers::lanes;
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_warp::finding_kind::FindingKind;

use super::frame::{Frame, argument, result};
use super::print::{Arguments, print};
use crate::program::{Call, Space, System};

const MAX_TEXT: usize = 64 << 10;

/// The result of `vprintf` if the format is null.
const NO_FORMAT: u32 = u32::MAX;

pub(crate) struct CallContext<'w> {
    pub(crate) spaces: &'w mut Spaces,
    pub(crate) local: &'w mut Local,
    pub(crate) sanitizer: Option<&'w mut Sanitizer>,
    pub(crate) meter: Meter<'w>,
    pub(crate) pointer: u32,
}

/// Calls a function in the lanes of `mask`, one after the other.
pub(crate) fn call(
    system: System,
    call: &Call,
    frame: &mut Frame,
    callee: &mut CallContext<'_>,
    mask: u32,
) -> Result {
    if system == System::AssertFail {
        return Err(callee.failed_assertion(call, frame, mask));
    }
    for lane in lanes(mask) {
        let first = callee.argument(call, frame, 0, lane);
        let value = match system {
            System::Print => {
                let list = callee.argument(call, frame, 1, lane);
                callee.print(first, list, lane).map(u64::from)
            }
            System::Allocate => callee.allocate(first),
            System::Free | System::AssertFail => callee.free(first),
        };
        let value = value.map_err(|fault| Fault { lanes: 1 << lane, ..fault })?;
        if let Some(formal) = call.results.first() {
            result(formal, frame, callee.local, lane, value);
        }
    }
    Ok(())
}

impl CallContext<'_> {
    fn argument(&self, call: &Call, frame: &Frame, index: usize, lane: usize) -> u64 {
        call.arguments.get(index).map_or(0, |formal| argument(formal, frame, self.local, lane))
    }

    fn print(&mut self, format: u64, list: u64, lane: usize) -> Result<u32> {
        if format == 0 {
            return Ok(NO_FORMAT);
        }
        let mut out = Vec::new();
        let format = self.text(format, 1, lane)?;
        let mut arguments = VariableArguments { callee: &mut *self, list, lane };
        let taken = print(&format, &mut arguments, &mut out)?;
        self.spaces.printed.add(&out);
        Ok(taken)
    }

    fn allocate(&mut self, len: u64) -> Result<u64> {
        let Spaces { heap, launch, .. } = &mut *self.spaces;
        self.meter.count(heap.cost(len))?;
        let address = heap.allocate(launch, len);
        if address != 0
            && let Some(sanitizer) = &mut self.sanitizer
        {
            sanitizer.declare_unwritten(&[(address, len)], launch.raw().0);
        }
        Ok(address)
    }

    fn free(&mut self, address: u64) -> Result<u64> {
        if address == 0 {
            return Ok(0);
        }
        let Spaces { heap, launch, changes, .. } = &mut *self.spaces;
        *changes += 1;
        let (kind, what) = match heap.free(launch, address) {
            Ok(()) => {
                if let Some((sanitizer, block)) = self.sanitizer.as_mut().zip(launch.buffer_of(address, 0)) {
                    sanitizer.freed(address - launch.raw().0, block.len);
                }
                return Ok(0);
            }
            Err(FreeError::Again) => {
                (FindingKind::DoubleFree, "which was freed before\nfree each block once")
            }
            Err(FreeError::NoBlock) => {
                (FindingKind::BadFree, "which `malloc` did not return\nfree only the start of a block")
            }
        };
        Err(Fault::new(kind, format!("address {address:#x}, {what}"), 0))
    }

    /// The message of a failed assertion, from its first lane.
    fn failed_assertion(&mut self, call: &Call, frame: &Frame, mask: u32) -> Fault {
        let lane = mask.trailing_zeros() as usize % 32;
        let [message, file, line, function, size] =
            std::array::from_fn(|index| self.argument(call, frame, index, lane));
        let mut text = |address| {
            let text = self.text(address, size.clamp(1, 4), lane).unwrap_or_default();
            String::from_utf8_lossy(&text).into_owned()
        };
        let (message, file, line, function) = (text(message), text(file), line as u32, text(function));
        let function = if function.is_empty() { String::new() } else { format!(", in `{function}`") };
        Fault::new(FindingKind::Assertion, format!("`{message}` ({file}:{line}{function})"), mask)
    }

    /// The string at a generic address, with characters of `size` bytes.
    fn text(&mut self, address: u64, size: u64, lane: usize) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        while text.len() < MAX_TEXT {
            let at = address.wrapping_add(text.len() as u64 * size);
            match self.byte(at, lane)? {
                0 => break,
                byte => text.push(byte),
            }
        }
        self.meter.count(64 * text.len() as u64)?;
        Ok(text)
    }

    fn byte(&self, address: u64, lane: usize) -> Result<u8> {
        self.spaces.peek(Space::Generic, address, 1, lane, self.local).map(|value| value as u8)
    }
}

/// The variable arguments of a format: a buffer that holds each at its natural alignment.
struct VariableArguments<'c, 'w> {
    callee: &'c mut CallContext<'w>,
    list: u64,
    lane: usize,
}

impl Arguments for VariableArguments<'_, '_> {
    fn next(&mut self, bytes: u32) -> Result<u64> {
        let size = u64::from(bytes);
        let at = self.list.checked_next_multiple_of(size).unwrap_or(self.list);
        self.list = at.wrapping_add(size);
        self.callee.spaces.peek(Space::Generic, at, bytes, self.lane, self.callee.local)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>> {
        self.callee.text(address, 1, self.lane)
    }

    fn wrote(&mut self, bytes: usize) -> Result {
        self.callee.meter.count(bytes as u64)
    }

    fn pointer_bytes(&self) -> u32 {
        self.callee.pointer
    }
}
