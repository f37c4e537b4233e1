//! The two standard streams, kept for the protocol alone.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;

use rustix::fs::{FileType, Mode, OFlags};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Not one of the three that every program takes for its standard streams.
const FIRST_OF_OURS: i32 = 3;

/// Gives the streams back to the program when it is dropped.
#[must_use]
pub(super) struct Kept {
    input: OwnedFd,
    output: OwnedFd,
}

/// Takes both streams away from all but the protocol: what a tool prints goes to standard error from now on, also where a
/// program prints it that the tool starts, and whoever reads standard input finds its end.
pub(super) fn keep() -> io::Result<(Kept, Reader, Writer)> {
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin(), FIRST_OF_OURS)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout(), FIRST_OF_OURS)?;
    let (reader, writer) = (reader(&input)?, writer(&output)?);
    let nothing = File::open("/dev/null")?;
    // What was printed before belongs where it was printed.
    io::stdout().flush()?;
    let kept = Kept { input, output };
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((kept, reader, writer))
}

impl Drop for Kept {
    fn drop(&mut self) {
        // A tool may have printed half a line, which is not for the client either.
        let _ = io::stdout().flush();
        let given_back = [
            rustix::io::ioctl_fionbio(&self.input, false),
            rustix::io::ioctl_fionbio(&self.output, false),
            rustix::stdio::dup2_stdin(&self.input),
            rustix::stdio::dup2_stdout(&self.output),
        ];
        for error in given_back.into_iter().filter_map(Result::err) {
            tracing::debug!(%error, "a standard stream is not given back as it was");
        }
    }
}

/// Neither a runtime nor a program waits at its end for a stream that nobody writes to: what may block is read by a thread
/// that nobody waits for.
fn reader(input: &OwnedFd) -> io::Result<Reader> {
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

fn writer(output: &OwnedFd) -> io::Result<Writer> {
    Ok(match (kind(output)?, reopened(output, OFlags::WRONLY)) {
        (FileType::Fifo, Some(pipe)) => Box::new(pipe::Sender::from_owned_fd(pipe)?),
        (FileType::Socket, _) => Box::new(socket(output)?),
        _ => Box::new(tokio::fs::File::from_std(File::from(output.try_clone()?))),
    })
}

fn kind(stream: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(stream)?.st_mode))
}

/// The same pipe, opened once more: that it does not block is a property of what was opened, which whoever started the
/// program may share. `None` on systems where that cannot be done.
fn reopened(stream: &OwnedFd, way: OFlags) -> Option<OwnedFd> {
    let path = format!("/proc/self/fd/{}", stream.as_raw_fd());
    rustix::fs::open(path, way | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// What Node has in place of a pipe. It cannot be opened once more, and so blocks again only when it is given back.
fn socket(stream: &OwnedFd) -> io::Result<tokio::net::UnixStream> {
    let socket = UnixStream::from(stream.try_clone()?);
    socket.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(socket)
}
