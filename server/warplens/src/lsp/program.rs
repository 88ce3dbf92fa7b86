//! The environment of the server in this program: threads for its jobs, and the connection that tower-lsp serves.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tower::Service as _;
use tower_lsp::jsonrpc::Request;
use warplens_lsp::{Environment, Job, Pool, Respond, Task};
use warplens_protocol::jsonrpc::{Error, Id, Result};
use warplens_sim_warp::Workers as _;
use warplens_system::allocator;
use warplens_system::cores::{Cores, STACK};

use crate::lsp::memory::MemoryTrimmer;
use crate::lsp::threads::ThreadPool;
use crate::lsp::transport::convert;
use crate::lsp::transport::output::MessageSender;
use crate::lsp::transport::replies::Replies;

/// More reader threads do not reduce latency measurably.
const MAX_READERS: usize = 4;

/// The number of runs at a time, even with fewer cores, so that a long run does not hold up the other documents.
const RUNS: usize = 4;

/// How often the server checks that the process of the client still exists.
const PROCESS_CHECK: Duration = Duration::from_secs(2);

pub(crate) struct Program {
    transport: tower_lsp::Client,
    /// Encoded messages for the output.
    messages: MessageSender,
    replies: Arc<Replies>,
    runtime: Handle,
    memory: MemoryTrimmer,
    readers: ThreadPool,
    /// A single thread, because each thread keeps the memory that a large file took.
    background: ThreadPool,
    panel: ThreadPool,
    simulations: ThreadPool,
}

impl Program {
    pub(crate) fn start(
        transport: tower_lsp::Client,
        messages: MessageSender,
        replies: Arc<Replies>,
    ) -> io::Result<Program> {
        // First, because the threads that are started later then share arenas.
        let memory = MemoryTrimmer::start()?;
        Ok(Program {
            transport,
            messages,
            replies,
            runtime: Handle::current(),
            memory,
            readers: ThreadPool::new("reader", Cores::all().count().clamp(2, MAX_READERS))?,
            background: ThreadPool::new("background", 1)?,
            panel: ThreadPool::new("panel", 1)?,
            simulations: ThreadPool::new("simulation", RUNS)?,
        })
    }

    fn pool(&self, pool: Pool) -> &ThreadPool {
        match pool {
            Pool::Readers => &self.readers,
            Pool::Background => &self.background,
            Pool::Panel => &self.panel,
            Pool::Simulations => &self.simulations,
        }
    }
}

impl Environment for Program {
    fn send(&self, message: Vec<u8>) {
        // An error means that the output is closed.
        let _ = self.messages.send(message);
    }

    fn answer(&self, id: &Id, answer: Result<Value>) {
        self.replies.send(id, answer);
    }

    fn answer_encoded(&self, id: &Id, message: Vec<u8>) {
        self.replies.drop_request(id);
        self.send(message);
    }

    fn request(&self, method: &'static str, params: Value, respond: Respond) {
        let mut transport = self.transport.clone();
        let request = Request::build(method).id(transport.next_request_id()).params(params).finish();
        self.runtime.spawn(async move {
            let response = match transport.call(request).await {
                Ok(Some(response)) => response.into_parts().1.map_err(convert::from_tower),
                _ => Err(Error::new(Error::INTERNAL, "the connection has ended")),
            };
            respond(response);
        });
    }

    fn later(&self, delay: Duration, job: Job) {
        self.runtime.spawn(async move {
            tokio::time::sleep(delay).await;
            job();
        });
    }

    fn size(&self, pool: Pool) -> usize {
        self.pool(pool).size
    }

    fn run(&self, pool: Pool, job: Job) {
        self.pool(pool).run(job);
    }

    fn start_task(&self, name: &str, job: Job) -> io::Result<Task> {
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(job)?;
        Ok(Task::on(thread))
    }

    /// A process that is not visible, because it is on another machine or in a container, is not watched.
    fn when_process_ends(&self, process: u32, job: Job) {
        let entry = PathBuf::from(format!("/proc/{process}"));
        if !entry.exists() {
            return;
        }
        self.runtime.spawn(async move {
            while entry.exists() {
                tokio::time::sleep(PROCESS_CHECK).await;
            }
            job();
        });
    }

    fn memory_freed(&self) {
        self.memory.freed();
    }

    fn return_memory(&self) {
        allocator::trim();
    }
}
