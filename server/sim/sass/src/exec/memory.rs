//! Memory accesses.

use warplens_sim_cuda::address::{self as spaces, AtomicOp};
use warplens_sim_cuda::async_ops::operation::MemoryPosition;
use warplens_sim_cuda::memory::atomic_operation::apply;
use warplens_sim_cuda::memory::lane_elements::LaneElements;
use warplens_sim_cuda::memory::region::{AccessMode, CheckedAddresses};
use warplens_sim_cuda::memory::spaces::AddressCheck;
use warplens_sim_cuda::registers::{PerLane, WIDTH, filter_lanes, lanes};
use warplens_sim_cuda::sanitizer::event::{AccessEvent, AccessKind};
use warplens_sim_warp::finding_kind::FindingKind;

use super::context::{ExecContext, Executed};
use crate::program::{Access, Address, Atomic, AtomicResult, Operation, Space, Window};
use crate::registers::{Predicate, Registers};

pub(crate) use warplens_sim_cuda::fault::Fault;

/// Lanes that access one space, and their addresses in it.
pub(crate) struct SpaceLanes {
    pub(crate) space: spaces::Space,
    pub(crate) addresses: PerLane<u64>,
    pub(crate) mask: u32,
}

impl SpaceLanes {
    #[inline(always)]
    fn element<'a>(&'a self, checked: &'a CheckedAddresses, offset: u64, size: u32) -> LaneElements<'a> {
        LaneElements { checked, addresses: &self.addresses, offset, size, mask: self.mask }
    }
}

#[inline(always)]
pub(crate) fn addresses(address: &Address, r: &Registers) -> PerLane<u64> {
    let mut sums = [address.offset as u64; WIDTH];
    for term in address.terms.iter().flatten() {
        let row = r.row(term.row);
        match (term.wide, term.unsigned) {
            (true, _) => {
                let high = r.row(term.row + 1);
                for lane in 0..WIDTH {
                    sums[lane] = sums[lane].wrapping_add(u64::from(row[lane]) | u64::from(high[lane]) << 32);
                }
            }
            (false, true) => {
                for lane in 0..WIDTH {
                    sums[lane] = sums[lane].wrapping_add(u64::from(row[lane]) * u64::from(term.scale));
                }
            }
            (false, false) => {
                for lane in 0..WIDTH {
                    let value = i64::from(row[lane] as i32) * i64::from(term.scale);
                    sums[lane] = sums[lane].wrapping_add(value as u64);
                }
            }
        }
    }
    if !address.wide {
        for sum in &mut sums {
            *sum &= 0xffff_ffff;
        }
    }
    sums
}

/// Splits the lanes of an access by space. Nearly always there is only one.
pub(crate) fn by_space(
    space: Space,
    addresses: PerLane<u64>,
    ctx: &ExecContext<'_>,
    mask: u32,
) -> Vec<SpaceLanes> {
    let [shared, local] = ctx.target.windows();
    let size = ctx.target.window_bytes();
    let inside = |start: u64| filter_lanes(mask, |lane| (start..start + size).contains(&addresses[lane]));
    let (in_shared, in_local) = (inside(shared), inside(local));
    let of = |space, mask: u32, start: u64| SpaceLanes {
        space,
        addresses: addresses.map(|address| address.wrapping_sub(start)),
        mask,
    };
    let all = match space {
        Space::Generic => vec![
            of(spaces::Space::Global, mask & !in_shared & !in_local, 0),
            of(spaces::Space::Shared, in_shared, shared),
            of(spaces::Space::Local, in_local, local),
        ],
        Space::Shared => vec![of(spaces::Space::Shared, mask, 0)],
        Space::Local => vec![of(spaces::Space::Local, mask, 0)],
        Space::Global | Space::Constant(_) => vec![of(spaces::Space::Global, mask, 0)],
    };
    all.into_iter().filter(|lanes| lanes.mask != 0).collect()
}

/// The space of an access, unless it is generic.
#[inline(always)]
fn only_space(space: Space) -> Option<spaces::Space> {
    match space {
        Space::Global => Some(spaces::Space::Global),
        Space::Shared => Some(spaces::Space::Shared),
        Space::Local => Some(spaces::Space::Local),
        Space::Generic | Space::Constant(_) => None,
    }
}

/// Checks the addresses of an access and reports it to the sanitizer.
#[inline(always)]
fn resolve(
    at: &SpaceLanes,
    kind: AccessKind,
    (size, count): (u32, usize),
    value: &dyn Fn(usize, usize) -> u128,
    ctx: &mut ExecContext<'_>,
) -> Result<CheckedAddresses, Box<Fault>> {
    let checked = check(at, kind, (size, count), ctx)?;
    report(at, &checked, kind, (size, count), value, ctx);
    Ok(checked)
}

#[inline(always)]
fn check(
    at: &SpaceLanes,
    kind: AccessKind,
    (size, count): (u32, usize),
    ctx: &mut ExecContext<'_>,
) -> Result<CheckedAddresses, Box<Fault>> {
    let mode = if kind.reads() { AccessMode::Load } else { AccessMode::Store };
    let SpaceLanes { space, addresses, mask } = at;
    let check = AddressCheck {
        space: *space,
        addresses,
        span: u64::from(size) * count as u64,
        unit: size.into(),
        mode,
        mask: *mask,
    };
    Ok(ctx.spaces.check(&check, ctx.local)?)
}

#[inline(always)]
fn report(
    at: &SpaceLanes,
    checked: &CheckedAddresses,
    kind: AccessKind,
    (size, count): (u32, usize),
    value: &dyn Fn(usize, usize) -> u128,
    ctx: &mut ExecContext<'_>,
) {
    let SpaceLanes { addresses, mask, .. } = at;
    if let Some(sanitizer) = &mut ctx.sanitizer {
        let event = AccessEvent { kind, checked, addresses, size, count, mask: *mask, value };
        sanitizer.accessed(&event, ctx.spaces, ctx.local);
    }
}

/// `LDG`, `LDS`, `LDL`, `LD`
#[inline(always)]
pub(super) fn load(access: &Access, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Executed {
    let addresses = addresses(&access.address, r);
    ctx.reads |= access.space != Space::Local;
    match only_space(access.space) {
        Some(space) => load_in(&SpaceLanes { space, addresses, mask }, access, r, ctx),
        None => {
            let parts = by_space(access.space, addresses, ctx, mask);
            parts.iter().try_for_each(|part| load_in(part, access, r, ctx))
        }
    }
}

#[inline(always)]
fn load_in(at: &SpaceLanes, access: &Access, r: &mut Registers, ctx: &mut ExecContext<'_>) -> Executed {
    let elements = (u32::from(access.size), usize::from(access.count));
    let checked = resolve(at, AccessKind::Read, elements, &|_, _| 0, ctx)?;
    for word in 0..u16::from(access.count) {
        let element = at.element(&checked, 4 * u64::from(word), access.size.into());
        let mut values = element.load(ctx.spaces, ctx.local, |value| value as u32);
        if access.size < 4 && access.signed {
            let unused = 32 - 8 * u32::from(access.size);
            for value in &mut values {
                *value = ((*value << unused) as i32 >> unused) as u32;
            }
        }
        r.set(access.row(word), at.mask, &values);
    }
    Ok(())
}

/// `STG`, `STS`, `STL`, `ST`
#[inline(always)]
pub(super) fn store(access: &Access, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Executed {
    let addresses = addresses(&access.address, r);
    match only_space(access.space) {
        Some(space) => store_in(&SpaceLanes { space, addresses, mask }, access, r, ctx),
        None => {
            let parts = by_space(access.space, addresses, ctx, mask);
            parts.iter().try_for_each(|part| store_in(part, access, r, ctx))
        }
    }
}

#[inline(always)]
fn store_in(at: &SpaceLanes, access: &Access, r: &Registers, ctx: &mut ExecContext<'_>) -> Executed {
    let elements = (u32::from(access.size), usize::from(access.count));
    let value = |lane: usize, word: usize| r.row(access.row(word as u16))[lane].into();
    let checked = resolve(at, AccessKind::Store, elements, &value, ctx)?;
    ctx.spaces.count_store(&checked, (&at.addresses, at.mask), elements, &value);
    for word in 0..u16::from(access.count) {
        let values = r.row(access.row(word));
        let element = at.element(&checked, 4 * u64::from(word), access.size.into());
        element.store(ctx.spaces, ctx.local, |lane| values[lane].into());
    }
    Ok(())
}

/// `LDC` and its variants. Reading beyond the end of a bank is a fault.
pub(super) fn load_constant(
    access: &Access,
    r: &mut Registers,
    ctx: &ExecContext<'_>,
    mask: u32,
) -> Executed {
    let Space::Constant(bank) = access.space else { return Ok(()) };
    let bytes = ctx.banks.iter().find(|(number, _)| *number == bank).map_or(&[][..], |(_, bytes)| bytes);
    let addresses = addresses(&access.address, r);
    let span = usize::from(access.size) * usize::from(access.count);
    let read = |lane: usize| {
        let at = addresses[lane] as usize;
        let found = bytes.get(at..at.checked_add(span)?)?;
        let mut words = [0; 4];
        for (word, chunk) in words.iter_mut().zip(found.chunks(access.size.into())) {
            let value = chunk.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
            let unused = 32 - 8 * u32::from(access.size);
            *word = if access.signed { ((value << unused) as i32 >> unused) as u32 } else { value };
        }
        Some(words)
    };
    let mut outside = 0u32;
    let mut words = [[0u32; WIDTH]; 4];
    if access.address.terms == [None, None] {
        // All lanes read the same words.
        match read(0) {
            Some(found) => words = found.map(|word| [word; WIDTH]),
            None => outside = mask,
        }
    } else {
        for lane in lanes(mask) {
            match read(lane) {
                Some(found) => found.into_iter().zip(&mut words).for_each(|(found, word)| word[lane] = found),
                None => outside |= 1 << lane,
            }
        }
    }
    if outside != 0 {
        let lane = outside.trailing_zeros() as usize;
        let message = format!(
            "constant bank {bank:#x} has {} bytes, this load is at {:#x}\nit has {span} bytes; check the offset; the contents of \
             constant banks are those that the listing prints",
            bytes.len(),
            addresses[lane]
        );
        return Err(Box::new(Fault::new(FindingKind::OutOfBounds, message, outside)));
    }
    for (word, values) in words.iter().take(access.count.into()).enumerate() {
        r.set(access.data + word as u16, mask, values);
    }
    Ok(())
}

/// `LDGSTS`: copies from global to shared memory, immediately.
pub(super) fn copy(
    [to, from]: [&Access; 2],
    fill: bool,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    [copied, written]: [u32; 2],
) -> Executed {
    let span = u64::from(to.size) * u64::from(to.count);
    let sources = addresses(&from.address, r);
    // The misalignment of the source address says how many bytes at the end are zeros.
    let omitted = sources.map(|address| if fill { address % span } else { 0 });
    let aligned = std::array::from_fn(|lane| sources[lane] - omitted[lane]);
    let source = SpaceLanes { space: spaces::Space::Global, addresses: aligned, mask: copied };
    let read_from = resolve(&source, AccessKind::Source, (to.size.into(), to.count.into()), &|_, _| 0, ctx)?;
    let mut bytes = [[0u8; 16]; WIDTH];
    for lane in lanes(copied) {
        let Some(extent) = read_from.of(lane) else { continue };
        for (at, byte) in (0..span - omitted[lane]).zip(&mut bytes[lane]) {
            *byte = ctx.spaces.read(extent, ctx.local, lane, aligned[lane] + at, 1) as u8;
        }
    }
    let target =
        SpaceLanes { space: spaces::Space::Shared, addresses: addresses(&to.address, r), mask: written };
    let value =
        |lane: usize, number: usize| u128::from_le_bytes(bytes[lane]) >> (8 * to.size as usize * number);
    let written_to = resolve(&target, AccessKind::Store, (to.size.into(), to.count.into()), &value, ctx)?;
    ctx.spaces.changes += 1;
    for lane in lanes(written) {
        let Some(extent) = written_to.of(lane) else { continue };
        for (at, byte) in (0..span).zip(bytes[lane]) {
            ctx.spaces.write(extent, ctx.local, lane, target.addresses[lane] + at, 1, byte.into());
        }
    }
    if let Some(sanitizer) = &mut ctx.sanitizer {
        for lane in lanes(copied & written) {
            let (Some(from), Some(to)) = (read_from.of(lane), written_to.of(lane)) else { continue };
            let from = MemoryPosition { region: from.region, index: from.index(aligned[lane]) };
            let to = MemoryPosition { region: to.region, index: to.index(target.addresses[lane]) };
            sanitizer.copied(from, to, span - omitted[lane]);
        }
    }
    Ok(())
}

/// `LDSLK`: the lowest lane that asks for a word gets its lock.
pub(super) fn load_locked(
    access: &Access,
    q: Predicate,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Executed {
    let addresses = addresses(&access.address, r);
    load(access, r, ctx, mask)?;
    let got =
        lanes(mask).filter(|&lane| ctx.locks.insert(addresses[lane])).fold(0, |all, lane| all | 1 << lane);
    r.set_predicate(q, mask, got);
    Ok(())
}

/// `STSUL`: stores and unlocks.
pub(super) fn store_unlock(
    access: &Access,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Executed {
    store(access, r, ctx, mask)?;
    let addresses = addresses(&access.address, r);
    for lane in lanes(mask) {
        ctx.locks.remove(&addresses[lane]);
    }
    ctx.spaces.changes += 1;
    Ok(())
}

/// `ATOM`, `RED` and their variants run lane by lane, lowest first.
pub(super) fn atomic(atomic: &Atomic, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Executed {
    let addresses = addresses(&atomic.address, r);
    ctx.reads = true;
    for part in by_space(atomic.space, addresses, ctx, mask) {
        if let AtomicResult::Done(q) = atomic.result {
            let is_done = part.space == spaces::Space::Global;
            r.set_predicate(q, part.mask, if is_done { u32::MAX } else { 0 });
            if !is_done {
                continue;
            }
        }
        atomic_in(&part, atomic, r, ctx)?;
    }
    Ok(())
}

fn atomic_in(at: &SpaceLanes, atomic: &Atomic, r: &mut Registers, ctx: &mut ExecContext<'_>) -> Executed {
    let size = atomic.ty.bytes() as u32;
    let checked = check(at, AccessKind::Atomic, (size, 1), ctx)?;
    let mut unchanged = 0;
    let value = |row: u16, lane: usize, r: &Registers| {
        let low = u64::from(r.row(row)[lane]);
        if size == 8 { low | u64::from(r.row(row + 1)[lane]) << 32 } else { low }
    };
    let operand = |lane: usize, r: &Registers| {
        atomic.b.map_or(1, |source| match source.negates() {
            true => value(source.row, lane, r).wrapping_neg(),
            false => value(source.row, lane, r),
        })
    };
    let operands = lanes(at.mask).map(|lane| operand(lane, r).into());
    let kind = AccessKind::of_atomic(atomic.op, atomic.ty, at.space, operands);
    for lane in ctx.spaces.lane_order.lanes(at.mask.into()) {
        let Some(extent) = checked.of(lane) else { continue };
        let address = at.addresses[lane];
        let old = ctx.spaces.read(extent, ctx.local, lane, address, size);
        let b = operand(lane, r);
        let c = value(atomic.c.row, lane, r);
        let swaps = atomic.op == AtomicOp::CompareSwap;
        let new =
            apply(atomic.op, atomic.ty, at.space, old.into(), b.into(), if swaps { c.into() } else { 0 })
                as u64;
        if new == old {
            unchanged |= 1 << lane;
        } else {
            ctx.spaces.changes += 1;
            ctx.spaces.write(extent, ctx.local, lane, address, size, new);
        }
        let mask = if size == 8 { u64::MAX } else { (1 << (8 * size)) - 1 };
        let swapped = u64::from(old == b & mask);
        let result = match atomic.result {
            AtomicResult::None => continue,
            AtomicResult::SwappedPredicate(q) => {
                r.set_predicate(q, 1 << lane, if swapped == 1 { u32::MAX } else { 0 });
                continue;
            }
            AtomicResult::Old | AtomicResult::Done(_) => old,
            AtomicResult::Swapped => swapped,
        };
        r.rows[usize::from(atomic.d)][lane] = result as u32;
        if size == 8 {
            r.rows[usize::from(atomic.d) + 1][lane] = (result >> 32) as u32;
        }
    }
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.report.visit.silent = unchanged;
    }
    report(at, &checked, kind, (size, 1), &|_, _| 0, ctx);
    Ok(())
}

/// `QSPC`
pub(super) fn in_window(window: Window, o: &Operation, r: &mut Registers, ctx: &ExecContext<'_>, mask: u32) {
    let [shared, local] = ctx.target.windows();
    let size = ctx.target.window_bytes();
    let addresses = r.bits_64(o.s[0].row);
    let cluster = ctx.spaces.window;
    let found = filter_lanes(mask, |lane| {
        let address = addresses[lane];
        let within = |start: u64| (start..start + size).contains(&address);
        let is_own = || {
            let block = cluster.block_at(spaces::Space::Shared, address.wrapping_sub(shared));
            cluster.blocks == 1 || block.is_some_and(|(rank, _)| rank == u64::from(cluster.rank))
        };
        match window {
            Window::Shared => within(shared) && is_own(),
            Window::Cluster => within(shared),
            Window::Local => within(local),
            Window::Global => !within(shared) && !within(local),
        }
    });
    r.set_predicate(o.q[0], mask, found);
}

/// Writes sixteen bytes of shared memory in each lane.
pub(super) fn store_rows(
    address: &Address,
    rows: &[[u8; 16]; WIDTH],
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Executed {
    let at = SpaceLanes { space: spaces::Space::Shared, addresses: addresses(address, r), mask };
    let stored = |lane: usize, word: usize| u128::from_le_bytes(rows[lane]) >> (32 * word);
    let checked = resolve(&at, AccessKind::Store, (4, 4), &stored, ctx)?;
    ctx.spaces.changes += 1;
    for word in 0..4usize {
        let value = |lane: usize| u32::from_le_bytes(std::array::from_fn(|byte| rows[lane][4 * word + byte]));
        let element = at.element(&checked, 4 * word as u64, 4);
        element.store(ctx.spaces, ctx.local, |lane| value(lane).into());
    }
    Ok(())
}

/// Reads sixteen bytes of shared memory in each lane.
pub(super) fn load_rows(
    address: &Address,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<[[u8; 16]; WIDTH], Box<Fault>> {
    let at = SpaceLanes { space: spaces::Space::Shared, addresses: addresses(address, r), mask };
    let checked = resolve(&at, AccessKind::Read, (4, 4), &|_, _| 0, ctx)?;
    let mut rows = [[0; 16]; WIDTH];
    for word in 0..4usize {
        let values =
            at.element(&checked, 4 * word as u64, 4).load(ctx.spaces, ctx.local, |value| value as u32);
        for lane in lanes(mask) {
            rows[lane][4 * word..4 * word + 4].copy_from_slice(&values[lane].to_le_bytes());
        }
    }
    Ok(rows)
}
