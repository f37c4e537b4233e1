//! Reads the body of a request.

use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// The default time limit of a body.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is larger than allowed. The rest is not read: respond with `Connection: close`.
    TooLarge,
    /// It did not arrive in time. Respond with `Connection: close`.
    Timeout,
    /// The client stopped sending it.
    Incomplete,
}

/// Reads a body of at most `limit` bytes that arrives within a time.
///
/// # Errors
///
/// Returns an error if the body is too large, too slow or incomplete.
///
/// ```
/// # use std::time::Duration;
/// # use http_body_util::Full;
/// # use tool_serve::{BodyError, read_body};
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let body = || Full::new(&b"hello"[..]);
/// assert_eq!(read_body(body(), 5, Duration::from_secs(1)).await.unwrap(), "hello");
/// assert_eq!(read_body(body(), 4, Duration::from_secs(1)).await, Err(BodyError::TooLarge));
/// # });
/// ```
pub async fn read_body<B>(body: B, limit: usize, timeout: Duration) -> Result<Bytes, BodyError>
where
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let reading = read_frames(Limited::new(body, limit));
    match tokio::time::timeout(timeout, reading).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Incomplete),
        Err(_) => Err(BodyError::Timeout),
    }
}

/// Reads a body to its end. Unlike `BodyExt::collect`, it keeps no list of frames: most bodies have one.
async fn read_frames<B: Body>(body: B) -> Result<Bytes, B::Error> {
    let mut body = pin!(body);
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await.transpose()? else { break };
        let Ok(mut data) = frame.into_data() else { continue };
        let data = data.copy_to_bytes(data.remaining());
        if whole.is_empty() {
            whole = data;
        } else {
            if joined.is_empty() {
                joined.extend_from_slice(&whole);
            }
            joined.extend_from_slice(&data);
        }
    }
    Ok(if joined.is_empty() { whole } else { joined.freeze() })
}
