//! Why a warp stops running.

use warplens_sim_cuda::grid::pause;

use super::program::Reduction;

/// Lanes that wait at a barrier may wait for a reduction.
pub(crate) type Pause = pause::Pause<Option<Reduction>>;
