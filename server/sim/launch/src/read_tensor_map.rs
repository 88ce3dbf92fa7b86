//! Reads tensor maps of launches.

use warplens_sim_cuda::tensor::map::{ElementType, Im2col, Interleave};
use warplens_sim_cuda::tensor::swizzle::Swizzle;

use super::fields::{Fields, listing};
use super::keys::TENSOR_MAP;
use super::model::{Buffer, MapBuffer, Passed, TensorMapArgument};
use super::problem::Problem;
use super::tree::Node;

/// Reads the value of the key `tensormap`; `own` reads a buffer of its own.
pub(super) fn read(node: &Node, own: impl Fn(&Node) -> Result<Buffer, Problem>) -> Result<Passed, Problem> {
    let fields = Fields::new(node, &TENSOR_MAP)?;
    let (_, buffer) = fields.one_of("a tensor map names its buffer", &["buffer"])?;
    let buffer = match buffer.text("buffer") {
        Ok(name) => MapBuffer::Named(name.to_owned()),
        Err(_) => MapBuffer::Own(Box::new(own(buffer)?)),
    };
    let (_, dims) = fields.one_of("a tensor map needs the elements of each dimension", &["dims"])?;
    let dims: Vec<u64> = numbers(dims, "dims", 0, 1 << 32)?;
    let im2col_keys = ["lower_corner", "upper_corner", "channels_per_pixel", "pixels_per_column"];
    let (im2col, extents) = match im2col_keys.iter().any(|key| fields.get(key).is_some()) {
        true => (Some(im2col(&fields, dims.len())?), Vec::new()),
        false => {
            let (_, extents) = fields.one_of("a tiled map needs the elements of a box", &["box"])?;
            (None, numbers(extents, "box", 0, 0xffff)?)
        }
    };
    let list =
        |key: &str, high: i128| fields.get(key).map(|node| numbers::<u64>(node, key, 0, high)).transpose();
    let element_strides = list("element_strides", 255)?.unwrap_or_default();
    Ok(Passed::TensorMap(Box::new(TensorMapArgument {
        buffer,
        offset: fields.integer("offset")?.unwrap_or(0) as u64,
        element: word(&fields, "type", ElementType::from_name)?,
        strides: list("strides", 1 << 48)?,
        extents,
        element_strides: element_strides.into_iter().map(|stride| stride as u8).collect(),
        interleave: word(&fields, "interleave", Interleave::from_name)?.unwrap_or_default(),
        swizzle: word(&fields, "swizzle", Swizzle::from_name)?.unwrap_or_default(),
        nan: word(&fields, "oob_fill", fill)?.unwrap_or(false),
        im2col,
        spans: fields.spans(),
        dims,
    })))
}

fn im2col(fields: &Fields<'_>, rank: usize) -> Result<Im2col, Problem> {
    if let Some(extents) = fields.get("box") {
        return Err(extents.wrong("`box` and the keys of im2col are mutually exclusive: remove one"));
    }
    let needed = |key: &str| fields.one_of("an im2col map needs", &[key]).map(|(_, node)| node);
    let spatial = rank.saturating_sub(2);
    let corner = |key: &str| -> Result<[i16; 3], Problem> {
        let node = needed(key)?;
        let list: Vec<i16> = numbers(node, key, i16::MIN.into(), i16::MAX.into())?;
        if list.len() != spatial || !(1..=3).contains(&spatial) {
            return Err(node.wrong(format!(
                "`{key}` has one number for each spatial dimension (W, H, D), {spatial} for a map of rank {rank}"
            )));
        }
        Ok(std::array::from_fn(|axis| list.get(axis).copied().unwrap_or(0)))
    };
    Ok(Im2col {
        lower: corner("lower_corner")?,
        upper: corner("upper_corner")?,
        channels: needed("channels_per_pixel")?.integer("channels_per_pixel", 0, 0xffff)? as u16,
        pixels: needed("pixels_per_column")?.integer("pixels_per_column", 0, 0xffff)? as u16,
    })
}

fn fill(name: &str) -> Option<bool> {
    match name {
        "zero" => Some(false),
        "nan" => Some(true),
        _ => None,
    }
}

/// The value of a key that has one of the words of the table.
fn word<T>(fields: &Fields<'_>, key: &str, of: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Problem> {
    let Some(node) = fields.get(key) else { return Ok(None) };
    let text = node.text(key)?;
    match of(text) {
        Some(value) => Ok(Some(value)),
        None => {
            let words = listing(&TENSOR_MAP.words(key));
            Err(node.wrong(format!("`{text}` is not a value of `{key}`: write one of {words}")))
        }
    }
}

fn numbers<T: TryFrom<i128> + Default>(
    node: &Node,
    key: &str,
    low: i128,
    high: i128,
) -> Result<Vec<T>, Problem> {
    let number = |node: &Node| Ok(T::try_from(node.integer(key, low, high)?).unwrap_or_default());
    node.list(key)?.iter().map(number).collect()
}
