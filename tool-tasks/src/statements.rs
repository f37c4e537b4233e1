//! Statements over sqlx, for each of the databases.

/// Defines how statements run and rows are read with one driver of sqlx.
macro_rules! statements {
    ($database:ty, $row:ty, $int:literal) => {
        fn query(
            sql: impl sqlx::SqlSafeStr,
            values: Vec<Cell>,
        ) -> sqlx::query::Query<'static, $database, <$database as sqlx::Database>::Arguments> {
            values.into_iter().fold(sqlx::query(sql), |query, value| match value {
                Cell::Text(text) => query.bind(text),
                Cell::Int(number) => query.bind(number),
            })
        }

        /// Creates the tables of the tasks, unless they are there.
        async fn create_tables(transaction: &mut sqlx::Transaction<'_, $database>) -> Stored<()> {
            use crate::schema::{
                CREATE, CREATE_VERSION, FIND_VERSION, STORE_VERSION, VERSION, other_version,
            };
            query(CREATE_VERSION, Vec::new()).execute(&mut **transaction).await?;
            let version: Option<i64> =
                sqlx::query_scalar(FIND_VERSION).fetch_optional(&mut **transaction).await?;
            match version {
                Some(VERSION) => {}
                Some(version) => return Err(DatabaseError::Unusable(other_version(version))),
                None => {
                    for statement in CREATE {
                        query(statement, Vec::new()).execute(&mut **transaction).await?;
                    }
                    query(STORE_VERSION, vec![Cell::from(VERSION)]).execute(&mut **transaction).await?;
                }
            }
            Ok(())
        }

        fn read(row: &$row) -> Stored<Row> {
            use sqlx::{Row as _, TypeInfo as _, ValueRef as _};
            let cell = |index| -> Stored<Cell> {
                let value = row.try_get_raw(index)?;
                let is_int = value.type_info().name() == $int;
                Ok(match is_int {
                    _ if value.is_null() => Cell::Text(None),
                    true => Cell::Int(row.try_get(index)?),
                    false => Cell::Text(row.try_get(index)?),
                })
            };
            Ok(Row::new((0..row.len()).map(cell).collect::<Stored<_>>()?))
        }
    };
}

pub(crate) use statements;
