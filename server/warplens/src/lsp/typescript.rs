//! The TypeScript types of the messages that only this crate builds.

use warplens_test_support::typescript::Declarations;

use crate::lsp::handlers::assemble::{Assembled, Targets};
use crate::lsp::handlers::compare::ComparedCode;
use crate::lsp::handlers::draft_launch::Draft;
use crate::lsp::handlers::execute_command::{LaunchArgument, ListedLaunch};
use crate::lsp::handlers::machine_code::Listing;
use crate::lsp::handlers::warps::WarpsOfRun;
use crate::lsp::server_capabilities::Model;
use crate::lsp::transport::client::RunningParams;

#[test]
fn the_types_of_the_extension_are_those_of_the_server() {
    Declarations::default()
        .with::<Assembled>()
        .with::<Targets>()
        .with::<ComparedCode>()
        .with::<Draft>()
        .with::<LaunchArgument>()
        .with::<ListedLaunch>()
        .with::<Listing>()
        .with::<WarpsOfRun>()
        .with::<Model>()
        .assert_written_to(
            "vscode/src/generated/messages.ts",
            "import type { Location } from 'vscode-languageclient';\n",
        );
    Declarations::default()
        .with::<RunningParams>()
        .assert_written_to("panel/src/generated/run_progress.ts", "");
}
