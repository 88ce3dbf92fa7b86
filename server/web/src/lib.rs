//! The language server as a WebAssembly module: JSON messages of the client in, JSON messages out. `server.js` loads it, in a worker of a
//! browser or in Node; docs/web.md describes both.
//!
//! There is one thread. A message is only queued; `step` handles the queued messages, or runs one job, and is called again between
//! messages for as long as there is something to do. The module imports the clock and the files of the page and nothing else.

mod browser;
mod connection;
pub mod exports;
