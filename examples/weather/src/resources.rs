//! The state shared by the tools, with handles to read and change it, and its locators.

use tool_core::{Locator, Resource, WritePass};

use crate::archive::Archive;
use crate::observation::City;
use crate::reports::{ReadReports, WriteReports};

/// The archive is read-only.
impl Resource for Archive {
    type Reader = Self;
    type Writer = ();

    fn reader(&self) -> &Self {
        self
    }

    fn writer(&self, _: WritePass<'_>) -> &() {
        &()
    }
}

/// A city has the same spelling everywhere.
impl Locator for City {}

/// The store of reports: a file, or memory in tests.
pub struct ReportStore(Box<dyn WriteReports>);

impl ReportStore {
    /// Wraps a store.
    pub fn new(reports: impl WriteReports + 'static) -> Self {
        Self(Box::new(reports))
    }
}

impl Resource for ReportStore {
    type Reader = dyn ReadReports;
    type Writer = dyn WriteReports;

    fn reader(&self) -> &Self::Reader {
        &*self.0
    }

    fn writer(&self, _: WritePass<'_>) -> &Self::Writer {
        &*self.0
    }
}
