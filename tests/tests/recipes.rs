//! The recipes of docs/editors.md are valid files of their format. `emacs.rs` runs the one for Emacs.

const RECIPES: &str = include_str!("../../docs/editors.md");

/// The code blocks of a language, in text order.
fn blocks(language: &str) -> Vec<&'static str> {
    let starts = format!("```{language}\n");
    RECIPES.split(&*starts).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn recipes_in_toml_and_json_can_be_read() {
    let mut languages = Vec::new();
    for block in blocks("toml") {
        let table: toml::Table = block.parse().unwrap_or_else(|error| panic!("{error}\n{block}"));
        let listed = table.get("language").and_then(toml::Value::as_array).into_iter().flatten();
        languages.extend(listed.filter_map(|language| Some(language.get("name")?.as_str()?.to_owned())));
    }
    assert_eq!(languages, ["ptx", "wave-asm"], "the languages of Helix have the ids of the server");
    for block in blocks("json") {
        let value: Result<serde_json::Value, _> = serde_json::from_str(block);
        assert!(value.is_ok(), "{value:?}\n{block}");
    }
}
