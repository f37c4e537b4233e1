//! The format of the database, and the content of a new site.

use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _};

use super::SiteError;
use super::dialect::Dialect;

/// The content of a new site.
const SEED: &str = include_str!("../../seed/museum.sql");

/// Returns the version of the site's format; 0 if there is no site.
pub(super) async fn version(connection: &mut AnyConnection, dialect: &Dialect) -> Result<usize, SiteError> {
    let found: Result<i64, sqlx::Error> =
        sqlx::query_scalar(dialect.find_version).fetch_one(connection).await;
    let version = match found {
        // The table of the version does not exist.
        Err(sqlx::Error::Database(error)) if error.code().is_some_and(|code| code == "42P01") => 0,
        found => found?,
    };
    let newest = dialect.migrations.len();
    // A negative version is foreign, and counts as newer than all.
    let found = usize::try_from(version).unwrap_or(usize::MAX);
    if found > newest { Err(SiteError::Newer { found, newest }) } else { Ok(found) }
}

/// Runs missing migrations in one transaction, and fills a new site. Other processes that migrate wait.
pub(super) async fn migrate(connection: &mut AnyConnection, dialect: &Dialect) -> Result<(), SiteError> {
    let mut transaction = connection.begin_with(dialect.begin_write).await?;
    transaction.execute(sqlx::raw_sql(dialect.begin_migration)).await?;
    // Another process may have migrated it.
    let from = version(&mut transaction, dialect).await?;
    for migration in &dialect.migrations[from..] {
        transaction.execute(sqlx::raw_sql(*migration)).await?;
    }
    let newest = dialect.migrations.len();
    if from < newest {
        let store = AssertSqlSafe((dialect.store_version)(newest));
        transaction.execute(sqlx::raw_sql(store)).await?;
    }
    if from == 0 {
        transaction.execute(sqlx::raw_sql(SEED)).await?;
        transaction.execute(sqlx::raw_sql(dialect.after_seed)).await?;
    }
    Ok(transaction.commit().await?)
}
