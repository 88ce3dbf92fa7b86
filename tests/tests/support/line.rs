//! The connection between client and server: in memory, or the standard input and output of a process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::{Handle, Runtime};
use warplens::lsp::{Ended, serve};

/// The client's end.
pub struct Line {
    to_server: ToServer,
    /// Messages of the server; closed when the server ends.
    pub from_server: Receiver<Value>,
}

enum ToServer {
    Memory { runtime: Arc<Runtime>, input: Option<DuplexStream>, server: JoinHandle<io::Result<Ended>> },
    Process { child: Child, input: Option<ChildStdin> },
}

impl Line {
    pub fn memory() -> Line {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = Arc::new(runtime.expect("a runtime starts"));
        let (input, server_input) = tokio::io::duplex(1 << 16);
        let (server_output, output) = tokio::io::duplex(1 << 16);
        let output = Blocking(output, runtime.handle().clone());
        let of_server = Arc::clone(&runtime);
        let server = thread::spawn(move || of_server.block_on(serve(server_input, server_output)));
        Line {
            to_server: ToServer::Memory { runtime, input: Some(input), server },
            from_server: listen(output),
        }
    }

    pub fn process() -> Line {
        Line::process_with(&[], &[])
    }

    /// A server as a process, with these arguments and environment variables.
    pub fn process_with(arguments: &[&str], environment: &[(&str, &str)]) -> Line {
        let mut child = Command::new(super::server())
            .arg("lsp")
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output is piped");
        Line { to_server: ToServer::Process { child, input }, from_server: listen(output) }
    }

    /// Sends a message with its header.
    pub fn send(&mut self, body: &[u8]) {
        self.send_bytes(&[format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat());
    }

    /// Sends bytes unchanged.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        match &mut self.to_server {
            ToServer::Memory { runtime, input, .. } => {
                let input = input.as_mut().expect("the input is open");
                runtime.block_on(input.write_all(bytes)).expect("the server reads");
            }
            ToServer::Process { input, .. } => {
                let input = input.as_mut().expect("the input is open");
                input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
            }
        }
    }

    /// Closes the server's input.
    pub fn close_input(&mut self) {
        match &mut self.to_server {
            ToServer::Memory { input, .. } => drop(input.take()),
            ToServer::Process { input, .. } => drop(input.take()),
        }
    }

    /// Waits for the end of a server in this process.
    pub fn ended(self) -> Ended {
        let ToServer::Memory { server, .. } = self.to_server else { panic!("the server is a process") };
        server.join().expect("the server does not panic").expect("the server starts")
    }

    /// Waits for the end of a server that is a process.
    pub fn exit_status(self) -> ExitStatus {
        let ToServer::Process { mut child, .. } = self.to_server else {
            panic!("the server is in this process")
        };
        child.wait().expect("the server can be waited for")
    }
}

/// A stream of the runtime that is read from a thread outside the runtime.
struct Blocking(DuplexStream, Handle);

impl Read for Blocking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.block_on(self.0.read(buffer))
    }
}

/// Reads messages on a separate thread.
fn listen(output: impl Read + Send + 'static) -> Receiver<Value> {
    let (messages, received) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Ok(message) = read_message(&mut output) {
            if messages.send(message).is_err() {
                return;
            }
        }
    });
    received
}

fn read_message(output: &mut impl BufRead) -> io::Result<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(bytes) => length = bytes.parse().map_err(io::Error::other)?,
            None if line == "\r\n" => break,
            None => panic!("the server sent a strange header: {line:?}"),
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
