//! The nesting depth of constructs, and the divergence stack entries that they need.

use super::functions::{Functions, Segment};
use super::model::{Code, Link};

pub(crate) const CALLS: usize = 8;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Nesting {
    /// The maximum nesting depth in the text.
    pub depth: usize,
    /// The maximum number of divergence stack entries, adding up those of callers and callees.
    pub entries: usize,
}

impl Code {
    /// The number of open constructs around an instruction.
    pub fn depth(&self, at: usize) -> usize {
        self.around(at).count()
    }

    fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.parents.len());
        for parent in &self.parents {
            depths.push(parent.map_or(0, |open| depths[open as usize] + 1));
        }
        depths
    }

    pub fn nesting(&self) -> Nesting {
        let openers = self.links.iter().zip(self.depths()).filter(|(link, _)| is_opener(link));
        let depth = openers.map(|(_, depth)| depth + 1).max().unwrap_or(0);
        Nesting { depth, entries: self.stack_entries(0) }
    }

    /// The maximum number of divergence stack entries for the code from `first` on, which is the first
    /// instruction of the kernel or follows a label.
    pub fn stack_entries(&self, first: usize) -> usize {
        let label = self.labels.partition_point(|label| (label.before as usize) < first);
        let segment = if first == 0 { 0 } else { label + 1 };
        Calls::of(self).entries(segment, CALLS)
    }
}

fn is_opener(link: &Option<Link>) -> bool {
    matches!(link, Some(Link::If { .. } | Link::Loop { .. }))
}

/// Maxima along calls, up to the maximum call depth. The tables are indexed by the remaining call depth and
/// the first segment.
pub(crate) struct Calls<'c> {
    code: &'c Code,
    depths: Vec<usize>,
    functions: Functions,
    segments: Vec<Segment>,
    /// The maximum call depth.
    chains: Vec<Vec<usize>>,
    /// The maximum number of divergence stack entries.
    entries: Vec<Vec<usize>>,
}

impl<'c> Calls<'c> {
    pub(crate) fn of(code: &'c Code) -> Calls<'c> {
        let functions = Functions::of(code);
        let segments = functions.segments(code);
        let (depths, chains, entries) = (code.depths(), Vec::new(), Vec::new());
        let mut calls = Calls { code, depths, functions, segments, chains, entries };
        let own: Vec<usize> = calls.segments.iter().map(|segment| calls.own_entries(segment)).collect();
        let deepest = if calls.functions.calls().is_empty() { 0 } else { CALLS + 1 };
        for depth_left in 0..=deepest {
            let chains = calls.table(depth_left, &vec![0; own.len()], |calls, depth_left, _, callee| {
                1 + calls.chain(callee, depth_left)
            });
            let entries = calls.table(depth_left, &own, |calls, depth_left, at, callee| {
                calls.depths[at] + calls.entries(callee, depth_left)
            });
            calls.chains.push(chains);
            calls.entries.push(entries);
        }
        calls
    }

    /// The maximum for each segment, over its own value, its calls (computed by `through`), and the segment
    /// that it falls through to.
    fn table(
        &self,
        depth_left: usize,
        own: &[usize],
        through: fn(&Self, usize, usize, usize) -> usize,
    ) -> Vec<usize> {
        let mut table = own.to_vec();
        for number in (0..self.segments.len()).rev() {
            let segment = &self.segments[number];
            if segment.falls {
                table[number] = table[number].max(table[number + 1]);
            }
            if depth_left == 0 {
                continue;
            }
            for (at, callee) in self.calls_of(segment) {
                table[number] = table[number].max(through(self, depth_left - 1, at, callee));
            }
        }
        table
    }

    fn own_entries(&self, segment: &Segment) -> usize {
        let openers = segment.instructions.clone().filter(|at| is_opener(&self.code.links[*at]));
        openers.map(|at| self.depths[at] + 1).max().unwrap_or(0)
    }

    /// The calls in a segment to functions of the kernel, with the first segment of the callee.
    fn calls_of(&self, segment: &Segment) -> impl Iterator<Item = (usize, usize)> {
        let calls = &self.functions.calls()[segment.calls.clone()];
        calls.iter().filter_map(|call| Some((call.at, call.label? + 1)))
    }

    /// The calls in a segment and in all segments that lanes reach from it by falling through.
    pub(crate) fn calls(&self, first: usize) -> impl Iterator<Item = (usize, usize)> {
        let from = self.segments[first..].iter();
        let last = from.clone().position(|segment| !segment.falls).unwrap_or(0);
        from.take(last + 1).flat_map(|segment| self.calls_of(segment))
    }

    /// The call depth from a segment on, up to a limit.
    pub(crate) fn chain(&self, segment: usize, depth_left: usize) -> usize {
        self.chains.get(depth_left).map_or(0, |table| table[segment])
    }

    /// The maximum number of entries that lanes need from a segment on.
    pub(crate) fn entries(&self, segment: usize, depth_left: usize) -> usize {
        let table = self.entries.get(depth_left).or(self.entries.last());
        table.map_or(0, |table| table.get(segment).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use warplens_syntax::parse_file;

    use super::*;

    fn nesting(statements: &str) -> (usize, usize) {
        let file = parse_file(warplens_syntax::wave::LANGUAGE, &format!(".kernel k\n{statements}\n.end\n"));
        let item = file.items().next().expect("a kernel");
        let Nesting { depth, entries } = super::super::lower(item).nesting();
        (depth, entries)
    }

    #[test]
    fn nested_constructs() {
        assert_eq!(nesting("nop\nhalt"), (0, 0));
        assert_eq!(
            nesting("if p0\nendif\nloop\nif p0\nelse\nif p1\nendif\nendif\nbreak p0\nendloop\nhalt"),
            (3, 3)
        );
    }

    #[test]
    fn functions_add_to_the_depth_of_their_callers() {
        let function = "f: if p0\nif p1\nendif\nendif\nreturn";
        assert_eq!(nesting(&format!("loop\ncall f\nbreak p0\nendloop\nhalt\n{function}")), (2, 3));
        assert_eq!(nesting("call f\nhalt\nf: loop\ncall f\nendloop\nreturn"), (1, 8));
    }
}
