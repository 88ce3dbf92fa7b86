//! Runs over documents, from the text to what is shown: what needs the whole of `warplens_ide`.

mod broken;
mod call_stack;
mod cooperative;
mod corrections;
mod findings_of_launch;
mod hovers;
mod inferred;
mod invalidated_mbarriers;
mod model_difference;
mod notes;
mod operands;
mod packed_cells;
mod padded_boxes;
mod panel;
mod prepare;
mod presentation;
mod races;
mod replay;
mod replicated_values;
mod schedules;
mod scheduling;
mod source_lines;
mod tensor_memory;
mod uninitialized_buffers;
mod wave_schedules;
mod why;
