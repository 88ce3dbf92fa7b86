//! Measures parsing speed: `cargo bench -p warplens-syntax`.
//!
//! The input is the file that `WARPLENS_BENCH_FILE` names, or else one of our own kernels, repeated.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rowan::{TextRange, TextSize};
use warplens_syntax::{ItemList, parse_file, parse_item};

fn text() -> String {
    if let Ok(path) = std::env::var("WARPLENS_BENCH_FILE") {
        return std::fs::read_to_string(path).expect("the file that WARPLENS_BENCH_FILE names");
    }
    include_str!("../tests/fixtures/reduce.ptx").repeat(1000)
}

fn benches(criterion: &mut Criterion) {
    let text = text();
    let mut group = criterion.benchmark_group("ptx");
    group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse_file", |bencher| {
        bencher.iter_with_large_drop(|| parse_file(warplens_syntax::ptx::LANGUAGE, black_box(&text)));
    });
    group.bench_function("split", |bencher| {
        bencher.iter_with_large_drop(|| ItemList::new(warplens_syntax::ptx::LANGUAGE, black_box(&text)));
    });
    let list = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
    let largest = (0..list.len()).max_by_key(|index| list[*index].text.len()).expect("an item");
    let item = &list[largest];
    group.throughput(Throughput::Bytes(item.text.len() as u64));
    group.bench_function("parse_item, the largest", |bencher| {
        bencher.iter_with_large_drop(|| parse_item(warplens_syntax::ptx::LANGUAGE, black_box(&item.text)));
    });
    let middle = list.start_of(largest) + TextSize::new(item.text.len() as u32 / 2);
    group.bench_function("edit in the largest item", |bencher| {
        bencher.iter_batched_ref(
            || list.clone(),
            |list| list.edit(TextRange::empty(middle), "x"),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(parse, benches);
criterion_main!(parse);
