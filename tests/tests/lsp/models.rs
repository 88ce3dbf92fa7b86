//! The divergence model of a selection: the one named with it, or else the usual one.

use serde_json::{Value, json};

use crate::support::{Client, File};

/// The first half of the lanes waits for what the second half stores.
pub(crate) const HALVES: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry halves(.param .u64 flag) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [flag];
    mov.u32 %r1, %laneid;
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra OPEN;
WAIT:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra WAIT;
    bra DONE;
OPEN:
    st.volatile.global.u32 [%rd1], 1;
DONE:
    ret;
}
";

fn select(client: &mut Client, file: &File, model: Option<&str>) -> Result<Value, Value> {
    let launch =
        json!({ "name": "mine", "block": [32], "args": [{ "buffer": "u32", "len": 1, "fill": "zero" }] });
    let mut argument = json!({ "uri": file.uri, "launch": launch });
    if let Some(model) = model {
        argument["model"] = model.into();
    }
    client.command("warplens.selectLaunch", argument)
}

/// The model of the shown run, and its status.
fn shown(client: &mut Client, file: &File) -> (Value, Value) {
    let masks = client.request("warplens/laneMasks", file.params());
    (masks["model"].clone(), masks["status"].clone())
}

#[test]
fn a_selection_names_its_model() {
    let mut client = Client::start();
    let file = client.open("halves.ptx", HALVES);
    let ends = [
        // The run deadlocks under the default, and finishes on the target's GPUs.
        (None, "its", "finished"),
        (Some("stack"), "stack", "no-progress"),
        (Some("its"), "its", "finished"),
        (Some("ipdom"), "ipdom", "finished"),
        (Some("textbook"), "ipdom", "finished"),
        (None, "its", "finished"),
    ];
    for (named, model, status) in ends {
        select(&mut client, &file, named).expect("it can be run");
        assert_eq!(shown(&mut client, &file), (json!(model), json!(status)), "named: {named:?}");
    }
}

#[test]
fn clients_learn_the_models_of_each_language() {
    let client = Client::start();
    let models = client.capabilities["experimental"]["models"].as_array().expect("a list");
    let of = |language: &str| {
        let models = models.iter().filter(|model| model["language"] == language);
        models.map(|model| model["name"].as_str().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(of("ptx"), ["stack", "ipdom", "frontier", "its"]);
    assert_eq!(of("wave-asm"), ["structured", "wave-emu"]);
    assert_eq!(of("cuda-sass"), ["barriers", "tokens"]);
    // The former id.
    assert_eq!(of("sass"), ["barriers", "tokens"]);
    assert!(models.iter().all(|model| model["rule"].is_string()), "{models:?}");
}

#[test]
fn a_model_that_is_none_is_refused() {
    let mut client = Client::start();
    let file = client.open("halves.ptx", HALVES);
    for model in ["structured", "no such model"] {
        let error = select(&mut client, &file, Some(model)).expect_err("not a model of PTX");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("model")), "{error}");
        assert_eq!(shown(&mut client, &file), (Value::Null, Value::Null));
    }
}
