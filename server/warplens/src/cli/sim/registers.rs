//! The final values of the registers of a warp.

use std::io::{self, Write};

use anstyle::Style;
use warplens_sim_warp::{RegisterValues, WarpTrace};

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// The assumed width if the width of the terminal is unknown.
const WIDTH: usize = 80;

/// The limit of values in a row.
const MAX_ROW: usize = 8;

/// Writes the recorded registers: one value if all lanes agree, otherwise one for each lane.
pub(super) fn write(warp: &WarpTrace, width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let Some(registers) = &warp.registers else { return Ok(()) };
    let [x, y, z] = warp.cta;
    writeln!(out, "{STRONG}registers{STRONG:#} of warp {} of block {x},{y},{z} (hexadecimal):", warp.warp)?;
    let longest = registers.iter().map(|register| register.name.chars().count()).max().unwrap_or(0);
    for register in registers {
        write_register(register, warp, (longest, width.unwrap_or(WIDTH)), out)?;
    }
    Ok(())
}

fn write_register(
    register: &RegisterValues,
    warp: &WarpTrace,
    (longest, width): (usize, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let launched = (0..u64::BITS).filter(|lane| warp.launched >> lane & 1 == 1);
    let values: Vec<(u32, Option<u128>)> =
        launched.map(|lane| (lane, register.lanes.get(lane as usize).copied().flatten())).collect();
    let significant = values
        .iter()
        .filter_map(|(_, value)| *value)
        .max()
        .map_or(0, |value| (u128::BITS - value.leading_zeros()).div_ceil(4) as usize);
    let digits = significant.max(1);
    let name = format!("    {:longest$}", register.name);
    let first = values.first().and_then(|(_, value)| *value);
    if values.iter().all(|(_, value)| value.is_none()) {
        return writeln!(out, "{name}  {FAINT}never written{FAINT:#}");
    }
    if let Some(value) = first.filter(|_| values.iter().all(|(_, value)| *value == first)) {
        return writeln!(out, "{name}  {value:x} {FAINT}in every lane{FAINT:#}");
    }
    // A power of two, so that rows start at the same lanes in every register.
    let columns = width.saturating_sub(name.chars().count() + 6) / (digits + 1);
    let columns = 1 << columns.clamp(1, MAX_ROW).ilog2();
    for (row, values) in values.chunks(columns).enumerate() {
        let label = if row == 0 { name.clone() } else { " ".repeat(name.chars().count()) };
        let lane = values.first().map_or(0, |(lane, _)| *lane);
        write!(out, "{label}  {FAINT}{lane:>2}:{FAINT:#}")?;
        for (_, value) in values {
            match value {
                Some(value) => write!(out, " {value:>digits$x}")?,
                None => write!(out, " {:>digits$}", "-")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
