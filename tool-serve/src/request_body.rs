//! Reads the body of a request.

use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::body_memory::BodyMemory;

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
    /// It is large, and other bodies have the memory for it: [`BODY_MEMORY`](crate::BODY_MEMORY). Respond with 503 and
    /// `Connection: close`.
    NoMemory,
}

/// Reads a body of at most `limit` bytes that arrives within a time.
///
/// All large bodies of a process have at most [`BODY_MEMORY`](crate::BODY_MEMORY) bytes, until their bytes are dropped.
///
/// # Errors
///
/// Returns an error if the body is too large, too slow or incomplete, or if other bodies have the memory for it.
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
    match tokio::time::timeout(timeout, read_frames(Limited::new(body, limit))).await {
        Ok(read) => read,
        Err(_) => Err(BodyError::Timeout),
    }
}

/// Reads a body to its end. Unlike `BodyExt::collect`, it keeps no list of frames: most bodies have one.
async fn read_frames<B>(body: B) -> Result<Bytes, BodyError>
where
    B: Body<Error = Box<dyn Error + Send + Sync>>,
{
    let mut body = pin!(body);
    let mut memory = BodyMemory::default();
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await.transpose().map_err(|error| failure(&*error))? else { break };
        let Ok(mut data) = frame.into_data() else { continue };
        let data = data.copy_to_bytes(data.remaining());
        if !memory.grow(whole.len().max(joined.len()) + data.len()) {
            return Err(BodyError::NoMemory);
        }
        if whole.is_empty() {
            whole = data;
        } else {
            if joined.is_empty() {
                // What was announced: a buffer that grows is copied, and has up to twice the size.
                let announced =
                    usize::try_from(body.size_hint().exact().unwrap_or_default()).unwrap_or_default();
                joined.reserve(whole.len() + data.len() + announced);
                joined.extend_from_slice(&whole);
            }
            joined.extend_from_slice(&data);
        }
    }
    Ok(memory.keep_for(if joined.is_empty() { whole } else { joined.freeze() }))
}

fn failure(error: &(dyn Error + Send + Sync + 'static)) -> BodyError {
    if error.is::<LengthLimitError>() { BodyError::TooLarge } else { BodyError::Incomplete }
}
