//! What a warp does: the simulator.
