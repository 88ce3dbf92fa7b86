//! A map of a block's tensor memory as text: allocations, uses, and the lanes that a warp can access.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use crate::tensor_memory::cells::{COLUMNS, LANES, lane_mask};
use crate::tensor_memory::use_log::{CellRole, CellUse, LoggedAllocation, UseLog};
use warplens_sim_warp::note::NoteLine;
use warplens_sim_warp::objects::times;
use warplens_sim_warp::trace::StatementId;

/// Characters before the cells of a row.
const PREFIX: usize = 10;
/// Characters per row.
const CELLS: u32 = 32;
/// Lanes per row, before equal rows are merged.
const ROW_LANES: u32 = 16;
/// Maximum number of listed allocations, and of listed uses.
const MAX_LINES: usize = 20;
const MAX_RANGES: usize = 4;

pub struct CellMap {
    unit: u32,
    rows: Vec<String>,
    lines: Vec<NoteLine>,
}

impl CellMap {
    pub fn new(log: &UseLog) -> CellMap {
        let counted = log.uses();
        let uses: Vec<CellUse> = counted.iter().map(|(cells, _)| *cells).collect();
        let allocated = log.allocations.iter().map(|it| it.columns().end);
        let end = allocated.chain(uses.iter().map(|cells| cells.range.end)).max().unwrap_or(0);
        let unit = end.min(COLUMNS).next_power_of_two().max(CELLS) / CELLS;
        let row = |first: u32| {
            let lanes = lane_mask(first, ROW_LANES);
            let here: Vec<&CellUse> = uses.iter().filter(|cells| cells.lanes() & lanes != 0).collect();
            let symbol = |cell: u32| symbol(log, &here, cell * unit..(cell + 1) * unit);
            (0..CELLS).map(symbol).collect()
        };
        let rows = (0..LANES).step_by(ROW_LANES as usize).map(row).collect();
        CellMap { unit, rows, lines: lines(log, counted) }
    }

    /// The legend: what a character stands for.
    pub fn scale(&self) -> String {
        let columns = if self.unit == 1 { "a column".to_owned() } else { format!("{} columns", self.unit) };
        let used = LEGEND.iter().filter(|(symbol, _)| self.rows.iter().any(|row| row.contains(*symbol)));
        let legend: String = used.map(|(symbol, meaning)| format!(", `{symbol}` {meaning}")).collect();
        format!("a character is {columns}{legend}")
    }

    /// A grid of lanes and columns, in which a warp's lanes are marked.
    pub fn grid(&self, warp: u32) -> String {
        let mut text = format!("{:<PREFIX$}", "lanes");
        for tick in (0..CELLS).step_by(8) {
            let _ = write!(text, "{:<8}", tick * self.unit);
        }
        text.truncate(text.trim_end().len());
        let reached = reached(warp);
        let row = |index: usize| {
            let lanes = lane_mask(index as u32 * ROW_LANES, ROW_LANES);
            (if reached & lanes != 0 { '>' } else { ' ' }, self.rows[index].as_str())
        };
        let mut first = 0;
        while first < self.rows.len() {
            let here = row(first);
            let end = (first..self.rows.len()).find(|next| row(*next) != here).unwrap_or(self.rows.len());
            let lanes = format!("{}-{}", first as u32 * ROW_LANES, end as u32 * ROW_LANES - 1);
            let _ = write!(text, "\n{} {lanes:<8}{}", here.0, here.1.trim_end());
            first = end;
        }
        text + "\n"
    }

    /// The allocations, the uses, and a warp's lanes, with their statements.
    pub fn lines(&self, warp: u32) -> Vec<NoteLine> {
        let own = format!("`>`: warp {warp} reaches {} (32 * ({warp} % 4))", lanes(reached(warp)));
        self.lines.iter().cloned().chain([(own, Vec::new())]).collect()
    }
}

/// The lanes that a warp can load from and store to.
fn reached(warp: u32) -> u128 {
    lane_mask(32 * (warp % 4), 32)
}

/// The symbol for columns whose lanes have these uses.
fn symbol(log: &UseLog, uses: &[&CellUse], columns: Range<u32>) -> char {
    let overlaps = |other: Range<u32>| other.start < columns.end && columns.start < other.end;
    let here = uses.iter().filter(|cells| overlaps(cells.range.first..cells.range.end));
    let mut symbols: Vec<char> = here.map(|cells| role_symbol(cells.role)).collect();
    // Loads and stores of a product's operands do not count as another use.
    if symbols.iter().any(|symbol| *symbol != ACCESSED) {
        symbols.retain(|symbol| *symbol != ACCESSED);
    }
    symbols.dedup();
    match symbols[..] {
        [] if log.allocations.iter().any(|it| overlaps(it.columns())) => UNUSED,
        [] => ' ',
        [only] => only,
        _ => SEVERAL,
    }
}

const ACCESSED: char = 'x';
const SEVERAL: char = '#';
const UNUSED: char = '.';

/// The symbols other than D and A.
const LEGEND: [(char, &str); 5] = [
    ('M', "metadata"),
    ('S', "scale factors"),
    (SEVERAL, "used in several ways"),
    (ACCESSED, "only loaded, stored or copied"),
    (UNUSED, "not used"),
];

fn role_symbol(role: CellRole) -> char {
    match role {
        CellRole::D => 'D',
        CellRole::A => 'A',
        CellRole::Metadata => 'M',
        CellRole::ScaleOfA | CellRole::ScaleOfB => 'S',
        CellRole::Copied | CellRole::Loaded | CellRole::Stored => ACCESSED,
    }
}

fn role_title(role: CellRole) -> &'static str {
    match role {
        CellRole::D => "D",
        CellRole::A => "A",
        CellRole::Metadata => "metadata of A",
        CellRole::ScaleOfA => "scale factors of A",
        CellRole::ScaleOfB => "scale factors of B",
        CellRole::Copied => "copied to",
        CellRole::Loaded => "loaded",
        CellRole::Stored => "stored to",
    }
}

/// The allocations and the uses, with their statements.
fn lines(log: &UseLog, uses: Vec<(CellUse, u64)>) -> Vec<NoteLine> {
    let mut allocations: Vec<(LoggedAllocation, u64)> = Vec::new();
    for it in &log.allocations {
        match allocations.iter_mut().find(|(known, _)| known == it) {
            Some((_, count)) => *count += 1,
            None => allocations.push((*it, 1)),
        }
    }
    let allocations = allocations.into_iter().map(|(it, count)| allocation(&it, count)).collect();
    let uses = merged(uses).into_iter().map(|one| {
        let parts = one.statements.iter().map(|(statement, count)| (StatementId(*statement), times(*count)));
        let place = format!("{}, {}", lanes(one.lanes), columns(one.columns));
        (format!("{}: {place}: ", role_title(one.role)), parts.collect())
    });
    let mut lines = limited(allocations, "allocations");
    lines.extend(limited(uses.collect(), "uses"));
    if log.is_truncated {
        lines.push(("later allocations and uses are not recorded".to_owned(), Vec::new()));
    }
    lines
}

fn allocation(it: &LoggedAllocation, count: u64) -> NoteLine {
    let often = if count == 1 { String::new() } else { format!(" {count} times") };
    let by = format!("allocated{often} by warp {}", it.allocation.warp);
    let freed = it.freed.map(|statement| (StatementId(statement), "freed".to_owned()));
    let left = if freed.is_none() { ", not freed" } else { "" };
    let parts = [(StatementId(it.allocation.statement), by)].into_iter().chain(freed);
    (format!("{}{left}: ", columns(it.columns())), parts.collect())
}

fn limited(mut lines: Vec<NoteLine>, what: &str) -> Vec<NoteLine> {
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push((format!("{more} more {what}"), Vec::new()));
    }
    lines
}

#[derive(Clone)]
struct Uses {
    role: CellRole,
    lanes: u128,
    columns: Range<u32>,
    /// The statements, with their number of uses.
    statements: BTreeMap<u32, u64>,
}

/// Merges uses of the same columns, then uses of adjacent columns by the same statements.
fn merged(uses: Vec<(CellUse, u64)>) -> Vec<Uses> {
    let mut all: BTreeMap<(CellRole, u32, u32), Uses> = BTreeMap::new();
    for (cells, count) in uses {
        let CellUse { role, range, statement } = cells;
        let empty = || Uses { role, lanes: 0, columns: range.first..range.end, statements: BTreeMap::new() };
        let one = all.entry((role, range.first, range.end)).or_insert_with(empty);
        one.lanes |= cells.lanes();
        *one.statements.entry(statement).or_default() += count;
    }
    let mut joined: Vec<Uses> = Vec::new();
    for one in all.into_values() {
        let continues = |last: &&mut Uses| {
            (last.role, last.lanes, last.columns.end) == (one.role, one.lanes, one.columns.start)
                && last.statements.keys().eq(one.statements.keys())
        };
        match joined.last_mut().filter(continues) {
            Some(last) => {
                last.columns.end = one.columns.end;
                last.statements
                    .iter_mut()
                    .zip(one.statements)
                    .for_each(|((_, sum), (_, count))| *sum += count);
            }
            None => joined.push(one),
        }
    }
    joined
}

fn columns(range: Range<u32>) -> String {
    if range.len() <= 1 {
        format!("column {}", range.start)
    } else {
        format!("columns {} to {}", range.start, range.end - 1)
    }
}

/// `lanes 0 to 15, 32 to 47`
fn lanes(mut mask: u128) -> String {
    let mut ranges: Vec<String> = Vec::new();
    while mask != 0 {
        let first = mask.trailing_zeros();
        let count = (mask >> first).trailing_ones();
        ranges.push(if count == 1 { first.to_string() } else { format!("{first} to {}", first + count - 1) });
        mask &= !lane_mask(first, count);
    }
    let more = ranges.len().saturating_sub(MAX_RANGES);
    ranges.truncate(MAX_RANGES);
    let rest = if more > 0 { format!(" and {more} more ranges") } else { String::new() };
    format!("lanes {}{rest}", ranges.join(", "))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tensor_memory::cells::{Allocation, CellRange};

    fn log(allocations: &[(u32, u32, Option<u32>)], uses: &[(CellRole, u128, u32, u32, u32)]) -> UseLog {
        let mut log = UseLog::default();
        for &(first, count, freed) in allocations {
            log.allocated(Allocation { first, count, warp: 1, statement: first });
            if let Some(freed) = freed {
                log.freed(first, freed);
            }
        }
        for &(role, lanes, first, end, statement) in uses {
            log.used(CellUse { role, range: CellRange { rank: 0, lanes, first, end }, statement });
        }
        log
    }

    fn check(log: &UseLog, warp: u32, expected: Expect) {
        let map = CellMap::new(log);
        let grid = map.grid(warp);
        assert!(grid.lines().all(|line| line.len() <= 60), "{grid}");
        let lines = map.lines(warp).into_iter().map(|(title, parts)| {
            let parts = parts.into_iter().map(|(statement, text)| format!("{text} ({})", statement.0));
            format!("{title}{}\n", parts.collect::<Vec<_>>().join(", "))
        });
        expected.assert_eq(&format!("{}\n{grid}{}", map.scale(), lines.collect::<String>()));
    }

    #[test]
    fn products_with_scale_factors() {
        let rows = 0xffff << 32 | 0xffff;
        let uses = [
            (CellRole::D, rows | rows << 64, 0, 256, 7),
            (CellRole::ScaleOfA, 0xffff_ffff, 256, 260, 7),
            (CellRole::ScaleOfB, 0xffff_ffff, 260, 268, 7),
            (CellRole::Copied, u128::MAX, 256, 268, 6),
            (CellRole::Metadata, u128::MAX, 272, 276, 7),
            (CellRole::A, u128::MAX, 320, 384, 7),
            (CellRole::D, u128::MAX, 352, 384, 8),
            (CellRole::Stored, u128::MAX, 480, 512, 9),
        ];
        check(
            &log(&[(0, 256, None), (256, 256, Some(30))], &uses),
            7,
            expect![[r#"
                a character is 16 columns, `M` metadata, `S` scale factors, `#` used in several ways, `x` only loaded, stored or copied, `.` not used
                lanes     0       128     256     384
                  0-15    DDDDDDDDDDDDDDDDSM..AA##......xx
                  16-31   ................SM..AA##......xx
                  32-47   DDDDDDDDDDDDDDDDSM..AA##......xx
                  48-63   ................SM..AA##......xx
                  64-79   DDDDDDDDDDDDDDDDSM..AA##......xx
                  80-95   ................SM..AA##......xx
                > 96-111  DDDDDDDDDDDDDDDDSM..AA##......xx
                > 112-127 ................SM..AA##......xx
                columns 0 to 255, not freed: allocated by warp 1 (0)
                columns 256 to 511: allocated by warp 1 (256), freed (30)
                D: lanes 0 to 15, 32 to 47, 64 to 79, 96 to 111, columns 0 to 255: once (7)
                D: lanes 0 to 127, columns 352 to 383: once (8)
                A: lanes 0 to 127, columns 320 to 383: once (7)
                metadata of A: lanes 0 to 127, columns 272 to 275: once (7)
                scale factors of A: lanes 0 to 127, columns 256 to 259: once (7)
                scale factors of B: lanes 0 to 127, columns 260 to 267: once (7)
                copied to: lanes 0 to 127, columns 256 to 267: once (6)
                stored to: lanes 0 to 127, columns 480 to 511: once (9)
                `>`: warp 7 reaches lanes 96 to 127 (32 * (7 % 4))
            "#]],
        );
    }

    #[test]
    fn columns_that_are_allocated_again() {
        let uses = (0..40)
            .map(|index| (CellRole::Loaded, lane_mask(32 * (index % 4), 32), index / 4, index / 4 + 1, 5));
        let uses: Vec<_> = uses.collect();
        check(
            &log(&[(0, 32, Some(3)), (0, 32, None)], &uses),
            0,
            expect![[r#"
            a character is a column, `x` only loaded, stored or copied, `.` not used
            lanes     0       8       16      24
            > 0-31    xxxxxxxxxx......................
              32-127  xxxxxxxxxx......................
            columns 0 to 31: allocated by warp 1 (0), freed (3)
            columns 0 to 31, not freed: allocated by warp 1 (0)
            loaded: lanes 0 to 127, columns 0 to 9: 40 times (5)
            `>`: warp 0 reaches lanes 0 to 31 (32 * (0 % 4))
        "#]],
        );
    }

    #[test]
    fn long_lists_end() {
        let uses: Vec<_> = (0..2000)
            .map(|index| (CellRole::Loaded, 1 << (index % 128), index % 512, index % 512 + 1, index))
            .collect();
        let log = log(&[], &uses);
        let lines = CellMap::new(&log).lines(0);
        assert_eq!(lines.len(), MAX_LINES + 3);
        assert_eq!(lines[MAX_LINES].0, "492 more uses");
        assert!(lines[MAX_LINES + 1].0.starts_with("later allocations"));
    }
}
