//! Text of tensor copies, for hovers.

use std::fmt::Display;

use crate::objects::{bytes, grouped};
use crate::ptx::async_ops::copy_log::BoxCopy;
use crate::ptx::program::BoxMode;

impl BoxCopy {
    /// The lines of a hover: the box, its bytes, what is outside of the tensor, and the map. `tile` is the name of its first byte.
    pub(crate) fn lines(&self, tile: &str) -> Vec<String> {
        let map = &self.map;
        let rank = usize::from(map.rank);
        let row = self.elements() / self.rows.max(1);
        let swizzle = map.swizzle.unwrap_or_default();
        let way = if self.loads { "to" } else { "from" };
        let padding = match map.row_bytes() - map.inner_bytes() {
            0 => String::new(),
            free => format!(", {} of them free", bytes(free as u64)),
        };
        let mut lines = vec![
            self.extent(row),
            format!(
                "bytes: {} {way} {tile}, swizzle {}, rows of {}{padding}",
                grouped(self.rows * map.inner_bytes() as u64),
                swizzle.name(),
                bytes(map.row_bytes() as u64)
            ),
            self.out_of_range(),
        ];
        let mut tensor = format!("tensor: {} of `{}`", product(&map.dims[..rank]), map.element.name());
        if rank > 1 {
            let strides: Vec<String> =
                map.strides[..rank - 1].iter().map(|stride| grouped(*stride)).collect();
            tensor += &format!(", strides of {} bytes", strides.join(", "));
        }
        lines.push(tensor);
        lines
    }

    /// Elements of the box.
    fn elements(&self) -> u64 {
        let map = &self.map;
        let inner = map.im2col.map_or(map.extents[0], |im2col| im2col.channels);
        self.rows * u64::from(inner)
    }

    fn extent(&self, row: u64) -> String {
        let map = &self.map;
        let rank = usize::from(map.rank);
        let at = listed(&self.coordinates);
        match self.mode {
            BoxMode::Tile => {
                let last = (0..rank).map(|d| i64::from(self.coordinates[d]) + i64::from(map.extents[d]) - 1);
                let mut text = format!(
                    "box: {} from ({at}) to ({})",
                    product(&map.extents[..rank]),
                    listed(&last.collect::<Vec<_>>())
                );
                if map.element_strides[..rank].iter().any(|stride| *stride != 1) {
                    text += &format!(", every ({})th element", listed(&map.element_strides[..rank]));
                }
                text
            }
            BoxMode::Rows => format!(
                "box: {row} columns from {} of rows {}",
                self.coordinates[0],
                listed(&self.coordinates[1..])
            ),
            BoxMode::Im2col => format!("box: {row} channels of {} pixels from ({at})", self.rows),
        }
    }

    fn out_of_range(&self) -> String {
        let fate = match (self.loads, self.map.nan) {
            (true, false) => "filled with zeros",
            (true, true) => "filled with NaNs",
            (false, _) => "not written",
        };
        match self.outside {
            0 => "out of range: nothing".to_owned(),
            outside => {
                format!("out of range: {} of {} elements, {fate}", grouped(outside), grouped(self.elements()))
            }
        }
    }
}

fn listed(numbers: &[impl Display]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

fn product(extents: &[impl Display]) -> String {
    let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
    extents.join(" x ")
}
