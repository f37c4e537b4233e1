//! The tools and the store, with a file of SQLite and with a database of PostgreSQL, and the program on every interface.

mod changes;
mod client;
mod creation;
mod harmless;
mod lint;
mod locks;
mod pages;
mod processes;
mod serving;
#[cfg(unix)]
#[path = "../../../../tests/sigterm.rs"]
mod shared;
#[cfg(unix)]
mod sigterm;
mod store;
mod surfaces;
mod tasks;
mod tools;

/// Runs each test with a file of SQLite, and all of them with databases of one PostgreSQL.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
            async fn $test() {
                super::$test(&crate::store::Store::sqlite()).await;
            }
        )*

        #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
        async fn holds_with_postgres() {
            let store = crate::store::Store::postgres();
            $(
                eprintln!("{}", stringify!($test));
                super::$test(&store).await;
            )*
        }
    };
}

pub(crate) use on_both;
