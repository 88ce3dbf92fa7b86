//! Launches and lanes: lenses, commands, hints, `warplens/laneMasks`.

/// A loop that never ends and never repeats its state.
pub(crate) const ENDLESS: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry endless() {
    .reg .u32 %r<2>;
    mov.u32 %r1, 0;
AGAIN:
    add.u32 %r1, %r1, 1;
    bra AGAIN;
    |
}
";
