//! The caller of a request, set by an outer layer or found by the authenticator.

use http::request::Parts;

use crate::model::access::Principal;
use crate::model::authentication::{AuthenticationError, Authenticator};
use crate::model::catch_panic::{Panicked, catch_panic, catch_panic_future};

/// Returns the caller of a request, for adapters that serve HTTP; `None` if neither an outer layer nor an authenticator
/// sets one.
///
/// An outer layer can insert a [`Principal`] into the extensions of the request. It takes precedence unless it is
/// [anonymous](Principal::anonymous): then the authenticator decides. Without an authenticator, an anonymous principal
/// is returned with its permissions.
///
/// # Errors
///
/// If the authenticator rejects the request, is unavailable, or panics, which counts as
/// [`Unavailable`](AuthenticationError::Unavailable). The cause is logged.
///
/// ```
/// use tool_core::Principal;
/// use tool_core::authentication::{Bearer, identify};
///
/// # tool_core::private::block_on(async {
/// let bearer = Bearer::new().token("0b7c5f1e9d2a4c68", Principal::new("ada")).unwrap();
/// let (mut head, ()) = http::Request::get("/tools").body(()).unwrap().into_parts();
/// assert!(identify(None, &head).await.unwrap().is_none());
///
/// head.extensions.insert(Principal::anonymous());
/// assert!(identify(Some(&bearer), &head).await.is_err());
///
/// head.extensions.insert(Principal::new("eve"));
/// assert_eq!(identify(Some(&bearer), &head).await.unwrap().unwrap().id(), Some("eve"));
/// # });
/// ```
pub async fn identify(
    authenticator: Option<&dyn Authenticator>,
    head: &Parts,
) -> Result<Option<Principal>, AuthenticationError> {
    let outer = head.extensions.get::<Principal>();
    let is_anonymous = outer.is_none_or(|principal| principal.id().is_none());
    let Some(authenticator) = authenticator.filter(|_| is_anonymous) else { return Ok(outer.cloned()) };
    let answer = identify_with(authenticator, head).await;
    if let Err(error @ AuthenticationError::Unavailable(cause)) = &answer {
        tracing::error!(cause = cause.to_string(), "{error}");
    }
    answer.map(Some)
}

/// Calls the authenticator. A panic rejects the request, and does not affect others.
async fn identify_with(
    authenticator: &dyn Authenticator,
    head: &Parts,
) -> Result<Principal, AuthenticationError> {
    let panicked = |Panicked| AuthenticationError::unavailable("the authenticator panicked");
    let answer = catch_panic(|| authenticator.authenticate(head)).map_err(panicked)?;
    catch_panic_future(answer).await.map_err(panicked)?
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::request::Parts;

    use super::identify;
    use crate::call::block_on;
    use crate::model::access::Principal;
    use crate::model::authentication::{AuthenticationError, Authenticator};
    use crate::model::future::BoxFuture;

    fn head(outer: Option<Principal>) -> Parts {
        let (mut head, ()) = http::Request::get("/").body(()).unwrap().into_parts();
        if let Some(outer) = outer {
            head.extensions.insert(outer);
        }
        head
    }

    #[test]
    fn outer_principal_wins_unless_anonymous() {
        let ada = |_: &Parts| Ok(Principal::new("ada"));
        let refuses = |_: &Parts| Err(AuthenticationError::refused(HeaderValue::from_static("Bearer")));
        let (eve, anonymous) = (Principal::new("eve"), Principal::anonymous().grant("read"));
        let unauthorized = || Err("Unauthorized".to_owned());
        for (outer, authenticator, expected) in [
            (None, None, Ok(None)),
            (Some(&anonymous), None, Ok(Some(anonymous.clone()))),
            (Some(&eve), None, Ok(Some(eve.clone()))),
            (None, Some(&ada as &dyn Authenticator), Ok(Some(Principal::new("ada")))),
            (Some(&anonymous), Some(&ada), Ok(Some(Principal::new("ada")))),
            (Some(&eve), Some(&ada), Ok(Some(eve.clone()))),
            (None, Some(&refuses), unauthorized()),
            (Some(&anonymous), Some(&refuses), unauthorized()),
            (Some(&eve), Some(&refuses), Ok(Some(eve.clone()))),
        ] {
            let found = block_on(identify(authenticator, &head(outer.cloned())));
            assert_eq!(found.map_err(|error| error.to_string()), expected, "{outer:?}");
        }
    }

    /// Panics when it is called, polled or dropped.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Panicking {
        Called,
        Polled,
        Dropped,
    }

    struct Bomb(bool);

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.0, "dropped");
        }
    }

    impl Authenticator for Panicking {
        fn authenticate<'a>(&'a self, _: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
            assert!(*self != Panicking::Called, "called");
            let bomb = Bomb(*self == Panicking::Dropped);
            Box::pin(async move {
                let _bomb = bomb;
                assert!(*self != Panicking::Polled, "polled");
                std::future::pending().await
            })
        }
    }

    #[test]
    fn panicking_authenticator_rejects_the_request() {
        for panicking in [Panicking::Called, Panicking::Polled] {
            let error = block_on(identify(Some(&panicking), &head(None))).unwrap_err();
            assert!(matches!(error, AuthenticationError::Unavailable(_)), "{panicking:?}: {error}");
        }
    }

    #[test]
    fn dropped_request_does_not_panic() {
        let head = head(None);
        let mut pending = Box::pin(identify(Some(&Panicking::Dropped), &head));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(pending.as_mut().poll(&mut cx).is_pending());
        drop(pending);
    }
}
