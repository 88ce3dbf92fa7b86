//! How deep constructs stand inside of each other, and how many entries of the divergence stack that takes.

use rustc_hash::FxHashMap;

use super::functions::{Functions, ends_all};
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

    /// How deep its constructs go.
    pub fn nesting(&self) -> Nesting {
        let is_opener = |link: &Option<Link>| matches!(link, Some(Link::If { .. } | Link::Loop { .. }));
        let openers = self.links.iter().enumerate().filter(|(_, link)| is_opener(link));
        let depth = openers.map(|(at, _)| self.depth(at) + 1).max().unwrap_or(0);
        Nesting { depth, entries: self.stack_entries(0) }
    }

    /// The most entries of the divergence stack at a time that the code from an instruction on takes.
    pub fn stack_entries(&self, first: usize) -> usize {
        Calls::of(self).entries(first, CALLS)
    }
}

/// What calls lead to, followed as deep as a machine has room for.
pub(crate) struct Calls<'c> {
    code: &'c Code,
    functions: Functions,
    /// The most entries, by the first instruction and the calls that there is still room for.
    known: FxHashMap<(usize, usize), usize>,
    /// The most calls inside of each other, likewise.
    chains: FxHashMap<(usize, usize), usize>,
}

impl<'c> Calls<'c> {
    pub(crate) fn of(code: &'c Code) -> Calls<'c> {
        let functions = Functions::of(code);
        Calls { code, functions, known: FxHashMap::default(), chains: FxHashMap::default() }
    }

    /// The calls that the code from an instruction on makes of functions that the kernel has, with where those begin.
    pub(crate) fn calls(&self, start: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let extent = self.code.extent(start);
        let callee = |at: usize| Some((at, self.code.labels[self.functions.callee(at)?].before as usize));
        extent.filter_map(callee).collect::<Vec<_>>().into_iter()
    }

    /// How many calls inside of each other the code from here on makes, as far as there is room for them.
    pub(crate) fn chain(&mut self, start: usize, room: usize) -> usize {
        if let Some(known) = self.chains.get(&(start, room)) {
            return *known;
        }
        let mut most = 0;
        for (_, callee) in self.calls(start).filter(|_| room > 0) {
            most = most.max(1 + self.chain(callee, room - 1));
        }
        self.chains.insert((start, room), most);
        most
    }

    /// The most entries that the code from here to its end takes.
    pub(crate) fn entries(&mut self, start: usize, calls: usize) -> usize {
        if let Some(known) = self.known.get(&(start, calls)) {
            return *known;
        }
        let code = self.code;
        let mut most = 0;
        for at in start..code.instructions.len() {
            let instruction = &code.instructions[at];
            let opens = matches!(code.links[at], Some(Link::If { .. } | Link::Loop { .. }));
            if opens {
                most = most.max(code.depth(at) + 1);
            } else if instruction.name() == "call"
                && calls > 0
                && let Some(label) = self.functions.callee(at)
            {
                let callee = code.labels[label].before as usize;
                most = most.max(code.depth(at) + self.entries(callee, calls - 1));
            }
            if ends_all(code, at) {
                break;
            }
        }
        self.known.insert((start, calls), most);
        most
    }
}

#[cfg(test)]
mod tests {
    use warplens_syntax::{Language, parse_file};

    use super::*;

    fn nesting(statements: &str) -> (usize, usize) {
        let file = parse_file(Language::Wave, &format!(".kernel k\n{statements}\n.end\n"));
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
