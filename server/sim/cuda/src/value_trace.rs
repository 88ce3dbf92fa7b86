//! The accesses of a step in a value trace or a recording: the sanitizer lists them.

use warplens_sim_warp::trace::RegisterValues;
use warplens_sim_warp::value_tracer::VisitTracer;

use crate::memory::local::Local;
use crate::memory::spaces::Spaces;
use crate::sanitizer::Sanitizer;

/// Called before the instruction of a step. If the step is the requested one, records the registers and makes the sanitizer list its
/// accesses.
pub fn before_step(
    tracer: &mut VisitTracer,
    mut sanitizer: Option<&mut Sanitizer>,
    registers: impl FnOnce() -> Vec<RegisterValues>,
) {
    let Some(moment) = &mut tracer.moment else { return };
    if let Some(sanitizer) = &mut sanitizer {
        // Other warps may have stored to the watched byte since.
        sanitizer.take_watch_hit();
    }
    if moment.is_due() {
        moment.before(registers());
        if let Some(sanitizer) = sanitizer {
            sanitizer.cost.accesses = Some(Vec::new());
        }
    }
}

/// Called after the instruction: collects its accesses, and records a store to the watched byte.
pub fn after_step(tracer: &mut VisitTracer, sanitizer: &mut Sanitizer, spaces: &Spaces, local: &Local) {
    if let Some(tap) = &mut tracer.tap {
        return tap.accessed(spaces.recorded(sanitizer.take_listed(), local));
    }
    let Some(moment) = &mut tracer.moment else { return };
    if sanitizer.take_watch_hit() {
        moment.stored();
    }
    if moment.is_due() {
        moment.accesses(sanitizer.cost.accesses.take().unwrap_or_default());
    }
}
