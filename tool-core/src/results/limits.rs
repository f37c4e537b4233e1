//! Limits of a result store.

use std::time::Duration;

use crate::model::setters::setters;

/// The limits of a [`ResultStore`](crate::results::ResultStore): sizes and times.
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
    /// Depends on the storage if it is not set.
    pub(crate) largest: Option<u64>,
    pub(crate) age: Duration,
    pub(crate) patience: Duration,
}

/// The largest page in bytes: clients refuse messages of more than 1 MiB, and an escape has up to six bytes.
const MOST_PAGE: usize = 128 * 1024;

/// The largest result on a shared storage by default.
const LARGEST_SHARED: u64 = 8 << 20;

impl ResultLimits {
    /// Returns the defaults: texts above 50,000 bytes and media above 1 MiB are stored and shown as a preview of 2,000 bytes;
    /// 256 MiB in total, for one day, and no call waits more than 5 seconds for the storage.
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
            largest: None,
            age: Duration::from_secs(24 * 60 * 60),
            patience: Duration::from_secs(5),
        }
    }

    setters! {
        /// Sets the size in bytes above which a text is stored and shortened: a text, JSON, an error message, or a text in a
        /// resource.
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().threshold(10_000);
        /// ```
        pub fn threshold(bytes: usize) => above = bytes;

        /// Sets the size in bytes above which an image, audio or the blob of a resource is stored. It has no preview, and a model
        /// does not read its bytes, so that the limit should not be lower than for a text.
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().media_above(4 << 20);
        /// ```
        pub fn media_above(bytes: usize) => media_above = bytes;

        /// Sets the size of a preview in bytes, at most half of [`threshold`](Self::threshold).
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().preview(500);
        /// ```
        pub fn preview(bytes: usize) => preview = bytes;

        /// Sets the size of the store in bytes. If it is full, the oldest results of the caller with the most bytes are deleted. It
        /// has no effect on a [shared storage](crate::results::ResultStore::shared), which limits its size itself.
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().total(64 << 20);
        /// ```
        pub fn total(bytes: u64) => total = bytes;

        /// Sets the size of the largest result in bytes, with its media type as it is stored. A larger one is neither stored nor
        /// read. The default is 8 MiB on a [shared storage](crate::results::ResultStore::shared), and otherwise the size of the store.
        ///
        /// A result is read and written whole, and at most 8 results are read and 8 are written at a time: with the default, those of a
        /// shared storage take up to 128 MiB of memory. Each of them has to be transferred within the
        /// [time that a call waits](Self::patience): 8 MiB in 5 seconds are 14 Mbit/s.
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().largest(2 << 20);
        /// ```
        pub fn largest(bytes: u64) => largest = Some(bytes);

        /// Sets how long a result is stored, from the last call that returned it. Changes of the system clock have no effect, unless
        /// the storage deletes old results itself: its dates are compared with the clock of the system.
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().age(std::time::Duration::from_secs(3600));
        /// ```
        pub fn age(age: Duration) => age = age;

        /// Sets how long a call waits for the storage. After that its result is shortened, and the rest is not stored.
        ///
        /// ```
        /// let limits = tool_core::results::ResultLimits::new().patience(std::time::Duration::from_millis(500));
        /// ```
        pub fn patience(patience: Duration) => patience = patience;
    }

    /// Returns the most bytes of one result as it is stored.
    pub(crate) fn largest_result(&self, is_managed: bool) -> u64 {
        match (is_managed, self.largest) {
            (true, largest) => largest.unwrap_or(self.total).min(self.total),
            (false, largest) => largest.unwrap_or(LARGEST_SHARED),
        }
    }

    /// Returns the most bytes of a preview.
    pub(crate) fn shown(&self) -> usize {
        self.preview.min(self.above / 2)
    }

    /// Returns the most bytes of one page of a stored text. A page is never stored itself.
    pub(crate) fn page(&self) -> usize {
        (self.above / 2).clamp(64, MOST_PAGE)
    }
}

impl Default for ResultLimits {
    fn default() -> Self {
        ResultLimits::new()
    }
}
