//! Shapes of control flow for several tests. `%r1` is the lane.

/// `if (a && b) … else …`, compiled to two branches to one ELSE. Both a and b are true in lanes 0, 4, 8 …
pub(crate) const SHORT_CIRCUIT: &str = "and.b32 %r2, %r1, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra ELSE;
and.b32 %r2, %r1, 2;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra ELSE;
mov.u32 %r3, 1;
bra JOIN;
ELSE:
mov.u32 %r3, 2;
JOIN:
ret;";

/// The first case of the table falls through to the second.
pub(crate) const FALLING_THROUGH: &str = "and.b32 %r2, %r1, 3;
TABLE: .branchtargets ONE, TWO, THREE, DONE;
brx.idx %r2, TABLE;
ONE:
mov.u32 %r3, 1;
TWO:
mov.u32 %r3, 2;
bra DONE;
THREE:
mov.u32 %r3, 3;
DONE:
ret;";
