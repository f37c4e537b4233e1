//! Standard input and output, reserved for the protocol.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;

use rustix::fs::{FileType, Mode, OFlags};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// The first descriptor that is not a standard stream.
const FIRST_DESCRIPTOR: i32 = 3;

/// Restores the standard streams when it is dropped.
#[must_use]
pub(super) struct StreamGuard {
    input: OwnedFd,
    output: OwnedFd,
}

/// Takes both streams. What a tool or a program that it starts prints goes to standard error from now on, and standard input
/// is at its end for them.
pub(super) fn take() -> io::Result<(StreamGuard, Input, Output)> {
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin(), FIRST_DESCRIPTOR)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout(), FIRST_DESCRIPTOR)?;
    let (reader, writer) = (reader(&input)?, writer(&output)?);
    let nothing = File::open("/dev/null")?;
    // What was printed before still goes to standard output.
    io::stdout().flush()?;
    let guard = StreamGuard { input, output };
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((guard, reader, writer))
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        // A tool may have printed half a line, which is not for the client.
        let _ = io::stdout().flush();
        let restored = [
            rustix::io::ioctl_fionbio(&self.input, false),
            rustix::io::ioctl_fionbio(&self.output, false),
            rustix::stdio::dup2_stdin(&self.input),
            rustix::stdio::dup2_stdout(&self.output),
        ];
        for error in restored.into_iter().filter_map(Result::err) {
            tracing::debug!(%error, "a standard stream cannot be restored");
        }
    }
}

/// Returns a reader that does not block the end of the runtime or the process: a blocking stream is read in a detached thread.
fn reader(input: &OwnedFd) -> io::Result<Input> {
    Ok(match (kind(input)?, reopened(input, OFlags::RDONLY)) {
        (FileType::Fifo, Some(pipe)) => Box::new(pipe::Receiver::from_owned_fd(pipe)?),
        (FileType::Socket, _) => Box::new(socket(input)?),
        _ => {
            let mut input = File::from(input.try_clone()?);
            let (reader, mut writer) = io::pipe()?;
            let copying = move || io::copy(&mut input, &mut writer);
            thread::Builder::new().name("stdin".to_owned()).spawn(copying)?;
            Box::new(pipe::Receiver::from_owned_fd(reader.into())?)
        }
    })
}

fn writer(output: &OwnedFd) -> io::Result<Output> {
    Ok(match (kind(output)?, reopened(output, OFlags::WRONLY)) {
        (FileType::Fifo, Some(pipe)) => Box::new(pipe::Sender::from_owned_fd(pipe)?),
        (FileType::Socket, _) => Box::new(socket(output)?),
        _ => Box::new(tokio::fs::File::from_std(File::from(output.try_clone()?))),
    })
}

fn kind(stream: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(stream)?.st_mode))
}

/// Opens a pipe again, without blocking. `O_NONBLOCK` on the original would affect the parent process, which shares it. `None`
/// on systems without `/proc/self/fd`.
fn reopened(stream: &OwnedFd, access: OFlags) -> Option<OwnedFd> {
    let path = format!("/proc/self/fd/{}", stream.as_raw_fd());
    rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Returns a socket, which Node uses in place of a pipe. It cannot be opened again, and blocks again only when the streams are
/// restored.
fn socket(stream: &OwnedFd) -> io::Result<tokio::net::UnixStream> {
    let socket = UnixStream::from(stream.try_clone()?);
    socket.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(socket)
}
