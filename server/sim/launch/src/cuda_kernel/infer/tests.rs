use expect_test::{Expect, expect};

use super::*;
use crate::Kernel;

fn check(kernel: CudaKernel, body: &Body, expect: Expect) {
    let kernel = Kernel::new("k".into(), kernel);
    expect.assert_eq(&serde_json::to_string(&kernel.inferred(body)).unwrap());
}

fn block_of(kernel: CudaKernel) -> [u32; 3] {
    kernel.block()
}

#[test]
fn blocks() {
    let bounded = |largest| CudaKernel { largest_block: Some(largest), ..CudaKernel::default() };
    assert_eq!(block_of(CudaKernel::default()), [32, 1, 1]);
    assert_eq!(block_of(bounded([16, 1, 1])), [16, 1, 1]);
    assert_eq!(block_of(bounded([256, 1, 1])), [64, 1, 1]);
    assert_eq!(block_of(bounded([16, 16, 4])), [16, 4, 1]);
    assert_eq!(block_of(bounded([4, 4, 64])), [4, 4, 4]);
    assert_eq!(block_of(bounded([0, 0, 0])), [1, 1, 1]);
    let shaped = |shape, largest: CudaKernel| CudaKernel { shaped_block: Some(shape), ..largest };
    assert_eq!(block_of(shaped([16, 16, 1], CudaKernel::default())), [16, 16, 1]);
    assert_eq!(block_of(shaped([16, 16, 1], bounded([256, 1, 1]))), [16, 16, 1]);
    assert_eq!(block_of(shaped([32, 32, 1], bounded([256, 1, 1]))), [64, 1, 1]);
    assert_eq!(
        block_of(CudaKernel { required_block: Some([128, 2, 1]), ..bounded([256, 1, 1]) }),
        [128, 2, 1]
    );
}

#[test]
fn arguments() {
    use ScalarType::{F16, F32, F64, U8, U32, U64};
    let param = |name: &str, kind: ScalarType| Parameter {
        name: name.into(),
        bytes: kind.bytes() as u64,
        align: kind.bytes() as u64,
        scalar: Some(kind),
        is_pointer: name == "p",
    };
    let params = vec![
        param("n", U32),
        param("small", U8),
        param("a", F32),
        param("x", U64),
        param("y", U64),
        param("p", U64),
        param("not_one", U32),
        Parameter { name: "s".into(), bytes: 5, align: 1, scalar: None, is_pointer: false },
        Parameter { name: "t".into(), bytes: 24, align: 8, scalar: None, is_pointer: false },
    ];
    let kernel = CudaKernel {
        params,
        required_block: Some([256, 1, 1]),
        required_cluster: Some([2, 1, 1]),
        address_bytes: Some(8),
        ..CudaKernel::default()
    };
    let access =
        |element, loaded| Some(Access { element, loaded, stored: !loaded, multimem: false, empty: None });
    let part =
        |at, kind, access| Part { at, kind, access, table: None, is_compared: false, is_exponent: false };
    let params = vec![
        vec![],
        vec![],
        vec![],
        vec![part(0, U64, access(F64, true))],
        vec![part(0, U64, access(F16, false))],
        vec![],
        vec![part(0, U32, access(F32, true))],
        vec![],
        vec![part(0, U64, access(F32, true)), part(8, U32, None), part(12, F32, None), part(24, U64, None)],
    ];
    let body = Body { params, dynamic_shared: Some(100), is_cooperative: true, ..Body::default() };
    check(
        kernel,
        &body,
        expect![[
            r#"{"name":"inferred","entry":"k","grid":[2,1,1],"block":[256,1,1],"dynamic_shared":49152,"cooperative":true,"args":[{"name":"n","u32":512},{"name":"small","u8":255},{"name":"a","f32":1.0},{"name":"x","buffer":"f64","len":262144,"fill":"iota"},{"name":"y","buffer":"f16","len":1048576,"fill":"zero"},{"name":"p","buffer":"b32","len":524288,"fill":"zero"},{"name":"not_one","u32":512},{"name":"s","bytes":"0000000000"},{"name":"t","fields":[{"at":0,"name":"t.0","buffer":"f32","len":524288,"fill":"iota"},{"at":8,"name":"t.8","u32":512},{"at":12,"name":"t.12","f32":1.0}]}]}"#
        ]],
    );
}

#[test]
fn dynamic_shared_memory() {
    assert_eq!(dynamic_shared(0), 49_152);
    assert_eq!(dynamic_shared(32_768), 49_152);
    assert_eq!(dynamic_shared(49_152), 232_448);
}

#[test]
fn tensor_maps() {
    use crate::body::MapUse;
    let param =
        |name: &str| Parameter { name: name.into(), bytes: 128, align: 64, scalar: None, is_pointer: false };
    let kernel =
        CudaKernel { params: vec![param("a"), param("b")], address_bytes: Some(8), ..CudaKernel::default() };
    let load = MapUse { rank: 2, bytes: Some(2048), loaded: true };
    let store = MapUse { rank: 1, bytes: None, loaded: false };
    let body = Body { maps: vec![Some(load), Some(store)], ..Body::default() };
    check(
        kernel,
        &body,
        expect![[
            r#"{"name":"inferred","entry":"k","grid":[1,1,1],"block":[32,1,1],"args":[{"name":"a","tensormap":{"buffer":{"buffer":"u32","len":8192,"fill":"iota"},"dims":[128,64],"box":[32,16]}},{"name":"b","tensormap":{"buffer":{"buffer":"u32","len":1024,"fill":"zero"},"dims":[1024],"box":[256]}}]}"#
        ]],
    );
}
