//! Describes tensor copies in words, for hovers.

use std::fmt::Display;

use warplens_sim_warp::objects::{bytes, grouped};

use crate::async_ops::copy_log::BoxCopy;
use crate::tensor::box_mode::BoxMode;

impl BoxCopy {
    /// The lines of a hover: the box, its bytes, the elements outside of the tensor, and the map. `tile` names the
    /// first byte of the tile.
    pub fn lines(&self, tile: &str) -> Vec<String> {
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
                    text += &format!(", element strides {}", listed(&map.element_strides[..rank]));
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

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::async_ops::operation::Issuer;
    use crate::tensor::map::{ElementType, Im2col, TensorMap};
    use crate::tensor::swizzle::Swizzle;

    /// A load through a map of halves, from a tensor of 64 x 8 x 8.
    fn check(
        mode: BoxMode,
        coordinates: &[i32],
        (rows, outside): (u64, u64),
        map: TensorMap,
        expected: &Expect,
    ) {
        let map = TensorMap {
            element: ElementType(6),
            dims: [64, 8, 8, 0, 0],
            strides: [128, 1024, 0, 0],
            swizzle: Some(Swizzle::Bytes128),
            ..map
        };
        let coordinates = coordinates.to_vec();
        let issuer = Issuer::default();
        let copy = BoxCopy { map, mode, loads: true, coordinates, rows, outside, tile: 0, issuer };
        expected.assert_eq(&copy.lines("`tile[0]`").join("\n"));
    }

    #[test]
    fn four_rows_of_a_plane() {
        let map =
            TensorMap { rank: 2, extents: [32, 1, 0, 0, 0], element_strides: [1; 5], ..TensorMap::default() };
        check(
            BoxMode::Rows,
            &[16, 7, 0, 9, 3],
            (4, 32),
            map,
            &expect![[r#"
            box: 32 columns from 16 of rows 7, 0, 9, 3
            bytes: 256 to `tile[0]`, swizzle 128b, rows of 128 bytes, 64 bytes of them free
            out of range: 32 of 128 elements, filled with zeros
            tensor: 64 x 8 of `f16`, strides of 128 bytes"#]],
        );
    }

    #[test]
    fn pixels() {
        let im2col = Some(Im2col { channels: 64, pixels: 16, ..Im2col::default() });
        let map = TensorMap { rank: 3, im2col, nan: true, element_strides: [1; 5], ..TensorMap::default() };
        check(
            BoxMode::Im2col,
            &[0, -1, 2],
            (16, 128),
            map,
            &expect![[r#"
            box: 64 channels of 16 pixels from (0, -1, 2)
            bytes: 2,048 to `tile[0]`, swizzle 128b, rows of 128 bytes
            out of range: 128 of 1,024 elements, filled with NaNs
            tensor: 64 x 8 x 8 of `f16`, strides of 128, 1,024 bytes"#]],
        );
    }

    #[test]
    fn a_box_with_element_strides() {
        let map = TensorMap {
            rank: 3,
            extents: [64, 8, 2, 0, 0],
            element_strides: [1, 2, 1, 0, 0],
            ..TensorMap::default()
        };
        check(
            BoxMode::Tile,
            &[0, 0, 4],
            (8, 0),
            map,
            &expect![[r#"
            box: 64 x 8 x 2 from (0, 0, 4) to (63, 7, 5), element strides 1, 2, 1
            bytes: 1,024 to `tile[0]`, swizzle 128b, rows of 128 bytes
            out of range: nothing
            tensor: 64 x 8 x 8 of `f16`, strides of 128, 1,024 bytes"#]],
        );
    }
}
