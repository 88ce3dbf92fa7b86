//! The output: whole messages, in the order in which they are finished.
//!
//! The transport encodes a message as a tree of JSON, then as text, and copies that. Diagnostics of a large file take longer that way
//! than to find them after a keystroke. So notifications and answers about diagnostics are encoded by their senders
//! ([`warplens_protocol::message`]) and go beside the transport, whose messages join them here.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Writes messages until no sender of them is left.
///
/// # Errors
/// If the output is closed.
pub(crate) async fn write_messages(
    output: impl AsyncWrite,
    mut messages: UnboundedReceiver<Vec<u8>>,
) -> io::Result<()> {
    let mut output = std::pin::pin!(output);
    while let Some(message) = messages.recv().await {
        output.write_all(&message).await?;
        output.flush().await?;
    }
    output.shutdown().await
}

/// The output of the transport, which flushes after whole messages only.
pub(crate) struct TransportOutput {
    messages: UnboundedSender<Vec<u8>>,
    unfinished: Vec<u8>,
}

impl TransportOutput {
    pub(crate) fn new(messages: UnboundedSender<Vec<u8>>) -> TransportOutput {
        TransportOutput { messages, unfinished: Vec::new() }
    }
}

impl AsyncWrite for TransportOutput {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.unfinished.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let messages = std::mem::take(&mut self.unfinished);
        if !messages.is_empty() && self.messages.send(messages).is_err() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[tokio::test]
    async fn messages_are_written_whole() {
        let (sender, messages) = unbounded_channel();
        let mut transport = TransportOutput::new(sender.clone());
        transport.write_all(b"one").await.expect("it is open");
        sender.send(b"two".to_vec()).expect("it is open");
        transport.write_all(b"-one").await.expect("it is open");
        transport.flush().await.expect("it is open");
        drop((transport, sender));
        let mut output = Vec::new();
        write_messages(&mut output, messages).await.expect("memory does not fail");
        assert_eq!(output, b"twoone-one");
    }

    #[tokio::test]
    async fn a_closed_output_is_reported_to_the_transport() {
        let (sender, messages) = unbounded_channel();
        let mut transport = TransportOutput::new(sender);
        drop(messages);
        transport.write_all(b"one").await.expect("it is stored");
        assert!(transport.flush().await.is_err());
    }
}
