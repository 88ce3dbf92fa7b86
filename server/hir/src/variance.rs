//! The result of uniformity analyses, for all languages.

/// Whether the lanes of a warp or wave that reach an instruction together hold the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variance {
    /// They are proven to hold the same value.
    Uniform,
    /// Nothing is known: the value comes from memory or from a call that is not followed, or it depends on
    /// the launch.
    Unknown,
    /// The value is computed from one that differs between lanes, such as `%tid.x` or `sr_lane_id`.
    Varies,
}
