//! Runs over documents, from the text to what is shown: what needs the whole of `warplens_ide`.

mod broken;
mod call_stack;
mod cooperative;
mod corrections;
mod findings_of_launch;
mod hovers;
mod inferred;
mod model_difference;
mod notes;
mod operands;
mod panel;
mod prepare;
mod presentation;
mod races;
mod schedules;
mod scheduling;
mod tensor_memory;
mod uninitialized_buffers;
