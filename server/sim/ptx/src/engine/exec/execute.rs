//! Executes one operation that does not affect control flow.

use pulp::{Scalar, Simd};
use warplens_sim_cuda::async_ops::operation::Family;
use warplens_sim_cuda::fault::{ExecError, Fault};
use warplens_sim_cuda::registers::{Lanes, Registers, WIDTH, Word, blend, lanes};
use warplens_sim_cuda::sanitizer::copies::CopyFamily;
use warplens_sim_cuda::semantics::{
    bits, carry, compare, convert, float, half, integer, narrow, packed, video,
};

use super::context::ExecContext;
use super::operand::{get, put};
use super::{matrix, tensor, warp_collectives};
use crate::engine::memory::{access, atomic, bulk, cluster_address, copy, mbarrier, multimem};
use crate::program::{
    Combining, CopyGroup, Function, Instruction, Lop3Predicate, MixedOperands, NO_SLOT, Op, Pack,
    PackedSources, RegisterSlot, Slot, Slots,
};

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
        Op::Select(wide) => {
            let chosen = r.predicates[s.c as usize];
            vectorized!(if wide {
                select::<u64>(chosen, s, r, mask)
            } else {
                select::<u32>(chosen, s, r, mask)
            })
        }
        Op::Convert => vectorized!(convert::execute(&tables.converts[s.b as usize], s, r, mask)),
        Op::Load => vectorized!(access::load(&tables.accesses[s.a as usize], r, ctx, mask))?,
        Op::Store => vectorized!(access::store(&tables.accesses[s.a as usize], r, ctx, mask))?,
        _ => return vectorized!(uncommon(instruction, function, r, ctx, mask)),
    }
    Ok(())
}

fn asynchronous(
    instruction: &Instruction,
    function: &Function,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    let (s, tables) = (&instruction.s, &function.tables);
    match instruction.op {
        Op::CopyGroup(what) => copy_group(what, s.a, ctx, mask),
        Op::Tensor => tensor::execute(&tables.tensors[s.a as usize], r, ctx, mask)?,
        Op::BulkCopy => bulk::copy(&tables.bulk_copies[s.a as usize], r, ctx, mask)?,
        Op::Fill => bulk::fill(&tables.fills[s.a as usize], r, ctx, mask)?,
        Op::Mbarrier => mbarrier::execute(&tables.mbarriers[s.a as usize], r, ctx, mask)?,
        Op::StoreAsync => {
            let access = &tables.accesses[s.a as usize];
            bulk::store(access, &tables.completions[s.b as usize], r, ctx, mask)?;
        }
        Op::AtomicAsync => {
            let atomic = &tables.atomics[s.a as usize];
            bulk::reduce(atomic, &tables.completions[s.b as usize], r, ctx, mask)?;
        }
        op => cluster_address::execute(op, s, r, ctx.spaces.window, mask)?,
    }
    Ok(())
}

/// Commits or waits for groups. The covered operations complete, and the sanitizer records which lanes waited.
fn copy_group(what: CopyGroup, left: u32, ctx: &mut ExecContext<'_>, mask: u32) {
    let issuer = ctx.issuer(mask);
    let spaces = &mut *ctx.spaces;
    match what {
        CopyGroup::Close => spaces.asynchronous.commit(issuer, Family::Single),
        CopyGroup::CloseBulk => spaces.asynchronous.commit(issuer, Family::Bulk),
        CopyGroup::Wait => spaces.wait_for_groups(issuer, Family::Single, Some(left), false),
        CopyGroup::WaitAll => spaces.wait_for_groups(issuer, Family::Single, None, false),
        CopyGroup::WaitBulk => spaces.wait_for_groups(issuer, Family::Bulk, Some(left), false),
        CopyGroup::WaitBulkRead => spaces.wait_for_groups(issuer, Family::Bulk, Some(left), true),
    }
    let Some(sanitizer) = &mut ctx.sanitizer else { return };
    match what {
        CopyGroup::Close => sanitizer.closed(CopyFamily::Single, mask),
        CopyGroup::CloseBulk => sanitizer.closed(CopyFamily::Bulk, mask),
        CopyGroup::Wait => sanitizer.waited(CopyFamily::Single, mask, Some(left), false),
        CopyGroup::WaitAll => sanitizer.waited(CopyFamily::Single, mask, None, false),
        CopyGroup::WaitBulk => sanitizer.waited(CopyFamily::Bulk, mask, Some(left), false),
        CopyGroup::WaitBulkRead => sanitizer.waited(CopyFamily::Bulk, mask, Some(left), true),
    }
}

fn warn(warning: Option<Fault>) -> Result<(), Box<ExecError>> {
    warning.map_or(Ok(()), |warning| Err(Box::new(ExecError::Warning(warning))))
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
    let s = &instruction.s;
    match instruction.op {
        Op::MatrixAccess => {
            matrix::access(&function.tables.matrix_accesses[s.a as usize], r, ctx, mask)?;
        }
        Op::FragmentAccess => {
            matrix::fragment(&function.tables.fragments[s.a as usize], r, ctx, mask)?;
        }
        Op::Copy => copy::copy(&function.tables.copies[s.a as usize], r, ctx, mask)?,
        Op::CopyGroup(_)
        | Op::BulkCopy
        | Op::Fill
        | Op::Mbarrier
        | Op::StoreAsync
        | Op::AtomicAsync
        | Op::MapRank(_)
        | Op::RankOf(_)
        | Op::Tensor => {
            return asynchronous(instruction, function, r, ctx, mask);
        }
        Op::Multimem(what) => multimem::execute(what, s, &function.tables, r, ctx, mask)?,
        Op::Atomic => atomic::execute(&function.tables.atomics[s.a as usize], r, ctx, mask)?,
        Op::Shuffle | Op::Vote | Op::Match | Op::Reduce | Op::Elect => {
            let exchange = &function.tables.exchanges[s.a as usize];
            let outcome = warp_collectives::execute(exchange, r, ctx.live, mask);
            if let (Some(sanitizer), Some(inactive)) = (&mut ctx.sanitizer, outcome.inactive) {
                sanitizer.shuffled(inactive);
            }
            return warn(outcome.warning);
        }
        Op::WarpSync => {
            let members = *r.get::<u32>(s.a);
            return warn(warp_collectives::check_members(&members, ctx.live, mask));
        }
        Op::Lop3(table) => r.map3(s, mask, |a, b, c| bits::lop3(table, a, b, c)),
        Op::Lop3Predicate => lop3_predicate(function.tables.lop3[s.c as usize], s, r, mask),
        Op::Mul24(op, signed) => integer::multiply_24(op, signed, s, r, mask),
        Op::Carry(op) => carry::execute(op, s, r, ctx.carry, mask),
        Op::Count(op, false) => bits::count::<u32>(op, 32, s, r, mask),
        Op::Count(op, true) => bits::count::<u64>(op, 64, s, r, mask),
        Op::Reverse(false) => r.map1(s, mask, u32::reverse_bits),
        Op::Reverse(true) => r.map1(s, mask, u64::reverse_bits),
        Op::ExtractField(signed, false) => {
            r.map3(s, mask, |a: u32, b, c| bits::extract_field(32, signed, a, b, c));
        }
        Op::ExtractField(signed, true) => {
            r.map3(s, mask, |a: u64, b, c| bits::extract_field(64, signed, a, b, c));
        }
        Op::InsertField(false) => insert_field::<u32>(32, s, r, mask),
        Op::InsertField(true) => insert_field::<u64>(64, s, r, mask),
        Op::FindNth => r.map3(s, mask, |a, b, c: u32| bits::find_nth_set(a, b, c as i32)),
        Op::BitMask(wrap) => r.map2(s, mask, |a, b| bits::bit_mask(wrap, a, b)),
        Op::Extend(wrap, signed) => r.map2(s, mask, |a, b| bits::extend(wrap, signed, a, b)),
        Op::Permute(mode) => r.map3(s, mask, |a, b, c| bits::permute(mode, a, b, c)),
        Op::Funnel(left, wrap) => r.map3(s, mask, |a, b, c| bits::funnel(left, wrap, a, b, c)),
        Op::Dot(op, a_signed, b_signed) => {
            r.map3(s, mask, |a, b, c| bits::dot_product(op, a_signed, b_signed, a, b, c));
        }
        Op::Set(cmp, combining, to) => {
            let raw = compare::compare(Scalar::new(), cmp, s, r);
            let holds = combine(raw, combining, s, r);
            r.fill(s.d, mask & holds, to.bits());
            r.fill(s.d, mask & !holds, 0u32);
        }
        Op::SelectSigned(wide) => {
            let c = *r.get::<u32>(s.c);
            select_by(wide, |lane| c[lane] as i32 >= 0, s, r, mask);
        }
        Op::SelectFloat(wide, flush) => {
            let c = *r.get::<u32>(s.c);
            let value = |lane: usize| f32::from_bits(if flush { float::flush_32(c[lane]) } else { c[lane] });
            select_by(wide, |lane| value(lane) >= 0.0, s, r, mask);
        }
        Op::TestClass(class, double) => {
            let holds = compare::test_class(class, double, s, r);
            r.set_predicate(s.d, mask, holds);
        }
        Op::Half(op) => half::execute(op, s, r, mask),
        Op::Approximate(op, flush) => float::approximate(op, flush, s, r, mask),
        Op::Pack => pack(&function.tables.packs[s.a as usize], r, mask),
        Op::MatrixProduct => matrix::multiply(&function.tables.products[s.a as usize], r, mask)?,
        Op::MatrixTranspose => matrix::transpose(s, r, mask),
        Op::Extremum3(op, flush, abs) => float::extremum_of_three(op, flush, abs, s, r, mask),
        Op::CarrylessMad(high) => r.map3(s, mask, |a, b, c| bits::carryless_mad(high, a, b, c)),
        Op::Packed(op, parts) => packed::execute(op, parts, s, r, mask),
        Op::SetPacked(cmp, parts) => packed::set(cmp, parts, s, r, mask),
        Op::FloatPair(op, mode) => float::execute_pair(op, mode, s, r, mask),
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
            let pairs: Lanes<u32> = std::array::from_fn(|lane| value(low, lane) | value(high, lane) << 16);
            r.set(s.d, mask, &pairs);
        }
        Op::Mixed => mixed(&function.tables.mixed[s.a as usize], r, mask),
        Op::ConvertPacked => convert_packed(&function.tables.packed_converts[s.c as usize], s.d, r, mask),
        Op::PackSaturated(bits, signed) => {
            r.map3(s, mask, |a, b, c| narrow::pack_saturated(bits.into(), signed, a, b, c));
        }
        Op::Video => video::execute(&function.tables.videos[s.e as usize], s, r, mask),
        Op::VideoMad => video::multiply_add(&function.tables.video_mads[s.e as usize], s, r, mask),
        Op::MoveEach => move_each(&function.tables.moves[s.a as usize], r, mask),
        Op::LocalAddress(wide) => {
            write_number(wide, u64::from(ctx.bases.frame.wrapping_add(s.a)), s, r, mask)
        }
        Op::AddressAdd(true) => r.map1(s, mask, |a: u64| a.wrapping_add_signed((s.b as i32).into())),
        Op::AddressAdd(false) => r.map1(s, mask, |a: u32| a.wrapping_add(s.b)),
        Op::SharedAddress(wide, to) => cluster_address::convert((wide, to), s, r, ctx.spaces.window, mask),
        Op::InWindow(wide) => {
            let range = u64::from(s.b)..u64::from(s.c);
            let inside = |lane: usize| match wide {
                true => range.contains(&r.get::<u64>(s.a)[lane]),
                false => range.contains(&r.get::<u32>(s.a)[lane].into()),
            };
            let holds = (0..WIDTH).fold(0, |mask, lane| mask | u32::from(inside(lane)) << lane);
            r.set_predicate(s.d, mask, holds);
        }
        Op::Clock(wide) => write_number(wide, ctx.clock + ctx.spaces.skipped_time, s, r, mask),
        Op::ActiveMask => r.fill(s.d, mask, mask),
        Op::Sleep => return Err(Box::new(ExecError::Yield(None))),
        Op::PendingCount => r.map1(s, mask, |a: u64| mbarrier::pending_of(a)),
        // All other operations affect control flow, or the caller has executed them.
        _ => {}
    }
    Ok(())
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

fn select_by(wide: bool, holds: impl Fn(usize) -> bool, s: &Slots, r: &mut Registers, mask: u32) {
    let chosen = (0..WIDTH).fold(0, |chosen, lane| chosen | u32::from(holds(lane)) << lane);
    if wide { select::<u64>(chosen, s, r, mask) } else { select::<u32>(chosen, s, r, mask) }
}

fn write_number(wide: bool, value: u64, s: &Slots, r: &mut Registers, mask: u32) {
    if wide { r.fill(s.d, mask, value) } else { r.fill(s.d, mask, value as u32) }
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
    let values: Lanes<u32> = std::array::from_fn(|lane| bits::lop3(op.table, a[lane], b[lane], c[lane]));
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
