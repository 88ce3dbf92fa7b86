//! The modifiers of an instruction, which decoding takes one by one. If any remain, the instruction is not simulated.

use smol_str::SmolStr;
use warplens_hir::ptx::Type;
use warplens_sim_warp::soft_float::Rounding;

use super::{Result, Why};
use crate::program::{AtomicOp, Space};

/// The modifiers that have not been taken yet, in text order.
pub(super) struct Modifiers<'f> {
    rest: Vec<&'f str>,
}

/// Caching and ordering modifiers, which have no effect in a simulator that executes in order.
const IGNORED: &[&str] = &[
    "weak", "strong", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio", "cta", "cluster",
    "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified", "noftz", "noinc",
];

impl<'f> Modifiers<'f> {
    pub(super) fn new(modifiers: &'f [SmolStr]) -> Modifiers<'f> {
        Modifiers { rest: modifiers.iter().map(SmolStr::as_str).collect() }
    }

    /// Takes this modifier if it is present; returns whether it was.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let at = self.rest.iter().position(|have| *have == name);
        at.map(|at| self.rest.remove(at)).is_some()
    }

    /// Whether this modifier is present and not taken yet.
    pub(super) fn has(&self, name: &str) -> bool {
        self.rest.contains(&name)
    }

    /// Takes the first modifier for which `f` returns a value.
    pub(super) fn find<T>(&mut self, f: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (at, value) = self.rest.iter().enumerate().find_map(|(at, name)| Some((at, f(name)?)))?;
        self.rest.remove(at);
        Some(value)
    }

    /// Takes the first modifier that `choices` names, and returns its value.
    pub(super) fn choose<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        let value_of =
            |name: &str| choices.iter().find(|(choice, _)| *choice == name).map(|(_, value)| *value);
        self.find(value_of)
    }

    /// Like [`Self::choose`], for forms that have one of these modifiers.
    pub(super) fn require<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T> {
        self.choose(choices).ok_or_else(Why::form)
    }

    /// Takes the first modifier that is one of these words.
    pub(super) fn word(&mut self, words: &[&'static str]) -> Option<&'static str> {
        self.find(|name| words.iter().copied().find(|word| *word == name))
    }

    pub(super) fn ty(&mut self) -> Result<Type> {
        self.find(Type::from_name).ok_or_else(|| Why::new("it has no type"))
    }

    /// `.rn` and the other rounding modifiers; `None` means to nearest.
    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        self.choose(&[
            ("rn", Rounding::Nearest),
            ("rna", Rounding::NearestAway),
            ("rz", Rounding::Zero),
            ("rm", Rounding::Down),
            ("rp", Rounding::Up),
        ])
    }

    /// `.rni` and the other modifiers that round to an integer.
    pub(super) fn integer_rounding(&mut self) -> Option<Rounding> {
        self.choose(&[
            ("rni", Rounding::Nearest),
            ("rzi", Rounding::Zero),
            ("rmi", Rounding::Down),
            ("rpi", Rounding::Up),
        ])
    }

    pub(super) fn space(&mut self) -> Option<Space> {
        self.find(|name| {
            Some(match name {
                "global" => Space::Global,
                "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
                "local" => Space::Local,
                "const" => Space::Const,
                "param" | "param::entry" | "param::func" => Space::Param,
                _ => return None,
            })
        })
    }

    pub(super) fn atomic_op(&mut self) -> Option<AtomicOp> {
        self.choose(&[
            ("add", AtomicOp::Add),
            ("min", AtomicOp::Min),
            ("max", AtomicOp::Max),
            ("and", AtomicOp::And),
            ("or", AtomicOp::Or),
            ("xor", AtomicOp::Xor),
            ("exch", AtomicOp::Exchange),
            ("cas", AtomicOp::CompareSwap),
            ("inc", AtomicOp::Increment),
            ("dec", AtomicOp::Decrement),
        ])
    }

    /// Drops all modifiers that `keep` rejects.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.rest.retain(|name| keep(name));
    }

    /// Drops the modifiers that only affect caching or ordering.
    pub(super) fn ignore_caching(&mut self) {
        self.rest.retain(|name| {
            let is_ignored = IGNORED.contains(name) || *name == "proxy::readonly";
            !is_ignored && !name.starts_with("L1::") && !name.starts_with("L2::")
        });
    }

    pub(super) fn finish(&self) -> Result {
        match self.rest.first() {
            None => Ok(()),
            Some(left) => Err(Why(smol_str::format_smolstr!("`.{left}` is not among the simulated forms"))),
        }
    }
}
