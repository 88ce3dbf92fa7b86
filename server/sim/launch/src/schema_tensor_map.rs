//! The part of the schema that describes tensor maps.

use serde_json::{Value, json};
use warplens_sim_cuda::tensor::map::ElementType;
use warplens_sim_cuda::tensor::swizzle::Swizzle;

/// An argument that is a tensor map; `own` is the schema of a buffer.
pub(super) fn argument(name: Value, own: Value) -> Value {
    let elements: Vec<_> = ElementType::names().collect();
    let swizzles: Vec<_> = Swizzle::names().collect();
    let list = |description: &str, low: i64| {
        json!({ "type": "array", "items": { "type": "integer", "minimum": low }, "minItems": 1, "maxItems": 5,
            "description": description })
    };
    let corner = |which: &str| {
        json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1, "maxItems": 3,
            "description": format!("im2col: the {which} corner of the bounding box: W, H, D.") })
    };
    let named = json!({ "type": "string", "description": "The argument whose buffer the map describes." });
    let map = json!({
        "type": "object",
        "description": "A tensor map, as `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` encode it.",
        "properties": {
            "buffer": { "anyOf": [named, own], "description": "The buffer: of another argument, or of its own." },
            "offset": { "type": "integer", "minimum": 0, "description": "Bytes before the first element; 0 by default." },
            "type": { "enum": elements, "description": "The type of the elements; the buffer's by default." },
            "dims": list("Elements by dimension, innermost first.", 1),
            "strides": { "type": "array", "items": { "type": "integer", "minimum": 0 }, "maxItems": 4,
                "description": "Bytes between elements, from dimension 1 on; dense by default." },
            "box": list("Elements of a box by dimension.", 1),
            "element_strides": list("Distances of the elements of a box; 1 by default.", 1),
            "interleave": { "enum": ["none", "16b", "32b"], "description": "The interleaving of channels." },
            "swizzle": { "enum": swizzles, "description": "The swizzle in shared memory." },
            "oob_fill": { "enum": ["zero", "nan"], "description": "Elements outside of the tensor." },
            "lower_corner": corner("lower"),
            "upper_corner": corner("upper"),
            "channels_per_pixel": { "type": "integer", "minimum": 1, "maximum": 256,
                "description": "im2col: elements of a pixel." },
            "pixels_per_column": { "type": "integer", "minimum": 1, "maximum": 1024,
                "description": "im2col: pixels of a copy." },
        },
        "required": ["buffer", "dims"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": { "name": name, "tensormap": map },
        "required": ["tensormap"],
        "additionalProperties": false,
    })
}
