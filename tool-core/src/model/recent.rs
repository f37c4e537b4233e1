//! The values that were used last.

/// The largest sum of the weights of the values, and the largest number of values.
const MOST_WEIGHT: usize = 4096;
const MOST_VALUES: usize = 256;

/// The values that were used last, within a bound.
///
/// An adapter keeps what it has rendered of a registry, weighed by the number of its tools. The sum of the weights is at most
/// 4,096, and there are at most 256 values; one value is always kept. So a provider may have a registry for each tenant, or
/// another one on each request.
///
/// ```
/// use tool_core::adapter::Recent;
///
/// let mut recent = Recent::default();
/// assert!(recent.push("ada", 4000).is_empty());
/// assert!(recent.push("grace", 50).is_empty());
/// assert_eq!(recent.find(|name| *name == "ada"), Some(&"ada"));
/// assert_eq!(recent.push("edsger", 60), ["grace"]);
/// ```
#[derive(Debug)]
pub struct Recent<T> {
    /// The last used value is the last one.
    values: Vec<(T, usize)>,
    weight: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { values: Vec::new(), weight: 0 }
    }
}

impl<T> Recent<T> {
    /// Returns the value for which `predicate` returns `true`, and marks it as the last used one.
    ///
    /// ```
    /// # use tool_core::adapter::Recent;
    /// assert_eq!(Recent::<u8>::default().find(|number| *number == 1), None);
    /// ```
    pub fn find(&mut self, mut predicate: impl FnMut(&T) -> bool) -> Option<&T> {
        let position = self.values.iter().rposition(|(value, _)| predicate(value))?;
        self.values[position..].rotate_left(1);
        self.last()
    }

    /// Returns the last used value.
    ///
    /// ```
    /// # use tool_core::adapter::Recent;
    /// assert_eq!(Recent::<u8>::default().last(), None);
    /// ```
    pub fn last(&self) -> Option<&T> {
        self.values.last().map(|(value, _)| value)
    }

    /// Adds a value as the last used one, and returns those that are dropped for it.
    ///
    /// ```
    /// # use tool_core::adapter::Recent;
    /// let mut recent = Recent::default();
    /// assert!(recent.push(1, 5000).is_empty(), "one value is always kept");
    /// assert_eq!(recent.push(2, 1), [1]);
    /// ```
    #[must_use]
    pub fn push(&mut self, value: T, weight: usize) -> Vec<T> {
        self.values.push((value, weight));
        self.weight = self.weight.saturating_add(weight);
        let mut dropped = 0;
        while dropped + 1 < self.values.len()
            && (self.weight > MOST_WEIGHT || self.values.len() - dropped > MOST_VALUES)
        {
            self.weight -= self.values[dropped].1;
            dropped += 1;
        }
        self.values.drain(..dropped).map(|(value, _)| value).collect()
    }

    /// Returns the values, the last used one last.
    ///
    /// ```
    /// # use tool_core::adapter::Recent;
    /// let mut recent = Recent::default();
    /// let _ = (recent.push(1, 1), recent.push(2, 1));
    /// assert_eq!(recent.iter().collect::<Vec<_>>(), [&1, &2]);
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.values.iter().map(|(value, _)| value)
    }
}
