//! The memory objects of a program that have no buffer: names and positions, for messages and for the bounds of local
//! memory.

use warplens_sim_warp::objects::Object;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramObjects {
    /// `.shared` variables, by offset.
    pub shared: Vec<Object>,
    /// The first array without a length; it names dynamic shared memory.
    pub dynamic_shared: Option<Object>,
    pub params: Vec<Object>,
    /// The module's `.local` variables.
    pub local: FrameObjects,
    /// The variables of each function, at offsets from the start of a call's local memory.
    pub frames: Vec<FrameObjects>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameObjects {
    /// `.local` and `.param` variables, by offset.
    pub objects: Vec<Object>,
    /// The ranges that may be accessed, by offset.
    ranges: Vec<(u32, u32)>,
}

impl FrameObjects {
    /// Unused bytes after each `.local` variable, so that an access past its end is detected.
    pub const GUARD: u64 = 16;

    /// Adds a `.local` variable; accesses must be inside it.
    pub fn add_local(&mut self, object: Object) {
        let end = object.end();
        self.add(object, end);
    }

    /// Adds a `.param` variable. Compilers access the padding after it, and through an array without a length all
    /// arguments that follow.
    pub fn add_param(&mut self, object: Object) {
        let end = object.end().checked_next_multiple_of(16).filter(|_| object.len != 0);
        self.add(object, end.unwrap_or(u64::MAX));
    }

    /// Adds an object; accesses may extend to `end`. Sizes in a source may exceed what a launch accepts, so offsets
    /// saturate.
    fn add(&mut self, object: Object, end: u64) {
        let offset = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
        self.ranges.push((offset(object.start), offset(end)));
        self.objects.push(object);
    }

    pub(crate) fn range(&self, offset: u32) -> Option<(u32, u32)> {
        let after = self.ranges.partition_point(|(start, _)| *start <= offset);
        self.ranges[..after].last().copied().filter(|(_, end)| offset < *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_with_variables() {
        let object = |start, len| Object { start, len, ..Object::default() };
        let mut frame = FrameObjects::default();
        frame.add_local(object(0, 8));
        frame.add_param(object(24, 4));
        frame.add_param(object(28, 1));
        assert_eq!([0, 7, 8, 23].map(|at| frame.range(at)), [Some((0, 8)), Some((0, 8)), None, None]);
        assert_eq!(
            [24, 28, 31, 32].map(|at| frame.range(at)),
            [Some((24, 32)), Some((28, 32)), Some((28, 32)), None]
        );
    }
}
