//! The text that a kernel prints, up to a limit.

use warplens_sim_warp::trace::Output;

#[derive(Clone, Debug, Default)]
pub struct PrintBuffer {
    bytes: Vec<u8>,
    truncated: bool,
    max: usize,
}

impl PrintBuffer {
    pub fn new(max: usize) -> PrintBuffer {
        PrintBuffer { max, ..PrintBuffer::default() }
    }

    pub fn add(&mut self, text: &[u8]) {
        let capacity = self.max - self.bytes.len();
        self.truncated |= text.len() > capacity;
        self.bytes.extend_from_slice(&text[..text.len().min(capacity)]);
    }

    pub fn finish(self) -> Output {
        Output { text: String::from_utf8_lossy(&self.bytes).into_owned(), truncated: self.truncated }
    }
}
