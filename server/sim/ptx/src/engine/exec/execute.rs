//! Executes one operation that does not affect control flow.

use pulp::{Scalar, Simd};
use warplens_sim_cuda::fault::{ExecError, Fault};
use warplens_sim_cuda::registers::{PerLane, Registers, Word, blend, filter_lanes, lanes, lanes_where};
use warplens_sim_cuda::semantics::bits::Shift;
use warplens_sim_cuda::semantics::{
    bits, carry, compare, convert, float, half, integer, narrow, packed, video,
};
use warplens_sim_warp::finding_kind::FindingKind;

use super::context::ExecContext;
use super::operand::{get, put};
use super::{matrix, tensor, warp_collectives};
use crate::engine::exec::register_count::RegisterCount;
use crate::engine::memory::{access, atomic, bulk, cluster_address, copy, mbarrier, multimem};
use crate::program::{
    Combining, CopyGroup, Exchange, Function, Instruction, Lop3Predicate, MixedOperands, NO_SLOT, Op, Pack,
    PackedSources, RegisterSlot, Sign, Slot, Slots, Tables, Width,
};
use crate::tensor::whole_warp::whole_warp;

/// Runs an operation in the lanes of `mask`. Not inlined: otherwise the interpreter loop would prepare registers for all
/// operations, even for a short range of instructions.
#[inline(never)]
pub(crate) fn execute<S: Simd>(
    simd: S,
    instruction: &Instruction,
    function: &Function,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    let (s, tables) = (&instruction.s, &function.tables);
    // Each call is compiled for the loop's instruction set but outside the loop: compilers optimize small functions best.
    macro_rules! vectorized {
        ($call:expr) => {
            simd.vectorize(
                #[inline(always)]
                move || $call,
            )
        };
    }
    match instruction.op {
        Op::Logic(op, width) => vectorized!(bits::logic(op, width, s, r, mask)),
        Op::Int(op, ty) => vectorized!(integer::execute(op, ty, s, r, mask)),
        Op::MulWide(ty) => vectorized!(integer::multiply_wide(ty, s, r, mask)),
        Op::MadWide(ty) => vectorized!(integer::multiply_add_wide(ty, s, r, mask)),
        Op::Shift(op, width) => vectorized!(bits::shift(op, width, s, r, mask)),
        Op::SetPredicate(cmp, combining) => {
            vectorized!(set_predicates(compare::compare(simd, cmp, s, r), combining, s, r, mask))
        }
        Op::Float32(op, mode) => vectorized!(float::execute_32(simd, op, mode, s, r, mask)),
        Op::Float64(op, rounding) => vectorized!(float::execute_64(op, rounding, s, r, mask)),
        Op::Select(width) => {
            let chosen = r.predicates[s.c as usize];
            vectorized!(match width {
                Width::W64 => select::<u64>(chosen, s, r, mask),
                Width::W32 => select::<u32>(chosen, s, r, mask),
            })
        }
        Op::Convert(id) => vectorized!(convert::execute(&tables[id], s, r, mask)),
        Op::Load(id) => vectorized!(access::load(&tables[id], r, ctx, mask))?,
        Op::Store(id) => vectorized!(access::store(&tables[id], r, ctx, mask))?,
        _ => return vectorized!(uncommon(instruction, function, r, ctx, mask)),
    }
    Ok(())
}

/// Commits or waits for groups. The covered operations complete, and the sanitizer records which lanes waited.
fn copy_group(what: CopyGroup, left: u32, ctx: &mut ExecContext<'_>, mask: u32) -> Result<(), Fault> {
    let issuer = ctx.issuer(mask);
    match what {
        CopyGroup::Commit(family) => {
            ctx.spaces.asynchronous.commit(issuer, family);
            ctx.sanitizer.iter_mut().for_each(|sanitizer| sanitizer.closed(family, mask));
        }
        CopyGroup::Wait { family, all, read } => {
            let left = (!all).then_some(left);
            ctx.meter.count(ctx.spaces.asynchronous.in_flight())?;
            ctx.spaces.wait_for_groups(issuer, family, left, read);
            ctx.sanitizer.iter_mut().for_each(|sanitizer| sanitizer.waited(family, mask, left, read));
        }
    }
    Ok(())
}

fn warn(warning: Option<Fault>) -> Result<(), Box<ExecError>> {
    warning.map_or(Ok(()), |warning| Err(Box::new(ExecError::Warning(warning))))
}

/// Operations on matrices that a warp holds.
fn on_matrices(
    instruction: &Instruction,
    function: &Function,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    let tables = &function.tables;
    match instruction.op {
        Op::MatrixProduct(id) => matrix::multiply(&tables[id], r, mask)?,
        Op::MatrixAccess(id) => matrix::access(&tables[id], r, ctx, mask)?,
        Op::FragmentAccess(id) => matrix::fragment(&tables[id], r, ctx, mask)?,
        _ => matrix::transpose(&instruction.s, r, mask),
    }
    warn(warp_collectives::check_whole_warp(ctx.live, mask))
}

/// Operations that are not performance-critical.
#[inline(always)]
fn uncommon(
    instruction: &Instruction,
    function: &Function,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    let (s, tables) = (&instruction.s, &function.tables);
    match instruction.op {
        Op::Half(op) => half::execute(op, s, r, mask),
        Op::Approximate(op, subnormals) => float::approximate(op, subnormals.are_flushed(), s, r, mask),
        Op::Extremum3(op, subnormals, sign) => {
            float::extremum_of_three(op, subnormals.are_flushed(), sign == Sign::Dropped, s, r, mask);
        }
        Op::FloatPair(op, mode) => float::execute_pair(op, mode, s, r, mask),
        Op::Mul24(op, sign) => integer::multiply_24(op, sign.is_signed(), s, r, mask),
        Op::Carry(op) => carry::execute(op, s, r, ctx.carry, mask),
        Op::Packed(op, parts) => packed::execute(op, parts, s, r, mask),
        Op::SetPacked(cmp, parts) => packed::set(cmp, parts, s, r, mask),
        Op::Video(id) => video::execute(&tables[id], s, r, mask),
        Op::VideoMad(id) => video::multiply_add(&tables[id], s, r, mask),
        Op::MatrixProduct(_) | Op::MatrixTranspose | Op::MatrixAccess(_) | Op::FragmentAccess(_) => {
            return on_matrices(instruction, function, r, ctx, mask);
        }
        Op::Copy(id) => copy::copy(&tables[id], r, ctx, mask)?,
        Op::CopyGroup(what) => copy_group(what, s.a, ctx, mask)?,
        Op::Tensor(id) => tensor::execute(&tables[id], r, ctx, mask)?,
        Op::BulkCopy(id) => bulk::copy(&tables[id], r, ctx, mask)?,
        Op::Fill(id) => bulk::fill(&tables[id], r, ctx, mask)?,
        Op::Mbarrier(id) => mbarrier::execute(&tables[id], r, ctx, mask)?,
        Op::StoreAsync(id) => bulk::store(&tables[id], r, ctx, mask)?,
        Op::AtomicAsync(id) => bulk::reduce(&tables[id], r, ctx, mask)?,
        Op::Multimem(what) => multimem::execute(what, tables, r, ctx, mask)?,
        Op::Atomic(id) => atomic::execute(&tables[id], r, ctx, mask)?,
        Op::MapRank(_) | Op::RankOf(_) => {
            cluster_address::execute(instruction.op, s, r, ctx, mask);
        }
        Op::RegisterCount { count, increases } => {
            whole_warp("setmaxnreg", FindingKind::RegisterPool, mask)?;
            let statement = ctx.statement();
            let follows = ctx.sanitizer.as_mut().map(|sanitizer| sanitizer.change_registers(increases));
            let count = RegisterCount { count: count.into(), increases, statement };
            ctx.register_counts.add(count, follows.unwrap_or_default());
        }
        Op::InOwnShared(width) => cluster_address::is_own_shared(width, s, r, ctx.spaces.window, mask),
        Op::SharedToGeneric(width) => cluster_address::convert(width, false, s, r, ctx.spaces.window, mask),
        Op::GenericToShared(width) => cluster_address::convert(width, true, s, r, ctx.spaces.window, mask),
        Op::Shuffle(id) | Op::Vote(id) | Op::Match(id) | Op::Reduce(id) | Op::Elect(id) => {
            return exchange(&tables[id], r, ctx, mask);
        }
        Op::WarpSync => {
            let members = *r.get::<u32>(s.a);
            return warn(warp_collectives::check_members(&members, ctx.live, mask));
        }
        Op::LocalAddress(width) => {
            write_number(width, u64::from(ctx.bases.frame.wrapping_add(s.a)), s, r, mask);
        }
        Op::Clock(width) => write_number(width, ctx.clock + ctx.spaces.skipped_time, s, r, mask),
        Op::ActiveMask => r.fill(s.d, mask, mask),
        Op::Sleep => return Err(Box::new(ExecError::Yield(None))),
        Op::PendingCount => r.map1(s, mask, |a: u64| mbarrier::pending_of(a)),
        _ if choose(instruction, r, mask) => {}
        _ => move_bits(instruction, tables, r, mask),
    }
    Ok(())
}

fn exchange(
    exchange: &Exchange,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    let outcome = warp_collectives::execute(exchange, r, ctx.live, mask);
    if let (Some(sanitizer), Some(inactive)) = (&mut ctx.sanitizer, outcome.inactive) {
        sanitizer.shuffled(inactive);
    }
    warn(outcome.warning)
}

/// Comparisons and selections; `false` for any other operation.
#[inline(always)]
fn choose(instruction: &Instruction, r: &mut Registers, mask: u32) -> bool {
    let s = &instruction.s;
    match instruction.op {
        Op::Set(cmp, combining, to) => {
            let raw = compare::compare(Scalar::new(), cmp, s, r);
            let holds = combine(raw, combining, s, r);
            r.fill(s.d, mask & holds, to.bits());
            r.fill(s.d, mask & !holds, 0u32);
        }
        Op::SelectSigned(width) => {
            let c = *r.get::<u32>(s.c);
            select_by(width, |lane| c[lane] as i32 >= 0, s, r, mask);
        }
        Op::SelectFloat(width, subnormals) => {
            let c = *r.get::<u32>(s.c);
            select_by(width, |lane| subnormals.value(c[lane]) >= 0.0, s, r, mask);
        }
        Op::TestClass(class, width) => {
            let holds = compare::test_class(class, width == Width::W64, s, r);
            r.set_predicate(s.d, mask, holds);
        }
        Op::SetPredicatePair(cmp, combining) => {
            for (half, d) in [s.d, s.e].into_iter().enumerate().filter(|(_, d)| *d != NO_SLOT) {
                let raw = compare::compare_halves(cmp, half, s, r);
                let holds = combine(raw, combining, s, r);
                r.set_predicate(d, mask, holds);
            }
        }
        Op::SetPair(cmp, combining, to) => {
            let holds = |half| combine(compare::compare_halves(cmp, half, s, r), combining, s, r);
            let (low, high) = (holds(0), holds(1));
            let value = |holds: u32, lane: usize| if holds >> lane & 1 == 1 { to.bits() } else { 0 };
            let pairs: PerLane<u32> = std::array::from_fn(|lane| value(low, lane) | value(high, lane) << 16);
            r.set(s.d, mask, &pairs);
        }
        Op::InWindow(width) => {
            let range = u64::from(s.b)..u64::from(s.c);
            let inside = |lane: usize| match width {
                Width::W64 => range.contains(&r.get::<u64>(s.a)[lane]),
                Width::W32 => range.contains(&r.get::<u32>(s.a)[lane].into()),
            };
            r.set_predicate(s.d, mask, filter_lanes(mask, inside));
        }
        _ => return false,
    }
    true
}

/// Operations on the bits of registers. All others affect control flow, or the caller has executed them.
#[inline(always)]
fn move_bits(instruction: &Instruction, tables: &Tables, r: &mut Registers, mask: u32) {
    let s = &instruction.s;
    match instruction.op {
        Op::Lop3(table) => r.map3(s, mask, |a, b, c| bits::lop3(table, a, b, c)),
        Op::Lop3Predicate(id) => lop3_predicate(tables[id], s, r, mask),
        Op::Count(op, Width::W32) => bits::count::<u32>(op, 32, s, r, mask),
        Op::Count(op, Width::W64) => bits::count::<u64>(op, 64, s, r, mask),
        Op::Reverse(Width::W32) => r.map1(s, mask, u32::reverse_bits),
        Op::Reverse(Width::W64) => r.map1(s, mask, u64::reverse_bits),
        Op::ExtractField(sign, Width::W32) => {
            r.map3(s, mask, |a: u32, b, c| bits::extract_field(32, sign.is_signed(), a, b, c));
        }
        Op::ExtractField(sign, Width::W64) => {
            r.map3(s, mask, |a: u64, b, c| bits::extract_field(64, sign.is_signed(), a, b, c));
        }
        Op::InsertField(Width::W32) => insert_field::<u32>(32, s, r, mask),
        Op::InsertField(Width::W64) => insert_field::<u64>(64, s, r, mask),
        Op::FindNth => r.map3(s, mask, |a, b, c: u32| bits::find_nth_set(a, b, c as i32)),
        Op::BitMask(beyond) => r.map2(s, mask, |a, b| bits::bit_mask(beyond.wraps(), a, b)),
        Op::Extend(beyond, sign) => {
            r.map2(s, mask, |a, b| bits::extend(beyond.wraps(), sign.is_signed(), a, b));
        }
        Op::Permute(mode) => r.map3(s, mask, |a, b, c| bits::permute(mode, a, b, c)),
        Op::Funnel(shift, beyond) => {
            r.map3(s, mask, |a, b, c| bits::funnel(shift == Shift::Left, beyond.wraps(), a, b, c));
        }
        Op::Dot(op, a_sign, b_sign) => {
            r.map3(s, mask, |a, b, c| bits::dot_product(op, a_sign.is_signed(), b_sign.is_signed(), a, b, c))
        }
        Op::CarrylessMadLow => r.map3(s, mask, |a, b, c| bits::carryless_mad(false, a, b, c)),
        Op::CarrylessMadHigh => r.map3(s, mask, |a, b, c| bits::carryless_mad(true, a, b, c)),
        Op::PackSaturated(bits, sign) => {
            r.map3(s, mask, |a, b, c| narrow::pack_saturated(bits.into(), sign.is_signed(), a, b, c));
        }
        Op::Pack(id) => pack(&tables[id], r, mask),
        Op::MoveEach(id) => move_each(&tables[id], r, mask),
        Op::Mixed(id) => mixed(&tables[id], r, mask),
        Op::ConvertPacked(id) => convert_packed(&tables[id], s.d, r, mask),
        Op::AddressAdd(Width::W64) => r.map1(s, mask, |a: u64| a.wrapping_add_signed((s.b as i32).into())),
        Op::AddressAdd(Width::W32) => r.map1(s, mask, |a: u32| a.wrapping_add(s.b)),
        _ => {}
    }
}

#[inline(always)]
fn combine(raw: u32, combining: Combining, s: &Slots, r: &Registers) -> u32 {
    match combining {
        Combining::No => raw,
        Combining::With(op) => op.apply(raw, r.predicates[s.c as usize]),
        Combining::WithNot(op) => op.apply(raw, !r.predicates[s.c as usize]),
    }
}

/// The second destination gets the complement of the comparison, not of the result.
#[inline(always)]
fn set_predicates(raw: u32, combining: Combining, s: &Slots, r: &mut Registers, mask: u32) {
    let (first, second) = (combine(raw, combining, s, r), combine(!raw, combining, s, r));
    if s.d != NO_SLOT {
        r.set_predicate(s.d, mask, first);
    }
    if s.e != NO_SLOT {
        r.set_predicate(s.e, mask, second);
    }
}

#[inline(always)]
fn select<T: Word>(chosen: u32, s: &Slots, r: &mut Registers, mask: u32) {
    let (a, mut d) = (*r.get::<T>(s.a), *r.get::<T>(s.b));
    blend(&mut d, chosen, |lane| a[lane]);
    r.set(s.d, mask, &d);
}

fn select_by(width: Width, holds: impl Fn(usize) -> bool, s: &Slots, r: &mut Registers, mask: u32) {
    let chosen = lanes_where(Scalar::new(), holds);
    match width {
        Width::W64 => select::<u64>(chosen, s, r, mask),
        Width::W32 => select::<u32>(chosen, s, r, mask),
    }
}

fn write_number(width: Width, value: u64, s: &Slots, r: &mut Registers, mask: u32) {
    match width {
        Width::W64 => r.fill(s.d, mask, value),
        Width::W32 => r.fill(s.d, mask, value as u32),
    }
}

fn mixed(op: &MixedOperands, r: &mut Registers, mask: u32) {
    for lane in lanes(mask) {
        let mut words = [0; 3];
        for (word, &operand) in words.iter_mut().zip(&op.operands) {
            *word = get(operand, r, lane) as u64;
        }
        put(op.d, r, lane, op.mixed.apply(words).into());
    }
}

fn convert_packed(packed: &PackedSources, d: Slot, r: &mut Registers, mask: u32) {
    let stride = packed.convert.from.stride();
    for lane in lanes(mask) {
        let word = |slot: Slot| r.words[slot as usize][lane];
        let (random, scales) = (packed.random.map(word), packed.scales.map(word));
        let value = match *packed.sources {
            [pair] => {
                let (upper, lower) = (word(pair) >> stride, word(pair) & (u32::MAX >> (32 - stride)));
                packed.convert.apply(&[upper, lower], random, scales)
            }
            [a, b] => packed.convert.apply(&[word(a), word(b)], random, scales),
            ref several => {
                let words: Vec<u32> = several.iter().map(|&slot| word(slot)).collect();
                packed.convert.apply(&words, random, scales)
            }
        };
        r.words[d as usize][lane] = value;
    }
}

fn insert_field<T: Word>(width: u32, s: &Slots, r: &mut Registers, mask: u32) {
    let length = *r.get::<u32>(s.e);
    let (a, b, position) = (*r.get::<T>(s.a), *r.get::<T>(s.b), *r.get::<u32>(s.c));
    let field = |lane: usize| bits::insert_field(width, a[lane], b[lane], position[lane], length[lane]);
    blend(&mut T::file_mut(r)[s.d as usize], mask, field);
}

fn lop3_predicate(op: Lop3Predicate, s: &Slots, r: &mut Registers, mask: u32) {
    let mut any = 0;
    let (a, b, c) = (*r.get::<u32>(s.a), *r.get::<u32>(s.b), *r.get::<u32>(op.c));
    let values: PerLane<u32> = std::array::from_fn(|lane| bits::lop3(op.table, a[lane], b[lane], c[lane]));
    for lane in lanes(mask) {
        any |= u32::from(values[lane] != 0) << lane;
    }
    let with = op.with.of(&r.predicates, mask);
    if s.d != NO_SLOT {
        r.set(s.d, mask, &values);
    }
    r.set_predicate(s.e, mask, op.combine.apply(any, with));
}

/// Reads all sources before it writes anything.
fn move_each(moves: &[(RegisterSlot, RegisterSlot)], r: &mut Registers, mask: u32) {
    for lane in lanes(mask) {
        let values: Vec<u128> = moves.iter().map(|(_, source)| get(*source, r, lane)).collect();
        for ((destination, _), value) in moves.iter().zip(values) {
            put(*destination, r, lane, value);
        }
    }
}

fn pack(pack: &Pack, r: &mut Registers, mask: u32) {
    let low = (1u128 << pack.bits) - 1;
    for lane in lanes(mask) {
        if pack.unpack {
            let whole = get(pack.whole, r, lane);
            for (index, part) in pack.parts.iter().enumerate() {
                if let Some(part) = part {
                    put(*part, r, lane, whole >> (pack.bits * index as u32) & low);
                }
            }
        } else {
            let parts = pack.parts.iter().enumerate();
            let whole = parts.fold(0, |whole, (index, part)| {
                let value = part.map_or(0, |part| get(part, r, lane) & low);
                whole | value << (pack.bits * index as u32)
            });
            put(pack.whole, r, lane, whole);
        }
    }
}
