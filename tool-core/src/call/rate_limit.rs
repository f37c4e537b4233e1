//! Rate limits: how often a caller may call.

mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

use crate::call::layer::{CallRequest, Layer, Next};
use crate::call::rate_limit::table::KeyTable;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;

/// A [`Layer`] that limits how often each caller may call the tools and prompts of a registry.
///
/// A call over the limit is not run, and fails as [`RateLimited`](FailureKind::RateLimited) with the time to wait: over HTTP with the status
/// 429 and `Retry-After`, over MCP as a result with `isError` and `tool-core/retryAfterSeconds`, and on the command line with exit code 14.
/// It is recorded by the [audit sink](crate::RegistryBuilder::audit).
///
/// ```
/// use std::time::Duration;
/// use tool_core::layer::RateLimit;
/// use tool_core::{FailureKind, Principal, Registry, tool, tools};
///
/// /// Sends a letter.
/// #[tool(operation = Trigger, destructive = false, tags = ["mail"])]
/// fn send_letter() {}
///
/// /// Lists the letters.
/// #[tool(operation = Read)]
/// fn list_letters() {}
///
/// # tool_core::private::block_on(async {
/// let letters = RateLimit::new(2, Duration::from_secs(60))
///     .select(|request| request.definition().tags().any(|tag| tag == "mail"));
/// let registry = Registry::builder().tools(tools![send_letter, list_letters]).layer(letters).build().unwrap();
/// let [ada, bob] = ["ada", "bob"].map(|id| registry.as_principal(Principal::new(id)));
/// # let none = || serde_json::json!({});
/// ada.call("send_letter", none()).await.unwrap();
/// ada.call("send_letter", none()).await.unwrap();
/// let failure = ada.call("send_letter", none()).await.unwrap_err();
/// assert_eq!(failure.kind(), FailureKind::RateLimited);
/// assert_eq!(failure.retry_after(), Some(Duration::from_secs(30)));
/// ada.call("list_letters", none()).await.unwrap();
/// bob.call("send_letter", none()).await.unwrap();
/// # });
/// ```
///
/// - Each principal has a limit of its own over all tools of the registry; anonymous callers share one. [`by`](RateLimit::by) counts by
///   something else, and several layers limit several things.
/// - Every call counts that reaches the layer: also one that is then denied or invalid, that another tool makes for the caller, or that
///   starts again with the answers to its questions. A refused call does not count.
/// - The memory is bounded, see [`keys`](RateLimit::keys).
/// - The counts are those of this process, and are not shared with others: a program that runs one command counts nothing.
/// - Registries can share a limit in an `Arc`. Time is that of `tokio::time`, so that tests can pause it.
pub struct RateLimit {
    calls: u32,
    per: Duration,
    burst: u32,
    keys: usize,
    select: Option<Box<Predicate>>,
    key: Box<KeyHash>,
    hasher: RandomState,
    limiter: Limiter,
    /// When idle keys may be removed again, in nanoseconds.
    next_cleanup: AtomicU64,
}

type Limiter = RateLimiter<u64, KeyTable, Uptime, NoOpMiddleware<Nanos>>;
type Predicate = dyn Fn(&CallRequest<'_>) -> bool + Send + Sync;
type KeyHash = dyn Fn(&CallRequest<'_>, &RandomState) -> u64 + Send + Sync;

/// The longest time in which an unused call comes back, and a burst is replenished: the arithmetic of nanoseconds must not overflow.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The time between two removals of idle keys, each of which takes as long as there are keys.
const CLEANUP: Duration = Duration::from_secs(1);

impl RateLimit {
    /// Allows this many calls in this time. All of them may be made at once; then one becomes available after the other, each after
    /// `per / calls`.
    ///
    /// # Panics
    ///
    /// If `calls` is 0.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::layer::RateLimit;
    ///
    /// let one_in_a_second = RateLimit::new(60, Duration::from_secs(60));
    /// ```
    pub fn new(calls: u32, per: Duration) -> Self {
        assert!(calls > 0, "a rate limit must allow at least one call");
        let keys = 100_000;
        RateLimit {
            calls,
            per,
            burst: calls,
            keys,
            select: None,
            key: Box::new(|request, hasher| hasher.hash_one(request.principal().id())),
            hasher: RandomState::new(),
            limiter: limiter(calls, per, calls, keys),
            next_cleanup: AtomicU64::new(0),
        }
    }

    /// Sets how many calls may be made at once after a pause, instead of all of the allowed ones; at least 1.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::layer::RateLimit;
    ///
    /// let steady = RateLimit::new(3_600, Duration::from_secs(3_600)).burst(10);
    /// ```
    #[must_use]
    pub fn burst(mut self, calls: u32) -> Self {
        self.burst = calls.max(1);
        self.limiter = limiter(self.calls, self.per, self.burst, self.keys);
        self
    }

    /// Sets how many keys are counted at the same time, at least 1; the default is 100,000, which take at most 5 MB.
    ///
    /// A key that has its whole limit again is forgotten. If as many others are in use, the calls of all further keys count together, as
    /// those of one. So nobody gets a new limit by calling under many names, and many names do not take more memory; but callers who come
    /// later have to share.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::layer::RateLimit;
    ///
    /// let of_few = RateLimit::new(10, Duration::from_secs(1)).keys(1_000);
    /// ```
    #[must_use]
    pub fn keys(mut self, most: usize) -> Self {
        self.keys = most.max(1);
        self.limiter = limiter(self.calls, self.per, self.burst, self.keys);
        self
    }

    /// Limits only calls for which `predicate` returns `true`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::layer::RateLimit;
    ///
    /// let for_guests = RateLimit::new(10, Duration::from_secs(60)).select(|request| !request.principal().has("staff"));
    /// ```
    #[must_use]
    pub fn select(mut self, predicate: impl Fn(&CallRequest<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.select = Some(Box::new(predicate));
        self
    }

    /// Counts calls with the same key together, instead of those of the same principal. Only a hash of the key is kept.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::layer::RateLimit;
    ///
    /// /// What the application knows of a caller.
    /// struct Tenant(u32);
    ///
    /// let minute = Duration::from_secs(60);
    /// let by_tool = RateLimit::new(1_000, minute).by(|request| request.definition().name().to_owned());
    /// let by_tag = RateLimit::new(1_000, minute).by(|request| request.definition().tags().next().map(str::to_owned));
    /// let by_tenant = RateLimit::new(600, minute).by(|request| request.extension::<Tenant>().map(|tenant| tenant.0));
    /// let by_principal_and_tool = RateLimit::new(10, minute).by(|request| {
    ///     (request.principal().id().map(str::to_owned), request.definition().name().to_owned())
    /// });
    /// ```
    #[must_use]
    pub fn by<K: Hash>(mut self, key: impl Fn(&CallRequest<'_>) -> K + Send + Sync + 'static) -> Self {
        self.key = Box::new(move |request, hasher| hasher.hash_one(key(request)));
        self
    }

    /// Counts a call, or returns why it is refused.
    fn check(&self, request: &CallRequest<'_>) -> Result<(), Failure> {
        if self.select.as_ref().is_some_and(|is_limited| !is_limited(request)) {
            return Ok(());
        }
        let key = (self.key)(request, &self.hasher);
        self.check_key(key).map_err(|wait| {
            let (name, RateLimit { calls, per, .. }) = (request.definition().name(), self);
            let plural = if *calls == 1 { " is" } else { "s are" };
            let message = format!("`{name}` was not run: at most {calls} call{plural} allowed per {per:?}");
            Failure::new(FailureKind::RateLimited, message).with_retry_after(wait)
        })
    }

    /// Counts a call with this key, or returns how long to wait.
    fn check_key(&self, key: u64) -> Result<(), Duration> {
        if self.limiter.len() >= self.keys {
            self.clean_up();
        }
        // The time may have come since.
        self.limiter
            .check_key(&key)
            .map_err(|until| until.wait_time_from(self.limiter.clock().now()).max(Duration::from_nanos(1)))
    }

    /// Removes the keys that have their whole limit again, unless that was done just now.
    fn clean_up(&self) {
        let now = self.limiter.clock().now().as_u64();
        let next = now + u64::try_from(CLEANUP.as_nanos()).unwrap_or(u64::MAX);
        let is_due = |due| (now >= due).then_some(next);
        if self.next_cleanup.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_due).is_ok() {
            self.limiter.retain_recent();
        }
    }
}

impl Layer for RateLimit {
    async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        self.check(request)?;
        next.run().await
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("calls", &self.calls)
            .field("per", &self.per)
            .field("burst", &self.burst)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

fn limiter(calls: u32, per: Duration, burst: u32, keys: usize) -> Limiter {
    let interval = (per / calls).clamp(Duration::from_nanos(1), LONGEST);
    let most = LONGEST.as_nanos() / interval.as_nanos();
    let burst = u32::try_from(most).map_or(burst, |most| burst.min(most.max(1)));
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    // The interval is not zero.
    let quota = Quota::with_period(interval).unwrap_or(Quota::per_second(NonZeroU32::MIN));
    RateLimiter::new(quota.allow_burst(burst), KeyTable::new(keys), Uptime(Instant::now()))
}

/// The time since a rate limit was created.
#[derive(Clone, Copy, Debug)]
struct Uptime(Instant);

impl Clock for Uptime {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX).into()
    }
}
