//! Reports of undefined values where they matter.

use super::Sanitizer;
use super::undefined::{UndefinedUse, UndefinedValues};
use crate::lanes::Lanes;
use crate::ptx::program::{Function, Op, Part};
use crate::trace::{Related, Severity};

impl Sanitizer {
    /// Whether undefined values are propagated through registers.
    pub(crate) fn follows_values(&self) -> bool {
        self.checks.uninitialized
    }

    /// Lanes execute a statement while some registers are undefined.
    pub(crate) fn values(
        &mut self,
        undefined: &mut UndefinedValues,
        function: &Function,
        pc: u32,
        active: u32,
        executed: u32,
    ) {
        let (used, stored) = undefined.step(function, pc, active, executed);
        self.visit.undefined = stored;
        if let Some(used) = used {
            self.report_undefined(used, function);
        }
    }

    /// After the load at `pc`: its destinations may be undefined.
    pub(crate) fn loaded(&mut self, undefined: &mut UndefinedValues, function: &Function, pc: u32) {
        if !std::mem::take(&mut self.loaded_uninitialized) {
            return;
        }
        let instruction = function.code[pc as usize];
        if let Op::Load = instruction.op {
            let elements = function.tables.accesses[instruction.s.a as usize].elements.iter();
            let lanes =
                elements.zip(self.uninitialized).filter_map(|(element, lanes)| element.map(|_| lanes));
            undefined.loaded(function, pc, lanes);
        }
    }

    #[cold]
    fn report_undefined(&mut self, used: UndefinedUse, function: &Function) {
        let UndefinedUse { root, statement, part, lanes } = used;
        let register = root.register.unwrap_or(u32::MAX);
        if !self.reported.insert(("uninitialized-read", root.statement, register)) {
            return;
        }
        let what = match part {
            Part::Guard => "controls a predicate",
            Part::Address => "is used as an address",
            Part::Choice => "controls a branch",
            Part::Stored | Part::Source => "is stored",
        };
        let name = root.register.and_then(|register| function.frame.registers.get(register as usize));
        let message = match name {
            Some(register) => format!(
                "uninitialized read: `{}` is read in {} before it is written; the value {what}. Write it on \
                 every path to this statement",
                register.name,
                Lanes(lanes.into())
            ),
            None => format!(
                "uninitialized read: no thread has written the memory loaded by {}; the value {what}. \
                 Initialize it before the load, and synchronize with the threads that do",
                Lanes(lanes.into())
            ),
        };
        let elsewhere =
            (root.statement != statement).then(|| Related::new(statement, format!("the value {what} here")));
        self.report("uninitialized-read", Severity::Warning, message, root.statement, lanes, elsewhere);
    }
}
