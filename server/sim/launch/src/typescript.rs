//! The TypeScript type of launches in messages.

use warplens_test_support::typescript::Declarations;

use crate::Launch;

#[test]
fn the_type_of_the_extension_is_that_of_the_server() {
    Declarations::default().with::<Launch>().assert_written_to("panel/src/generated/launch.ts", "");
}
