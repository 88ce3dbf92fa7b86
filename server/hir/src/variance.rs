//! The result of uniformity analyses, for all languages.

/// Whether the lanes of a warp, or a wave, that reach an instruction together hold the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variance {
    /// They do; this is proven.
    Uniform,
    /// Nothing shows it either way: the value comes from memory, from a call that is not followed, or depends on the launch.
    Unknown,
    /// It is made from what differs from lane to lane, such as `%tid.x` and `sr_lane_id`.
    Varies,
}
