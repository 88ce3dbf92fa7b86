//! How deep constructs stand inside of each other, and how many entries of the divergence stack that takes.

use super::functions::{Functions, Stretch};
use super::model::{Code, Link};

/// Calls inside of each other that a machine has room for.
pub(crate) const CALLS: usize = 8;

/// How deep the constructs of a kernel go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Nesting {
    /// The most constructs inside of each other in the text.
    pub depth: usize,
    /// The most entries of the divergence stack at a time: those of callers and of the functions that they call together.
    pub entries: usize,
}

impl Code {
    /// How many constructs are open around an instruction; those that begin and end a construct stand outside of it.
    pub fn depth(&self, at: usize) -> usize {
        let parent = |at: usize| self.parents.get(at).copied().flatten().map(|open| open as usize);
        std::iter::successors(parent(at), |open| parent(*open)).count()
    }

    /// The same for all instructions.
    fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.parents.len());
        for parent in &self.parents {
            depths.push(parent.map_or(0, |open| depths[open as usize] + 1));
        }
        depths
    }

    /// How deep its constructs go.
    pub fn nesting(&self) -> Nesting {
        let openers = self.links.iter().zip(self.depths()).filter(|(link, _)| is_opener(link));
        let depth = openers.map(|(_, depth)| depth + 1).max().unwrap_or(0);
        Nesting { depth, entries: self.stack_entries(0) }
    }

    /// The most entries of the divergence stack at a time that the code from an instruction on takes: the first, or one behind
    /// a label.
    pub fn stack_entries(&self, first: usize) -> usize {
        let label = self.labels.partition_point(|label| (label.before as usize) < first);
        let stretch = if first == 0 { 0 } else { label + 1 };
        Calls::of(self).entries(stretch, CALLS)
    }
}

fn is_opener(link: &Option<Link>) -> bool {
    matches!(link, Some(Link::If { .. } | Link::Loop { .. }))
}

/// What calls lead to, followed as deep as a machine has room for: tables by the calls that there is still room for, and the
/// stretch that lanes begin with.
pub(crate) struct Calls<'c> {
    code: &'c Code,
    /// How many constructs are open around each instruction.
    depths: Vec<usize>,
    functions: Functions,
    stretches: Vec<Stretch>,
    /// The most calls inside of each other.
    chains: Vec<Vec<usize>>,
    /// The most entries of the divergence stack.
    entries: Vec<Vec<usize>>,
}

impl<'c> Calls<'c> {
    pub(crate) fn of(code: &'c Code) -> Calls<'c> {
        let functions = Functions::of(code);
        let stretches = functions.stretches(code);
        let (depths, chains, entries) = (code.depths(), Vec::new(), Vec::new());
        let mut calls = Calls { code, depths, functions, stretches, chains, entries };
        let own: Vec<usize> = calls.stretches.iter().map(|stretch| calls.own_entries(stretch)).collect();
        let deepest = if calls.functions.calls().is_empty() { 0 } else { CALLS + 1 };
        for room in 0..=deepest {
            let chains = calls
                .table(room, &vec![0; own.len()], |calls, room, _, callee| 1 + calls.chain(callee, room));
            let entries = calls
                .table(room, &own, |calls, room, at, callee| calls.depths[at] + calls.entries(callee, room));
            calls.chains.push(chains);
            calls.entries.push(entries);
        }
        calls
    }

    /// The most that each stretch comes to: by itself, by what `through` a call is added, or by what it runs into.
    fn table(
        &self,
        room: usize,
        own: &[usize],
        through: fn(&Self, usize, usize, usize) -> usize,
    ) -> Vec<usize> {
        let mut table = own.to_vec();
        for number in (0..self.stretches.len()).rev() {
            let stretch = &self.stretches[number];
            if stretch.falls {
                table[number] = table[number].max(table[number + 1]);
            }
            if room == 0 {
                continue;
            }
            for (at, callee) in self.calls_of(stretch) {
                table[number] = table[number].max(through(self, room - 1, at, callee));
            }
        }
        table
    }

    /// The most entries that the constructs of a stretch take by themselves.
    fn own_entries(&self, stretch: &Stretch) -> usize {
        let openers = stretch.instructions.clone().filter(|at| is_opener(&self.code.links[*at]));
        openers.map(|at| self.depths[at] + 1).max().unwrap_or(0)
    }

    /// The calls of a stretch of functions that the kernel has, with the stretches that those begin with.
    fn calls_of(&self, stretch: &Stretch) -> impl Iterator<Item = (usize, usize)> {
        let calls = &self.functions.calls()[stretch.calls.clone()];
        calls.iter().filter_map(|call| Some((call.at, call.label? + 1)))
    }

    /// The calls of all that lanes run through that begin with a stretch.
    pub(crate) fn calls(&self, first: usize) -> impl Iterator<Item = (usize, usize)> {
        let from = self.stretches[first..].iter();
        let last = from.clone().position(|stretch| !stretch.falls).unwrap_or(0);
        from.take(last + 1).flat_map(|stretch| self.calls_of(stretch))
    }

    /// How many calls inside of each other lanes make from a stretch on, as far as there is room for them.
    pub(crate) fn chain(&self, stretch: usize, room: usize) -> usize {
        self.chains.get(room).map_or(0, |table| table[stretch])
    }

    /// The most entries that lanes take from a stretch on.
    pub(crate) fn entries(&self, stretch: usize, room: usize) -> usize {
        let table = self.entries.get(room).or(self.entries.last());
        table.map_or(0, |table| table.get(stretch).copied().unwrap_or(0))
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
    fn constructs_inside_of_each_other() {
        assert_eq!(nesting("nop\nhalt"), (0, 0));
        assert_eq!(
            nesting("if p0\nendif\nloop\nif p0\nelse\nif p1\nendif\nendif\nbreak p0\nendloop\nhalt"),
            (3, 3)
        );
    }

    #[test]
    fn functions_stand_on_what_their_callers_hold() {
        let function = "f: if p0\nif p1\nendif\nendif\nreturn";
        assert_eq!(nesting(&format!("loop\ncall f\nbreak p0\nendloop\nhalt\n{function}")), (2, 3));
        assert_eq!(nesting("call f\nhalt\nf: loop\ncall f\nendloop\nreturn"), (1, 8));
    }
}
