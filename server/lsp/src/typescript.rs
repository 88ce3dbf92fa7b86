//! The TypeScript types of the messages that only this crate builds.

use warplens_test_support::typescript::Declarations;

use crate::client::RunningParams;
use crate::handlers::assemble::{Assembled, Targets};
use crate::handlers::compare::ComparedCode;
use crate::handlers::draft_launch::Draft;
use crate::handlers::execute_command::{LaunchArgument, ListedLaunch};
use crate::handlers::expect_buffer::ExpectedBuffer;
use crate::handlers::link::DocumentLink;
use crate::handlers::machine_code::Listing;
use crate::handlers::warps::WarpsOfRun;
use crate::server_capabilities::Model;

#[test]
fn the_types_of_the_extension_are_those_of_the_server() {
    Declarations::default()
        .with::<Assembled>()
        .with::<Targets>()
        .with::<ComparedCode>()
        .with::<Draft>()
        .with::<ExpectedBuffer>()
        .with::<LaunchArgument>()
        .with::<ListedLaunch>()
        .with::<DocumentLink>()
        .with::<Listing>()
        .with::<WarpsOfRun>()
        .with::<Model>()
        .assert_written_to(
            "vscode/src/generated/messages.ts",
            "import type { Location, WorkspaceEdit } from 'vscode-languageclient';\n",
        );
    Declarations::default()
        .with::<RunningParams>()
        .assert_written_to("panel/src/generated/run_progress.ts", "");
}
