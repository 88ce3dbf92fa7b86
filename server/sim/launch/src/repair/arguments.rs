//! Tries other arguments for an inferred launch: longer buffers, other contents, smaller numbers.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::scalar_type::Class;
use warplens_sim_warp::trace::Cancelled;

use super::Search;
use crate::body::{Body, Part, TableSize};
use crate::cuda_kernel::infer::ALL_BUFFERS;
use crate::model::{Argument, Buffer, Contents, Fill, Launch, Passed};

/// Maximum size of a buffer in bytes.
const MAX_BUFFER: u64 = 16 << 20;
/// The factor by which buffers grow.
const GROWTH: u64 = 16;
/// Numbers to try instead of the number of threads.
const NUMBERS: [i128; 6] = [1, 2, 4, 8, 16, 64];

impl Search<'_> {
    /// Tries other arguments one at a time; the next attempt builds on the best one so far.
    pub(super) fn arguments(&mut self) -> Result<(), Cancelled> {
        while self.best.has(FindingKind::OutOfBounds) {
            let Some(launch) = grown(&self.best.resolved.launch) else { break };
            let rank = self.best.rank();
            if self.attempt(launch, "longer buffers".to_owned())? || self.best.rank() == rank {
                break;
            }
        }
        all_places(&self.best.resolved.launch).into_iter().try_for_each(|place| self.argument(place))
    }

    /// Tries other values for an argument or for one of its fields.
    fn argument(&mut self, (argument, field): Place) -> Result<(), Cancelled> {
        let launch = self.best.resolved.launch.clone();
        if launch.known.get(argument).is_some_and(Option::is_some) {
            return Ok(());
        }
        let Some(place) = place(&launch.args[argument], field) else { return Ok(()) };
        let others: Vec<(Passed, String)> = match &place.passed {
            Passed::Scalar(kind, bits) if kind.class() != Class::Float => {
                let table = self.table(argument, field);
                let numbers =
                    NUMBERS.iter().map(|number| table.map_or(*number, |table| table.number(*number)));
                let others = numbers.filter_map(|number| Some((number, kind.bits_of_integer(number)?)));
                let others = others.filter(|(_, other)| other != bits);
                others.map(|(number, bits)| (Passed::Scalar(*kind, bits), number.to_string())).collect()
            }
            Passed::Buffer(buffer) if buffer.element.class() != Class::Float => {
                let fills = [(Fill::Zero, "zeros"), (Fill::Value(1), "ones")];
                let others = fills.into_iter().filter_map(|(fill, what)| Some((filled(buffer, fill)?, what)));
                others.map(|(buffer, what)| (Passed::Buffer(buffer), what.to_owned())).collect()
            }
            _ => return Ok(()),
        };
        let name = place.name().to_owned();
        for (passed, what) in others {
            let mut launch = launch.clone();
            if let Some(place) = place_mut(&mut launch.args[argument], field) {
                place.passed = passed;
            }
            if self.attempt(launch, format!("{name} = {what}"))? {
                break;
            }
        }
        Ok(())
    }

    /// Whether an argument or one of its fields is the size of a table.
    fn table(&self, argument: usize, field: usize) -> Option<TableSize> {
        part_of(&self.attempts.guess.body, &self.best.resolved.launch, argument, field)?.table
    }
}

/// What the kernel does with an argument or one of its fields.
pub(super) fn part_of<'b>(
    body: &'b Body,
    launch: &Launch,
    argument: usize,
    field: usize,
) -> Option<&'b Part> {
    let at = match &launch.args.get(argument)?.passed {
        Passed::Fields(fields) => fields.get(field)?.at,
        _ => 0,
    };
    body.part(argument, at)
}

/// Where a number or a buffer is in a launch: the argument and its field.
pub(super) type Place = (usize, usize);

/// The places of all arguments and their fields.
pub(super) fn all_places(launch: &Launch) -> Vec<Place> {
    let fields = |argument: &Argument| match &argument.passed {
        Passed::Fields(fields) => fields.len(),
        _ => 1,
    };
    let places = |(argument, it)| (0..fields(it)).map(move |field| (argument, field));
    launch.args.iter().enumerate().flat_map(places).collect()
}

pub(super) fn place(argument: &Argument, field: usize) -> Option<&Argument> {
    match &argument.passed {
        Passed::Fields(fields) => fields.get(field).map(|field| &field.argument),
        _ => Some(argument),
    }
}

pub(super) fn place_mut(argument: &mut Argument, field: usize) -> Option<&mut Argument> {
    match argument.passed {
        Passed::Fields(ref mut fields) => fields.get_mut(field).map(|field| &mut field.argument),
        _ => Some(argument),
    }
}

/// The buffer with another pattern, if its pattern has different elements.
pub(super) fn filled(buffer: &Buffer, fill: Fill) -> Option<Buffer> {
    match buffer.contents {
        Contents::Filled { len, fill: Fill::Iota } => {
            Some(Buffer { contents: Contents::Filled { len, fill }, ..buffer.clone() })
        }
        _ => None,
    }
}

/// The launch with longer buffers; `None` if none can grow.
fn grown(launch: &Launch) -> Option<Launch> {
    let mut launch = launch.clone();
    let places = all_places(&launch).len();
    let most = MAX_BUFFER.min(ALL_BUFFERS / places.max(1) as u64);
    let mut has_grown = false;
    let mut grow = |argument: &mut Argument| {
        if let Passed::Buffer(Buffer { element, contents: Contents::Filled { len, .. }, .. }) =
            &mut argument.passed
        {
            let longer = len.saturating_mul(GROWTH).min(most / element.bytes() as u64);
            has_grown |= longer > *len;
            *len = longer.max(*len);
        }
    };
    for argument in &mut launch.args {
        match &mut argument.passed {
            Passed::Fields(fields) => fields.iter_mut().for_each(|field| grow(&mut field.argument)),
            _ => grow(argument),
        }
    }
    has_grown.then_some(launch)
}
