//! How much a store of results takes, and for how long.

use std::time::Duration;

/// How much a [`ResultStore`](crate::results::ResultStore) takes, for how long, and from what size on.
///
/// ```
/// use std::time::Duration;
/// use tool_core::results::ResultLimits;
///
/// let limits = ResultLimits::new().threshold(20_000).total(1 << 30).age(Duration::from_secs(3600));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "limits do nothing until a store has them"]
pub struct ResultLimits {
    pub(crate) above: usize,
    pub(crate) media_above: usize,
    pub(crate) preview: usize,
    pub(crate) total: u64,
    pub(crate) age: Duration,
    pub(crate) patience: Duration,
}

/// The most bytes of a page, whatever a text may have that is shown in full: clients refuse messages of more than 1 MiB, and an
/// escape takes up to six bytes for one.
const MOST_PAGE: usize = 128 * 1024;

impl ResultLimits {
    /// The defaults: texts above 50,000 bytes and media above 1 MiB are kept and shown as a preview of 2,000 bytes; 256 MiB
    /// in all, for a day, and no call waits longer than 5 seconds for the storage.
    ///
    /// ```
    /// assert_eq!(tool_core::results::ResultLimits::new(), tool_core::results::ResultLimits::default());
    /// ```
    pub fn new() -> Self {
        ResultLimits {
            above: 50_000,
            media_above: 1 << 20,
            preview: 2_000,
            total: 256 << 20,
            age: Duration::from_secs(24 * 60 * 60),
            patience: Duration::from_secs(5),
        }
    }

    /// Above how many bytes a text is kept and shortened: a text, JSON, the message of an error, a text within a resource.
    ///
    /// ```
    /// let limits = tool_core::results::ResultLimits::new().threshold(10_000);
    /// ```
    pub fn threshold(mut self, bytes: usize) -> Self {
        self.above = bytes;
        self
    }

    /// Above how many bytes a picture, a sound or the blob of a resource is kept and shortened. There is no preview of one,
    /// and a model does not read its bytes: less than for a text is seldom wanted.
    ///
    /// ```
    /// let limits = tool_core::results::ResultLimits::new().media_above(4 << 20);
    /// ```
    pub fn media_above(mut self, bytes: usize) -> Self {
        self.media_above = bytes;
        self
    }

    /// The most bytes of a text that are shown of it when it is kept. At most half of [`threshold`](Self::threshold) are.
    ///
    /// ```
    /// let limits = tool_core::results::ResultLimits::new().preview(500);
    /// ```
    pub fn preview(mut self, bytes: usize) -> Self {
        self.preview = bytes;
        self
    }

    /// The most bytes that are kept in all. Of whoever keeps the most, the oldest go first, so that nobody takes
    /// the room of others who keep less; what is larger than that is not kept.
    ///
    /// ```
    /// let limits = tool_core::results::ResultLimits::new().total(64 << 20);
    /// ```
    pub fn total(mut self, bytes: u64) -> Self {
        self.total = bytes;
        self
    }

    /// How long a result is kept, counted from the last time that a call came to it. A clock that is set makes no
    /// difference.
    ///
    /// ```
    /// let limits = tool_core::results::ResultLimits::new().age(std::time::Duration::from_secs(3600));
    /// ```
    pub fn age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// How long a call waits for the storage. Its result is then shortened, and the rest is not kept.
    ///
    /// ```
    /// let limits = tool_core::results::ResultLimits::new().patience(std::time::Duration::from_millis(500));
    /// ```
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The most bytes of a text in the place of one that is kept.
    pub(crate) fn shown(&self) -> usize {
        self.preview.min(self.above / 2)
    }

    /// The most bytes of one page of a text that is kept: such a page is never kept itself.
    pub(crate) fn page(&self) -> usize {
        (self.above / 2).clamp(64, MOST_PAGE)
    }
}

impl Default for ResultLimits {
    fn default() -> Self {
        ResultLimits::new()
    }
}
