//! How messages about races advise to order the accesses.

use crate::common::watched::findings;

/// The statement and the advice of each race. The advice is the second line of the message.
fn advice(block: u32, body: &str) -> Vec<(String, String)> {
    let found = findings("sm_90", 2, block, &format!("{body}\nret;"));
    let lines: Vec<_> = found.lines().collect();
    let races = lines.windows(3).filter(|lines| lines[0].contains(" data-race "));
    races
        .map(|lines| {
            let statement = lines[0].split(": ").nth(1).unwrap_or_default();
            (statement.to_owned(), lines[2].trim().to_owned())
        })
        .collect()
}

const BLOCK: &str = "put a `bar.sync` that all threads execute between the two accesses";
const WARP: &str = "put a `bar.warp.sync` between the two accesses";

/// A loop that reads the words of a neighbor at this distance and stores its own.
fn exchange(distance: u32) -> String {
    format!(
        "mov.u32 %r9, 0;\nmov.u32 %r8, {distance};\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\n\
         L: xor.b32 %r5, %r1, %r8;\nshl.b32 %r5, %r5, 2;\nadd.u32 %r5, %r5, %r4;\nld.shared.u32 %r6, [%r5];\n\
         add.u32 %r6, %r6, %r9;\nadd.u32 %r6, %r6, 1;\nbar.sync 0;\nst.shared.u32 [%r3], %r6;\n\
         add.u32 %r9, %r9, 1;\nshl.b32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r9, 3;\n@%p1 bra L;"
    )
}

#[test]
fn one_barrier_orders_all_pairs_of_a_statement() {
    // The first iterations race within a warp, a later one with another warp.
    let found = advice(64, &exchange(16));
    assert!(!found.is_empty() && found.iter().all(|(_, advice)| advice == BLOCK), "{found:?}");
    let found = advice(64, &exchange(1));
    assert!(!found.is_empty() && found.iter().all(|(_, advice)| advice == WARP), "{found:?}");
}

/// Loads, changes and stores one word, in one thread of each warp or in all threads.
fn update(guard: &str, op: &str) -> String {
    format!(
        "and.b32 %r7, %r1, 31;\nsetp.eq.u32 %p1, %r7, 0;\n{guard}ld.global.u32 %r6, [%rd1];\n{guard}{op}\n\
         {guard}st.global.u32 [%rd1], %r6;"
    )
}

#[test]
fn an_update_by_several_threads() {
    for (op, atomic) in [
        ("add.u32 %r6, %r6, %r1;", "`red.add` (`atomicAdd`)"),
        ("add.u32 %r6, %r1, %r6;", "`red.add` (`atomicAdd`)"),
        ("sub.u32 %r6, %r6, %r1;", "`red.add` (`atomicAdd`)"),
        ("mad.lo.u32 %r6, %r1, %r1, %r6;", "`red.add` (`atomicAdd`)"),
        ("max.u32 %r6, %r6, %r1;", "`red.max` (`atomicMax`)"),
        ("or.b32 %r6, %r6, %r1;", "`red.or` (`atomicOr`)"),
    ] {
        for guard in ["", "@%p1 "] {
            let found = advice(64, &update(guard, op));
            let expected = format!("several threads update the address: use {atomic}");
            assert!(
                !found.is_empty() && found.iter().all(|(_, advice)| *advice == expected),
                "{op} {found:?}"
            );
        }
    }
}

#[test]
fn accesses_that_an_atomic_does_not_replace() {
    for op in [
        "sub.u32 %r6, %r1, %r6;",
        "mul.lo.u32 %r6, %r6, %r1;",
        "mov.u32 %r6, %r1;",
        "add.u32 %r6, %r6, %r1;\nadd.u64 %rd1, %rd1, 4;",
        "add.u32 %r6, %r6, %r1;\nmul.lo.u32 %r6, %r6, 3;",
    ] {
        let found = advice(64, &update("", op));
        assert!(found.iter().all(|(_, advice)| !advice.contains("several threads")), "{op} {found:?}");
    }
}
