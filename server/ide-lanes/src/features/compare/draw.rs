//! Launches drawn at random from a launch: other sizes, other arguments, and contents with edge values.
//!
//! Drawing learns which sizes and contents a kernel accepts: a distribution whose launches are discarded is used less often. The same
//! seed and the same verdicts give the same launches.

use warplens_sim_launch::{Argument, Buffer, Contents, Launch, Passed, Resolved};
use warplens_sim_warp::ScalarType;
use warplens_sim_warp::SplitMix64;

/// How the contents of a buffer, the value of a scalar or the sizes of a launch are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distribution {
    /// As in the launch that the others are drawn from.
    Unchanged,
    /// Often values at which instructions behave differently.
    Edges,
    /// All bits at random.
    Bits,
    /// Small numbers, which may be indices.
    Small,
    /// One edge value.
    Constant,
}

const DISTRIBUTIONS: [Distribution; 5] = [
    Distribution::Unchanged,
    Distribution::Edges,
    Distribution::Bits,
    Distribution::Small,
    Distribution::Constant,
];

/// The largest number of elements of a buffer that is shuffled.
const MAX_SHUFFLED: u64 = 1 << 16;

/// The largest number of threads of a block.
const MAX_THREADS: u32 = 1024;

#[derive(Debug)]
pub struct Drawer {
    random: SplitMix64,
    launch: Launch,
    /// The length in elements of each argument's buffer.
    lengths: Vec<Option<u64>>,
    /// For the sizes and then for each argument: how often each distribution was discarded.
    discarded: Vec<[u32; DISTRIBUTIONS.len()]>,
    last: Vec<usize>,
    /// Drawn first: the launch with the contents of its buffers in another order, since ascending ones hide differences.
    shuffled: Option<Launch>,
}

impl Drawer {
    pub fn new(resolved: &Resolved, seed: u64) -> Drawer {
        let launch = Launch { name: String::new(), expect: Vec::new(), ..resolved.launch.clone() };
        let length = |argument: &Argument| {
            let buffer = resolved.buffer(argument.name.as_deref()?)?;
            matches!(argument.passed, Passed::Buffer(_)).then(|| buffer.len / buffer.element.bytes() as u64)
        };
        let lengths = launch.args.iter().map(length).collect();
        let discarded = vec![[0; DISTRIBUTIONS.len()]; launch.args.len() + 1];
        let shuffled = shuffled(&launch, resolved, &mut SplitMix64(seed));
        Drawer { random: SplitMix64(seed), launch, lengths, discarded, last: Vec::new(), shuffled }
    }

    /// The next launch; `number` becomes its name.
    pub fn draw(&mut self, number: usize) -> Launch {
        self.last.clear();
        if let Some(shuffled) = self.shuffled.take() {
            return Launch { name: format!("random {number}"), ..shuffled };
        }
        let mut launch = Launch { name: format!("random {number}"), ..self.launch.clone() };
        match self.choose(0) {
            Distribution::Unchanged | Distribution::Bits | Distribution::Constant => {}
            Distribution::Edges => launch.block = launch.block.map(|block| self.block(block)),
            Distribution::Small => {
                launch.grid = launch.grid.map(|grid| grid.map(|size| self.between(1, size)));
                launch.block = launch.block.map(|block| block.map(|size| self.between(1, size)));
            }
        }
        for index in 0..launch.args.len() {
            let choice = self.choose(index + 1);
            if choice != Distribution::Unchanged {
                let passed = &mut launch.args[index].passed;
                self.argument(passed, self.lengths[index], choice);
            }
        }
        launch
    }

    /// Records that the last launch was not usable.
    pub fn discard(&mut self) {
        for (what, choice) in self.last.iter().enumerate() {
            if DISTRIBUTIONS[*choice] != Distribution::Unchanged {
                self.discarded[what][*choice] += 1;
            }
        }
    }

    /// Chooses a distribution; the more of its launches were discarded, the less likely it is.
    fn choose(&mut self, what: usize) -> Distribution {
        let weights = self.discarded[what].map(|discarded| 1024 / (1 + u64::from(discarded)).pow(2));
        let mut left = self.random.next() % weights.iter().sum::<u64>().max(1);
        let mut chosen = 0;
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                chosen = index;
                break;
            }
            left -= weight;
        }
        self.last.push(chosen);
        DISTRIBUTIONS[chosen]
    }

    fn between(&mut self, low: u32, high: u32) -> u32 {
        low + (self.random.next() % (u64::from(high.max(low) - low) + 1)) as u32
    }

    fn block(&mut self, block: [u32; 3]) -> [u32; 3] {
        let threads = block.iter().product::<u32>();
        let sizes = [1, 2, 31, 32, 33, 64, threads.saturating_sub(1), threads + 1, threads / 2, threads * 2];
        let size = sizes[self.random.next() as usize % sizes.len()].clamp(1, MAX_THREADS);
        if block[1..] == [1, 1] { [size, 1, 1] } else { [self.between(1, block[0]), block[1], block[2]] }
    }

    fn argument(&mut self, passed: &mut Passed, length: Option<u64>, choice: Distribution) {
        match passed {
            Passed::Scalar(kind, bits) => {
                let (kind, old) = (*kind, *bits);
                *bits = match choice {
                    Distribution::Small => {
                        let most = if kind.format().is_some() { 16 } else { old.clamp(1, 1 << 20) };
                        self.small(kind, most)
                    }
                    _ => self.value(kind, choice),
                };
            }
            Passed::Buffer(Buffer { element, contents, .. }) => {
                let Some(length) = length else { return };
                let element = *element;
                let constant = self.edge(element);
                let small = 1 << (self.random.next() % 8);
                let value = |drawer: &mut Drawer| match choice {
                    Distribution::Constant => constant,
                    Distribution::Small => drawer.small(element, small),
                    _ => drawer.value(element, choice),
                };
                *contents = Contents::Values((0..length).map(|_| value(self)).collect());
            }
            Passed::Fields(fields) => {
                for field in fields {
                    if let Passed::Scalar(..) = field.argument.passed {
                        self.argument(&mut field.argument.passed, None, choice);
                    }
                }
            }
            // The fields of a map and its data belong together, and so do replicas.
            Passed::Bytes(_) | Passed::Alias(_) | Passed::TensorMap(_) | Passed::Multimem(_) => {}
        }
    }

    fn small(&mut self, kind: ScalarType, most: u64) -> u64 {
        let value = self.random.next() % (most + 1);
        match kind.format() {
            Some(_) => kind.bits_of_float(value as f64 - 4.0),
            None => value,
        }
    }

    fn value(&mut self, kind: ScalarType, choice: Distribution) -> u64 {
        match self.random.next() % 4 {
            0 if choice == Distribution::Edges => self.bits(kind),
            1 if choice == Distribution::Edges => self.small(kind, 8),
            _ if choice == Distribution::Bits => self.bits(kind),
            _ => self.edge(kind),
        }
    }

    fn bits(&mut self, kind: ScalarType) -> u64 {
        canonical(kind, self.random.next() & mask(kind))
    }

    /// A value at the end of a range of the type, or a power of two, or next to one.
    fn edge(&mut self, kind: ScalarType) -> u64 {
        let width = kind.bits().min(64);
        let power = 1u64 << (self.random.next() % u64::from(width));
        let floats: &[u64] = match width {
            16 => &[0x3c00, 0xbc00, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x7bff],
            32 => &[
                0x3f80_0000,
                0xbf80_0000,
                0x8000_0000,
                0x7f80_0000,
                0xff80_0000,
                0x7fff_ffff,
                1,
                0x7f7f_ffff,
                0x0080_0000,
                0x4f00_0000,
            ],
            64 => &[
                0x3ff0_0000_0000_0000,
                0xbff0_0000_0000_0000,
                0x8000_0000_0000_0000,
                0x7ff0_0000_0000_0000,
                0xfff0_0000_0000_0000,
                0x7ff8_0000_0000_0000,
                1,
                0x7fef_ffff_ffff_ffff,
            ],
            _ => &[0],
        };
        let values = [
            0,
            1,
            u64::MAX,
            1 << (width - 1),
            (1 << (width - 1)) - 1,
            power,
            power - 1,
            power.wrapping_neg(),
            floats[self.random.next() as usize % floats.len()],
            floats[self.random.next() as usize % floats.len()],
        ];
        canonical(kind, values[self.random.next() as usize % values.len()] & mask(kind))
    }
}

/// The launch with the elements of each buffer in a random order; `None` if that changes nothing. The values stay, so that those that are
/// indices are still valid.
fn shuffled(launch: &Launch, resolved: &Resolved, random: &mut SplitMix64) -> Option<Launch> {
    let mut shuffled = launch.clone();
    for argument in &mut shuffled.args {
        let buffer = argument.name.as_deref().and_then(|name| resolved.buffer(name));
        let (Passed::Buffer(Buffer { contents, .. }), Some(buffer)) = (&mut argument.passed, buffer) else {
            continue;
        };
        let size = buffer.element.bytes();
        if buffer.len / size as u64 > MAX_SHUFFLED {
            continue;
        }
        let bytes = resolved.initial_bytes(buffer);
        let mut values: Vec<u64> = bytes.chunks_exact(size).map(|bytes| buffer.element.read(bytes)).collect();
        for last in (1..values.len()).rev() {
            values.swap(last, (random.next() % (last as u64 + 1)) as usize);
        }
        if values.windows(2).any(|pair| pair[0] != pair[1]) {
            *contents = Contents::Values(values);
        }
    }
    (shuffled.args != launch.args).then_some(shuffled)
}

fn mask(kind: ScalarType) -> u64 {
    u64::MAX >> (64 - kind.bits().min(64))
}

/// All NaNs become one, because a written launch has only one.
fn canonical(kind: ScalarType, bits: u64) -> u64 {
    match kind.format() {
        Some(_) if kind.float_of_bits(bits).is_nan() => kind.bits_of_float(f64::NAN),
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use warplens_sim_cuda::launch_config::launch_config;
    use warplens_sim_launch::arguments;

    use super::*;

    fn resolved(flags: &[&str]) -> Resolved {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let args = arguments(&flags).expect("arguments");
        let launch = Launch { grid: Some([2, 1, 1]), block: Some([32, 1, 1]), args, ..Launch::default() };
        let config = launch_config([2, 1, 1], [32, 1, 1]);
        Resolved { launch, config, buffers: Vec::new(), tried: Vec::new() }
    }

    #[test]
    fn the_same_seed_gives_the_same_launches() {
        let resolved = resolved(&["n=s32:100", "a=f32:1"]);
        let draw = |seed| {
            let mut drawer = Drawer::new(&resolved, seed);
            (0..20).map(|number| drawer.draw(number)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn edge_values_are_drawn_and_fit_their_type() {
        let resolved = resolved(&["n=s32:100"]);
        let mut drawer = Drawer::new(&resolved, 7);
        let mut values = Vec::new();
        for number in 0..400 {
            let Passed::Scalar(_, bits) = drawer.draw(number).args[0].passed else { panic!("a scalar") };
            values.push(bits);
        }
        for edge in [0, 1, 0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 0x7f80_0000, 100] {
            assert!(values.contains(&edge), "{edge:x}");
        }
        assert!(values.iter().all(|value| value >> 32 == 0));
    }

    #[test]
    fn discarded_choices_become_rare() {
        let resolved = resolved(&["n=u32:100"]);
        let mut drawer = Drawer::new(&resolved, 3);
        let mut kept = 0;
        for number in 0..200 {
            let launch = drawer.draw(number);
            let is_usable = launch.args[0].passed == Passed::Scalar(ScalarType::U32, 100)
                && launch.block == Some([32, 1, 1]);
            if is_usable { kept += 1 } else { drawer.discard() }
        }
        assert!(kept > 100, "{kept}");
    }
}
