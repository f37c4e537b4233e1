//! Formatted expansions: a change of the generated code changes these snapshots.

use proc_macro2::TokenStream;

use crate::parse::{ArgOptions, Attribute, ItemKind};

/// Returns the expansion of `#[tool(attribute)] item`, formatted.
fn expand(attribute: &str, item: &str) -> String {
    expand_as(ItemKind::Tool, attribute, item)
}

fn expand_as(item_kind: ItemKind, attribute: &str, item: &str) -> String {
    let attribute: TokenStream = attribute.parse().unwrap();
    let item: TokenStream = item.parse().unwrap();
    let file = syn::parse2(crate::declare(item_kind, attribute, item)).unwrap();
    prettyplease::unparse(&file)
}

/// How many lines are ours: those of the declaration, without the function.
fn generated_lines(expansion: &str) -> usize {
    expansion.lines().skip_while(|line| *line != "#[doc(hidden)]").count()
}

#[test]
fn expands_a_plain_tool() {
    let expansion = expand(
        "operation = Transform",
        "/// Adds two numbers.
        fn add(/** First. */ a: i64, /** Second. */ b: i64) -> i64 { a + b }",
    );
    insta::assert_snapshot!(expansion);
    assert!(generated_lines(&expansion) <= 30, "{}", generated_lines(&expansion));
}

#[test]
fn expands_a_tool_with_many_options() {
    let expansion = expand(
        r#"operation = Write, destructive = true, idempotent = true, open_world = false, name = "purge.old",
           title = "Purge", crate = crate::facade::core"#,
        r#"#[cfg(unix)]
        #[doc = include_str!("purge.md")]
        pub(crate) async fn r#purge(
            #[inject] store: State<Store>,
            #[inject] context: Context,
            /// Days to keep.
            #[arg(default = 30, example = 7)] mut days: u32,
            #[arg(default)] dry: bool,
            #[arg(rename = "type")] r#type: Option<String>,
        ) -> Result<Purged, PurgeError> { store.purge(days).await }"#,
    );
    insta::assert_snapshot!(expansion);
    assert!(generated_lines(&expansion) <= 60, "{}", generated_lines(&expansion));
}

// What can be said of one tool is more than what one says of it: each option stands in one of these four.
#[test]
fn expands_every_option() {
    let read = expand(
        r#"operation = Read, permission = any("node.view", "node.edit"), access = rules::may_read(id, store),
           requires = [api_key, crate::search_service], tags = ["nodes", "content"], path = "node/{id}",
           timeout = "30s", cache = "2m""#,
        r#"/// Reads a node.
        async fn node(
            #[inject] store: State<Store>,
            #[arg(locator, complete = ids, example = "n1", length(min = 1, max = MAX), pattern = "^n[0-9]+$")]
            id: String,
        ) -> Node { store.node(&id) }"#,
    );
    let compute = expand(
        r#"operation = Transform, schema = custom_schema(), meta = json!({"com.example/owner": 1}), ui = "quantile.html", access = may_compute, permission = "compute", blocking"#,
        r#"/// Computes.
        #[deprecated(since = "1.2.0", note = "too slow")]
        fn compute(
            #[arg(secret)] token: String,
            #[arg(rename = "q", default = 0.5)] quantile: f64,
            #[arg(flatten)] options: Options,
        ) {}"#,
    );
    let limited = expand(
        r#"operation = Transform, access = may(), alias = "restricted""#,
        r#"/// Computes.
        #[deprecated]
        fn limited(
            #[arg(range(min = -1, max = 60 * 24))] a: i64,
            #[arg(range(max = 0.5), header = "Share")] b: f64,
            #[arg(range(min = limits::LEAST))] c: u8,
        ) {}"#,
    );
    let export = expand(
        r#"operation = Trigger, destructive = false,
           task(retries = 2, required, poll = "500ms", ttl = "48h", attempt_timeout = "1h")"#,
        "/// Exports.
        async fn export(#[inject] key: tasks::TaskKey) {}",
    );
    for (name, expansion) in [("node", read), ("compute", compute), ("limited", limited), ("export", export)]
    {
        assert!(generated_lines(&expansion) <= 60, "{name}: {}", generated_lines(&expansion));
        insta::assert_snapshot!(format!("expands_every_option_{name}"), expansion);
    }
}

#[test]
fn nests_tuples_of_many_inputs() {
    let inputs: Vec<String> = (0..9).map(|n| format!("i{n}: u8")).collect();
    insta::assert_snapshot!(expand(
        "operation = Read, blocking, description = \"Many.\"",
        &format!("fn many({}) {{}}", inputs.join(", "))
    ));
}

#[test]
fn expands_methods() {
    let expansion = expand(
        "",
        r#"impl Shop<u8> {
            const USUAL: Self = Self(0);

            /// Opens.
            #[cfg(unix)]
            #[tool(operation = Read, access = Self::may_open(self))]
            #[inline]
            pub(crate) async fn open(&self, /** Which. */ #[arg(default = Self::USUAL)] which: Self) -> Option<Self> {
                Some(Self::USUAL)
            }

            /// Shares.
            #[tool(operation = Read)]
            fn share(self: Arc<Self>) {}

            /// Closes.
            fn close(&self) {}

            /// Counts.
            #[tool(operation = Explain)]
            fn count(self: &Self) -> usize { 1 }

            /// Makes one.
            #[tool(operation = Transform)]
            fn make() -> Self { Self::USUAL }
        }"#,
    );
    insta::assert_snapshot!(expansion);
}

#[test]
fn keeps_invalid_methods() {
    insta::assert_snapshot!(expand(
        "operation = Read",
        "impl<T> Shop<T> {
            #[tool(operation = Reed)]
            fn open(&mut self, #[arg(default)] which: u8) -> u8 { which }

            #[tool(operation = Read)]
            fn half_typed(&self
        ) { }
            /// Closes.
            #[tool(operation = Read)]
            fn close(&self) { 1 }
        }"
    ));
}

#[test]
fn passes_invalid_rust_through() {
    for item in [
        "impl Shop { #[tool(operation = Read)] fn a(&self) -> u8 { 1 } #[] fn b() {} # fn c() {} }",
        "impl Shop { #[tool(operation = Read)] fn a(&self, b: ) {} fn c(",
        "impl { #[tool] fn a() {} }",
        "impl Shop",
        "fn a(b: ) {}",
        "fn",
        "",
    ] {
        let Ok(item) = item.parse::<TokenStream>() else { continue };
        for item_kind in [ItemKind::Tool, ItemKind::Prompt] {
            // That it does not panic is what counts: rustc has spoken about these already.
            let expansion = crate::declare(item_kind, TokenStream::new(), item.clone());
            assert!(expansion.is_empty() == item.is_empty(), "{item}: {expansion}");
        }
    }
}

#[test]
fn expands_a_prompt() {
    let expansion = expand_as(
        ItemKind::Prompt,
        "title = \"Plan\"",
        "/// Asks for a plan.
        pub async fn plan(
            #[inject] name: State<String>,
            /// What to do.
            steps: Vec<String>,
            #[arg(default = 3, complete = days)] days: u32,
        ) -> Result<Vec<PromptMessage>, PlanError> { todo!() }",
    );
    insta::assert_snapshot!(expansion);
    assert!(generated_lines(&expansion) <= 40, "{}", generated_lines(&expansion));
}

#[test]
fn keeps_an_invalid_function() {
    insta::assert_snapshot!(expand(
        "operation = Reed",
        "pub fn read(/** A city. */ #[arg(default = 1, whatever)] city: String, #[inject] state: State<u8>) -> u8 { 1 }"
    ));
}

#[test]
fn expands_deterministically() {
    let expand = || expand("operation = Read", "/// Reads.\nfn read(a: u8, b: Option<u8>) {}");
    assert_eq!(expand(), expand());
}

/// Returns the page on which `tool-core` documents the attribute; absent in a package of this crate alone.
fn documentation(page: &str) -> Option<String> {
    std::fs::read_to_string(format!("{}/../tool-core/docs/{page}", env!("CARGO_MANIFEST_DIR"))).ok()
}

#[test]
fn documents_every_option() {
    let tool = Attribute::names(ItemKind::Tool);
    for (page, names) in [
        ("tool.md", [tool.clone(), ArgOptions::names(ItemKind::Tool)].concat()),
        ("prompt.md", Attribute::names(ItemKind::Prompt)),
    ] {
        let Some(text) = documentation(page) else { continue };
        for name in names {
            let spellings = [format!("`{name}"), format!("({name}"), format!(", {name}")];
            assert!(spellings.iter().any(|name| text.contains(name)), "`{name}` is not in {page}");
        }
    }
    assert!(Attribute::names(ItemKind::Prompt).iter().all(|name| tool.contains(name)));
}
