//! The launch as it is written: the shape of `[[launch]]`, serialized in the form in which it is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use warplens_sim_cuda::tensor::map::{ElementType, Im2col, Interleave};
use warplens_sim_cuda::tensor::swizzle::Swizzle;
use warplens_sim_warp::Schedule;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::problem::Span;

#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Launch {
    /// Unique among the launches of a file.
    pub name: String,
    /// The source, relative to the launch file; absent in comments and on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The kernel; optional if the source has only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Blocks (workgroups) in x, y, z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<[u32; 3]>,
    /// Threads of a block (workgroup) in x, y, z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// PTX, SASS: blocks of a cluster in x, y, z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory (`.extern .shared` arrays).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic_shared: Option<u32>,
    /// PTX: whether all blocks are resident, so that the kernel may synchronize its grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative: Option<bool>,
    /// The name of the divergence model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The schedule that is run instead of the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "string", optional))]
    pub schedule: Option<Schedule>,
    /// WAVE: lanes of a wave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave_width: Option<u32>,
    /// WAVE: bytes of device memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory: Option<u64>,
    /// WAVE: bytes of a workgroup's local memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_memory: Option<u64>,
    /// PTX: the buffers that the prerequisite grid writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<String>>"))]
    pub prerequisite_writes: Vec<String>,
    /// The arguments in parameter order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(skip))]
    pub args: Vec<Argument>,
    /// The numbers that are known of arguments that are inferred, in parameter order.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub known: Vec<Option<Number>>,
    /// WAVE: initial values of registers, equal in every lane.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(test, ts(as = "Option<BTreeMap<String, u32>>"))]
    pub registers: BTreeMap<String, u32>,
    /// What an inferred launch assumes beyond the rules, because the kernel has findings otherwise: `block 256`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<String>>"))]
    pub assumed: Vec<String>,
    /// Expectations, checked after the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(skip))]
    pub expect: Vec<Expectation>,
    /// The spans of the launch and its parts in the text from which they were read.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub spans: LaunchSpans,
}

/// The spans of a launch's parts, for problems that show up only when it is resolved against a kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchSpans {
    pub launch: Option<Span>,
    /// The span of every key that was written, by name.
    pub keys: BTreeMap<String, Span>,
}

impl LaunchSpans {
    /// The span of the value of `key`, or else of the whole launch.
    pub fn of(&self, key: &str) -> Option<Span> {
        self.keys.get(key).or(self.launch.as_ref()).cloned()
    }
}

impl Launch {
    /// Whether both launches expect the same contents, wherever they say so.
    pub fn expects_as(&self, other: &Launch) -> bool {
        fn stated(launch: &Launch) -> impl Iterator<Item = (&str, &Wanted, f64)> {
            launch.expect.iter().map(|it| (it.name.as_str(), &it.wanted, it.tolerance))
        }
        stated(self).eq(stated(other))
    }
}

/// An extent without trailing ones: `2`, `4,2`.
pub fn size(extent: [u32; 3]) -> String {
    let used = if extent[2] > 1 { 3 } else { 1 + usize::from(extent[1] > 1) };
    extent[..used].iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Argument {
    /// The name in expectations, aliases and dumps; by default the name of the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(flatten)]
    pub passed: Passed,
    /// The span of the argument.
    #[serde(skip)]
    pub at: Option<Span>,
}

/// What an argument passes to its parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Passed {
    /// A single number, as bits of its type.
    Scalar(ScalarType, u64),
    /// Raw bytes, for parameters of any other shape.
    Bytes(Vec<u8>),
    /// The address of a buffer that belongs to this argument.
    Buffer(Buffer),
    /// The address of another argument's buffer.
    Alias(Alias),
    /// Several numbers and addresses in one parameter, with zeros in between.
    Fields(Vec<Field>),
    TensorMap(Box<TensorMapArgument>),
    /// An address that refers to several buffers.
    Multimem(Vec<Buffer>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    pub of: String,
    /// Bytes from the start of that buffer to the address that is passed.
    pub offset: u64,
    /// The spans of the keys.
    pub spans: BTreeMap<String, Span>,
}

impl Alias {
    /// The address of the whole buffer of another argument.
    pub(crate) fn whole(of: &str) -> Alias {
        Alias { of: of.to_owned(), offset: 0, spans: BTreeMap::new() }
    }
}

/// A field of a parameter that is a structure.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Field {
    /// The offset in the parameter.
    pub at: u64,
    /// What is passed there; it has no fields itself.
    #[serde(flatten)]
    pub argument: Argument,
}

impl Argument {
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The buffers that belong to the argument, with the names that `expect` and `--dump` use.
    pub(crate) fn own_buffers(&self) -> Vec<(String, &Buffer)> {
        let one = |buffer| vec![(self.name().to_owned(), buffer)];
        match &self.passed {
            Passed::Buffer(buffer) => one(buffer),
            Passed::TensorMap(map) => match &map.buffer {
                MapBuffer::Own(buffer) => one(buffer),
                MapBuffer::Named(_) => Vec::new(),
            },
            Passed::Multimem(replicas) => (0..)
                .zip(replicas)
                .map(|(number, buffer)| (replica_name(self.name(), number), buffer))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The argument and its fields.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Argument> {
        let fields = match &self.passed {
            Passed::Fields(fields) => fields.as_slice(),
            _ => &[],
        };
        std::iter::once(self).chain(fields.iter().map(|field| &field.argument))
    }
}

/// The name of a replica of a multimem argument.
pub(crate) fn replica_name(argument: &str, number: usize) -> String {
    format!("{argument}#{number}")
}

#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    pub element: ScalarType,
    /// The contents at the start of the run.
    pub contents: Contents,
    /// The parts that have no values until the kernel writes them, as offsets of the first byte and of the byte after the last.
    pub uninitialized: Vec<[u64; 2]>,
    /// Bytes from the start of the buffer to the address that is passed.
    pub offset: u64,
    /// The address of the buffer, if the launch chooses it.
    pub address: Option<u64>,
    /// The spans of the keys.
    pub spans: BTreeMap<String, Span>,
}

impl Buffer {
    pub fn new(element: ScalarType, contents: Contents) -> Buffer {
        let (uninitialized, spans) = (Vec::new(), BTreeMap::new());
        Buffer { element, contents, uninitialized, offset: 0, address: None, spans }
    }
}

/// The initial contents of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    Filled {
        len: u64,
        fill: Fill,
    },
    /// Individual elements, as bits.
    Values(Vec<u64>),
    Bytes(Vec<u8>),
    /// The bytes of a file; the path is relative to the launch file.
    File(String),
}

/// A pattern of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// None is given: 0, 0, 0, …
    Unset,
    /// 0, 0, 0, …
    Zero,
    /// 0, 1, 2, …
    Iota,
    /// SplitMix64 from a seed.
    Random {
        /// The initial state of the generator.
        seed: u64,
    },
    /// One value repeated, as bits.
    Value(u64),
    /// No values until the kernel writes them; the simulator has zeros there.
    Uninitialized,
}

impl Fill {
    /// Whether it leaves new memory as it is.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Fill::Unset | Fill::Zero | Fill::Uninitialized)
    }

    /// Whether it gives the buffer no contents, so that only what the kernel writes there means something.
    pub fn is_open(self) -> bool {
        matches!(self, Fill::Unset | Fill::Uninitialized)
    }
}

/// The buffer that a tensor map describes.
#[derive(Debug, Clone, PartialEq)]
pub enum MapBuffer {
    /// The buffer of another argument.
    Named(String),
    /// A buffer that belongs to the map.
    Own(Box<Buffer>),
}

/// A tensor map as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorMapArgument {
    pub buffer: MapBuffer,
    /// Offset of the first element in the buffer, in bytes.
    pub offset: u64,
    /// The type of the elements; defaults to the type of the buffer.
    pub element: Option<ElementType>,
    /// Elements by dimension, innermost first.
    pub dims: Vec<u64>,
    /// Bytes between elements, from dimension 1 on; by default dense.
    pub strides: Option<Vec<u64>>,
    /// Elements of a box by dimension; empty for im2col.
    pub extents: Vec<u16>,
    /// Distance between the elements of a box; by default 1.
    pub element_strides: Vec<u8>,
    /// The interleaving of channels.
    pub interleave: Interleave,
    pub swizzle: Swizzle,
    /// Whether elements outside of the tensor are read as NaN.
    pub nan: bool,
    pub im2col: Option<Im2col>,
    /// The spans of the keys.
    pub spans: BTreeMap<String, Span>,
}

/// What a buffer must hold after the run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Expectation {
    pub name: String,
    /// The first elements of the buffer.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// The largest accepted error of floats; 0 means that they must be equal (any NaN equals any other).
    #[serde(skip_serializing_if = "is_zero")]
    pub tolerance: f64,
    /// The span of the expectation.
    #[serde(skip)]
    pub at: Option<Span>,
    #[serde(skip)]
    pub values_at: Arc<[Span]>,
}

impl Expectation {
    /// The span of an expected element, or else of the whole expectation.
    pub fn element_at(&self, index: u64) -> Option<&Span> {
        usize::try_from(index).ok().and_then(|index| self.values_at.get(index)).or(self.at.as_ref())
    }
}

fn is_zero(tolerance: &f64) -> bool {
    *tolerance == 0.0
}

/// The contents that an expectation asks for.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// Elements, not yet converted to the type of the buffer.
    Values(Vec<Number>),
    #[serde(serialize_with = "serialize_hex")]
    Bytes(Vec<u8>),
    /// The bytes of the whole buffer.
    File(ExpectedFile),
}

/// A file with the contents of a buffer after the run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(into = "String")]
pub struct ExpectedFile {
    /// The path, relative to the launch file.
    pub path: String,
    /// Its contents; empty until the launch is resolved.
    pub bytes: Arc<[u8]>,
}

impl From<ExpectedFile> for String {
    fn from(file: ExpectedFile) -> String {
        file.path
    }
}

fn serialize_hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex(bytes))
}

/// A number whose type is not known yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Integer(i128),
    /// A number with a fraction, `nan` or `inf`.
    Float(f64),
    /// A bit pattern (`"0x7fc00000"`).
    Bits(u64),
}

impl Number {
    /// The number as bits of `kind`, or the reason why it does not fit.
    pub(crate) fn bits(self, kind: ScalarType) -> Result<u64, String> {
        match self {
            Number::Integer(value) => kind.bits_of_integer(value).ok_or_else(|| {
                let (low, high) = kind.integer_range();
                format!("{value} does not fit {kind}, whose range is {low} to {high}")
            }),
            Number::Float(value) if kind.class() == Class::Float => Ok(kind.bits_of_float(value)),
            Number::Float(value) => Err(format!("{kind} takes integers, and {value} is not an integer")),
            Number::Bits(bits) if kind.bytes() == 8 || bits >> (kind.bytes() * 8) == 0 => Ok(bits),
            Number::Bits(bits) => Err(format!("0x{bits:x} has more bits than {kind}")),
        }
    }
}

impl Number {
    /// The number as bits of a parameter, converted as C++ converts an argument.
    pub(crate) fn passed_as(self, kind: ScalarType) -> Option<u64> {
        match self {
            // `-1` for `unsigned`, and for the `.u32` that stands for `int`.
            Number::Integer(value) if value < 0 && kind.class() == Class::Unsigned => {
                let span = 1i128 << (8 * kind.bytes());
                (value >= -span / 2).then_some(()).and_then(|()| kind.bits_of_integer(value + span))
            }
            number => number.bits(kind).ok(),
        }
    }
}

/// An element as it is written in a launch, given by type and bits: a number, or a word if no number expresses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element(pub ScalarType, pub u64);

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Element(kind, bits) = *self;
        if kind.class() != Class::Float {
            return serialize_integer(kind.integer_of_bits(bits), serializer);
        }
        match kind.float_of_bits(bits) {
            value if value.is_nan() => serializer.serialize_str("nan"),
            value if value.is_infinite() && value > 0.0 => serializer.serialize_str("inf"),
            value if value.is_infinite() => serializer.serialize_str("-inf"),
            value if kind == ScalarType::F64 => serializer.serialize_f64(value),
            value => serializer.serialize_f32(value as f32),
        }
    }
}

impl Serialize for Passed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Passed::Scalar(kind, bits) => serializer.collect_map([(kind.name(), Element(*kind, *bits))]),
            Passed::Bytes(bytes) => serializer.collect_map([("bytes", hex(bytes))]),
            Passed::Alias(alias) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("alias", &alias.of)?;
                optional(&mut map, "offset", unless_default(alias.offset))?;
                map.end()
            }
            Passed::Buffer(buffer) => buffer.serialize(serializer),
            Passed::Fields(fields) => serializer.collect_map([("fields", fields)]),
            Passed::TensorMap(tensor_map) => serializer.collect_map([("tensormap", tensor_map)]),
            Passed::Multimem(replicas) => serializer.collect_map([("multimem", Replicas(replicas))]),
        }
    }
}

/// Serializes the buffers of a multimem argument, which all have the same type.
struct Replicas<'a>(&'a [Buffer]);

impl Serialize for Replicas<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("buffer", self.0.first().map_or("u8", |buffer| buffer.element.name()))?;
        map.serialize_entry("replicas", &self.0.iter().map(Replica).collect::<Vec<_>>())?;
        map.end()
    }
}

/// Serializes the contents of one replica.
struct Replica<'a>(&'a Buffer);

impl Serialize for Replica<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.contents.serialize_entries(self.0.element, &mut map)?;
        map.end()
    }
}

impl Serialize for Buffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("buffer", self.element.name())?;
        self.contents.serialize_entries(self.element, &mut map)?;
        optional(&mut map, "uninitialized", unless_default(self.uninitialized.as_slice()))?;
        optional(&mut map, "offset", unless_default(self.offset))?;
        optional(&mut map, "address", self.address)?;
        map.end()
    }
}

/// Serializes an entry that may be absent.
fn optional<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    value: Option<impl Serialize>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, &value))
}

/// A value, unless it is the one that an absent key has.
fn unless_default<T: Default + PartialEq>(value: T) -> Option<T> {
    Some(value).filter(|value| *value != T::default())
}

impl Contents {
    fn serialize_entries<M: SerializeMap>(&self, element: ScalarType, map: &mut M) -> Result<(), M::Error> {
        match self {
            Contents::Filled { len, fill } => {
                map.serialize_entry("len", len)?;
                match fill {
                    Fill::Unset | Fill::Zero => map.serialize_entry("fill", "zero"),
                    Fill::Iota => map.serialize_entry("fill", "iota"),
                    Fill::Uninitialized => map.serialize_entry("fill", "uninitialized"),
                    Fill::Random { seed } => {
                        map.serialize_entry("fill", "random")?;
                        map.serialize_entry("seed", seed)
                    }
                    Fill::Value(bits) => {
                        map.serialize_entry("fill", &BTreeMap::from([("value", Element(element, *bits))]))
                    }
                }
            }
            Contents::Values(values) => {
                let elements: Vec<_> = values.iter().map(|bits| Element(element, *bits)).collect();
                map.serialize_entry("values", &elements)
            }
            Contents::Bytes(bytes) => map.serialize_entry("bytes", &hex(bytes)),
            Contents::File(path) => map.serialize_entry("file", path),
        }
    }
}

impl Serialize for TensorMapArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.buffer {
            MapBuffer::Named(name) => map.serialize_entry("buffer", name)?,
            MapBuffer::Own(buffer) => map.serialize_entry("buffer", &**buffer)?,
        }
        optional(&mut map, "offset", unless_default(self.offset))?;
        optional(&mut map, "type", self.element.map(ElementType::name))?;
        map.serialize_entry("dims", &self.dims)?;
        optional(&mut map, "strides", self.strides.as_ref())?;
        optional(&mut map, "box", self.im2col.is_none().then_some(&self.extents))?;
        optional(&mut map, "element_strides", unless_default(self.element_strides.as_slice()))?;
        optional(&mut map, "interleave", unless_default(self.interleave).map(Interleave::name))?;
        optional(&mut map, "swizzle", unless_default(self.swizzle).map(Swizzle::name))?;
        optional(&mut map, "oob_fill", self.nan.then_some("nan"))?;
        if let Some(im2col) = self.im2col {
            let spatial = self.dims.len().saturating_sub(2).min(3);
            map.serialize_entry("lower_corner", &im2col.lower[..spatial])?;
            map.serialize_entry("upper_corner", &im2col.upper[..spatial])?;
            map.serialize_entry("channels_per_pixel", &im2col.channels)?;
            map.serialize_entry("pixels_per_column", &im2col.pixels)?;
        }
        map.end()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Number::Integer(value) => serialize_integer(value, serializer),
            Number::Float(value) => Element(ScalarType::F64, value.to_bits()).serialize(serializer),
            Number::Bits(bits) => serializer.serialize_str(&format!("0x{bits:x}")),
        }
    }
}

fn serialize_integer<S: Serializer>(value: i128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(value) {
        Ok(value) => serializer.serialize_u64(value),
        Err(_) => serializer.serialize_i64(value as i64),
    }
}

/// Bytes as hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
