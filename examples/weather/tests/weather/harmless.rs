//! Reading tools modify nothing with any input.

use jiff::civil::Date;
use tool_core::testing;
use weather::{Deleted, Observation, ReadReports, Receipt, ReportStore, ReportsError, WriteReports};

/// Reports that panic on changes.
struct PanickingReports;

impl ReadReports for PanickingReports {
    fn all(&self) -> Result<Vec<Observation>, ReportsError> {
        Ok(Vec::new())
    }
}

impl WriteReports for PanickingReports {
    fn append(&self, report: &Observation) -> Result<Receipt, ReportsError> {
        panic!("a reading tool stored {report:?}");
    }

    fn delete_before(&self, date: Date) -> Result<Deleted, ReportsError> {
        panic!("a reading tool deleted reports before {date}");
    }
}

#[tokio::test]
async fn leaves_the_reports_unchanged_when_reading() {
    let registry = weather::builder("unused").state(ReportStore::new(PanickingReports)).build().unwrap();
    let trials = testing::run_non_modifying(&registry).await;
    assert_eq!(trials.iter().len(), 5);
    trials.assert_harmless();
}
