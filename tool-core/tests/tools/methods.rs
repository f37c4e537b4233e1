//! Methods that are tools: `&self` is the state of their type.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tool_core::private::block_on;
use tool_core::{
    Access, BuildError, Context, FailureKind, Principal, Registry, ToolError, Unmet, tool, tools,
};

struct Shop {
    name: &'static str,
    sold: AtomicU32,
}

/// An item of a shop.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Item {
    name: String,
}

#[tool]
impl Shop {
    const USUAL: u32 = 2;

    /// How the shop is called.
    #[tool(operation = Read)]
    fn shop_name(&self) -> String {
        self.name.to_owned()
    }

    /// Sells some.
    #[tool(operation = Write, destructive = false)]
    async fn sell(
        &self,
        #[inject] context: Context,
        /// What is sold.
        item: Item,
        #[arg(default = Self::USUAL, range(min = 1, max = Self::USUAL * 5))] number: u32,
    ) -> Result<String, ToolError> {
        if item.name.is_empty() {
            return Err(ToolError::not_found("there is no such item"));
        }
        let sold = self.sold.fetch_add(number, Ordering::Relaxed) + number;
        tokio::task::yield_now().await;
        Ok(format!("{}: {} sold {sold} {}", context.tool(), self.name, item.name))
    }

    /// Counts what is sold, and takes its time.
    #[tool(operation = Read, name = "shop.count", blocking)]
    #[expect(clippy::needless_arbitrary_self_type, reason = "that is what is tested")]
    fn count(self: &Self) -> u32 {
        self.sold.load(Ordering::Relaxed)
    }

    /// Runs on after the call.
    #[tool(operation = Read)]
    async fn share(self: Arc<Self>) -> usize {
        let other = Arc::clone(&self);
        tokio::spawn(async move { Arc::strong_count(&other) }).await.unwrap_or_default()
    }

    /// Needs no shop.
    #[tool(operation = Transform)]
    fn price(#[arg(default = Self::USUAL)] number: u32) -> u32 {
        Self::times(number)
    }

    /// Opens another.
    #[tool(operation = Read, access = Self::may_open(self, name))]
    fn open(&self, name: String) -> Option<Branch> {
        (name != self.name).then_some(Branch { name })
    }

    /// Finds an item, while the shop is open.
    #[tool(operation = Read, requires = [Self::is_open], schema = Self::schema())]
    fn find(&self, #[arg(complete = Self::items)] name: String) -> Option<u32> {
        Self::items(&name).first().map(|_| self.sold.load(Ordering::Relaxed))
    }

    fn is_open(&self) -> Result<(), Unmet> {
        if self.name.is_empty() { Err(Unmet::new("give the shop a name")) } else { Ok(()) }
    }

    fn items(typed: &str) -> Vec<String> {
        ["apples", "pears"].iter().filter(|item| item.starts_with(typed)).map(ToString::to_string).collect()
    }

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {"name": {"type": "string", "description": "By hand."}},
            "required": ["name"],
            "additionalProperties": false,
        })
    }

    fn may_open(principal: &Principal, shop: &Shop, name: &str) -> Access {
        match principal.id() {
            Some(id) if id == shop.name => Access::Allow,
            _ => Access::deny(format!("only {} may open {name}", shop.name)),
        }
    }

    fn times(number: u32) -> u32 {
        3 * number
    }
}

#[derive(Debug, PartialEq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Branch {
    name: String,
}

#[tool]
impl Branch {
    /// Takes and returns what it is.
    #[tool(operation = Transform)]
    fn branch_twice(branch: Self, #[arg(default = Self { name: "x".to_owned() })] other: Self) -> Vec<Self> {
        vec![branch, other]
    }
}

/// A shelf for things of one kind.
struct Shelf<T>(T);

#[tool]
impl Shelf<u8> {
    /// What is on it.
    #[tool(operation = Read)]
    fn on_shelf(&self, #[arg(default = Self::MOST)] most: u8) -> u8 {
        self.0.min(most)
    }

    const MOST: u8 = 7;
}

fn registry() -> Registry {
    let shop = Shop { name: "Corner", sold: AtomicU32::new(0) };
    let methods =
        tools![Shop::shop_name, Shop::sell, Shop::count, Shop::share, Shop::price, Shop::open, Shop::find];
    let others = tools![Branch::branch_twice, Shelf::<u8>::on_shelf];
    Registry::builder().tools(methods).tools(others).state(shop).state(Shelf(9_u8)).build().unwrap()
}

#[track_caller]
fn value(registry: &Registry, name: &str, arguments: Value) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let output = runtime.block_on(registry.call(name, arguments));
    output.unwrap_or_else(|failure| panic!("{name}: {}", failure.text())).value()
}

#[test]
fn calls_methods_on_the_state() {
    let registry = registry();
    registry.check().unwrap();
    assert_eq!(value(&registry, "shop_name", json!({})), "Corner");
    let apples = json!({"item": {"name": "apples"}});
    assert_eq!(value(&registry, "sell", apples), "sell: Corner sold 2 apples");
    let pears = json!({"item": {"name": "pears"}, "number": 3});
    assert_eq!(value(&registry, "sell", pears), "sell: Corner sold 5 pears");
    assert_eq!(value(&registry, "shop.count", json!({})), 5);
    assert!(value(&registry, "share", json!({})).as_u64() >= Some(2));
    assert_eq!(value(&registry, "on_shelf", json!({})), 7);
}

#[test]
fn calls_functions_without_self() {
    let registry = registry();
    assert_eq!(value(&registry, "price", json!({"number": 5})), 15);
    assert_eq!(value(&registry, "price", json!({})), 6);
    let twice = value(&registry, "branch_twice", json!({"branch": {"name": "a"}}));
    assert_eq!(twice, json!([{"name": "a"}, {"name": "x"}]));
}

#[test]
fn excludes_self_from_the_inputs() {
    let registry = registry();
    let sell = registry.get("sell").unwrap();
    let names: Vec<&str> = sell.inputs().iter().filter_map(|input| input.name.as_deref()).collect();
    assert_eq!(names, ["item", "number"]);
    assert_eq!(sell.input_schema()["properties"]["number"]["default"], 2);
    assert_eq!(sell.inputs()[0].description.as_deref(), Some("What is sold."));
    assert_eq!(sell.source().module, module_path!());
}

#[test]
fn passes_state_to_access_functions() {
    let registry = registry();
    let corner = registry.as_principal(Principal::new("Corner"));
    assert_eq!(value(&corner, "open", json!({"name": "Park"})), json!({"name": "Park"}));
    assert_eq!(value(&corner, "open", json!({"name": "Corner"})), json!(null));
    let failure = block_on(registry.call("open", json!({"name": "Park"}))).unwrap_err();
    assert_eq!((failure.kind(), failure.message()), (FailureKind::Denied, "only Corner may open Park"));
}

#[test]
fn resolves_self_in_options() {
    let registry = registry();
    assert_eq!(value(&registry, "find", json!({"name": "app"})), 0);
    assert_eq!(registry.get("find").unwrap().input_schema()["properties"]["name"]["description"], "By hand.");
    let nameless = Shop { name: "", sold: AtomicU32::new(0) };
    let registry = Registry::builder().tools(tools![Shop::find]).state(nameless).build().unwrap();
    let failure = block_on(registry.call("find", json!({"name": "app"}))).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unmet);
}

#[test]
fn rejects_a_registry_without_the_state() {
    let errors = Registry::builder().tools(tools![Shop::shop_name, Shop::price]).build().unwrap_err();
    let [BuildError::MissingState { tool, state, .. }] = errors.iter().collect::<Vec<_>>()[..] else {
        panic!("{errors}");
    };
    assert_eq!((tool.as_str(), state.as_str()), ("shop_name", "tools::methods::Shop"));
}

#[test]
fn links_methods_like_functions() {
    let methods = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    let registry = methods.state(Shop { name: "Corner", sold: AtomicU32::new(0) }).state(Shelf(1_u8)).build();
    assert_eq!(registry.unwrap().tools().len(), 9);
}

#[test]
fn keeps_methods_callable() {
    let shop = Shop { name: "Corner", sold: AtomicU32::new(0) };
    assert_eq!(shop.shop_name(), "Corner");
    let sold = block_on(shop.sell(Context::for_tests("sell"), Item { name: "apples".to_owned() }, 4));
    assert_eq!(sold, Ok("sell: Corner sold 4 apples".to_owned()));
    assert_eq!((shop.count(), Shop::price(1), Shelf(3).on_shelf(9)), (4, 3, 3));
    assert_eq!(shop.open("Park".to_owned()), Some(Branch { name: "Park".to_owned() }));
}
