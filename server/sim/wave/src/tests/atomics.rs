//! Atomics of several waves and workgroups on one word: threads run in order, and each one finds what the
//! previous one left.

use super::{device_words, launch_config, launch_text, options};

const THREADS: u32 = 10;
const GROUPS: u32 = 3;

/// The operand that a thread uses.
fn given(thread: u32) -> u32 {
    thread.wrapping_mul(0x3779_b9f1).rotate_left(thread)
}

/// The effect of an operation on a word.
type Meaning = fn(old: u32, given: u32) -> u32;

const OPERATIONS: &[(&str, Meaning)] = &[
    ("add", u32::wrapping_add),
    ("sub", u32::wrapping_sub),
    // Compares without a sign.
    ("min", |old, given| if given < old { given } else { old }),
    ("max", |old, given| if given > old { given } else { old }),
    ("and", |old, given| old & given),
    ("or", |old, given| old | given),
    ("xor", |old, given| old ^ given),
    ("exchange", |_, given| given),
];

/// Runs `statements` in three workgroups of ten threads. `r2` is the operand of the thread, and `r3` the
/// address of the word, which initially holds `start`. Returns the old values that the threads found, and the
/// final value in device memory.
fn found(statements: &str, start: u32, width: u32) -> (Vec<u32>, u32) {
    let text = format!(
        ".kernel k\n.local_memory 16\nmov r0, sr_thread_id_x\nmov r1, sr_workgroup_id_x\nimad r1, r1, {THREADS}, r0\nshl r4, r1, 2\niadd r4, r4, 256
        device_load.u32 r2, r4\nmov r3, 8\nicmp.eq p1, r0, 0\n@p1 local_store.u32 {start}, r3\nbarrier\n{statements}\niadd r4, r4, 256\ndevice_store.u32 r5, r4\nhalt\n.end"
    );
    let mut launch = launch_config([GROUPS, 1, 1], [THREADS, 1, 1], width);
    let mut words = vec![0; 64];
    words[2] = start;
    words.extend((0..GROUPS * THREADS).map(given));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    launch.memory.bytes_mut(0, bytes.len() as u64).expect("it is that large").copy_from_slice(&bytes);
    let (result, _) = launch_text(&text, launch, &options());
    assert_eq!(result.status, warplens_sim_warp::Status::Finished, "{statements}: {:?}", result.findings);
    let words = device_words(&result, 128 + (GROUPS * THREADS) as usize);
    (words[128..].to_vec(), words[2])
}

/// The old values that threads find if they run one after another. Local memory starts zeroed in each
/// workgroup.
fn expected(local: bool, start: u32, meaning: impl Fn(u32, u32) -> u32) -> (Vec<u32>, u32) {
    let mut word = start;
    let mut olds = Vec::new();
    for thread in 0..GROUPS * THREADS {
        if local && thread % THREADS == 0 {
            word = start;
        }
        olds.push(word);
        word = meaning(word, given(thread));
    }
    (olds, if local { start } else { word })
}

#[test]
fn every_thread_finds_what_the_one_before_it_left() {
    for local in [true, false] {
        for (name, meaning) in OPERATIONS {
            for start in [0, 0x8000_0000, u32::MAX] {
                for width in [1, 4, 32] {
                    let line = match local {
                        true => format!("local_atomic_{name} r5, r3, r2"),
                        false => format!("atomic_{name} r5, r3, r2, .device"),
                    };
                    assert_eq!(
                        found(&line, start, width),
                        expected(local, start, meaning),
                        "{line}, {start:#x}, {width}"
                    );
                }
            }
        }
    }
}

#[test]
fn compare_and_swap_stores_where_it_finds_what_it_expects() {
    for local in [true, false] {
        for width in [1, 4, 32] {
            // Each thread advances the word by one if the previous thread did. One of them expects another
            // value.
            let line = match local {
                true => "local_atomic_cas r5, r3, r6, r7",
                false => "atomic_cas r5, r3, r6, r7, .device",
            };
            let of = if local { "r0" } else { "r1" };
            let statements =
                format!("mov r6, {of}\niadd r7, r6, 1\nicmp.eq p2, {of}, 7\n@p2 mov r6, 100\n{line}");
            let threads = 0..GROUPS * THREADS;
            let own = |thread: u32| if local { thread % THREADS } else { thread };
            let olds = threads.map(|thread| own(thread).min(7)).collect::<Vec<_>>();
            let left = if local { 0 } else { 7 };
            assert_eq!(found(&statements, 0, width), (olds, left), "{line}, {width}");
        }
    }
}

#[test]
fn a_result_in_r0_is_none() {
    let (olds, left) = found("atomic_add r0, r3, 1, .device\nmov r5, r0", 5, 4);
    assert_eq!(left, 5 + GROUPS * THREADS);
    assert_eq!(olds, (0..GROUPS * THREADS).map(|thread| thread % THREADS).collect::<Vec<_>>());
}
