//! Expansions, as people would write them: a change of what is generated shows as a change of these files.

use proc_macro2::TokenStream;

use crate::parse::Noun;

/// The expansion of `#[tool(attribute)] item`, formatted.
fn expand(attribute: &str, item: &str) -> String {
    expand_as(Noun::Tool, attribute, item)
}

fn expand_as(noun: Noun, attribute: &str, item: &str) -> String {
    let attribute: TokenStream = attribute.parse().unwrap();
    let item: TokenStream = item.parse().unwrap();
    let file = syn::parse2(crate::declare(noun, attribute, item)).unwrap();
    prettyplease::unparse(&file)
}

/// How many lines are ours: those of the declaration, without the function.
fn lines_of_our_own(expansion: &str) -> usize {
    expansion.lines().skip_while(|line| *line != "#[doc(hidden)]").count()
}

#[test]
fn a_plain_tool() {
    let expansion = expand(
        "operation = Transform",
        "/// Adds two numbers.
        fn add(/** First. */ a: i64, /** Second. */ b: i64) -> i64 { a + b }",
    );
    insta::assert_snapshot!(expansion);
    assert!(lines_of_our_own(&expansion) <= 30, "{}", lines_of_our_own(&expansion));
}

#[test]
fn a_tool_that_says_everything() {
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
    assert!(lines_of_our_own(&expansion) <= 50, "{}", lines_of_our_own(&expansion));
}

// What can be said of one tool is more than what one says of it: each option stands in one of these three.
#[test]
fn every_option() {
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
        r#"operation = Transform, schema = hand_written(), access = may_compute, permission = "compute", blocking"#,
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
    for (name, expansion) in [("node", read), ("compute", compute), ("limited", limited)] {
        assert!(lines_of_our_own(&expansion) <= 52, "{name}: {}", lines_of_our_own(&expansion));
        insta::assert_snapshot!(format!("every_option_{name}"), expansion);
    }
}

#[test]
fn more_inputs_than_one_tuple_holds() {
    let inputs: Vec<String> = (0..9).map(|n| format!("i{n}: u8")).collect();
    insta::assert_snapshot!(expand(
        "operation = Read, blocking, description = \"Many.\"",
        &format!("fn many({}) {{}}", inputs.join(", "))
    ));
}

#[test]
fn methods() {
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
fn methods_with_mistakes_stay_methods() {
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
fn what_rust_cannot_read_is_passed_on() {
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
        for noun in [Noun::Tool, Noun::Prompt] {
            // That it does not panic is what counts: rustc has spoken about these already.
            let expansion = crate::declare(noun, TokenStream::new(), item.clone());
            assert!(expansion.is_empty() == item.is_empty(), "{item}: {expansion}");
        }
    }
}

#[test]
fn a_prompt() {
    let expansion = expand_as(
        Noun::Prompt,
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
    assert!(lines_of_our_own(&expansion) <= 40, "{}", lines_of_our_own(&expansion));
}

#[test]
fn a_declaration_with_mistakes_keeps_its_function() {
    insta::assert_snapshot!(expand(
        "operation = Reed",
        "pub fn read(/** A city. */ #[arg(default = 1, whatever)] city: String, #[inject] state: State<u8>) -> u8 { 1 }"
    ));
}

#[test]
fn the_same_tokens_expand_to_the_same() {
    let expand = || expand("operation = Read", "/// Reads.\nfn read(a: u8, b: Option<u8>) {}");
    assert_eq!(expand(), expand());
}
