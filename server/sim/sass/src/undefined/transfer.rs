//! The undefined bits of an operation's results.
//!
//! Operations that only move bits are applied to the undefined bits themselves. Sums are undefined from the
//! lowest undefined bit on, operations on halves half by half, truth tables where undefined bits decide the
//! result. Every other result is undefined as a whole.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, WIDTH, lanes_where};
use warplens_sim_cuda::semantics::bits::lop3_outcomes;
use warplens_sim_cuda::semantics::compare::Combine;

use super::flags::{self, Flags};
use super::visit::UndefinedVisit;
use super::{Key, UndefinedValues, UndefinedWord, is_register};
use crate::exec::{ExecContext, execute};
use crate::program::{CcTest, Op, Operation, Prepare, VoteMode};
use crate::registers::{ABSOLUTE, Condition, DROPPED, NEGATE, Part, Predicate, Registers, Row, Source};

/// The undefined results of an operation; the other results are defined.
pub(super) type Results = Vec<(Key, UndefinedWord)>;

impl UndefinedValues {
    /// Whether the operation reads or writes an undefined register.
    pub(super) fn touches(&self, visit: &UndefinedVisit<'_>) -> bool {
        let uses = &visit.program.uses[visit.statement as usize];
        let is_undefined = |key: Key| self.lanes_of(key) != 0;
        uses.iter().flat_map(|it| self.keys(it.cell)).any(is_undefined)
            || used_flags(visit.operation()).any(|flag| is_undefined(self.predicate(flag)))
    }

    /// The lanes whose execution of the operation depends on an undefined value, and its undefined bits.
    pub(super) fn guard(&self, visit: &UndefinedVisit<'_>, r: &Registers) -> UndefinedWord {
        let operation = visit.operation();
        let mut word = self.read(self.predicate(operation.guard.predicate), visit.statement);
        if operation.test != CcTest::ALWAYS {
            // Where one of the two is false, the other does not matter.
            let flags = self.flags(flags::of_test(operation.test), visit.statement);
            let may_hold = r.holds(operation.guard) | word.lanes();
            word = word.keep(operation.test.of(r) | flags.lanes());
            word.add(&flags.keep(may_hold));
        }
        word.keep(visit.active)
    }

    /// The lanes in which a test of the condition code is undefined.
    pub(crate) fn test(&self, test: CcTest) -> u32 {
        flags::of_test(test).iter().fold(0, |lanes, flag| lanes | self.lanes_of(self.predicate(*flag)))
    }

    fn flags(&self, flags: Flags, statement: u32) -> UndefinedWord {
        UndefinedWord::any_of(flags.iter().map(|flag| self.read(self.predicate(*flag), statement)))
    }

    /// The undefined bits of everything that the operation reads, combined.
    pub(super) fn inputs(&self, visit: &UndefinedVisit<'_>) -> UndefinedWord {
        let uses = visit.program.uses[visit.statement as usize].iter().filter(|it| !it.is_write);
        let keys = uses.flat_map(|it| self.keys(it.cell)).filter(|key| self.lanes_of(*key) != 0);
        let mut all = UndefinedWord::any_of(keys.map(|key| self.read(key, visit.statement)));
        all.add(&self.flags(flags::read(visit.operation()), visit.statement));
        all.whole()
    }

    pub(super) fn results(
        &self,
        visit: &UndefinedVisit<'_>,
        r: &mut Registers,
        ctx: &mut ExecContext<'_>,
    ) -> Results {
        let operation = visit.operation();
        let inputs = self.inputs(visit);
        if inputs.lanes() & visit.written == 0 {
            return Vec::new();
        }
        let mut results = match self.exact(visit, &inputs, r, ctx) {
            Some(results) => results,
            None => self.all_results(visit, &inputs),
        };
        let flags = flags::written(operation).iter();
        results.extend(flags.map(|flag| (self.predicate(*flag), inputs.clone())));
        results
    }

    /// Every result is undefined in lanes where an input is.
    fn all_results(&self, visit: &UndefinedVisit<'_>, inputs: &UndefinedWord) -> Results {
        let operation = visit.operation();
        let inputs = match operation.op.is_collective() || is_of_warp(operation.op) {
            true => inputs.spread(visit.written),
            false => inputs.clone(),
        };
        self.written(visit).map(|key| (key, inputs.clone())).collect()
    }

    pub(super) fn written<'s>(&'s self, visit: &UndefinedVisit<'s>) -> impl Iterator<Item = Key> + use<'s> {
        let uses = &visit.program.uses[visit.statement as usize];
        uses.iter().filter(|it| it.is_write).flat_map(|it| self.keys(it.cell))
    }

    /// The exact undefined results; `None` if the operation has no exact rule.
    fn exact(
        &self,
        visit: &UndefinedVisit<'_>,
        inputs: &UndefinedWord,
        r: &mut Registers,
        ctx: &mut ExecContext<'_>,
    ) -> Option<Results> {
        let o = visit.operation();
        if let Some((data, words)) = moves(o.op) {
            return self.moved(visit, data, words, r, ctx);
        }
        let bits = |index: usize| self.source(visit, o.s[index]);
        Some(match o.op {
            Op::Lop3(_) => self.table(visit, r),
            Op::Add3 | Op::AddCc { extends: false } => vec![(o.d, sum([bits(0), bits(1), bits(2)]))],
            Op::ScaledAdd if o.q[0] == DROPPED => {
                let mut scaled = bits(0);
                scaled.bits = scaled.bits.map(|bits| bits.checked_shl(o.n).unwrap_or(0));
                vec![(o.d, sum([scaled, bits(1), UndefinedWord::default()]))]
            }
            Op::MulAdd if inputs.lanes() & self.read(self.predicate(o.p[0].predicate), 0).lanes() == 0 => {
                let values = o.s.map(|source| r.row(source.row));
                let product = product([&bits(0), &bits(1)], values);
                let only_addend = (0..WIDTH)
                    .all(|lane| product.bits[lane] == 0 && (values[0][lane] == 0 || values[1][lane] == 0));
                let addend = bits(2);
                let result =
                    if only_addend { addend } else { sum([product, addend, UndefinedWord::default()]) };
                vec![(o.d, result)]
            }
            Op::HalfMinMax3(..) => vec![(o.d, self.halves(visit, 3))],
            Op::Half(_, mode) if !mode.single => vec![(o.d, self.halves(visit, 3))],
            Op::HalfMinMax(..) | Op::HalfSet(..) => vec![(o.d, self.halves(visit, 2))],
            Op::PackHalves { .. } => {
                let [upper, lower] = [(0, 0xffff_0000), (1, 0xffff)].map(|(index, half)| {
                    let word = bits(index).whole();
                    UndefinedWord { bits: word.bits.map(|bits| bits & half), ..word }
                });
                vec![(o.d, UndefinedWord::any_of([upper, lower]))]
            }
            Op::Compare(compare) => self.compared(visit, compare.combine, inputs, r),
            Op::CompareCc(compare) => self.compared(visit, compare.combine, inputs, r),
            Op::FloatSetp(_, combine) | Op::DoubleSetp(_, combine) => {
                self.compared(visit, combine, inputs, r)
            }
            Op::Plop3(0) => self.predicate_tables(visit, inputs, r),
            Op::ToPredicates if !o.sets_cc => self.unpacked_predicates(visit, r),
            Op::FromPredicates if !o.sets_cc => vec![(o.d, self.packed_predicates(visit, r))],
            Op::Vote(mode) => self.vote(visit, mode, r),
            Op::FirstLane => {
                let first = 1 << visit.written.trailing_zeros().min(31);
                let mut results = vec![(o.d, bits(0).spread(first))];
                results.extend(self.predicate_results(o, &inputs.spread(visit.written)));
                results
            }
            _ => return None,
        })
    }

    /// The undefined bits of a source after selecting its part and applying its signs.
    fn source(&self, visit: &UndefinedVisit<'_>, source: Source) -> UndefinedWord {
        let mut word = self.register(visit, source.row);
        match source.part {
            Part::Whole => {}
            Part::Half(half) => word.bits = word.bits.map(|bits| bits >> (16 * half) & 0xffff),
            Part::Byte(byte) => word.bits = word.bits.map(|bits| bits >> (8 * byte) & 0xff),
            _ => word = word.whole(),
        }
        if source.sign & ABSOLUTE != 0 {
            word = word.whole();
        } else if source.sign & NEGATE != 0 {
            word.bits = word.bits.map(carried);
        }
        word
    }

    fn register(&self, visit: &UndefinedVisit<'_>, row: Row) -> UndefinedWord {
        match is_register(&visit.program.layout, row) {
            true => self.read(row, visit.statement),
            false => UndefinedWord::default(),
        }
    }

    fn predicate_results<'s>(
        &'s self,
        o: &'s Operation,
        word: &'s UndefinedWord,
    ) -> impl Iterator<Item = (Key, UndefinedWord)> + 's {
        o.q.iter().filter(|q| **q != DROPPED).map(|q| (self.predicate(*q), word.clone()))
    }

    /// Applies the operation to the undefined bits of the sources that it moves. The other sources must be
    /// defined.
    fn moved(
        &self,
        visit: &UndefinedVisit<'_>,
        data: &[usize],
        words: u16,
        r: &mut Registers,
        ctx: &mut ExecContext<'_>,
    ) -> Option<Results> {
        let o = *visit.operation();
        let selected = self.selection(visit, data, words)?.whole();
        let mut applied = Operation { q: [DROPPED; 2], sets_cc: false, prepare: Prepare::Nothing, ..o };
        let mut origins = UndefinedWord::default();
        let mut saved: Vec<(Row, PerLane<u32>)> = Vec::new();
        for row in o.d..o.d + words {
            saved.push((row, *r.row(row)));
            *r.rows[usize::from(row)] = self.register(visit, row).bits;
        }
        let mut replace = |row: Row, word: &UndefinedWord, r: &mut Registers| {
            if !saved.iter().any(|(known, _)| *known == row) {
                saved.push((row, *r.row(row)));
            }
            *r.rows[usize::from(row)] = word.bits;
        };
        for &index in data {
            let source = &mut applied.s[index];
            for word in 0..words {
                let word_of = Source { row: source.row + word, part: Part::Whole, ..*source };
                let undefined = if source.sign == 0 || matches!(o.op, Op::MoveFloat | Op::SelectFloat { .. })
                {
                    self.register(visit, word_of.row)
                } else {
                    self.source(visit, word_of)
                };
                origins.add(&undefined);
                replace(word_of.row, &undefined, r);
            }
            source.sign = 0;
            if source.part != Part::Whole {
                applied.prepare = Prepare::Integers;
            }
        }
        // A shuffle reports to the sanitizer when it is executed on its values, not here.
        let sanitizer = ctx.sanitizer.take();
        let done = execute(Scalar::new(), &applied, visit.program, r, ctx, visit.written);
        ctx.sanitizer = sanitizer;
        let mut results = Vec::new();
        for word in 0..words {
            let mut result = UndefinedWord { bits: *r.row(o.d + word), ..origins.clone() };
            result.fill_origins();
            result.replace(selected.lanes(), &selected);
            results.push((o.d + word, result));
        }
        for (row, values) in saved.into_iter().rev() {
            *r.rows[usize::from(row)] = values;
        }
        results.extend(self.predicate_results(&o, &selected));
        done.is_ok().then_some(results)
    }

    /// The undefined bits of the sources and conditions by which an operation selects its data; `None` if the
    /// data include one of these sources.
    fn selection(&self, visit: &UndefinedVisit<'_>, data: &[usize], words: u16) -> Option<UndefinedWord> {
        let o = visit.operation();
        let is_data =
            |row: Row| data.iter().any(|index| (o.s[*index].row..o.s[*index].row + words).contains(&row));
        let others = (0..3).filter(|index| !data.contains(index)).map(|index| o.s[index].row);
        let mut selected = UndefinedWord::default();
        for row in others {
            if is_data(row) && is_register(&visit.program.layout, row) {
                return None;
            }
            selected.add(&self.register(visit, row));
        }
        selected.add(&self.conditions(visit));
        Some(selected)
    }

    /// The undefined bits of the predicate sources.
    fn conditions(&self, visit: &UndefinedVisit<'_>) -> UndefinedWord {
        let key = |condition: Condition| self.predicate(condition.predicate);
        UndefinedWord::any_of(visit.operation().p.map(|condition| self.read(key(condition), visit.statement)))
    }

    /// `LOP3`: the bits that depend on undefined bits.
    fn table(&self, visit: &UndefinedVisit<'_>, r: &Registers) -> Results {
        let o = visit.operation();
        let words = o.s.map(|source| self.register(visit, source.row));
        let mut buffers = [[0; WIDTH]; 3];
        let [x, y, z] = &mut buffers;
        let known = [*r.int(o.s[0], x), *r.int(o.s[1], y), *r.int(o.s[2], z)];
        // One register has one value, whichever operands it is.
        let possible = |assignment: u32| {
            let is_set = |index: usize| assignment >> index & 1 == 1;
            let agree = |a: usize, b: usize| {
                o.s[a].row != o.s[b].row || is_set(a) == (is_set(b) ^ (o.s[a].sign != o.s[b].sign))
            };
            agree(0, 1) && agree(1, 2) && agree(0, 2)
        };
        let outcomes: [[u32; 2]; WIDTH] = std::array::from_fn(|lane| {
            let undefined = [0, 1, 2].map(|index: usize| words[index].bits[lane]);
            lop3_outcomes(o.n as u8, known.map(|row| row[lane]), undefined, possible)
        });
        let mut word = UndefinedWord::any_of(words);
        word.bits = outcomes.map(|[any, all]| any & !all);
        let mut results = vec![(o.d, word.clone())];
        if o.q[0] != DROPPED {
            // A bit that is set in any case makes the result nonzero.
            let mut test = word;
            test.bits = std::array::from_fn(|lane| if outcomes[lane][1] != 0 { 0 } else { test.bits[lane] });
            test.add(&self.read(self.predicate(o.p[0].predicate), visit.statement));
            results.push((self.predicate(o.q[0]), test.whole()));
        }
        results
    }

    fn halves(&self, visit: &UndefinedVisit<'_>, sources: usize) -> UndefinedWord {
        let mut all = UndefinedWord::default();
        for source in &visit.operation().s[..sources] {
            let mut word = self.register(visit, source.row);
            word.bits = word.bits.map(|bits| {
                let (low, high) = (bits & 0xffff != 0, bits >> 16 != 0);
                let (low, high) = match source.part {
                    Part::LowTwice => (low, low),
                    Part::HighTwice => (high, high),
                    Part::Whole | Part::HighNegated => (low, high),
                    _ => (low || high, low || high),
                };
                (if low { 0xffff } else { 0 }) | if high { 0xffff_0000 } else { 0 }
            });
            all.add(&word);
        }
        all.add(&self.conditions(visit));
        all
    }

    /// A comparison is defined where the other predicate decides it.
    fn compared(
        &self,
        visit: &UndefinedVisit<'_>,
        combine: Combine,
        inputs: &UndefinedWord,
        r: &Registers,
    ) -> Results {
        let o = visit.operation();
        let other = self.read(self.predicate(o.p[0].predicate), visit.statement).lanes();
        let decided = match combine {
            Combine::And => !r.holds(o.p[0]) & !other,
            Combine::Or => r.holds(o.p[0]) & !other,
            Combine::Xor => 0,
        };
        let word = inputs.clone().keep(!decided);
        self.predicate_results(o, &word).collect()
    }

    /// `PLOP3`
    fn predicate_tables(&self, visit: &UndefinedVisit<'_>, inputs: &UndefinedWord, r: &Registers) -> Results {
        let o = visit.operation();
        let undefined = o.p.map(|condition| self.read(self.predicate(condition.predicate), 0).lanes());
        let holds = o.p.map(|condition| r.holds(condition));
        let of = |table: u8| {
            let [any, all] = lop3_outcomes(table, holds, undefined, |_| true);
            inputs.clone().keep(any & !all)
        };
        let tables = [o.n as u8, (o.n >> 8) as u8];
        let both = o.q.iter().zip(tables).filter(|(q, _)| **q != DROPPED);
        both.map(|(q, table)| (self.predicate(*q), of(table))).collect()
    }

    /// `R2P`
    fn unpacked_predicates(&self, visit: &UndefinedVisit<'_>, r: &Registers) -> Results {
        let o = visit.operation();
        let masks = *r.row(o.s[1].row);
        let word = self.source(visit, o.s[0]);
        let (shift, first) = (o.predicate_shift(), o.first_predicate());
        let of = |index: u8| {
            let key = self.predicate(first + index);
            let kept = self.read(key, visit.statement);
            let mut predicate = word.clone();
            predicate.bits = word.bits.map(|bits| (bits >> (shift + u32::from(index)) & 1).wrapping_neg());
            let stays = |lane: usize| masks[lane] >> index & 1 == 0;
            predicate.replace(lanes_where(Scalar::new(), stays), &kept);
            (key, predicate)
        };
        (0..7).map(of).collect()
    }

    /// `P2R`
    fn packed_predicates(&self, visit: &UndefinedVisit<'_>, r: &Registers) -> UndefinedWord {
        let o = visit.operation();
        let (shift, first) = (o.predicate_shift(), o.first_predicate());
        let masks = *r.row(o.s[1].row);
        let mut word = self.register(visit, o.s[0].row);
        let kept: PerLane<u32> = match o.n {
            4.. => masks.map(|mask| !mask),
            byte => [!(0xff << (8 * byte)); WIDTH],
        };
        word.bits = std::array::from_fn(|lane| word.bits[lane] & kept[lane]);
        for index in 0..7u8 {
            let mut predicate = self.read(self.predicate(first + index), visit.statement);
            predicate.bits = std::array::from_fn(|lane| {
                let bit = predicate.bits[lane] & masks[lane] & 1 << index;
                bit << shift
            });
            word.add(&predicate);
        }
        word
    }

    /// A vote: the ballot has an undefined bit for each undefined lane.
    fn vote(&self, visit: &UndefinedVisit<'_>, mode: VoteMode, r: &Registers) -> Results {
        let (o, executed) = (visit.operation(), visit.written);
        let votes = self.read(self.predicate(o.p[0].predicate), visit.statement).keep(executed);
        let undefined = votes.lanes();
        let mut ballot = votes.spread(executed);
        ballot.bits = [undefined; WIDTH];
        let (yes, no) = (r.holds(o.p[0]) & executed & !undefined, !r.holds(o.p[0]) & executed & !undefined);
        let decided = match mode {
            VoteMode::All => no != 0,
            VoteMode::Any => yes != 0,
            VoteMode::Equal => yes != 0 && no != 0,
        };
        let vote = if decided { UndefinedWord::default() } else { votes.spread(executed) };
        std::iter::once((o.d, ballot)).chain(self.predicate_results(o, &vote)).collect()
    }

    /// Lanes have executed the operation, whose results are undefined in these bits. `maybe` are lanes that
    /// may have executed it.
    pub(super) fn write(&mut self, visit: &UndefinedVisit<'_>, results: &Results, maybe: &UndefinedWord) {
        let o = visit.operation();
        let mut keys: Vec<Key> = self.written(visit).collect();
        keys.extend(flags::written(o).iter().map(|flag| self.predicate(*flag)));
        keys.extend(results.iter().map(|(key, _)| *key));
        keys.sort_unstable();
        keys.dedup();
        let (first_predicate, uncertain) = (self.predicate(0), maybe.lanes());
        let is_named = |key: &Key| *key >= first_predicate || is_register(&visit.program.layout, *key);
        for key in keys.into_iter().filter(is_named) {
            let result = results.iter().find(|(written, _)| *written == key).map(|(_, word)| word);
            self.set(key, visit.written, result.unwrap_or(&UndefinedWord::default()));
            self.set(key, uncertain, maybe);
        }
    }
}

/// The sources whose bits an operation moves, and the number of words of its destination.
fn moves(op: Op) -> Option<(&'static [usize], u16)> {
    Some(match op {
        Op::Move | Op::MoveFloat | Op::MoveBytes | Op::Reverse => (&[0], 1),
        Op::ShiftLeft { .. } | Op::ShiftRight { .. } | Op::Extend { .. } | Op::ExtractField { .. } => {
            (&[0], 1)
        }
        Op::Shuffle(_) => (&[0], 1),
        Op::Select | Op::SelectFloat { flush: false } => (&[0, 1], 1),
        Op::Permute(_) | Op::Funnel { .. } | Op::InsertField => (&[0, 2], 1),
        Op::MoveWide => (&[0], 2),
        Op::SelectWide => (&[0, 1], 2),
        _ => return None,
    })
}

/// Whether the operation computes with the values of several lanes.
fn is_of_warp(op: Op) -> bool {
    matches!(op, Op::MatrixProduct(_) | Op::MatrixTranspose | Op::MatrixLoad(_))
}

fn used_flags(o: &Operation) -> impl Iterator<Item = Predicate> {
    flags::of_test(o.test).iter().chain(flags::read(o)).chain(flags::written(o)).copied()
}

/// The lowest undefined bit and all bits above it, which a carry may reach.
fn carried(bits: u32) -> u32 {
    bits | bits.wrapping_neg()
}

fn sum(terms: [UndefinedWord; 3]) -> UndefinedWord {
    let mut all = UndefinedWord::any_of(terms);
    all.bits = all.bits.map(carried);
    all
}

fn product(words: [&UndefinedWord; 2], values: [&PerLane<u32>; 3]) -> UndefinedWord {
    let mut all = words[0].clone();
    all.add(words[1]);
    all.bits = std::array::from_fn(|lane| {
        let (a, b) = (words[0].bits[lane], words[1].bits[lane]);
        let is_zero = |bits: u32, value: u32| bits == 0 && value == 0;
        match (a | b, is_zero(a, values[0][lane]) || is_zero(b, values[1][lane])) {
            (0, _) | (_, true) => 0,
            (bits, false) => carried(bits),
        }
    });
    all
}
