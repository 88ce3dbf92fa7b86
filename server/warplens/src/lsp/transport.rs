//! Bytes of the client to events of the state thread, and messages back: everything between tower-lsp and the rest of the server.
//!
//! tower-lsp decodes requests, tracks the life cycle and sends requests to the client. It is used for that only, because the server needs
//! guarantees that it does not give. Each file here adds one of them:
//!
//! * [`convert`] converts ids and errors.
//! * [`framing`] reads the input before tower-lsp does. tower-lsp ends the connection at the first frame that it cannot decode, so an
//!   invalid frame is replaced by a notification that leads to an error answer. It also never shrinks its read buffer, so a long
//!   notification about a document goes around it.
//!   It also corrects mistakes that clients are known to make ([`warplens_lsp::lenient`]). An edit would be lost otherwise.
//! * [`service`] keeps messages in order. tower-lsp polls handlers concurrently, so one edit could overtake another. The service turns
//!   each message into an event as it arrives, and its future only waits for the answer.
//! * [`replies`] holds the channels of those futures. Events carry data only; the state thread answers a request by its id.
//! * [`output`] joins the messages of tower-lsp with those that were encoded elsewhere. tower-lsp encodes a message as a tree of JSON
//!   values first, which for the diagnostics of a large file takes longer than finding them.

pub(crate) mod convert;
pub(crate) mod framing;
pub(crate) mod output;
pub(crate) mod replies;
pub(crate) mod service;
