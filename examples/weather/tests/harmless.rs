//! Tools that modify nothing do so whatever they are given.

use jiff::civil::Date;
use tool_core::testing;
use weather::{Deleted, Observation, ReadReports, Receipt, ReportStore, ReportsError, WriteReports};

/// Reports that nobody may touch.
struct Sealed;

impl ReadReports for Sealed {
    fn all(&self) -> Result<Vec<Observation>, ReportsError> {
        Ok(Vec::new())
    }
}

impl WriteReports for Sealed {
    fn append(&self, report: &Observation) -> Result<Receipt, ReportsError> {
        panic!("a tool that modifies nothing has stored {report:?}");
    }

    fn delete_before(&self, date: Date) -> Result<Deleted, ReportsError> {
        panic!("a tool that modifies nothing has deleted what was before {date}");
    }
}

#[tokio::test]
async fn tools_that_modify_nothing_leave_the_reports_alone() {
    let registry = weather::builder("unused").state(ReportStore::new(Sealed)).build().unwrap();
    let trials = testing::run_non_modifying(&registry).await;
    assert_eq!(trials.iter().len(), 5);
    trials.assert_harmless();
}
