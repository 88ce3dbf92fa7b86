//! Tensor maps: their fields, the limits of the driver, and the 128 bytes that encode them.
//!
//! The encoding is private to the simulator. The only exception: 128 zero bytes are a valid map, to which
//! `tensormap.replace` adds every field.

use warplens_sim_warp::scalar_type::ScalarType;

use super::swizzle::Swizzle;

/// Bytes of a tensor map.
pub const BYTES: usize = 128;

/// The element type: the index in `ELEMENTS`, which is also its code in `tensormap.replace`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ElementType(pub u8);

/// The types in the order of their codes: name in launches, type of reductions, elements per unit, and bytes per unit
/// in global and in shared memory.
const ELEMENTS: [(&str, Option<ScalarType>, u64, usize, usize); 16] = [
    ("u8", Some(ScalarType::U8), 1, 1, 1),
    ("u16", Some(ScalarType::U16), 1, 2, 2),
    ("u32", Some(ScalarType::U32), 1, 4, 4),
    ("s32", Some(ScalarType::S32), 1, 4, 4),
    ("u64", Some(ScalarType::U64), 1, 8, 8),
    ("s64", Some(ScalarType::S64), 1, 8, 8),
    ("f16", Some(ScalarType::F16), 1, 2, 2),
    ("f32", Some(ScalarType::F32), 1, 4, 4),
    ("f32.ftz", Some(ScalarType::F32), 1, 4, 4),
    ("f64", Some(ScalarType::F64), 1, 8, 8),
    ("bf16", Some(ScalarType::Bf16), 1, 2, 2),
    ("tf32", Some(ScalarType::F32), 1, 4, 4),
    ("tf32.ftz", Some(ScalarType::F32), 1, 4, 4),
    ("b4x16", None, 2, 1, 1),
    ("b4x16_p64", None, 16, 8, 16),
    ("b6x16_p32", None, 16, 12, 16),
];

impl ElementType {
    pub fn names() -> impl Iterator<Item = &'static str> {
        ELEMENTS.iter().map(|row| row.0)
    }

    pub fn from_name(name: &str) -> Option<ElementType> {
        let code = ELEMENTS.iter().position(|row| row.0 == name)?;
        Some(ElementType(code as u8))
    }

    fn row(self) -> (&'static str, Option<ScalarType>, u64, usize, usize) {
        ELEMENTS[usize::from(self.0) % ELEMENTS.len()]
    }

    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The type of reductions; `None` if these elements cannot be reduced.
    pub fn scalar(self) -> Option<ScalarType> {
        self.row().1
    }

    /// Number of elements that are stored together as a unit.
    pub fn unit(self) -> u64 {
        self.row().2
    }

    /// Bytes of a unit in global memory.
    pub fn global_bytes(self) -> usize {
        self.row().3
    }

    /// Bytes of a unit in shared memory.
    pub fn shared_bytes(self) -> usize {
        self.row().4
    }

    pub fn is_padded(self) -> bool {
        self.global_bytes() != self.shared_bytes()
    }

    pub fn is_float(self) -> bool {
        matches!(self.0, 6..=12)
    }

    /// The NaN that marks positions outside of the tensor.
    pub fn nan(self) -> Vec<u8> {
        match self.name() {
            "f16" | "bf16" => vec![0xff, 0x7f],
            "f64" => 0x7fff_ffff_ffff_ffff_u64.to_le_bytes().to_vec(),
            _ => 0x7fff_ffff_u32.to_le_bytes().to_vec(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interleave {
    #[default]
    None,
    Bytes16,
    Bytes32,
}

impl Interleave {
    const ALL: [Interleave; 3] = [Interleave::None, Interleave::Bytes16, Interleave::Bytes32];

    pub fn from_name(name: &str) -> Option<Interleave> {
        Interleave::ALL.into_iter().find(|interleave| interleave.name() == name)
    }

    pub fn name(self) -> &'static str {
        ["none", "16b", "32b"][self as usize]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Im2col {
    /// The lower corner of the bounding box, for the spatial dimensions W, H, D.
    pub lower: [i16; 3],
    pub upper: [i16; 3],
    /// Channels, the elements of a pixel.
    pub channels: u16,
    pub pixels: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TensorMap {
    pub address: u64,
    pub element: ElementType,
    pub rank: u8,
    /// Elements per dimension, innermost first.
    pub dims: [u64; 5],
    /// Bytes between consecutive elements of a dimension, from dimension 1 on.
    pub strides: [u64; 4],
    /// Elements of a box per dimension.
    pub extents: [u16; 5],
    /// The distance between elements of a box, per dimension.
    pub element_strides: [u8; 5],
    pub interleave: Interleave,
    /// The swizzle in shared memory; `None` if `tensormap.replace` set an invalid one.
    pub swizzle: Option<Swizzle>,
    /// Whether elements outside of the tensor are NaN instead of zero.
    pub nan: bool,
    /// The fields of an im2col map; `None` for a tiled map, which has a box.
    pub im2col: Option<Im2col>,
}

/// The offsets of the fields in the 128 bytes.
mod at {
    pub(super) const ADDRESS: usize = 0;
    pub(super) const RANK: usize = 8;
    pub(super) const ELEMENT: usize = 9;
    pub(super) const INTERLEAVE: usize = 10;
    pub(super) const SWIZZLE: usize = 11;
    pub(super) const ATOMICITY: usize = 12;
    pub(super) const FILL: usize = 13;
    pub(super) const IM2COL: usize = 14;
    /// Bit 32 of each dimension.
    pub(super) const WIDE_DIMS: usize = 15;
    pub(super) const DIMS: usize = 16;
    pub(super) const STRIDES: usize = 36;
    pub(super) const BOX: usize = 68;
    pub(super) const CHANNELS: usize = 78;
    pub(super) const PIXELS: usize = 80;
    pub(super) const ELEMENT_STRIDES: usize = 82;
    pub(super) const LOWER: usize = 88;
    pub(super) const UPPER: usize = 94;
    pub(super) const UNUSED: usize = 104;
}

/// The position and the size of a field of `tensormap.replace`, for an ordinal.
pub fn field(name: &str, ordinal: usize) -> Option<(usize, usize)> {
    Some(match name {
        "global_address" => (at::ADDRESS, 8),
        "rank" => (at::RANK, 1),
        "box_dim" if ordinal < 5 => (at::BOX + 2 * ordinal, 2),
        "global_dim" if ordinal < 5 => (at::DIMS + 4 * ordinal, 4),
        "global_stride" if ordinal < 4 => (at::STRIDES + 8 * ordinal, 8),
        // Maps have no sixth dimension, so this stride is unused.
        "global_stride" if ordinal == 4 => (at::UNUSED, 8),
        "element_stride" if ordinal < 5 => (at::ELEMENT_STRIDES + ordinal, 1),
        "elemtype" => (at::ELEMENT, 1),
        "interleave_layout" => (at::INTERLEAVE, 1),
        "swizzle_mode" => (at::SWIZZLE, 1),
        "swizzle_atomicity" => (at::ATOMICITY, 1),
        "fill_mode" => (at::FILL, 1),
        _ => return None,
    })
}

/// The modes and atomicities of `tensormap.replace`.
const SWIZZLES: [(Swizzle, u8, u8); 7] = [
    (Swizzle::None, 0, 0),
    (Swizzle::Bytes32, 1, 0),
    (Swizzle::Bytes64, 2, 0),
    (Swizzle::Bytes128, 3, 0),
    (Swizzle::Bytes128Atom32, 3, 1),
    (Swizzle::Bytes128Atom32Flip8, 3, 2),
    (Swizzle::Bytes128Atom64, 3, 3),
];

/// A parameter, and the rule that it violates.
type Violation = (&'static str, String);

impl TensorMap {
    pub fn encode(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(at::ADDRESS, &self.address.to_le_bytes());
        put(at::RANK, &[self.rank.saturating_sub(1)]);
        put(at::ELEMENT, &[self.element.0]);
        put(at::INTERLEAVE, &[self.interleave as u8]);
        let swizzle = SWIZZLES.iter().find(|row| Some(row.0) == self.swizzle);
        let (mode, atomicity) = swizzle.map_or((4, 0), |row| (row.1, row.2));
        put(at::SWIZZLE, &[mode, atomicity, self.nan.into(), self.im2col.is_some().into()]);
        let wide = |(index, dim): (usize, &u64)| u8::from(*dim >> 32 != 0) << index;
        put(at::WIDE_DIMS, &[self.dims.iter().enumerate().map(wide).sum()]);
        for (index, dim) in self.dims.iter().enumerate() {
            put(at::DIMS + 4 * index, &(*dim as u32).to_le_bytes());
        }
        for (index, stride) in self.strides.iter().enumerate() {
            put(at::STRIDES + 8 * index, &stride.to_le_bytes());
        }
        for (index, extent) in self.extents.iter().enumerate() {
            put(at::BOX + 2 * index, &extent.to_le_bytes());
        }
        put(at::ELEMENT_STRIDES, &self.element_strides);
        let im2col = self.im2col.unwrap_or_default();
        put(at::CHANNELS, &im2col.channels.to_le_bytes());
        put(at::PIXELS, &im2col.pixels.to_le_bytes());
        for axis in 0..3 {
            put(at::LOWER + 2 * axis, &im2col.lower[axis].to_le_bytes());
            put(at::UPPER + 2 * axis, &im2col.upper[axis].to_le_bytes());
        }
        bytes
    }

    /// Decodes a map; the fields may violate the limits.
    pub fn decode(bytes: &[u8]) -> TensorMap {
        let get = |at: usize, size: usize| {
            let field = bytes.get(at..at + size).unwrap_or_default();
            field.iter().rev().fold(0, |value: u64, byte| value << 8 | u64::from(*byte))
        };
        let byte = |at: usize| get(at, 1) as u8;
        let word = |at: usize| get(at, 2) as u16;
        let swizzle = SWIZZLES.iter().find(|row| (row.1, row.2) == (byte(at::SWIZZLE), byte(at::ATOMICITY)));
        let corner = |at: usize| std::array::from_fn(|axis| word(at + 2 * axis) as i16);
        TensorMap {
            address: get(at::ADDRESS, 8),
            element: ElementType(byte(at::ELEMENT)),
            rank: byte(at::RANK).saturating_add(1),
            dims: std::array::from_fn(|index| {
                get(at::DIMS + 4 * index, 4) | u64::from(byte(at::WIDE_DIMS) >> index & 1) << 32
            }),
            strides: std::array::from_fn(|index| get(at::STRIDES + 8 * index, 8)),
            extents: std::array::from_fn(|index| word(at::BOX + 2 * index)),
            element_strides: std::array::from_fn(|index| byte(at::ELEMENT_STRIDES + index)),
            interleave: Interleave::ALL[usize::from(byte(at::INTERLEAVE)).min(2)],
            swizzle: swizzle.map(|row| row.0),
            nan: byte(at::FILL) != 0,
            im2col: (byte(at::IM2COL) != 0).then(|| Im2col {
                lower: corner(at::LOWER),
                upper: corner(at::UPPER),
                channels: word(at::CHANNELS),
                pixels: word(at::PIXELS),
            }),
        }
    }

    /// The first limit of the driver that the map violates.
    pub fn violation(&self) -> Option<Violation> {
        let rank = usize::from(self.rank);
        let wrong = |key, rule: String| Some((key, rule));
        let at_least = if self.im2col.is_some() || self.interleave != Interleave::None { 3 } else { 1 };
        if !(at_least..=5).contains(&rank) {
            return wrong("dims", format!("the rank must be {at_least} to 5, not {rank}"));
        }
        if usize::from(self.element.0) >= ELEMENTS.len() {
            return wrong("type", format!("{} is not the code of an element type", self.element.0));
        }
        let padded = self.element.is_padded();
        let aligned = if self.interleave == Interleave::Bytes32 || padded { 32 } else { 16 };
        if !self.address.is_multiple_of(aligned) {
            return wrong("offset", format!("the global address must be a multiple of {aligned}"));
        }
        if let Some(dim) = self.dims[..rank].iter().find(|dim| !(1..=1 << 32).contains(*dim)) {
            return wrong("dims", format!("a dimension must be 1 to 2^32, not {dim}"));
        }
        if padded && !self.dims[0].is_multiple_of(128)
            || !self.dims[0].is_multiple_of(self.element.unit().min(2))
        {
            let unit = if padded { 128 } else { 2 };
            return wrong("dims", format!("dims[0] of {} must be a multiple of {unit}", self.element.name()));
        }
        for stride in &self.strides[..rank - 1] {
            if !stride.is_multiple_of(aligned) || *stride >= 1 << 40 {
                let limits = format!("a multiple of {aligned} bytes and less than 2^40");
                return wrong("strides", format!("a stride must be {limits}, not {stride}"));
            }
        }
        if let Some(stride) = self.element_strides[..rank].iter().find(|stride| !(1..=8).contains(*stride)) {
            return wrong("element_strides", format!("an element stride must be 1 to 8, not {stride}"));
        }
        let Some(swizzle) = self.swizzle else {
            return wrong("swizzle", "the swizzle mode and atomicity are not a supported pair".to_owned());
        };
        if self.interleave == Interleave::Bytes32 && swizzle != Swizzle::Bytes32 {
            return wrong("swizzle", "interleave 32b requires swizzle 32b".to_owned());
        }
        if self.nan && !self.element.is_float() {
            let name = self.element.name();
            return wrong("oob_fill", format!("the fill nan requires a floating-point type, not {name}"));
        }
        match self.im2col {
            Some(im2col) => self.im2col_violation(im2col),
            None => self.box_violation(swizzle),
        }
    }

    fn box_violation(&self, swizzle: Swizzle) -> Option<Violation> {
        let rank = usize::from(self.rank);
        if let Some(extent) = self.extents[..rank].iter().find(|extent| !(1..=256).contains(*extent)) {
            return Some(("box", format!("an extent of the box must be 1 to 256, not {extent}")));
        }
        let inner = self.inner_bytes();
        if self.element.is_padded() && self.extents[0] != 128 {
            return Some(("box", format!("box[0] of {} must be 128", self.element.name())));
        }
        if self.interleave == Interleave::None && !inner.is_multiple_of(16) {
            return Some((
                "box",
                format!("the inner extent of the box must be a multiple of 16 bytes, not {inner} bytes"),
            ));
        }
        self.span_violation("box", inner, swizzle)
    }

    fn span_violation(&self, key: &'static str, inner: usize, swizzle: Swizzle) -> Option<Violation> {
        let (span, name) = (swizzle.span() as usize, swizzle.name());
        (self.interleave == Interleave::None && span != 0 && inner > span).then(|| {
            (
                key,
                format!("the inner extent of {inner} bytes exceeds the span of swizzle {name}: {span} bytes"),
            )
        })
    }

    fn im2col_violation(&self, im2col: Im2col) -> Option<Violation> {
        if !(1..=256).contains(&im2col.channels) {
            return Some(("channels_per_pixel", format!("it must be 1 to 256, not {}", im2col.channels)));
        }
        if !(1..=1024).contains(&im2col.pixels) {
            return Some(("pixels_per_column", format!("it must be 1 to 1024, not {}", im2col.pixels)));
        }
        let spatial = usize::from(self.rank) - 2;
        let limit = [i16::MIN, -128, -16][spatial - 1];
        let fits = |corner: &i16| (limit..=-(limit + 1)).contains(corner);
        for (key, corner) in [("lower_corner", im2col.lower), ("upper_corner", im2col.upper)] {
            if let Some(corner) = corner[..spatial].iter().find(|corner| !fits(corner)) {
                return Some((key, format!("a corner must be {limit} to {}, not {corner}", -(limit + 1))));
            }
        }
        let inner = self.inner_bytes();
        if self.interleave == Interleave::None && !inner.is_multiple_of(16) {
            return Some((
                "channels_per_pixel",
                format!("the channels must be a multiple of 16 bytes, not {inner} bytes"),
            ));
        }
        self.span_violation("channels_per_pixel", inner, self.swizzle.unwrap_or_default())
    }

    /// Bytes of the innermost dimension of a box in shared memory.
    pub fn inner_bytes(&self) -> usize {
        let elements = self.im2col.map_or(self.extents[0], |im2col| im2col.channels);
        usize::from(elements).div_ceil(self.element.unit() as usize) * self.element.shared_bytes()
    }

    /// Bytes between consecutive rows of a box in shared memory; at least the span of the swizzle.
    pub fn row_bytes(&self) -> usize {
        self.inner_bytes().max(self.swizzle.unwrap_or_default().span() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            address: 0x1000,
            element: ElementType(6),
            rank: 2,
            dims: [64, 1 << 32, 0, 0, 0],
            strides: [128, 0, 0, 0],
            extents: [64, 64, 0, 0, 0],
            element_strides: [1, 1, 0, 0, 0],
            swizzle: Some(Swizzle::Bytes128),
            ..TensorMap::default()
        }
    }

    #[test]
    fn bytes_hold_the_whole_map() {
        let tiled = map();
        assert_eq!(TensorMap::decode(&tiled.encode()), tiled);
        let im2col = Im2col { lower: [-1, -2, 3], upper: [1, -5, 0], channels: 64, pixels: 1024 };
        let other = TensorMap { im2col: Some(im2col), nan: true, rank: 5, ..tiled };
        assert_eq!(TensorMap::decode(&other.encode()), other);
        assert_eq!(TensorMap::decode(&[0; BYTES]).encode(), [0; BYTES]);
    }

    #[test]
    fn limits() {
        assert_eq!(map().violation(), None);
        let key = |map: TensorMap| map.violation().map(|(key, _)| key);
        assert_eq!(key(TensorMap { extents: [128, 64, 0, 0, 0], ..map() }), Some("box"));
        assert_eq!(key(TensorMap { strides: [100, 0, 0, 0], ..map() }), Some("strides"));
        assert_eq!(key(TensorMap { address: 8, ..map() }), Some("offset"));
        assert_eq!(key(TensorMap { rank: 6, ..map() }), Some("dims"));
        assert_eq!(key(TensorMap { nan: true, element: ElementType(1), ..map() }), Some("oob_fill"));
        assert_eq!(key(TensorMap::default()), Some("dims"));
    }
}
