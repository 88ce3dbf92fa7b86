//! Smaller launches.

use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::compare::Drawer;
use warplens_sim_launch::{Argument, Buffer, Contents, Fill, Launch, Passed, PlacedBuffer, Resolved};
use warplens_sim_warp::ScalarType;

use warplens_tools::comparison::compared::Compared;

/// How many launches of one thread are drawn, in case none with values of the launch shows the difference.
const DRAWN: usize = 40;

/// The launch of a run in a form that can be written: with the contents of files, and without checks.
pub(super) fn written(prepared: &Prepared) -> Launch {
    let resolved = &prepared.resolved;
    let args = resolved.launch.args.iter().map(|argument| {
        let is_file = matches!(&argument.passed, Passed::Buffer(Buffer { contents: Contents::File(_), .. }));
        match (is_file, buffer_of(resolved, argument)) {
            (true, Some(buffer)) => with_elements(argument, buffer.element, &elements(resolved, buffer)),
            _ => argument.clone(),
        }
    });
    Launch {
        args: args.collect(),
        expect: Vec::new(),
        assumed: Vec::new(),
        model: None,
        ..resolved.launch.clone()
    }
}

/// Launches with fewer threads, the smallest first.
pub(super) fn with_fewer_threads(compared: &Compared) -> Vec<Launch> {
    let resolved = &compared.runs[0].prepared.resolved;
    let launch = written(&compared.runs[0].prepared);
    let threads = |grid, block| Launch {
        grid: Some(grid),
        block: Some(block),
        cluster: None,
        cooperative: None,
        ..launch.clone()
    };
    let one = [1; 3];
    let (grid, block) = (launch.grid.unwrap_or(one), launch.block.unwrap_or(one));
    if (grid, block) == (one, one) {
        return Vec::new();
    }
    let index = compared.comparison.buffers.first().map_or(0, |difference| difference.index);
    let single = threads(one, one);
    let moved = Launch { args: moved(resolved, index), ..single.clone() };
    let mut drawer = Drawer::new(&Resolved { launch: moved.clone(), ..(**resolved).clone() }, 1);
    let mut all = vec![moved, single];
    all.extend((0..DRAWN).map(|number| Launch {
        name: launch.name.clone(),
        grid: Some(one),
        block: Some(one),
        ..drawer.draw(number)
    }));
    let warp: u32 = block.iter().product();
    let fewer = [(one, [warp.min(32), 1, 1]), (one, block), (grid, [warp.min(32), 1, 1])];
    all.extend(fewer.into_iter().filter(|sizes| *sizes != (grid, block)).map(|(g, b)| threads(g, b)));
    all
}

/// Launches with one buffer that is shorter, or whose contents are zero.
pub(super) fn with_simpler_buffers(compared: &Compared) -> Vec<Launch> {
    let resolved = &compared.runs[0].prepared.resolved;
    let launch = written(&compared.runs[0].prepared);
    let needed = 1 + compared.comparison.buffers.first().map_or(0, |difference| difference.index);
    let mut all = Vec::new();
    for (index, argument) in launch.args.iter().enumerate() {
        let (Passed::Buffer(_), Some(buffer)) = (&argument.passed, buffer_of(resolved, argument)) else {
            continue;
        };
        let values = elements(resolved, buffer);
        let with = |argument: Argument| {
            let mut args = launch.args.clone();
            args[index] = argument;
            Launch { args, ..launch.clone() }
        };
        for len in [1, needed, values.len() / 2] {
            if (1..values.len()).contains(&len) {
                all.push(with(with_elements(argument, buffer.element, &values[..len])));
            }
        }
        let zeros = Contents::Filled { len: values.len() as u64, fill: Fill::Zero };
        if values.iter().any(|value| *value != 0) {
            all.push(with(with_contents(argument, buffer.element, zeros)));
        }
    }
    all
}

/// The arguments with the element `index` of each buffer moved to its start.
fn moved(resolved: &Resolved, index: usize) -> Vec<Argument> {
    let moved = |argument: &Argument| {
        let buffer = buffer_of(resolved, argument).filter(|_| matches!(argument.passed, Passed::Buffer(_)));
        let Some(buffer) = buffer else { return argument.clone() };
        let mut values = elements(resolved, buffer);
        if let Some(value) = values.get(index).copied() {
            values[0] = value;
        }
        with_elements(argument, buffer.element, &values)
    };
    resolved.launch.args.iter().map(moved).collect()
}

fn buffer_of<'r>(resolved: &'r Resolved, argument: &Argument) -> Option<&'r PlacedBuffer> {
    resolved.buffer(argument.name.as_deref()?)
}

/// The elements of a buffer before the run.
fn elements(resolved: &Resolved, buffer: &PlacedBuffer) -> Vec<u64> {
    let bytes = resolved.initial_bytes(buffer);
    bytes.chunks_exact(buffer.element.bytes()).map(|bytes| buffer.element.read(bytes)).collect()
}

fn with_elements(argument: &Argument, element: ScalarType, values: &[u64]) -> Argument {
    let contents = match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) && !rest.is_empty() => {
            let fill = if *first == 0 { Fill::Zero } else { Fill::Value(*first) };
            Contents::Filled { len: values.len() as u64, fill }
        }
        _ => Contents::Values(values.to_vec()),
    };
    // A number in a text cannot express the bits of a NaN.
    let is_nan = |bits: &u64| element.format().is_some() && element.float_of_bits(*bits).is_nan();
    let contents = match contents {
        Contents::Values(values) if values.iter().any(is_nan) => {
            let mut bytes = Vec::new();
            values.iter().for_each(|value| element.write(*value, &mut bytes));
            Contents::Bytes(bytes)
        }
        contents => contents,
    };
    with_contents(argument, element, contents)
}

fn with_contents(argument: &Argument, element: ScalarType, contents: Contents) -> Argument {
    let passed = match &argument.passed {
        Passed::Buffer(buffer) => Buffer { element, contents, ..buffer.clone() },
        _ => Buffer::new(element, contents),
    };
    Argument { passed: Passed::Buffer(passed), ..argument.clone() }
}
