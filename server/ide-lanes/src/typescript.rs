//! The TypeScript types of the answers that the VS Code extension and the lanes panel read.

use warplens_test_support::typescript::Declarations;

use crate::WarpSummaries;
use crate::features::panel::{Accesses, Buffers, Graph, JsonMoment, Registers, Timeline, Why};
use crate::json::Masks;
use crate::json::placed::PlacedTraces;

#[test]
fn the_types_of_the_extension_are_those_of_the_server() {
    Declarations::default()
        .with::<Timeline>()
        .with::<JsonMoment>()
        .with::<Registers>()
        .with::<Accesses>()
        .with::<Buffers>()
        .with::<Graph>()
        .with::<Why>()
        .with::<WarpSummaries>()
        .with::<Masks<'static>>()
        .with::<PlacedTraces>()
        .assert_written_to("panel/src/generated/answers.ts", "import type { Launch } from './launch';\n");
}
