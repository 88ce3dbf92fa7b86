//! The JSON schema of launch files: the extension has the current one, and it agrees with the reader.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use expect_test::expect_file;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use warplens_ide::model_choices;
use warplens_sim_launch::keys::{AT, FILE, Key, LAUNCH, Rule, SCALAR, Table, ValueShape};
use warplens_sim_launch::{Format, launches, schema};
use warplens_test_support::schema_checker::Checker;

static SCHEMA: LazyLock<Checker> = LazyLock::new(|| Checker::new(schema(&model_choices())));

/// Problems that a schema cannot find, because they depend on several values.
const LIMITS: [&str; 8] = [
    "duplicate launch name",
    // The type of a buffer is another key than its contents.
    " does not fit ",
    " takes integers, and ",
    " has more bits than ",
    "`len` is ",
    // A replica may have the length of the argument.
    "a filled buffer needs a `len`",
    "a buffer needs its contents, or a `len`",
    "has one number for each spatial dimension",
];

/// Keys whose values the schema limits further than the reader: a launch with another value is refused when it is resolved.
const RESOLVED: [&str; 9] = [
    "model",
    "dims",
    "strides",
    "box",
    "element_strides",
    "lower_corner",
    "upper_corner",
    "channels_per_pixel",
    "pixels_per_column",
];

#[test]
fn the_file_of_the_extension_is_up_to_date() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/schemas/warplens.schema.json");
    expect_file![path].assert_eq(&format!("{:#}\n", schema(&model_choices())));
}

proptest! {
    #[test]
    fn both_accept_a_launch_file(file in table(&FILE, None)) {
        prop_assert_eq!(problem(&file), None);
        prop_assert!(SCHEMA.accepts(&file));
    }

    #[test]
    fn both_have_the_same_verdict_on_a_changed_launch_file(
        file in table(&FILE, None),
        place in any::<Index>(),
        change in change(),
    ) {
        let mut changed = file;
        let path = apply(&mut changed, place, &change);
        match (SCHEMA.accepts(&changed), problem(&changed)) {
            (true, Some(problem)) => {
                let is_limit = LIMITS.iter().any(|limit| problem.contains(limit));
                prop_assert!(is_limit, "only the reader rejects {}: {}", changed, problem);
            }
            (false, None) => {
                let is_resolved = path.iter().any(|key| RESOLVED.contains(&key.as_str()));
                prop_assert!(is_resolved, "only the schema rejects {}", changed);
            }
            _ => {}
        }
    }
}

#[test]
fn every_key_and_every_model_is_accepted() {
    let launch = |key: &str, value: Value| {
        let mut launch = json!({ "name": "a", "file": "k.ptx" });
        launch[key] = value;
        json!({ "launch": [launch] })
    };
    for model in model_choices() {
        assert!(SCHEMA.accepts(&launch("model", json!(model.name))), "{}", model.name);
    }
    assert!(!SCHEMA.accepts(&launch("model", json!("nothing"))));
    let same = |file: Value, accepted: bool| {
        assert_eq!(problem(&file).is_none(), accepted, "the reader: {file}");
        assert_eq!(SCHEMA.accepts(&file), accepted, "the schema: {file}");
    };
    for key in LAUNCH.keys {
        same(launch(key.name, Value::Null), false);
    }
    for number in ["nan", "+inf", "-inf", "0x", "0x7f", "0X0", "0x+1", "0x00000000000000000001", "1", "+nan"]
    {
        let accepted = !matches!(number, "0x" | "1" | "+nan");
        same(launch("args", json!([{ "f64": number }])), accepted);
        same(launch("expect", json!([{ "name": "a", "values": [number] }])), accepted);
    }
    same(launch("args", json!([{ "buffer": "u8", "len": 1, "fill": "zero" }])), true);
    same(launch("args", json!([{ "buffer": "u8", "len": 1, "fill": "random", "seed": 1 }])), true);
    same(launch("args", json!([{ "buffer": "u8", "len": 1, "fill": "zero", "seed": 1 }])), false);
    same(launch("args", json!([{ "buffer": "u8", "fill": "zero" }])), false);
    same(launch("args", json!([{ "buffer": "u8" }])), false);
    for register in ["r0", "r254", "r255", "r+7", "r007", "r", "x1", "r-1"] {
        same(launch("registers", json!({ register: 1 })), matches!(register, "r0" | "r254" | "r+7" | "r007"));
    }
}

#[test]
fn scalars_have_the_same_bounds() {
    let args = |key: &str, value: Value| json!({ "launch": [{ "name": "a", "file": "k.ptx", "args": [{ key: value }] }] });
    for key in SCALAR.keys.iter().filter(|key| matches!(key.shape, ValueShape::Scalar)) {
        // Readers of JSON round 64-bit bounds, so the schema has none.
        let narrow = [8, 16, 32].map(|bits| [-1 << bits, (-1 << (bits - 1)) - 1, 1 << (bits - 1), 1 << bits]);
        let values = narrow.into_iter().flatten().flat_map(|value: i64| [value - 1, value, value + 1]);
        for value in values.filter(|value| *value >= 0 || key.name != "u64") {
            let file = args(key.name, json!(value));
            assert_eq!(SCHEMA.accepts(&file), problem(&file).is_none(), "{file}");
        }
        for value in
            ["0xff", "0x100", "0xffff", "0x1ffff", "0xffffffff", "0x100000000", "0x10000000000000000"]
        {
            let file = args(key.name, json!(value));
            assert_eq!(SCHEMA.accepts(&file), problem(&file).is_none(), "{file}");
        }
    }
}

/// The first problem of the reader.
fn problem(file: &Value) -> Option<String> {
    match launches(&file.to_string(), Format::Json) {
        Err(problem) => Some(problem.message),
        Ok(listed) => listed.into_iter().find_map(|listed| listed.problem).map(|problem| problem.message),
    }
}

/// A change of one value of a launch file.
#[derive(Debug, Clone)]
enum Change {
    Replace(Value),
    /// Of a table; other values are replaced by `null`.
    RemoveKey(Index),
    /// To a table; other values are replaced by `null`.
    AddKey(String, Value),
    /// To a list; other values are replaced by `null`.
    AddElement(Value),
}

fn change() -> impl Strategy<Value = Change> {
    let names = "launch name file entry grid block cluster model args registers expect u8 i32 f32 b64 bytes buffer len fill seed values \
                 value alias fields at multimem replicas tensormap offset type dims strides box lower_corner upper_corner \
                 channels_per_pixel pixels_per_column tolerance $schema unknown";
    let name = select(names.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    prop_oneof![
        3 => odd_value().prop_map(Change::Replace),
        1 => any::<Index>().prop_map(Change::RemoveKey),
        2 => (name, odd_value()).prop_map(|(name, value)| Change::AddKey(name, value)),
        1 => odd_value().prop_map(Change::AddElement),
    ]
}

/// A value that some keys accept. JSON readers do not distinguish 1.0 from 1, so there are no such numbers.
fn odd_value() -> impl Strategy<Value = Value> {
    let values = json!([
        null, true, -1, 0, 1, 0.5, 65, 300, 70000, 5000000000i64, "", "x", "inferred", "nan", "inf", "0x7f",
        "0x123456789", "0x", "00 f_f", "f", "random", "none", "f32", [], [1], [1, 1, 1, 1], ["x"], [{}], {},
        { "value": 1 }, { "u32": 1 }, { "buffer": "u8", "len": 1 }
    ]);
    select(values.as_array().cloned().expect("a list"))
}

/// Applies a change to one of the values in `file`, and gives the keys that lead to it.
fn apply(file: &mut Value, place: Index, change: &Change) -> Vec<String> {
    let mut paths = Vec::new();
    collect_paths(file, String::new(), &mut paths);
    let path = place.get(&paths).clone();
    let value = file.pointer_mut(&path).expect("a value");
    let mut keys: Vec<String> = path.split('/').map(str::to_owned).collect();
    match (change, value) {
        (Change::Replace(new), value) => *value = new.clone(),
        (Change::RemoveKey(index), Value::Object(entries)) if !entries.is_empty() => {
            let key = index.get(&entries.keys().cloned().collect::<Vec<_>>()).clone();
            entries.remove(&key);
        }
        (Change::AddKey(name, new), Value::Object(entries)) => {
            entries.insert(name.clone(), new.clone());
            keys.push(name.clone());
        }
        (Change::AddElement(new), Value::Array(list)) => list.push(new.clone()),
        (_, value) => *value = Value::Null,
    }
    keys
}

fn collect_paths(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| collect_paths(value, format!("{path}/{key}"), paths));
        }
        Value::Array(list) => {
            let indexed = list.iter().enumerate();
            indexed.for_each(|(index, value)| collect_paths(value, format!("{path}/{index}"), paths));
        }
        _ => {}
    }
    paths.push(path);
}

/// A table that both accept.
fn table(table: &'static Table, extra: Option<&'static Key>) -> BoxedStrategy<Value> {
    let picks = prop::collection::vec(any::<bool>(), table.keys.len());
    let entries = (picks, any::<Index>()).prop_flat_map(move |(picks, choice)| {
        let names = chosen_keys(table, &picks, choice);
        let keys = table.keys.iter().filter(move |key| names.contains(key.name)).chain(extra);
        keys.map(|key| value(&key.shape, key.name).prop_map(|value| (key.name.to_owned(), value)))
            .collect::<Vec<_>>()
    });
    entries.prop_map(|entries| agreeing(entries.into_iter().collect())).boxed()
}

/// The picked keys of a table, changed to satisfy its rules.
fn chosen_keys(table: &'static Table, picks: &[bool], choice: Index) -> BTreeSet<&'static str> {
    let picked = table.keys.iter().zip(picks).filter(|(_, picked)| **picked).map(|(key, _)| key.name);
    let mut chosen: BTreeSet<_> = picked.chain(table.required.iter().copied()).collect();
    let mut excluded = BTreeSet::new();
    for rule in table.rules {
        let (Rule::ExactlyOne(keys) | Rule::AtLeastOne(keys)) = rule else { continue };
        if keys.iter().all(|key| !chosen.contains(key)) {
            chosen.insert(keys[choice.index(keys.len())]);
        }
    }
    for rule in table.rules {
        let (Rule::ExactlyOne(keys) | Rule::AtMostOne(keys)) = rule else { continue };
        if let Some(kept) = keys.iter().find(|key| chosen.contains(*key)) {
            excluded.extend(keys.iter().filter(|key| *key != kept));
        }
    }
    chosen.retain(|key| !excluded.contains(key));
    for _ in 0..table.rules.len() {
        for rule in table.rules {
            let (Rule::Requires { key, other } | Rule::RequiresWord { key, other, .. }) = rule else {
                continue;
            };
            if !chosen.contains(key) {
                continue;
            }
            if excluded.contains(other) {
                chosen.remove(key);
                excluded.insert(key);
            } else {
                chosen.insert(other);
            }
        }
    }
    chosen
}

/// The same table with values that agree with each other, which no schema can require.
fn agreeing(mut entries: Map<String, Value>) -> Value {
    let length = |list: &Value| list.as_array().map_or(0, Vec::len);
    if entries.contains_key("seed") {
        entries.insert("fill".to_owned(), json!("random"));
    }
    if entries.contains_key("values") || entries.contains_key("bytes") {
        entries.remove("len");
    }
    if let Some(corner) = entries.get("lower_corner").cloned() {
        entries.insert("dims".to_owned(), json!(vec![1; length(&corner) + 2]));
        entries.insert("upper_corner".to_owned(), corner);
    }
    if let Some(Value::Array(replicas)) = entries.get_mut("replicas") {
        for replica in replicas.iter_mut().filter_map(Value::as_object_mut) {
            if !["values", "bytes", "file"].iter().any(|key| replica.contains_key(*key)) {
                replica.insert("len".to_owned(), json!(4));
            }
        }
        entries.remove("len");
    }
    entries.into()
}

/// A value of a key that both accept.
fn value(shape: &'static ValueShape, key: &'static str) -> BoxedStrategy<Value> {
    let one_of = |values: Value| select(values.as_array().cloned().expect("a list")).boxed();
    match shape {
        ValueShape::Text | ValueShape::LaunchName => "[a-z]{12}".prop_map(Value::from).boxed(),
        ValueShape::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        ValueShape::Integer { low, high } => {
            let high = (*high).min(i64::MAX.into()) as i64;
            (*low as i64..=high).prop_map(Value::from).boxed()
        }
        // Each type holds these.
        ValueShape::Number => one_of(json!([0, 1, 100, "0x7f", "0X0"])),
        ValueShape::Scalar if matches!(key, "f16" | "bf16" | "f32" | "f64") => {
            one_of(json!([0, -1, 1.5, "nan", "inf", "+inf", "-inf", "0x7f"]))
        }
        ValueShape::Scalar => one_of(json!([0, 1, 100, "0x7f", "0X0"])),
        ValueShape::Tolerance => one_of(json!([0, 1, 0.5, "inf", "+inf"])),
        ValueShape::Hex => one_of(json!(["", "00ff", " 0_0 FF "])),
        ValueShape::Words(words) => select(words()).prop_map(Value::from).boxed(),
        ValueShape::Model => {
            let names: Vec<&str> = model_choices().into_iter().map(|model| model.name).collect();
            select(names).prop_map(Value::from).boxed()
        }
        ValueShape::Schedule => one_of(json!(["0:0", "1:3", "18446744073709551615:7"])),
        ValueShape::Registers => one_of(json!([{}, { "r0": 1, "r254": "0xff" }, { "r7": -1 }])),
        ValueShape::List { of, min, max } => {
            prop::collection::vec(value(of, key), *min..=max.unwrap_or(2)).prop_map(Value::from).boxed()
        }
        ValueShape::Table(keys) => table(keys, None),
        ValueShape::OneOf(shapes) => {
            (0..shapes.len()).prop_flat_map(move |shape| value(&shapes[shape], key)).boxed()
        }
        ValueShape::Field(tables) => {
            (0..tables.len()).prop_flat_map(move |keys| table(tables[keys], Some(&AT))).boxed()
        }
    }
}
