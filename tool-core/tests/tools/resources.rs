//! Resources: readers for every tool, and writers only for tools that modify.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use tool_core::inject::{Handle, Inject, Injection, Need, Needs};
use tool_core::{Failure, Reader, Resource, State, WritePass, Writer, tool};

use crate::builder_of;

/// A counter.
#[derive(Default)]
struct Counter(AtomicU64);

/// The reader of a counter.
trait Count: Sync {
    fn count(&self) -> u64;
}

impl Count for AtomicU64 {
    fn count(&self) -> u64 {
        self.load(Ordering::SeqCst)
    }
}

impl Resource for Counter {
    type Reader = dyn Count;
    type Writer = AtomicU64;

    fn reader(&self) -> &Self::Reader {
        &self.0
    }

    fn writer(&self, _: WritePass<'_>) -> &AtomicU64 {
        &self.0
    }
}

/// An injected type for tools that write.
struct Pen(Writer<Counter>);

impl<Op> Inject<Op> for Pen
where
    Writer<Counter>: Inject<Op>,
{
    fn needs(needs: &mut Needs) {
        <Writer<Counter> as Inject<Op>>::needs(needs);
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        Writer::inject(source).map(Pen)
    }
}

/// Explains.
#[tool(operation = Explain)]
fn explain_count(#[inject] counter: Reader<Counter>) -> u64 {
    counter.count()
}

/// Reads across an await.
#[tool(operation = Read)]
async fn read_count(#[inject] counter: Reader<Counter>) -> u64 {
    let reader = &*counter;
    tokio::task::yield_now().await;
    reader.count()
}

/// Derives.
#[tool(operation = Transform)]
fn double_count(#[inject] counter: Reader<Counter>, #[inject] _raw: State<Counter>) -> u64 {
    2 * counter.count()
}

/// Sends.
#[tool(operation = Trigger, destructive = false)]
fn trigger_count(#[inject] counter: Writer<Counter>) -> u64 {
    counter.fetch_add(10, Ordering::SeqCst) + 10
}

/// Writes, and reads what it wrote.
#[tool(operation = Write, destructive = false)]
async fn write_count(#[inject] pen: Pen, #[inject] reader: Reader<Counter>) -> u64 {
    pen.0.fetch_add(1, Ordering::SeqCst);
    tokio::task::yield_now().await;
    reader.count()
}

fn registry(counter: &Arc<Counter>) -> tool_core::Registry {
    builder_of(module_path!()).shared_state(Arc::clone(counter)).build().unwrap()
}

#[tokio::test]
async fn reads_and_writes_the_state() {
    let counter = Arc::new(Counter::default());
    let registry = registry(&counter);
    for (tool, expected) in [
        ("write_count", 1),
        ("trigger_count", 11),
        ("read_count", 11),
        ("double_count", 22),
        ("explain_count", 11),
    ] {
        assert_eq!(registry.call(tool, json!({})).await.unwrap().value(), expected, "{tool}");
    }
    assert_eq!(counter.0.load(Ordering::SeqCst), 11);
}

#[test]
fn reports_missing_resources_as_missing_state() {
    let errors = builder_of(module_path!()).build().unwrap_err();
    let missing = "needs state of type `tools::resources::Counter`, which the registry does not have";
    assert_eq!(errors.to_string().matches(missing).count(), 5, "{errors}");
}

#[test]
fn lists_the_handle_of_each_need() {
    let registry = registry(&Arc::default());
    let handles = |tool| -> Vec<Handle> { registry.get(tool).unwrap().needs().map(Need::handle).collect() };
    assert_eq!(handles("explain_count"), [Handle::Reader]);
    assert_eq!(handles("double_count"), [Handle::Reader, Handle::State]);
    assert_eq!(handles("trigger_count"), [Handle::Writer]);
    assert_eq!(handles("write_count"), [Handle::Writer, Handle::Reader]);
    let mut needs = registry.get("double_count").unwrap().needs();
    let (first, second) = (needs.next().unwrap(), needs.next().unwrap());
    assert!(first.is_same_type(second) && first != second);
    assert_eq!(first.type_name(), "tools::resources::Counter");
}

#[tokio::test]
async fn keeps_tools_with_handles_callable() {
    let writer = Writer::for_tests(Counter::default());
    let counter = writer.resource();
    assert_eq!(trigger_count(writer), 10);
    assert_eq!(read_count(Reader::new(counter)).await, 10);
}

/// A pool of connections, which reads and writes alike.
struct Pool(AtomicU64);

impl Resource for Pool {
    type Reader = AtomicU64;
    type Writer = AtomicU64;

    fn reader(&self) -> &AtomicU64 {
        &self.0
    }

    fn writer(&self, _: WritePass<'_>) -> &AtomicU64 {
        &self.0
    }
}

mod pooled {
    use super::*;

    /// Reads, and could do anything.
    #[tool(operation = Read)]
    fn read_pool(#[inject] pool: Reader<Pool>) -> u64 {
        pool.load(Ordering::SeqCst)
    }

    /// Writes, and reads through a reader that could write.
    #[tool(operation = Write, destructive = true)]
    fn drain_pool(#[inject] pool: Reader<Pool>, #[inject] writer: Writer<Pool>) -> u64 {
        writer.swap(0, Ordering::SeqCst) + pool.load(Ordering::SeqCst)
    }
}

#[test]
fn rejects_readers_that_can_write() {
    let pooled = builder_of(concat!(module_path!(), "::pooled")).state(Pool(AtomicU64::new(1)));
    let errors = pooled.build().unwrap().check().unwrap_err();
    assert_eq!(errors.iter().count(), 1, "{errors}");
    let text = errors.to_string();
    let expected = "`read_pool` modifies nothing, and its `Reader<tools::resources::Pool>` can write";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("help: make the `Reader` a type or a trait object that cannot write"), "{text}");
    registry(&Arc::default()).check().unwrap();
}
