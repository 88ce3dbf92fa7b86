//! The functions of a kernel. A function is the code from a label until all lanes have stopped. A label that
//! lanes also reach by falling through belongs to the function before it. The kernel itself is the first
//! function.

use std::ops::Range;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::model::{Code, Instruction, Label, Value};

#[derive(Debug, Default)]
pub(crate) struct Functions {
    /// One entry for each label, in text order.
    labels: Vec<Entrance>,
    /// In text order.
    calls: Vec<Call>,
    count: usize,
}

/// A label as an entry point of calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entrance {
    pub(crate) function: usize,
    pub(crate) called: bool,
    /// Whether other code may call the label, with unknown registers.
    pub(crate) open: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) at: usize,
    /// The label that the call names, if the kernel has it.
    pub(crate) label: Option<usize>,
}

/// The code from one label to the next, or until all lanes have stopped. The first segment starts with the
/// kernel, before every label.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) instructions: Range<usize>,
    /// The calls in the segment, as indices in [`Functions::calls`].
    pub(crate) calls: Range<usize>,
    /// Whether lanes fall through to the next segment.
    pub(crate) falls: bool,
}

impl Functions {
    /// The functions of a kernel. A function that the kernel itself does not call may be called by other
    /// code.
    pub(crate) fn of(code: &Code) -> Functions {
        Functions::with(code, &|_| false)
    }

    /// The functions of a kernel, given which of them other code calls.
    pub(crate) fn with(code: &Code, others_call: &dyn Fn(&str) -> bool) -> Functions {
        let is_call = |instruction: &Instruction| instruction.name() == "call";
        if code.labels.is_empty() && !code.instructions.iter().any(is_call) {
            return Functions { count: 1, ..Functions::default() };
        }
        let mut labels = Vec::with_capacity(code.labels.len());
        let mut function = 0;
        for label in &code.labels {
            let ends = (label.before as usize).checked_sub(1).is_some_and(|last| ends_all(code, last));
            let again =
                labels.len().checked_sub(1).is_some_and(|last| code.labels[last].before == label.before);
            function += usize::from(ends && !again);
            labels.push(Entrance { function, called: false, open: others_call(&label.name) });
        }
        let numbers: FxHashMap<&SmolStr, usize> =
            code.labels.iter().enumerate().map(|(number, label)| (&label.name, number)).collect();
        let calls = code.instructions.iter().enumerate().filter(|(_, instruction)| is_call(instruction));
        let label = |call| target(code, call).and_then(|name| numbers.get(name).copied());
        let calls: Vec<Call> = calls.map(|(at, call)| Call { at, label: label(call) }).collect();
        for label in calls.iter().filter_map(|call| call.label) {
            labels[label].called = true;
        }
        labels.iter_mut().for_each(|label| label.open |= !label.called);
        Functions { labels, calls, count: function + 1 }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn entrance(&self, label: usize) -> Entrance {
        self.labels[label]
    }

    /// The label that the call at an instruction names, if the kernel has it.
    pub(crate) fn callee(&self, at: usize) -> Option<usize> {
        let found = self.calls.binary_search_by_key(&at, |call| call.at).ok()?;
        self.calls[found].label
    }

    pub(crate) fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The segments of the kernel in text order. The segment of label `n` has index `n + 1`.
    pub(crate) fn segments(&self, code: &Code) -> Vec<Segment> {
        let starts = std::iter::once(0).chain(code.labels.iter().map(|label| label.before as usize));
        let ends = code.labels.iter().map(|label| label.before as usize);
        let ends = ends.chain(std::iter::once(code.instructions.len()));
        let mut segments: Vec<Segment> = Vec::with_capacity(code.labels.len() + 1);
        for (number, (start, end)) in starts.zip(ends).enumerate() {
            let last = (start..end).find(|at| ends_all(code, *at));
            let instructions = start..last.map_or(end, |last| last + 1);
            let number_of = |at: usize| self.calls.partition_point(|call| call.at < at);
            let calls = number_of(start)..number_of(instructions.end);
            let falls = last.is_none() && number < code.labels.len();
            segments.push(Segment { instructions, calls, falls });
        }
        segments
    }

    /// Whether the kernel calls functions that it does not contain.
    pub(crate) fn calls_others(&self) -> bool {
        self.calls.iter().any(|call| call.label.is_none())
    }
}

impl Code {
    /// The instructions from `first` on, up to the one after which no lane continues.
    pub fn extent(&self, first: usize) -> Range<usize> {
        let count = self.instructions.len();
        let last = (first..count).find(|at| ends_all(self, *at));
        first.min(count)..last.map_or(count, |last| last + 1)
    }

    /// The label whose function contains an instruction; `None` for the kernel itself.
    pub fn function_at(&self, at: usize) -> Option<&Label> {
        let begins =
            |label: &Label| (label.before as usize).checked_sub(1).is_some_and(|last| ends_all(self, last));
        let before = self.labels.partition_point(|label| label.before as usize <= at);
        let labels = &self.labels[..before];
        labels.iter().any(begins).then(|| labels.last()).flatten()
    }
}

/// Whether all lanes that reach an instruction end there or return to their caller.
pub(crate) fn ends_all(code: &Code, at: usize) -> bool {
    let instruction = &code.instructions[at];
    let ends = matches!(instruction.name(), "halt" | "return") && instruction.guard.is_none();
    ends && code.parents[at].is_none()
}

fn target<'c>(code: &'c Code, call: &Instruction) -> Option<&'c SmolStr> {
    match call.operands.first()?.value {
        Value::Label(word) => Some(code.word(word)),
        _ => None,
    }
}
