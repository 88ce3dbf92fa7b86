//! The keys of launches. The reader, the JSON schema, completion and hover all use these tables.
//!
//! A table says what the reader accepts: names, shapes, bounds, and which keys exclude or require each other. The reader itself checks what
//! depends on other values: the number of elements, whether a number fits the type of its buffer, the rank of a tensor map.

use warplens_sim_cuda::tensor::map::ElementType;
use warplens_sim_cuda::tensor::swizzle::Swizzle;
use warplens_sim_cuda::windows;
use warplens_sim_warp::scalar_type::ScalarType;

use super::problem::Problem;
use super::tree::Node;

/// A table in a launch file.
#[derive(Debug)]
pub struct Table {
    /// Its name in messages: `a launch`.
    pub owner: &'static str,
    pub keys: &'static [Key],
    pub required: &'static [&'static str],
    pub rules: &'static [Rule],
}

/// What the presence of keys requires of others.
#[derive(Debug)]
pub enum Rule {
    ExactlyOne(&'static [&'static str]),
    AtMostOne(&'static [&'static str]),
    AtLeastOne(&'static [&'static str]),
    Requires { key: &'static str, other: &'static str },
    RequiresWord { key: &'static str, other: &'static str, word: &'static str },
}

#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    /// Empty if the name says it.
    pub documentation: &'static str,
    pub applies_to: AppliesTo,
    pub shape: ValueShape,
}

/// Where a key has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppliesTo {
    All,
    /// Only launch files: a launch in a comment launches its own file.
    Files,
    /// Only kernels of the languages with these titles.
    Language(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub enum ValueShape {
    Text,
    LaunchName,
    Boolean,
    Integer {
        low: i128,
        high: i128,
    },
    /// A number, as a word or as bits in hex.
    Number,
    /// A number that is not negative.
    Tolerance,
    /// A number of the type that the key names.
    Scalar,
    /// Bytes as pairs of hex digits.
    Hex,
    Words(fn() -> Vec<&'static str>),
    /// A divergence model of any language.
    Model,
    /// A seed and a number: `1:3`.
    Schedule,
    /// A table from register names to start values.
    Registers,
    List {
        of: &'static ValueShape,
        min: usize,
        max: Option<usize>,
    },
    Table(&'static Table),
    OneOf(&'static [ValueShape]),
    /// One of these tables, with the additional key [`AT`].
    Field(&'static [&'static Table]),
}

impl Table {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The integer in `node`, within the bounds of the key: its value, or an element of its list.
    pub(super) fn integer(&self, name: &str, node: &Node) -> Result<i128, Problem> {
        let (low, high) = self.key(name).map_or(ValueShape::UNBOUNDED, |key| key.shape.bounds());
        node.integer(name, low, high)
    }

    /// The words that a key accepts.
    pub(super) fn words(&self, name: &str) -> Vec<&'static str> {
        match self.key(name).map(|key| key.shape) {
            Some(ValueShape::Words(words)) => words(),
            _ => Vec::new(),
        }
    }
}

impl ValueShape {
    const UNBOUNDED: (i128, i128) = (i128::MIN, i128::MAX);

    /// The bounds of an integer, or of the elements of a list.
    pub(super) fn bounds(&self) -> (i128, i128) {
        match self {
            ValueShape::Integer { low, high } => (*low, *high),
            ValueShape::List { of, .. } => of.bounds(),
            _ => ValueShape::UNBOUNDED,
        }
    }
}

impl Key {
    const fn new(name: &'static str, shape: ValueShape, documentation: &'static str) -> Key {
        Key { name, documentation, applies_to: AppliesTo::All, shape }
    }

    const fn of(self, applies_to: AppliesTo) -> Key {
        Key { name: self.name, documentation: self.documentation, applies_to, shape: self.shape }
    }
}

const fn table(owner: &'static str, keys: &'static [Key], required: &'static [&'static str]) -> Table {
    Table { owner, keys, required, rules: &[] }
}

impl Table {
    const fn with(self, rules: &'static [Rule]) -> Table {
        Table { owner: self.owner, keys: self.keys, required: self.required, rules }
    }
}

const U32: i128 = u32::MAX as i128;
const COUNT: ValueShape = ValueShape::Integer { low: 0, high: U32 };
const EXTENT: ValueShape =
    ValueShape::List { of: &ValueShape::Integer { low: 1, high: 0x7fff_ffff }, min: 1, max: Some(3) };
const PTX: AppliesTo = AppliesTo::Language("PTX");
const CUDA: AppliesTo = AppliesTo::Language("PTX, SASS");
const WAVE: AppliesTo = AppliesTo::Language("WAVE");

pub static FILE: Table = table(
    "a launch file",
    &[Key::new(
        "launch",
        ValueShape::List { of: &ValueShape::Table(&LAUNCH), min: 0, max: None },
        "Launches; `warplens sim` runs the first one with the given file.",
    )],
    &[],
);

/// One launch of a kernel. Only launch files require `name` and `file`.
pub static LAUNCH: Table = table(
    "a launch",
    &[
        Key::new("name", ValueShape::LaunchName, "The name of the launch; `inferred` is reserved."),
        Key::new("file", ValueShape::Text, "The source, relative to this file.").of(AppliesTo::Files),
        Key::new("entry", ValueShape::Text, "The kernel; optional if the file has only one."),
        Key::new("grid", EXTENT, "Blocks (workgroups) in x, y, z; each defaults to 1."),
        Key::new("block", EXTENT, "Threads of a block (workgroup) in x, y, z; each defaults to 1."),
        Key::new("cluster", EXTENT, "blocks of a cluster in x, y, z; defaults to that of the kernel.").of(CUDA),
        Key::new("dynamic_shared", COUNT, "bytes of `.extern .shared` arrays.").of(PTX),
        Key::new(
            "cooperative",
            ValueShape::Boolean,
            "whether the kernel may synchronize its grid; it then has a workspace, as after `cudaLaunchCooperativeKernel`.",
        )
        .of(PTX),
        Key::new(
            "prerequisite_writes",
            ValueShape::List { of: &ValueShape::Text, min: 0, max: None },
            "names of the buffers that the prerequisite grid writes; reads before `griddepcontrol.wait` are reported.",
        )
        .of(PTX),
        Key::new(
            "model",
            ValueShape::Model,
            "The divergence model; `--model` and a choice in the editor take precedence over it.",
        ),
        Key::new(
            "schedule",
            ValueShape::Schedule,
            "The schedule that is run and shown, `SEED:NUMBER` as findings give it; the default order without it.",
        ),
        Key::new("wave_width", ValueShape::Integer { low: 1, high: 64 }, "lanes of a wave.").of(WAVE),
        Key::new("device_memory", COUNT, "bytes of device memory.").of(WAVE),
        Key::new("local_memory", COUNT, "bytes of a workgroup's local memory.").of(WAVE),
        Key::new(
            "args",
            ValueShape::List { of: &ARGUMENT, min: 0, max: None },
            "The arguments in parameter order.",
        ),
        Key::new("registers", ValueShape::Registers, "start values of registers, the same in every lane.").of(WAVE),
        Key::new(
            "expect",
            ValueShape::List { of: &ValueShape::Table(&EXPECTATION), min: 0, max: None },
            "The contents that buffers must have after the run.",
        ),
    ],
    &["name", "file"],
);

pub static EXPECTATION: Table = table(
    "an expectation",
    &[
        Key::new("name", ValueShape::Text, "The buffer."),
        Key::new("values", NUMBERS, "Its first elements."),
        Key::new("bytes", ValueShape::Hex, "Its first bytes, in hex."),
        Key::new(
            "file",
            ValueShape::Text,
            "A file with the bytes of the whole buffer, relative to this one.",
        ),
        Key::new("tolerance", ValueShape::Tolerance, "The allowed difference of floats."),
    ],
    &["name"],
)
.with(&[Rule::ExactlyOne(&EXPECTED)]);

pub(super) const EXPECTED: [&str; 3] = ["values", "bytes", "file"];

const NUMBERS: ValueShape = ValueShape::List { of: &ValueShape::Number, min: 0, max: None };

const ARGUMENT: ValueShape = ValueShape::OneOf(&[
    ValueShape::Table(&SCALAR),
    ValueShape::Table(&BUFFER),
    ValueShape::Table(&ALIAS),
    ValueShape::Table(&BYTES_ARGUMENT),
    ValueShape::Table(&STRUCTURE),
    ValueShape::Table(&TENSOR_MAP_ARGUMENT),
    ValueShape::Table(&MULTIMEM_ARGUMENT),
]);

/// Structures do not nest.
const FIELD: ValueShape =
    ValueShape::Field(&[&SCALAR, &BUFFER, &ALIAS, &BYTES_ARGUMENT, &TENSOR_MAP_ARGUMENT, &MULTIMEM_ARGUMENT]);

/// The byte offset of a field.
pub static AT: Key = Key::new("at", COUNT, "The byte offset in the parameter.");

const NAME: Key = Key::new(
    "name",
    ValueShape::Text,
    "The name that expect, alias and --dump use; defaults to the parameter's name.",
);

/// The scalar types of arguments and of buffer elements, as launches name them; `iN` is another name of `sN`.
pub(super) const SCALARS: [&str; 20] = {
    let own = ScalarType::OF_LAUNCHES;
    let mut names = [""; 20];
    let mut index = 0;
    while index < own.len() {
        names[index] = own[index].name();
        index += 1;
    }
    [names[16], names[17], names[18], names[19]] = ["i8", "i16", "i32", "i64"];
    names
};

const SCALAR_KEYS: [Key; 21] = {
    let mut keys = [NAME; 21];
    let mut index = 0;
    while index < SCALARS.len() {
        keys[index + 1] = Key::new(SCALARS[index], ValueShape::Scalar, "");
        index += 1;
    }
    keys
};

pub static SCALAR: Table = table("an argument", &SCALAR_KEYS, &[]).with(&[Rule::ExactlyOne(&SCALARS)]);

/// The bytes of a parameter of any other type.
pub static BYTES_ARGUMENT: Table = table(
    "an argument",
    &[NAME, Key::new("bytes", ValueShape::Hex, "The parameter's bytes, in hex.")],
    &["bytes"],
);

/// The keys besides [`SCALARS`] that decide what an argument passes, in the order of messages.
pub(super) const OTHER_ARGUMENTS: [&str; 6] = ["bytes", "buffer", "alias", "fields", "tensormap", "multimem"];

const ELEMENT: Key = Key::new("buffer", ValueShape::Words(|| SCALARS.to_vec()), "The type of the elements.");
/// The keys that give the contents of a buffer.
pub(super) const CONTENTS: [&str; 4] = ["fill", "values", "bytes", "file"];
const CONTENTS_OR_LEN: [&str; 5] = ["fill", "values", "bytes", "file", "len"];
const LEN: Key = Key::new("len", COUNT, "The number of elements.");
const FILL: Key = Key::new("fill", ValueShape::OneOf(FILLS), "The value of each element.");
const FILLS: &[ValueShape] =
    &[ValueShape::Words(|| vec!["zero", "iota", "random", "uninitialized"]), ValueShape::Table(&FILL_VALUE)];
/// The values of a replica are read together with those of others, which are not tracked.
const REPLICA_FILLS: &[ValueShape] =
    &[ValueShape::Words(|| vec!["zero", "iota", "random"]), ValueShape::Table(&FILL_VALUE)];
const SEED: Key =
    Key::new("seed", ValueShape::Integer { low: 0, high: u64::MAX as i128 }, "For `random`; 1 by default.");
const VALUES: Key = Key::new("values", NUMBERS, "The elements.");
const BYTES: Key = Key::new("bytes", ValueShape::Hex, "The bytes, in hex.");
const CONTENTS_FILE: Key = Key::new("file", ValueShape::Text, "A file with the bytes, relative to this one.");
const UNINITIALIZED: Key = Key::new(
    "uninitialized",
    ValueShape::List { of: &ValueShape::List { of: &COUNT, min: 2, max: Some(2) }, min: 0, max: None },
    "byte ranges, `[start, end]`, that have no values: reading them is a finding until the kernel has written them.",
)
.of(CUDA);
const OFFSET: Key =
    Key::new("offset", COUNT, "Bytes from the start of the buffer to the address that is passed.");
const ADDRESS: Key = Key::new(
    "address",
    ValueShape::Integer { low: windows::GLOBAL as i128, high: windows::GLOBAL_END as i128 },
    "the address of the buffer, a multiple of 256, for buffers that hold addresses of others.",
)
.of(CUDA);

pub static BUFFER: Table = table(
    "a buffer argument",
    &[NAME, ELEMENT, LEN, FILL, SEED, VALUES, BYTES, CONTENTS_FILE, UNINITIALIZED, OFFSET, ADDRESS],
    &["buffer"],
)
.with(BUFFER_RULES);

/// The buffer of a tensor map, which has the name of the argument.
pub static MAP_BUFFER: Table = table(
    "a buffer argument",
    &[ELEMENT, LEN, FILL, SEED, VALUES, BYTES, CONTENTS_FILE, UNINITIALIZED, ADDRESS],
    &["buffer"],
)
.with(BUFFER_RULES);

const BUFFER_RULES: &[Rule] = &[
    Rule::AtMostOne(&CONTENTS),
    Rule::AtLeastOne(&CONTENTS_OR_LEN),
    Rule::Requires { key: "fill", other: "len" },
    SEED_RULE,
];
const SEED_RULE: Rule = Rule::RequiresWord { key: "seed", other: "fill", word: "random" };

/// The same value for every element.
pub static FILL_VALUE: Table = table("a fill", &[Key::new("value", ValueShape::Number, "")], &["value"]);

/// The address of the buffer of another argument.
pub static ALIAS: Table = table(
    "an alias argument",
    &[NAME, Key::new("alias", ValueShape::Text, "The argument whose buffer is passed."), OFFSET],
    &["alias"],
);

/// Several values in one parameter.
pub static STRUCTURE: Table = table(
    "a structure argument",
    &[
        NAME,
        Key::new("fields", ValueShape::List { of: &FIELD, min: 0, max: None }, "The parts of the structure."),
    ],
    &["fields"],
);

pub static MULTIMEM_ARGUMENT: Table = table(
    "a multimem argument",
    &[
        NAME,
        Key::new(
            "multimem",
            ValueShape::Table(&MULTIMEM),
            "A multimem address: it stands for the same offset in several buffers, the replicas. `expect` and --dump call replica 0 of `m` \
             `m#0`.",
        ),
    ],
    &["multimem"],
);

/// The buffers of a multimem address.
pub static MULTIMEM: Table = table(
    "a multimem argument",
    &[
        ELEMENT,
        Key::new("len", COUNT, "The number of elements of each replica."),
        Key::new(
            "replicas",
            ValueShape::List { of: &ValueShape::Table(&REPLICA), min: 1, max: None },
            "The contents of each replica.",
        ),
    ],
    &["buffer", "replicas"],
);

/// A replica may take its length from the argument.
pub static REPLICA: Table = table(
    "a replica",
    &[
        Key::new("len", COUNT, "The number of elements; defaults to that of the argument."),
        Key::new("fill", ValueShape::OneOf(REPLICA_FILLS), "The value of each element."),
        SEED,
        VALUES,
        BYTES,
        CONTENTS_FILE,
    ],
    &[],
)
.with(&[Rule::AtMostOne(&CONTENTS), SEED_RULE]);

pub static TENSOR_MAP_ARGUMENT: Table = table(
    "a tensor map argument",
    &[
        NAME,
        Key::new(
            "tensormap",
            ValueShape::Table(&TENSOR_MAP),
            "A tensor map, as `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` encode it.",
        ),
    ],
    &["tensormap"],
);

const DIMENSIONS: ValueShape =
    ValueShape::List { of: &ValueShape::Integer { low: 1, high: 1 << 32 }, min: 1, max: Some(5) };
const BOX: ValueShape =
    ValueShape::List { of: &ValueShape::Integer { low: 1, high: 0xffff }, min: 1, max: Some(5) };
const ELEMENT_STRIDES: ValueShape =
    ValueShape::List { of: &ValueShape::Integer { low: 1, high: 0xff }, min: 1, max: Some(5) };
const CORNER: ValueShape = ValueShape::List {
    of: &ValueShape::Integer { low: i16::MIN as i128, high: i16::MAX as i128 },
    min: 1,
    max: Some(3),
};

/// The bounds are those of the driver, which are checked when the launch is resolved, not when it is read.
pub static TENSOR_MAP: Table = table(
    "a tensor map",
    &[
        Key::new(
            "buffer",
            ValueShape::OneOf(&[ValueShape::Text, ValueShape::Table(&MAP_BUFFER)]),
            "The buffer: of another argument, or of its own.",
        ),
        Key::new("offset", COUNT, "Bytes before the first element; 0 by default."),
        Key::new(
            "type",
            ValueShape::Words(|| ElementType::names().collect()),
            "The type of the elements; the buffer's by default.",
        ),
        Key::new("dims", DIMENSIONS, "Elements by dimension, innermost first."),
        Key::new(
            "strides",
            ValueShape::List { of: &ValueShape::Integer { low: 0, high: 1 << 48 }, min: 0, max: Some(4) },
            "Bytes between elements, from dimension 1 on; dense by default.",
        ),
        Key::new("box", BOX, "Elements of a box by dimension."),
        Key::new("element_strides", ELEMENT_STRIDES, "Distances of the elements of a box; 1 by default."),
        Key::new(
            "interleave",
            ValueShape::Words(|| vec!["none", "16b", "32b"]),
            "The interleaving of channels.",
        ),
        Key::new(
            "swizzle",
            ValueShape::Words(|| Swizzle::names().collect()),
            "The swizzle in shared memory.",
        ),
        Key::new("oob_fill", ValueShape::Words(|| vec!["zero", "nan"]), "Elements outside of the tensor."),
        Key::new("lower_corner", CORNER, "im2col: the lower corner of the bounding box: W, H, D."),
        Key::new("upper_corner", CORNER, "im2col: the upper corner of the bounding box: W, H, D."),
        Key::new(
            "channels_per_pixel",
            ValueShape::Integer { low: 1, high: 256 },
            "im2col: elements of a pixel.",
        ),
        Key::new(
            "pixels_per_column",
            ValueShape::Integer { low: 1, high: 1024 },
            "im2col: pixels of a copy.",
        ),
    ],
    &["buffer", "dims"],
)
.with(&[
    Rule::ExactlyOne(&["box", "lower_corner"]),
    // A map of im2col has all four keys.
    Rule::Requires { key: "lower_corner", other: "upper_corner" },
    Rule::Requires { key: "upper_corner", other: "channels_per_pixel" },
    Rule::Requires { key: "channels_per_pixel", other: "pixels_per_column" },
    Rule::Requires { key: "pixels_per_column", other: "lower_corner" },
]);
