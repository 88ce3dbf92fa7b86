//! The results of instructions.

use super::{register, run_wave, value};

fn float(statements: &str) -> f32 {
    f32::from_bits(value(statements))
}

#[test]
fn integers() {
    assert_eq!(value("imul_hi r1, 0xffffffff, 0xffffffff"), 0xffff_fffe);
    assert_eq!(value("imad r1, 3, -4, 5") as i32, -7);
    assert_eq!(value("idiv r1, -7, 2") as i32, -3);
    assert_eq!(value("imod r1, -7, 2") as i32, -1);
    assert_eq!(value("idiv r1, 7, 0"), 0);
    assert_eq!(value("imod r1, 0x80000000, -1"), 0);
    assert_eq!(value("idiv r1, 0x80000000, -1"), 0x8000_0000);
    assert_eq!(value("iabs r1, 0x80000000"), 0x8000_0000);
    assert_eq!(value("iclamp r1, 9, 5, 2"), 2, "crossed bounds give the upper one");
    assert_eq!(value("imin r1, -1, 1") as i32, -1);
    assert_eq!(value("umin r1, -1, 1"), 1);
}

#[test]
fn bits() {
    assert_eq!(value("shl r1, 1, 33"), 2);
    assert_eq!(value("sar r1, 0x80000000, 31"), u32::MAX);
    assert_eq!(value("bitfind r1, 0"), u32::MAX);
    assert_eq!(value("bitfind r1, 1"), 31);
    assert_eq!(value("bitrev r1, 1"), 0x8000_0000);
    assert_eq!(value("bfe r1, 0xabcd, 4, 8"), 0xbc);
    assert_eq!(value("bfe r1, 0xabcd, 4, 32"), 0);
    assert_eq!(value("bfi r1, 0xffffffff, 0, 28, 8"), 0x0fff_ffff);
    assert_eq!(value("bfi r1, 0x1234, 0xff, 4, 0"), 0x1234);
}

#[test]
fn literals() {
    assert_eq!(value("mov_imm r1, 1.0"), 0x3f80_0000, "as the guide means it");
    assert_eq!(value("mov r1, 1"), 1);
    assert_eq!(float("fadd r1, 1, 0.5"), 1.5);
    assert_eq!(value("fadd r1, 0x3f800000, 0"), 0x3f80_0000);
    assert_eq!(value("hadd r1, 1, 1.5"), 0x4100);
    assert_eq!(value("hadd2 r1, 1, 1"), 0x4000_4000);
    assert_eq!(float("mov r1, 2.5"), 2.5);
}

#[test]
fn floats() {
    assert_eq!(float("fdiv r1, 1.0, -0.0"), f32::NEG_INFINITY, "IEEE, unlike the emulator");
    assert_eq!(float("fround r1, 2.5"), 3.0);
    assert_eq!(float("fround r1, -0.5"), -1.0);
    assert_eq!(float("ffract r1, -1.5"), -0.5);
    assert_eq!(float("fsat r1, 7.0"), 1.0);
    assert_eq!(float("fma r1, 3.0, 4.0, 0.5"), 12.5);
    assert_eq!(value("fmin r1, 0x7fc00000, 1.0"), 1f32.to_bits());
    assert_eq!(float("frsqrt r1, 4.0"), 0.5);
    assert_eq!(value("fsqrt r1, -1.0"), 0xffc0_0000);
}

#[test]
fn doubles_and_conversions() {
    assert_eq!(value("dadd r2, 1.5, 2\ncvt_f32_f64 r1, r2"), 3.5f32.to_bits());
    assert_eq!(
        value("cvt_f64_f32 r2, 0.5\ndma r2, r2, r2, r2\nmov r1, r3"),
        (0.75f64.to_bits() >> 32) as u32
    );
    assert_eq!(value("cvt_f32_i32 r1, -2"), (-2f32).to_bits());
    assert_eq!(value("cvt_f32_u32 r1, -1"), 4_294_967_296f32.to_bits());
    assert_eq!(value("cvt_i32_f32 r1, -2.9") as i32, -2);
    assert_eq!(value("cvt_u32_f32 r1, -2.9"), 0);
    assert_eq!(value("cvt_i32_f32 r1, 0x7fc00000"), 0);
    assert_eq!(value("cvt_bf16_f32 r1, 0x3fffffff"), 0x3fff);
}

#[test]
fn halves() {
    assert_eq!(value("mov r1, 0x11112222\nmov r2, 0xaaaabbbb\nmov r1.hi, r2.lo"), 0xbbbb_2222);
    assert_eq!(value("mov r1, 0x11112222\nmov r1.lo, 7"), 0x1111_0007);
    assert_eq!(value("mov r2, 0x3c000000\nhadd r1, r2.hi, r2.hi"), 0x4000);
}

#[test]
fn comparisons() {
    let holds = |condition: &str| value(&format!("{condition}\nselect r1, p0, 1, 0")) == 1;
    assert!(holds("icmp.lt p0, -1, 0") && !holds("ucmp.lt p0, -1, 0") && holds("ucmp.ge p0, -1, 0"));
    assert!(holds("fcmp.ge p0, 1.0, 1.0") && !holds("fcmp.ge p0, 0x7fc00000, 1.0"));
    assert!(holds("fcmp.ne p0, 0x7fc00000, 1.0") && holds("fcmp.unord p0, 0x7fc00000, 1.0"));
    assert!(holds("fcmp.ord p0, 0, 1.0") && holds("fcmp.eq p0, 0.0, -0.0"));
    assert!(holds("not p0, p1\nand p0, p0, !p2") && holds("icmp.eq p1, 0, 0\nxor p0, p1, p2"));
}

#[test]
fn memory() {
    let wide = "mov r4, 0x01020304\nmov r5, 5\nmov r6, 6\nmov r7, 7\ndevice_store.u128 r4, 3\n";
    assert_eq!(value(&format!("{wide}device_load.u8 r1, 3")), 4);
    assert_eq!(value(&format!("{wide}device_load.u16 r1, 5")), 0x0102);
    assert_eq!(value(&format!("{wide}device_load.u64 r2, 7\nmov r1, r3")), 6);
    assert_eq!(value(&format!("{wide}device_load.u128 r8, 3\nmov r1, r11")), 7);
    assert_eq!(value("mov r2, 8\nmov r3, 9\nlocal_store_u32 r2, r3\nlocal_load_u32 r1, r2"), 9);
}

#[test]
fn atomics_act_in_lane_order() {
    let (result, _) =
        run_wave("mov r0, sr_lane_id\natomic_add r1, 0, r0, .device\natomic_max r2, 4, r0, .device", 4);
    assert_eq!(register(&result, 0, "r1"), [0, 0, 1, 3]);
    assert_eq!(register(&result, 0, "r2"), [0, 0, 1, 2]);
    let swap = "mov r0, sr_lane_id\niadd r2, r0, 1\nlocal_atomic_cas r1, 0, r0, r2\nlocal_load.u32 r3, 0";
    let (result, _) = run_wave(swap, 4);
    assert_eq!(register(&result, 0, "r1"), [0, 1, 2, 3], "each lane finds what the lane before it put there");
    assert_eq!(register(&result, 0, "r3"), [4; 4]);
}

#[test]
fn wave_operations() {
    let (result, _) = run_wave(
        "mov r0, sr_lane_id
        iadd r1, r0, 10
        wave_shuffle_up r2, r1, 1
        wave_shuffle_down r3, r1, -1
        wave_shuffle_xor r4, r1, 3
        wave_broadcast r5, r1, 2
        wave_prefix_sum r6, r1
        wave_reduce_max r7, r1
        icmp.gt p0, r0, 1
        @p0 wave_reduce_add r8, r1
        @p0 wave_shuffle r9, r1, 0
        wave_ballot r10, p0
        wave_any p1, p0
        wave_all p2, p0",
        4,
    );
    assert_eq!(register(&result, 0, "r2"), [0, 10, 11, 12]);
    assert_eq!(register(&result, 0, "r3"), [0, 10, 11, 12]);
    assert_eq!(register(&result, 0, "r4"), [13, 12, 11, 10]);
    assert_eq!(register(&result, 0, "r5"), [12; 4]);
    assert_eq!(register(&result, 0, "r6"), [0, 10, 21, 33]);
    assert_eq!(register(&result, 0, "r7"), [13; 4]);
    assert_eq!(register(&result, 0, "r8"), [0, 0, 25, 25]);
    assert_eq!(register(&result, 0, "r9"), [0, 0, 10, 10], "an inactive lane reads as its current value");
    assert_eq!(register(&result, 0, "r10"), [12; 4]);
    assert_eq!((register(&result, 0, "p1"), register(&result, 0, "p2")), (vec![1; 4], vec![0; 4]));
}

#[test]
fn matrices() {
    let (result, _) = run_wave(
        "mov r0, sr_lane_id
        shl r2, r0, 2
        cvt_f32_u32 r3, r0
        local_store.u32 r3, r2
        barrier
        mma_load_a r0, 0, 16
        mma_load_b r0, 0, 16
        mma_compute r0, r0, r5
        mma_compute r0, r0, r5
        mma_store_c 64, 16, r5
        local_load.u32 r4, r2
        iadd r2, r2, 64
        local_load.u32 r5, r2",
        16,
    );
    let product: Vec<_> = register(&result, 0, "r5").into_iter().map(f32::from_bits).collect();
    assert_eq!(product[..4], [112.0, 124.0, 136.0, 148.0], "twice row 0 of the square of 0 to 15");
}

#[test]
fn registers_that_are_not_there() {
    assert_eq!(value(".registers 2\nmov r2, 5\niadd r1, r2, 1"), 1);
}
