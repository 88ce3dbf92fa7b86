//! Reads multimem arguments of launches: buffers of one type, whose contents are written one by one.

use super::fields::Fields;
use super::keys::{BUFFER, MULTIMEM, REPLICA};
use super::model::{Buffer, Passed};
use super::problem::Problem;
use super::tree::{Node, Value};

/// Reads the value of the key `multimem`; `buffer` reads the buffer of a replica.
pub(super) fn read(
    multimem: &Node,
    buffer: impl Fn(&Node) -> Result<Buffer, Problem>,
) -> Result<Passed, Problem> {
    let fields = Fields::new(multimem, &MULTIMEM)?;
    fields.one_of("a multimem argument names its element type", &["buffer"])?;
    let (_, list) = fields.one_of("a multimem argument has replicas", &["replicas"])?;
    // If every replica has its own length, nothing else reads this one.
    fields.integer("len")?;
    let replicas = list.list("replicas")?;
    if replicas.is_empty() {
        return Err(list.wrong("a multimem address stands for at least one replica: `replicas` is empty"));
    }
    let replicas = replicas.iter().map(|replica| buffer(&with_common_keys(replica, multimem)?));
    Ok(Passed::Multimem(replicas.collect::<Result<_, Problem>>()?))
}

/// The table of a replica with the type, and with the length unless it has its own.
fn with_common_keys(replica: &Node, multimem: &Node) -> Result<Node, Problem> {
    let Value::Table(own) = &replica.value else {
        return Err(replica.wrong(format!("a replica must be a table, not {}", replica.what())));
    };
    let is_foreign = |key: &str| BUFFER.key(key).is_some() && REPLICA.key(key).is_none();
    if let Some((key, _)) = own.iter().find(|(key, _)| is_foreign(&key.name)) {
        let rule = match key.name.as_str() {
            "uninitialized" => "its values are read together with those of others, which is not checked",
            "offset" | "address" => "the multimem address stands for the same offset in all replicas",
            _ => "replicas have the type of the argument, and its name with a number, `m#0`",
        };
        return Err(Problem::at(key.span.clone(), format!("a replica has no `{}`: {rule}", key.name)));
    }
    if let Some((_, fill)) = own.iter().find(|(key, _)| key.name == "fill")
        && fill.text("fill").is_ok_and(|fill| fill == "uninitialized")
    {
        let rule = "the values of replicas are read together, which is not checked: fill with zero";
        return Err(fill.wrong(format!("a replica cannot be uninitialized: {rule}")));
    }
    let common = multimem.table("multimem")?.iter();
    let missing = common.filter(|(key, _)| {
        key.name == "buffer" || key.name == "len" && own.iter().all(|(key, _)| key.name != "len")
    });
    let entries = own.iter().chain(missing).cloned().collect();
    Ok(Node { value: Value::Table(entries), ..replica.clone() })
}
