//! Arbitrary text in the keys of a launch file's tensor map: either the map is accepted and copies run, or the error is at
//! the key.

use std::ops::Range;

use proptest::prelude::*;
use warplens_sim_launch::{Format, Kernel, Problem, Resolved, launches, resolve};
use warplens_sim_ptx::launch_rules;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, RunOptions};

use crate::common::Source;

/// A key of the map, and the text of its value.
type Entry = (&'static str, String);

/// Numbers at and around the limits of some field.
const EDGES: [i64; 22] = [
    -32_769,
    -129,
    -17,
    -16,
    -1,
    0,
    1,
    2,
    3,
    8,
    9,
    16,
    32,
    64,
    128,
    256,
    257,
    1024,
    65_535,
    65_536,
    1 << 32,
    i64::MAX,
];

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&EDGES[..]).prop_map(|number| number.to_string()),
        2 => (0i64..300).prop_map(|number| number.to_string()),
        1 => any::<i64>().prop_map(|number| number.to_string()),
    ]
}

/// A value that may or may not suit a key.
fn value() -> impl Strategy<Value = String> {
    let words = [
        "none",
        "16b",
        "32b",
        "64b",
        "128b",
        "128b_atom32",
        "zero",
        "nan",
        "u8",
        "bf16",
        "f64",
        "tf32.ftz",
        "b4x16",
        "b4x16_p64",
        "b6x16_p32",
        "c",
        "",
        "ü",
        "-1",
        "0x10",
    ];
    prop_oneof![
        6 => prop::collection::vec(number(), 0..7).prop_map(|list| format!("[{}]", list.join(", "))),
        2 => number(),
        4 => prop::sample::select(words.to_vec()).prop_map(|word| format!("\"{word}\"")),
        1 => prop::sample::select(vec!["true", "1.5", "{}", "{ buffer = \"f32\" }", "[[1]]", "[\"a\"]", "nan"])
            .prop_map(str::to_owned),
    ]
}

/// A key, which may be one that no map has.
fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "buffer",
        "offset",
        "type",
        "dims",
        "strides",
        "box",
        "element_strides",
        "interleave",
        "swizzle",
        "oob_fill",
        "lower_corner",
        "upper_corner",
        "channels_per_pixel",
        "pixels_per_column",
        "stride",
    ])
}

/// A correct map of this rank.
fn correct(rank: usize, im2col: bool) -> Vec<Entry> {
    let list = |first: u32, other: u32, count: usize| {
        let numbers: Vec<String> =
            (0..count).map(|at| if at == 0 { first } else { other }.to_string()).collect();
        format!("[{}]", numbers.join(", "))
    };
    let own = "{ buffer = \"f32\", len = 8192, fill = \"iota\" }";
    let mut map = vec![("buffer", own.to_owned()), ("dims", list(16, 4, rank))];
    match im2col {
        false => map.extend([("box", list(16, 2, rank)), ("element_strides", list(1, 1, rank))]),
        true => map.extend([
            ("lower_corner", list(0, 0, rank - 2)),
            ("upper_corner", list(0, 0, rank - 2)),
            ("channels_per_pixel", "16".to_owned()),
            ("pixels_per_column", "8".to_owned()),
        ]),
    }
    map.extend([("swizzle", "\"64b\"".to_owned()), ("oob_fill", "\"zero\"".to_owned())]);
    map
}

/// A correct map with keys removed, added and changed, and the rank of the copies.
fn map() -> impl Strategy<Value = (usize, bool, Vec<Entry>)> {
    let change = (key(), prop::option::weighted(0.85, value()));
    (1usize..6, any::<bool>(), prop::collection::vec(change, 0..4)).prop_map(|(rank, im2col, changes)| {
        let im2col = im2col && rank >= 3;
        let mut map = correct(rank, im2col);
        for (key, value) in changes {
            map.retain(|(name, _)| *name != key);
            map.extend(value.map(|value| (key, value)));
        }
        (rank, im2col, map)
    })
}

/// A launch file, the range of its map, and the range of each entry of the map.
fn launch_file(map: &[Entry]) -> (String, Range<usize>, Vec<Range<usize>>) {
    let mut text =
        "[[launch]]\nname = \"a\"\nfile = \"k.ptx\"\nblock = [32]\nargs = [{ name = \"m\", tensormap = "
            .to_owned();
    let start = text.len();
    let mut entries = Vec::new();
    text += "{ ";
    for (index, (key, value)) in map.iter().enumerate() {
        text += if index > 0 { ", " } else { "" };
        let start = text.len();
        text += &format!("{key} = {value}");
        entries.push(start..text.len());
    }
    text += " }";
    let whole = start..text.len();
    (text + " }]\n", whole, entries)
}

/// A load, a store and a prefetch through the map, at coordinates that are partly outside the tensor.
fn copies(rank: usize, im2col: bool) -> String {
    let coordinates = ["-4", "1", "0", "3", "-1"][..rank].join(", ");
    let (load, store, offsets) = match im2col {
        false => (".tile", ".tile", String::new()),
        true => {
            (".im2col", ".im2col_no_offs", format!(", {{{}}}", ["%h1", "%h2", "%h3"][..rank - 2].join(", ")))
        }
    };
    let tensor = format!("[%rd1, {{{coordinates}}}]");
    format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .align 64 .b8 m[128])\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
         .shared .align 1024 .b8 tile[32768];\n.shared .align 8 .b8 bar[8];\nmov.b64 %rd1, m;\ncvta.param.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\n\
         mov.b16 %h1, 1;\nmov.b16 %h2, 0;\nmov.b16 %h3, 2;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n\
         mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;\n\
         cp.async.bulk.prefetch.tensor.{rank}d.L2.global{load} {tensor}{offsets};\n\
         cp.async.bulk.tensor.{rank}d.shared::cluster.global{load}.mbarrier::complete_tx::bytes [tile], {tensor}, [bar]{offsets};\n\
         cp.async.bulk.tensor.{rank}d.global.shared::cta{store}.bulk_group {tensor}, [tile];\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND: ret;\n}}\n"
    )
}

/// The launch, or why it is rejected.
fn accept(text: &str, source: &Source) -> Result<Resolved, Problem> {
    let listed = launches(text, Format::Toml)?.remove(0);
    if let Some(problem) = listed.problem {
        return Err(problem);
    }
    let function = source.function("k");
    let kernel = Kernel::new("k".into(), launch_rules::kernel(&function.signature, Some(8)));
    resolve(&listed.launch, &kernel, 1 << 24, &|_| Err("there are no files".into()))
}

/// Whether an error is at the entry that it names. An error about a missing key may be anywhere in the map.
fn is_at_key(problem: &Problem, map: &[Entry], whole: &Range<usize>, entries: &[Range<usize>]) -> bool {
    let Some(at) = &problem.at else { return false };
    let is_named = |key: &str| problem.message.contains(&format!("`{key}`"));
    let inside = |range: &Range<usize>| range.start <= at.start && at.end <= range.end;
    match entries.iter().position(inside) {
        Some(index) => map[index].0 == "buffer" || is_named(map[index].0) || names_missing(map, is_named),
        None => inside(whole) && names_missing(map, is_named),
    }
}

fn names_missing(map: &[Entry], is_named: impl Fn(&str) -> bool) -> bool {
    let all = [
        "buffer",
        "dims",
        "box",
        "strides",
        "lower_corner",
        "upper_corner",
        "channels_per_pixel",
        "pixels_per_column",
    ];
    all.iter().any(|key| is_named(key) && map.iter().all(|(name, _)| name != key))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_map_is_accepted_and_used_or_its_error_is_at_the_key((rank, im2col, map) in map()) {
        let source = Source::new(&copies(rank, im2col));
        let (text, whole, entries) = launch_file(&map);
        match accept(&text, &source) {
            Err(problem) => {
                prop_assert!(is_at_key(&problem, &map, &whole, &entries), "{text}\n{:?}: {}", problem.at, problem.message);
            }
            Ok(resolved) => {
                let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
                let result = run(&source.program("k"), resolved.config, Model::Stack, &options, Control::none());
                let findings = result.expect("not cancelled").findings;
                let invalid = findings.iter().find(|finding| finding.message.contains("invalid tensor map"));
                prop_assert!(invalid.is_none(), "{text}\n{invalid:?}");
            }
        }
    }
}

#[test]
fn correct_maps_are_accepted_and_copy_without_a_fault() {
    for (rank, im2col) in (1..6).map(|rank| (rank, false)).chain((3..6).map(|rank| (rank, true))) {
        let source = Source::new(&copies(rank, im2col));
        let (text, ..) = launch_file(&correct(rank, im2col));
        let resolved = accept(&text, &source).unwrap_or_else(|problem| panic!("{text}\n{problem}"));
        let options = RunOptions::default();
        let result = run(&source.program("k"), resolved.config, Model::Stack, &options, Control::none());
        let result = result.expect("not cancelled");
        assert_eq!(result.status.as_str(), "finished", "rank {rank}: {:?}", result.findings);
    }
}

/// The kinds of the findings of a store of eight rows of eight singles, from a tile of which `guard` says which eight bytes its threads
/// write, to a tensor of twelve columns and rows.
fn stored(coordinates: &str, guard: &str) -> Vec<String> {
    let source = Source::new(&format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .align 64 .b8 m[128])\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n.shared .align 128 .b8 tile[256];\n\
         mov.b64 %rd1, m;\ncvta.param.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nshl.b32 %r3, %r1, 3;\nadd.u32 %r2, %r2, %r3;\n\
         {guard}\n@%p1 st.shared.v2.u32 [%r2], {{%r1, %r1}};\n\
         fence.proxy.async.shared::cta;\nbar.warp.sync -1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n\
         cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {{{coordinates}}}], [tile];\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND: ret;\n}}\n"
    ));
    let launch = "[[launch]]\nname = \"a\"\nfile = \"k.ptx\"\nblock = [32]\nargs = [{ name = \"m\", \
                  tensormap = { buffer = { buffer = \"f32\", len = 144 }, dims = [12, 12], box = [8, 8] } }]\n";
    let resolved = accept(launch, &source).unwrap_or_else(|problem| panic!("{problem}"));
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let result = run(&source.program("k"), resolved.config, Model::Stack, &options, Control::none());
    let findings = result.expect("not cancelled").findings;
    findings.iter().map(|finding| finding.kind.to_string()).collect()
}

#[test]
fn a_store_reads_the_part_of_the_tile_inside_the_tensor() {
    let rows = |count: u32| format!("setp.lt.u32 %p1, %r1, {count};");
    let halves = "and.b32 %r3, %r1, 3;\nsetp.lt.u32 %p1, %r3, 2;";
    assert_eq!(stored("0, 8", &rows(16)), [""; 0]);
    assert_eq!(stored("0, 8", &rows(12)), ["uninitialized-read"]);
    assert_eq!(stored("0, 0", &rows(16)), ["uninitialized-read"]);
    assert_eq!(stored("8, 0", halves), [""; 0]);
    assert_eq!(stored("4, 0", halves), ["uninitialized-read"]);
    assert_eq!(stored("0, 16", &rows(0)), [""; 0]);
}
