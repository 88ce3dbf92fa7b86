use super::value::offset;

#[test]
fn offsets_that_are_printed_without_their_sign() {
    assert!(offset(0xff_ffe4, 24).ends_with(" · as a signed offset of 24 bits `-28`"));
    assert!(offset(0xffe4, 16).ends_with(" · as a signed offset of 16 bits `-28`"));
    for other in [0, 0x20, -0x1c, 0x7f_ffff, 0x100_0000] {
        assert!(!offset(other, 24).contains("signed offset"), "{other}");
    }
}
