//! The progress of a task.

/// What a task does, and in percent how far it is.
pub(crate) struct TaskProgress {
    pub(crate) message: String,
    pub(crate) percentage: Option<u32>,
}
