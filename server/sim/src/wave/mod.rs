//! WAVE: structured masks over a wave of 1 to 64 lanes.
