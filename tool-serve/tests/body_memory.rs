//! The memory of bodies that arrive in several frames. A program of its own, since the memory is that of the process.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tool_serve::{BODY_MEMORY, BodyError, read_body};

/// A number of frames of 40 KiB, without an announced length.
struct Frames(usize);

const FRAME: usize = 40 * 1024;

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(left) = self.0.checked_sub(1) else { return Poll::Ready(None) };
        self.0 = left;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; FRAME])))))
    }
}

async fn read(frames: usize) -> Result<Bytes, BodyError> {
    read_body(Frames(frames), 2 * BODY_MEMORY, Duration::from_secs(60)).await
}

#[tokio::test]
async fn is_the_sum_of_the_frames() {
    let (first, second) = (read(2).await.unwrap(), read(2).await.unwrap());
    assert_eq!((first.len(), second.len()), (2 * FRAME, 2 * FRAME));
    let rest = BODY_MEMORY / FRAME - 4;
    assert_eq!(read(rest + 1).await, Err(BodyError::NoMemory));
    let large = read(rest).await.unwrap();
    // Small bodies are not counted.
    assert!(read(1).await.is_ok());
    assert_eq!(read(2).await, Err(BodyError::NoMemory));
    drop(large);
    assert!(read(2).await.is_ok());
}
