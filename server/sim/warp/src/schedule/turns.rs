//! Whose turn it is: warps of a block and blocks of a cluster run one after the other, unless a schedule has another order.

use super::Scheduler;

#[derive(Clone, Debug, Default)]
pub struct Turns {
    current: usize,
    /// In a run under a schedule: the members, the one that runs first at the front.
    order: Vec<usize>,
}

impl Turns {
    /// Lets the scheduler, if there is one, choose the order of the members.
    pub fn choose_order(&mut self, scheduler: Option<&mut Scheduler>, count: usize) {
        if let Some(scheduler) = scheduler.filter(|_| self.order.is_empty()) {
            self.order = scheduler.order(count);
        }
    }

    /// The member at this place among `count`, counted from the one whose turn it is.
    pub fn member(&self, place: usize, count: usize) -> usize {
        self.order.get(place).copied().unwrap_or_else(|| (self.current + place) % count)
    }

    /// The member whose turn it is.
    pub fn current(&self) -> usize {
        self.current
    }

    pub fn begin(&mut self, member: usize) {
        self.current = member;
    }

    /// Ends the turn of the current member; the next one follows.
    pub fn end(&mut self, count: usize) {
        self.current = (self.current + 1) % count;
    }

    /// The schedule moves a member behind the others.
    pub fn postpone(&mut self, member: usize) {
        if let Some(at) = self.order.iter().position(|other| *other == member) {
            self.order[at..].rotate_left(1);
        }
    }
}
