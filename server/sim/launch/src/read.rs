//! From a text to launches: every key is known, every value has its shape; anything else is a problem with a span.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use warplens_sim_warp::scalar_type::ScalarType;

use super::fields::{Fields, listing, unknown};
use super::keys::{
    ALIAS, AT, BUFFER, CONTENTS, EXPECTATION, EXPECTED, FILE, FILL_VALUE, LAUNCH, MULTIMEM_ARGUMENT,
    OTHER_ARGUMENTS, SCALAR, SCALARS, STRUCTURE, TENSOR_MAP_ARGUMENT,
};
use super::model::{
    Alias, Argument, Buffer, Contents, Expectation, ExpectedFile, Field, Fill, Launch, Number, Passed,
    Wanted, size,
};
use super::problem::Problem;
use super::tree::{Key, Node, Value};
use super::{INFERRED, file_pattern, json_text, read_multimem, read_tensor_map, toml_text};

/// How a launch file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `warplens.toml`
    Toml,
    /// `warplens.json`
    Json,
}

impl Format {
    fn read(self, text: &str) -> Result<Node, Problem> {
        match self {
            Format::Toml => toml_text::read(text),
            Format::Json => json_text::read(text),
        }
    }
}

/// A launch of a file, with its first problem. A launch with a problem can be listed, not run.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// As far as it could be read.
    pub launch: Launch,
    /// Why it cannot be run.
    pub problem: Option<Problem>,
}

impl Listed {
    /// The launch, if it can be run.
    pub fn usable(self) -> Result<Launch, Problem> {
        match self.problem {
            None => Ok(self.launch),
            Some(problem) => Err(problem),
        }
    }
}

/// The launches of a launch file. A file that is not TOML (JSON), or contains anything other than launches, is one
/// problem; an error inside a launch is a problem of that launch.
pub fn launches(text: &str, format: Format) -> Result<Vec<Listed>, Problem> {
    let document = format.read(text)?;
    let mut listed = Vec::new();
    let Value::Table(entries) = &document.value else {
        return Err(document.wrong(format!("a launch file must be a table, not {}", document.what())));
    };
    for (key, node) in entries {
        match key.name.as_str() {
            "launch" => {
                for launch in node.list("launch")? {
                    listed.push(read_launch(launch, Home::File)?);
                }
            }
            // Editors find the schema of a JSON file by this key.
            "$schema" => {}
            _ => return Err(unknown(key, FILE.owner, &FILE.names())),
        }
    }
    refuse_duplicate_names(&mut listed, |launch| launch.file.clone());
    Ok(listed)
}

/// A launch given as a JSON object, as clients pass it.
pub fn launch_object(text: &str) -> Result<Launch, Problem> {
    launch_text(text, Format::Json)
}

/// A launch that is a whole text, with the keys of one in a launch file.
pub fn launch_text(text: &str, format: Format) -> Result<Launch, Problem> {
    read_launch(&format.read(text)?, Home::Object)?.usable()
}

/// Where a launch is written decides which keys it must and must not have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    File,
    Comment,
    Object,
    /// A line of a batch.
    Batch,
}

/// Reports the launches whose name an earlier one of the same document has.
pub fn refuse_duplicate_names<D: Eq + Hash>(listed: &mut [Listed], document: impl Fn(&Launch) -> D) {
    let mut names = FxHashSet::default();
    for Listed { launch, problem } in listed {
        let is_new = names.insert((launch.name.clone(), document(launch)));
        if !is_new && problem.is_none() {
            let message = format!("duplicate launch name `{}` in this file: rename one", launch.name);
            *problem = Some(Problem { at: launch.spans.of("name"), ..Problem::anywhere(message) });
        }
    }
}

/// Reads one launch; an error means that it is not a table.
pub(crate) fn read_launch(node: &Node, home: Home) -> Result<Listed, Problem> {
    let entries = node.table("launch")?;
    let mut launch = Launch::default();
    launch.spans.launch = Some(node.span.clone());
    let mut problem = None;
    for (key, value) in entries {
        launch.spans.keys.insert(key.name.clone(), value.span.clone());
        if let Err(found) = read_key(&mut launch, key, value, home) {
            problem.get_or_insert(found);
        }
    }
    if let Some(found) = missing(&launch, node, home) {
        problem.get_or_insert(found);
    }
    if launch.name.is_empty() {
        launch.name = default_name(&launch);
    }
    Ok(Listed { launch, problem })
}

fn missing(launch: &Launch, node: &Node, home: Home) -> Option<Problem> {
    if home != Home::File {
        return None;
    }
    let lacks = |key: &str| !launch.spans.keys.contains_key(key);
    let key = LAUNCH.required.iter().find(|key| lacks(key))?;
    Some(node.wrong(format!("this launch has no `{key}`, which launch files require")))
}

/// The name of a launch without one: `2 x 64`, or `grid 2` if it has no `block`.
fn default_name(launch: &Launch) -> String {
    let grid = size(launch.grid.unwrap_or([1; 3]));
    match launch.block {
        Some(block) => format!("{grid} x {}", size(block)),
        None => format!("grid {grid}"),
    }
}

fn read_key(launch: &mut Launch, key: &Key, value: &Node, home: Home) -> Result<(), Problem> {
    let name = key.name.as_str();
    let integer = || LAUNCH.integer(name, value);
    match name {
        "name" => launch.name = launch_name(value)?,
        "file" if matches!(home, Home::File | Home::Batch) => {
            let file = value.text(name)?;
            if home == Home::File
                && let Some(mistake) = file_pattern::mistake(file)
            {
                return Err(value.wrong(format!("`file`: {mistake}")));
            }
            launch.file = Some(file.to_owned());
        }
        "file" => return Err(file_out_of_place(key)),
        "entry" => launch.entry = Some(value.text(name)?.to_owned()),
        "grid" => launch.grid = Some(read_extent(name, value)?),
        "block" => launch.block = Some(read_extent(name, value)?),
        "cluster" => launch.cluster = Some(read_extent(name, value)?),
        "dynamic_shared" => launch.dynamic_shared = Some(integer()? as u32),
        "cooperative" => launch.cooperative = Some(value.boolean(name)?),
        "prerequisite_writes" => {
            let names = value.list(name)?.iter().map(|node| node.text(name).map(str::to_owned));
            launch.prerequisite_writes = names.collect::<Result<_, _>>()?;
        }
        "model" => launch.model = Some(value.text(name)?.to_owned()),
        "schedule" => {
            let schedule = value.text(name)?.parse();
            launch.schedule =
                Some(schedule.map_err(|problem: String| value.wrong(format!("`schedule`: {problem}")))?);
        }
        "wave_width" => launch.wave_width = Some(integer()? as u32),
        "device_memory" => launch.device_memory = Some(integer()? as u64),
        "local_memory" => launch.local_memory = Some(integer()? as u64),
        "args" => launch.args = value.list(name)?.iter().map(read_argument).collect::<Result<_, _>>()?,
        "registers" => launch.registers = read_registers(value)?,
        "expect" => {
            launch.expect = value.list(name)?.iter().map(read_expectation).collect::<Result<_, _>>()?
        }
        _ => return Err(unknown(key, LAUNCH.owner, &LAUNCH.names())),
    }
    Ok(())
}

fn launch_name(value: &Node) -> Result<String, Problem> {
    match value.text("name")? {
        "" => Err(value.wrong("`name` is empty: give the launch a name")),
        INFERRED => {
            Err(value.wrong("the name `inferred` is reserved for the inferred launch: choose another name"))
        }
        name => Ok(name.to_owned()),
    }
}

fn file_out_of_place(key: &Key) -> Problem {
    let message =
        "`file` is allowed only in launch files, because a comment launches its own file: remove it";
    Problem::at(key.span.clone(), message)
}

/// One to three positive numbers; missing ones default to 1.
fn read_extent(key: &str, value: &Node) -> Result<[u32; 3], Problem> {
    let list = value.list(key)?;
    if !(1..=3).contains(&list.len()) {
        let message = format!("`{key}` takes one to three numbers (x, y, z), not {}", list.len());
        return Err(value.wrong(message));
    }
    let mut extent = [1; 3];
    for (slot, node) in extent.iter_mut().zip(list) {
        *slot = LAUNCH.integer(key, node)? as u32;
    }
    Ok(extent)
}

fn read_registers(value: &Node) -> Result<BTreeMap<String, u32>, Problem> {
    let mut registers = BTreeMap::new();
    for (key, node) in value.table("registers")? {
        let index = key.name.strip_prefix('r').and_then(|number| number.parse::<u8>().ok());
        if index.is_none_or(|index| index > 254) {
            let message = format!("`{}` is not a WAVE register: they are r0 to r254", key.name);
            return Err(Problem::at(key.span.clone(), message));
        }
        let bits = number(node, &key.name)?.bits(ScalarType::B32);
        registers.insert(key.name.clone(), bits.map_err(|message| node.wrong(message))? as u32);
    }
    Ok(registers)
}

pub(super) fn read_argument(node: &Node) -> Result<Argument, Problem> {
    let shapes: [(&str, Reader); 5] = [
        ("tensormap", read_map),
        ("multimem", read_multimem_argument),
        ("buffer", read_buffer),
        ("alias", read_alias),
        ("fields", read_fields),
    ];
    let shape = shapes.into_iter().find(|(key, _)| has(node, key));
    let (name, passed) = shape.map_or(read_scalar as Reader, |(_, read)| read)(node)?;
    let name = name.map(|name| name.text("name").map(str::to_owned)).transpose()?;
    Ok(Argument { name, passed, at: Some(node.span.clone()) })
}

fn has(node: &Node, name: &str) -> bool {
    matches!(&node.value, Value::Table(entries) if entries.iter().any(|(key, _)| key.name == name))
}

type Reader = fn(&Node) -> NamedPassed<'_>;
type NamedPassed<'n> = Result<(Option<&'n Node>, Passed), Problem>;

fn read_map(node: &Node) -> NamedPassed<'_> {
    let fields = Fields::new(node, &TENSOR_MAP_ARGUMENT)?;
    let (_, map) = fields.one_of("a tensor map argument has its fields", &["tensormap"])?;
    let own = |node: &Node| match read_buffer(node)? {
        (Some(name), _) => {
            Err(name.wrong("the buffer of a tensor map has the name of the argument: remove `name`"))
        }
        (None, Passed::Buffer(buffer)) => match buffer.spans.get("offset") {
            None => Ok(buffer),
            Some(at) => Err(Problem::at(
                at.clone(),
                "`offset` is a key of the tensor map, not of its buffer: move it there",
            )),
        },
        _ => Err(node.wrong("a tensor map describes a buffer")),
    };
    Ok((fields.get("name"), read_tensor_map::read(map, own)?))
}

fn read_multimem_argument(node: &Node) -> NamedPassed<'_> {
    let fields = Fields::new(node, &MULTIMEM_ARGUMENT)?;
    let (_, multimem) = fields.one_of("a multimem argument has its replicas", &["multimem"])?;
    let replica = |node: &Node| match read_buffer(node)? {
        (_, Passed::Buffer(buffer)) => Ok(buffer),
        _ => Err(node.wrong("a replica is a buffer")),
    };
    Ok((fields.get("name"), read_multimem::read(multimem, replica)?))
}

fn read_alias(node: &Node) -> NamedPassed<'_> {
    let fields = Fields::new(node, &ALIAS)?;
    let (_, of) = fields.one_of("an alias argument names a buffer", &["alias"])?;
    let offset = fields.integer("offset")?.unwrap_or(0) as u64;
    let alias = Alias { of: of.text("alias")?.to_owned(), offset, spans: fields.spans() };
    Ok((fields.get("name"), Passed::Alias(alias)))
}

/// The parts of a structure: each an argument with its byte offset.
fn read_fields(node: &Node) -> NamedPassed<'_> {
    let table = Fields::new(node, &STRUCTURE)?;
    let (_, list) = table.one_of("a structure argument has fields", &["fields"])?;
    let mut fields: Vec<Field> = Vec::new();
    for part in list.list("fields")? {
        let Value::Table(entries) = &part.value else {
            return Err(part.wrong(format!("a field must be a table, not {}", part.what())));
        };
        let Some((_, at)) = entries.iter().find(|(key, _)| key.name == AT.name) else {
            return Err(part.wrong("a field requires `at`, its byte offset in the parameter".to_owned()));
        };
        let (low, high) = AT.shape.bounds();
        let at = at.integer(AT.name, low, high)? as u64;
        let rest = entries.iter().filter(|(key, _)| key.name != AT.name).cloned().collect();
        let argument = read_argument(&Node { value: Value::Table(rest), ..part.clone() })?;
        if let Passed::Fields(_) = argument.passed {
            return Err(part.wrong(
                "fields cannot be nested: give byte offsets from the start of the parameter".to_owned(),
            ));
        }
        fields.push(Field { at, argument });
    }
    Ok((table.get("name"), Passed::Fields(fields)))
}

fn read_scalar(node: &Node) -> NamedPassed<'_> {
    if let Value::Integer(value) = node.value {
        let shape = format!("an argument must be a table such as `{{ u32 = {value} }}`");
        return Err(node.wrong(format!("{shape}, not {}", node.what())));
    }
    let fields = Fields::with(node, &SCALAR, &OTHER_ARGUMENTS)?;
    let what = "an argument needs a value";
    let (key, value) = fields.one_of(what, &[SCALARS.as_slice(), &OTHER_ARGUMENTS].concat())?;
    let passed = match ScalarType::of_launches(&key.name) {
        Some(kind) => Passed::Scalar(kind, bits(value, &key.name, kind)?),
        None => Passed::Bytes(read_hex(value)?),
    };
    Ok((fields.get("name"), passed))
}

fn read_buffer(node: &Node) -> NamedPassed<'_> {
    let fields = Fields::new(node, &BUFFER)?;
    let (_, element) = fields.one_of("a buffer argument names its element type", &["buffer"])?;
    let element = element_kind(element)?;
    let len = fields.get("len").zip(fields.integer("len")?.map(|len| len as u64));
    let given = CONTENTS.iter().any(|key| fields.get(key).is_some());
    let (key, contents) = match (given, len) {
        (false, Some((_, len))) => ("fill", Contents::Filled { len, fill: Fill::Unset }),
        _ => {
            let (key, value) = fields.one_of("a buffer needs its contents, or a `len`", &CONTENTS)?;
            (key.name.as_str(), read_contents(&fields, &key.name, value, element, len.map(|len| len.1))?)
        }
    };
    if let (Some(seed), false) =
        (fields.get("seed"), matches!(contents, Contents::Filled { fill: Fill::Random { .. }, .. }))
    {
        return Err(seed.wrong("`seed` belongs to `fill = \"random\"`: remove it, or fill with random"));
    }
    check_len(key, &contents, element, len)?;
    let buffer = Buffer {
        uninitialized: read_ranges(&fields)?,
        offset: fields.integer("offset")?.unwrap_or(0) as u64,
        address: fields.integer("address")?.map(|address| address as u64),
        spans: fields.spans(),
        ..Buffer::new(element, contents)
    };
    Ok((fields.get("name"), Passed::Buffer(buffer)))
}

/// The byte ranges of a buffer that have no values.
fn read_ranges(fields: &Fields<'_>) -> Result<Vec<[u64; 2]>, Problem> {
    const KEY: &str = "uninitialized";
    let Some(list) = fields.get(KEY) else { return Ok(Vec::new()) };
    let range = |node: &Node| {
        let [start, end] = node.list(KEY)? else {
            return Err(node.wrong("a range of `uninitialized` is two offsets in bytes, `[start, end]`"));
        };
        let offset = |node: &Node| node.integer(KEY, 0, u32::MAX.into()).map(|offset| offset as u64);
        Ok([offset(start)?, offset(end)?])
    };
    list.list(KEY)?.iter().map(range).collect()
}

fn element_kind(node: &Node) -> Result<ScalarType, Problem> {
    let name = node.text("buffer")?;
    ScalarType::of_launches(name).ok_or_else(|| {
        node.wrong(format!("`{name}` is not an element type: the types are {}", listing(&SCALARS)))
    })
}

fn read_contents(
    fields: &Fields<'_>,
    key: &str,
    value: &Node,
    element: ScalarType,
    len: Option<u64>,
) -> Result<Contents, Problem> {
    match key {
        "values" => {
            let values = value.list(key)?.iter().map(|node| bits(node, key, element));
            Ok(Contents::Values(values.collect::<Result<_, _>>()?))
        }
        "bytes" => Ok(Contents::Bytes(read_hex(value)?)),
        "file" => Ok(Contents::File(value.text(key)?.to_owned())),
        _ => {
            let fill = read_fill(fields, value, element)?;
            let missing = || value.wrong("a filled buffer needs a `len`: the number of its elements");
            Ok(Contents::Filled { len: len.ok_or_else(missing)?, fill })
        }
    }
}

fn read_fill(fields: &Fields<'_>, value: &Node, element: ScalarType) -> Result<Fill, Problem> {
    if let Value::Table(_) = value.value {
        let inner = Fields::new(value, &FILL_VALUE)?;
        let (_, value) = inner.one_of("a fill table has a value", &["value"])?;
        return Ok(Fill::Value(bits(value, "value", element)?));
    }
    match value.text("fill")? {
        "zero" => Ok(Fill::Zero),
        "iota" => Ok(Fill::Iota),
        "random" => Ok(Fill::Random { seed: fields.integer("seed")?.unwrap_or(1) as u64 }),
        "uninitialized" => Ok(Fill::Uninitialized),
        other => Err(value.wrong(format!(
            "unknown fill `{other}`: write \"zero\", \"iota\", \"random\", \"uninitialized\" or {{ value = … }}"
        ))),
    }
}

/// Checks that `len` agrees with the given values or bytes.
fn check_len(
    key: &str,
    contents: &Contents,
    element: ScalarType,
    len: Option<(&Node, u64)>,
) -> Result<(), Problem> {
    let elements = match contents {
        Contents::Values(values) => values.len() as u64,
        Contents::Bytes(bytes) => (bytes.len() / element.bytes()) as u64,
        Contents::Filled { .. } | Contents::File(_) => return Ok(()),
    };
    match len {
        Some((node, len)) if len != elements => Err(node.wrong(format!(
            "`len` is {len}, but `{key}` has {elements} elements of {element}: remove `len`, or make them agree"
        ))),
        _ => Ok(()),
    }
}

fn read_expectation(node: &Node) -> Result<Expectation, Problem> {
    let fields = Fields::new(node, &EXPECTATION)?;
    let (_, name) = fields.one_of("an expectation names a buffer", &["name"])?;
    let (key, value) = fields.one_of("an expectation needs the contents", &EXPECTED)?;
    let wanted = match key.name.as_str() {
        "values" => Wanted::Values(
            value.list("values")?.iter().map(|node| number(node, "values")).collect::<Result<_, _>>()?,
        ),
        "file" => Wanted::File(ExpectedFile { path: value.text("file")?.to_owned(), bytes: Arc::default() }),
        _ => Wanted::Bytes(read_hex(value)?),
    };
    let tolerance = match fields.get("tolerance") {
        Some(node) => match number(node, "tolerance")? {
            Number::Float(value) if value >= 0.0 => value,
            Number::Integer(value) if value >= 0 => value as f64,
            _ => return Err(node.wrong("`tolerance` must be a non-negative number")),
        },
        None => 0.0,
    };
    let values_at = match &value.value {
        Value::List(values) => values.iter().map(|value| value.span.clone()).collect(),
        _ => Arc::default(),
    };
    let (name, at) = (name.text("name")?.to_owned(), Some(node.span.clone()));
    Ok(Expectation { name, wanted, tolerance, at, values_at })
}

/// A number, also as a word or a bit pattern.
fn number(node: &Node, key: &str) -> Result<Number, Problem> {
    match &node.value {
        Value::Integer(value) => Ok(Number::Integer(*value)),
        Value::Float(value) => Ok(Number::Float(*value)),
        Value::Text(text) => number_word(text).map_err(|message| node.wrong(message)),
        _ => Err(node.not(key, "a number")),
    }
}

/// `nan`, `inf`, `-inf`, and `0x…`.
pub(crate) fn number_word(text: &str) -> Result<Number, String> {
    match text {
        "nan" => return Ok(Number::Float(f64::NAN)),
        "inf" | "+inf" => return Ok(Number::Float(f64::INFINITY)),
        "-inf" => return Ok(Number::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let bits = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    bits.map(Number::Bits).ok_or_else(|| {
        format!("\"{text}\" is not a number: write a number, \"nan\", \"inf\", \"-inf\", or bits as \"0x…\"")
    })
}

fn bits(node: &Node, key: &str, kind: ScalarType) -> Result<u64, Problem> {
    number(node, key)?.bits(kind).map_err(|message| node.wrong(message))
}

fn read_hex(node: &Node) -> Result<Vec<u8>, Problem> {
    hex_bytes(node.text("bytes")?).map_err(|message| node.wrong(message))
}

/// Bytes written as pairs of hex digits, with spaces or underscores anywhere between them.
pub(crate) fn hex_bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.chars().filter(|c| !c.is_whitespace() && *c != '_').map(|c| {
        c.to_digit(16).ok_or_else(|| format!("`bytes` takes hex digits, and `{c}` is not a hex digit"))
    });
    let digits = digits.collect::<Result<Vec<_>, _>>()?;
    if digits.len() % 2 == 1 {
        return Err(format!(
            "`bytes` takes two hex digits per byte, and {} is an odd number of digits",
            digits.len()
        ));
    }
    Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

#[cfg(test)]
mod tests;
