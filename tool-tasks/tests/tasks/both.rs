//! Tests with both databases.

use crate::process::Place;
use fixture_postgres::PostgresServer;

/// Runs a test with a file of `SQLite` and with a database of `PostgreSQL` at once: both mostly wait.
pub(crate) async fn on_both<R>(test: impl Fn(Place) -> R)
where
    R: Future<Output = ()> + Send + 'static,
{
    let server = PostgresServer::start();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let places = [
        Place::sqlite(folders[0].path()),
        Place { database: server.url(), folder: folders[1].path().to_owned() },
    ];
    let running = places.map(|place| (place.database.clone(), tokio::spawn(test(place))));
    for (database, test) in running {
        test.await.unwrap_or_else(|error| panic!("with {database}: {error}"));
    }
}
