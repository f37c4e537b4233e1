//! What the tools share, each with a handle to read it and a handle to change it, and what identifies a part of it.

use tool_core::{Locator, Resource, WritePass};

use crate::archive::Archive;
use crate::observation::City;
use crate::reports::{ReadReports, WriteReports};

/// Nobody changes the archive.
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

/// A city is one thing, spelled alike everywhere.
impl Locator for City {}

/// The reports, wherever they are kept: in a file, or nowhere in a test.
pub struct ReportStore(Box<dyn WriteReports>);

impl ReportStore {
    /// Reports that are kept there.
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
