//! The functions that `server.js` calls.
#![expect(unsafe_code, reason = "a page calls these functions by name, and writes messages to memory")]

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use crate::connection::Connection;

#[derive(Default)]
struct Module {
    connection: Option<Connection>,
    /// The message that is being received.
    incoming: Vec<u8>,
    /// The message that the page reads.
    outgoing: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// The message of the panic that ended the module: it is read when `MODULE` may still be borrowed.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn with_connection<R>(work: impl FnOnce(&mut Connection) -> R) -> R {
    MODULE.with_borrow_mut(|module| work(module.connection.get_or_insert_with(start)))
}

fn start() -> Connection {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    Connection::new()
}

/// The length of the message of a panic, in bytes. A panic ends the module: no other function may be called afterwards.
#[unsafe(no_mangle)]
pub extern "C" fn panic_length() -> usize {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// Where the bytes of the message of a panic are.
#[unsafe(no_mangle)]
pub extern "C" fn panic_message() -> *const u8 {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// Makes room for a message of this length in bytes. The page writes it, then calls [`receive`].
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.incoming = vec![0; length];
        module.incoming.as_mut_ptr()
    })
}

/// Receives the message that the page has written.
#[unsafe(no_mangle)]
pub extern "C" fn receive() {
    let message = MODULE.with_borrow_mut(|module| std::mem::take(&mut module.incoming));
    with_connection(|connection| connection.receive(&message));
}

/// Handles the messages so far, or runs one job. The result is after how many milliseconds the page calls it again: 0 if there is more to
/// do, negative if only a message leads to more.
#[unsafe(no_mangle)]
pub extern "C" fn step() -> f64 {
    with_connection(|connection| match connection.step() {
        true => 0.0,
        false => connection.next_timer().map_or(-1.0, |delay| (delay.as_secs_f64() * 1000.0).ceil()),
    })
}

/// Whether the client has sent `exit`. Later messages are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn has_ended() -> bool {
    with_connection(|connection| connection.has_ended())
}

/// Takes the next message for the client. The result is its length in bytes; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn take_message() -> usize {
    let message = with_connection(|connection| connection.next_message()).unwrap_or_default();
    MODULE.with_borrow_mut(|module| {
        module.outgoing = message;
        module.outgoing.len()
    })
}

/// Where the bytes of the message are that was taken last.
#[unsafe(no_mangle)]
pub extern "C" fn message() -> *const u8 {
    MODULE.with_borrow(|module| module.outgoing.as_ptr())
}
