//! The output: whole messages, in the order in which they are finished.
//!
//! tower-lsp encodes a message as a tree of JSON values, then as text, and copies the text. For the diagnostics of a large file, this
//! takes longer than finding them after a keystroke. So the senders of notifications and of answers about diagnostics encode them
//! ([`warplens_protocol::message`]) and bypass tower-lsp, whose messages join them here.
//!
//! The state thread never waits for the client, so messages queue here while the client does not read. Above [`MAX_WAITING`] bytes, the
//! server stops reading input until the client has caught up.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};

/// How many bytes may wait for the client while the server still reads its input: more than the diagnostics of any document.
const MAX_WAITING: usize = 64 << 20;

#[derive(Clone)]
pub(crate) struct MessageSender {
    messages: mpsc::UnboundedSender<Vec<u8>>,
    waiting: watch::Sender<usize>,
}

impl MessageSender {
    /// Sends a message; an error if the output is closed.
    pub(crate) fn send(&self, message: Vec<u8>) -> io::Result<()> {
        self.waiting.send_modify(|waiting| *waiting += message.len());
        self.messages.send(message).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Watches how many bytes wait for the client.
    pub(crate) fn waiting(&self) -> WaitingBytes {
        WaitingBytes(self.waiting.subscribe())
    }
}

/// The number of bytes that wait for the client.
pub(crate) struct WaitingBytes(watch::Receiver<usize>);

impl WaitingBytes {
    /// Waits until so few bytes wait that the server may read further input.
    pub(crate) async fn are_few(&mut self) {
        // An error means that the output is gone.
        let _ = self.0.wait_for(|waiting| *waiting <= MAX_WAITING).await;
    }
}

/// Messages on their way to the output.
pub(crate) struct Messages {
    messages: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: watch::Sender<usize>,
}

impl Drop for Messages {
    fn drop(&mut self) {
        // The output is closed, so the input must not wait for it.
        self.waiting.send_replace(0);
    }
}

pub(crate) fn queue() -> (MessageSender, Messages) {
    let (sender, messages) = mpsc::unbounded_channel();
    let waiting = watch::Sender::new(0);
    (MessageSender { messages: sender, waiting: waiting.clone() }, Messages { messages, waiting })
}

/// Writes messages until there is no sender left.
///
/// # Errors
/// If the output is closed.
pub(crate) async fn write_messages(output: impl AsyncWrite, mut queue: Messages) -> io::Result<()> {
    let mut output = std::pin::pin!(output);
    while let Some(message) = queue.messages.recv().await {
        output.write_all(&message).await?;
        output.flush().await?;
        queue.waiting.send_modify(|waiting| *waiting = waiting.saturating_sub(message.len()));
    }
    output.shutdown().await
}

/// The output of tower-lsp, which flushes only after whole messages.
pub(crate) struct TransportOutput {
    messages: MessageSender,
    unfinished: Vec<u8>,
}

impl TransportOutput {
    pub(crate) fn new(messages: MessageSender) -> TransportOutput {
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
        Poll::Ready(if messages.is_empty() { Ok(()) } else { self.messages.send(messages) })
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn messages_are_written_whole() {
        let (sender, messages) = queue();
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
        let (sender, messages) = queue();
        let mut transport = TransportOutput::new(sender);
        drop(messages);
        transport.write_all(b"one").await.expect("it is stored");
        assert!(transport.flush().await.is_err());
    }

    #[tokio::test]
    async fn input_waits_while_a_client_does_not_read() {
        let (sender, messages) = queue();
        let mut waiting = sender.waiting();
        let is_blocked = async |waiting: &mut WaitingBytes| {
            timeout(Duration::from_millis(20), waiting.are_few()).await.is_err()
        };
        sender.send(vec![0; MAX_WAITING]).expect("it is open");
        assert!(!is_blocked(&mut waiting).await);
        sender.send(vec![0; 1]).expect("it is open");
        assert!(is_blocked(&mut waiting).await);
        drop(sender);
        write_messages(tokio::io::sink(), messages).await.expect("memory does not fail");
        assert!(!is_blocked(&mut waiting).await);
    }
}
