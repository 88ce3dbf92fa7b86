//! Faults and warnings of operations, and their messages.

use crate::memory::Buffer;
use crate::ptx::engine::memory::polled::PolledValue;
use crate::ptx::engine::memory::region::AccessMode;
use crate::ptx::program::Space;
use crate::trace::{Finding, Severity, WarpId};

/// An unsuccessful operation. Boxed in results, so that success is one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExecError {
    /// The run stops at the instruction.
    Fault(Fault),
    /// The instruction was executed, but is used incorrectly.
    Warning(Fault),
    /// The instruction was executed, and its thread waits for other threads.
    Yield(Option<PendingBarrier>),
}

/// The pending arrivals and bytes of an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingBarrier {
    pub(crate) address: u64,
    pub(crate) arrivals: u64,
    pub(crate) bytes: i64,
    /// The state of all objects whose tests failed.
    pub(crate) values: Vec<PolledValue>,
}

impl From<Fault> for Box<ExecError> {
    fn from(fault: Fault) -> Box<ExecError> {
        Box::new(ExecError::Fault(fault))
    }
}

/// A problem at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) lanes: u32,
}

fn what(mode: AccessMode) -> &'static str {
    match mode {
        AccessMode::Load => "load",
        AccessMode::Store => "store",
    }
}

impl Fault {
    /// The fault as a finding about a warp.
    pub(crate) fn finding(self, warp: WarpId, statement: u32) -> Finding {
        warp.error(self.code, self.message, statement, self.lanes)
    }

    /// Incorrect use that does not stop the run, as a finding about a warp.
    pub(crate) fn warning(self, warp: WarpId, statement: u32) -> Finding {
        let severity = match self.code {
            "wrong-membermask" => Severity::Error,
            _ => Severity::Warning,
        };
        warp.finding(self.code, severity, self.message, statement, self.lanes)
    }

    pub(crate) fn outside(
        space: Space,
        address: u64,
        span: u64,
        mode: AccessMode,
        near: Option<&Buffer>,
    ) -> Fault {
        let what = what(mode);
        let null = matches!(space, Space::Generic | Space::Global) && address < crate::ptx::windows::SHARED;
        let message = match near {
            _ if null => {
                let place =
                    if address == 0 { "through".to_owned() } else { format!("{address} bytes beyond") };
                format!(
                    "{what} {place} a null pointer; pass a buffer in the launch, or test the pointer first"
                )
            }
            Some(buffer) if buffer.freed => {
                format!(
                    "{what} of {span} bytes in `{}`, which was freed; free it after its last use",
                    buffer.name
                )
            }
            Some(buffer) if address >= buffer.address => {
                let offset = address - buffer.address;
                let (name, len) = (&buffer.name, buffer.len);
                format!(
                    "{what} of {span} bytes outside `{name}`: offset {offset} of {len} bytes; guard the \
                     access, or make the buffer larger"
                )
            }
            Some(buffer) => {
                let before = buffer.address - address;
                format!(
                    "{what} of {span} bytes outside `{}`: {before} bytes before it; guard the access",
                    buffer.name
                )
            }
            None => {
                let name = space.name();
                format!(
                    "{what} of {span} bytes outside {name} memory, at address {address:#x}; check the \
                     address computation"
                )
            }
        };
        let code = match near {
            _ if null => "null-pointer",
            Some(buffer) if buffer.freed => "use-after-free",
            _ => "out-of-bounds",
        };
        Fault { code, message, lanes: 0 }
    }

    /// An access to the shared memory of an exited block of the cluster.
    pub(crate) fn after_the_end(rank: u64, mode: AccessMode) -> Fault {
        let message = format!(
            "{} in the shared memory of block {rank} of the cluster, which has exited; make its threads \
             wait at `barrier.cluster` until the last access",
            what(mode)
        );
        Fault { code: "cluster-exit", message, lanes: 0 }
    }

    pub(crate) fn misaligned(space: Space, address: u64, span: u64, mode: AccessMode) -> Fault {
        let (what, name) = (what(mode), space.name());
        let message = format!(
            "{what} of {span} bytes at {name} address {address:#x}, which is not a multiple of {span}; \
             align the address, or use smaller accesses"
        );
        Fault { code: "misaligned", message, lanes: 0 }
    }

    pub(crate) fn read_only(space: Space, address: u64) -> Fault {
        let message = match space {
            Space::Param => {
                format!("store to a kernel parameter, at address {address:#x}; store to a buffer")
            }
            _ => format!(
                "store to constant memory, at address {address:#x}; put variable data into global memory"
            ),
        };
        Fault { code: "read-only", message, lanes: 0 }
    }

    pub(crate) fn new(code: &'static str, message: String, lanes: u32) -> Fault {
        Fault { code, message, lanes }
    }
}
