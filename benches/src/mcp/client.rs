//! Whoever asks: over a connection or two pipes that stay open, in one era of the protocol.

use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::net::TcpStream;
use std::process::{ChildStdin, ChildStdout};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::Error;
use crate::mcp::source::TEXT;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Call,
    List,
    /// A call that reports its progress, and so is answered by a stream of events.
    Stream,
}

impl Operation {
    const ALL: [Operation; 3] = [Operation::Call, Operation::List, Operation::Stream];

    /// The name in tables.
    pub(super) fn title(self) -> &'static str {
        match self {
            Operation::Call | Operation::List => self.method(),
            Operation::Stream => "tools/call as a stream",
        }
    }

    fn method(self) -> &'static str {
        match self {
            Operation::Call | Operation::Stream => "tools/call",
            Operation::List => "tools/list",
        }
    }

    /// The tool that is called.
    fn tool(self) -> Option<&'static str> {
        match self {
            Operation::Call => Some("echo"),
            Operation::Stream => Some("echo_reported"),
            Operation::List => None,
        }
    }

    fn params(self, era: Era) -> Value {
        let mut params = match self.tool() {
            Some(tool) => json!({"name": tool, "arguments": {"text": TEXT}}),
            None => json!({}),
        };
        if era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": era.name(),
                "io.modelcontextprotocol/clientInfo": {"name": "benches", "version": "1.0.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        if self == Operation::Stream {
            params["_meta"]["progressToken"] = json!(1);
        }
        params
    }

    /// Whether this is the answer of a server with so many tools.
    pub(super) fn is_answered_by(self, body: &str, tools: usize) -> bool {
        match self {
            Operation::Call => body.contains(TEXT),
            Operation::List => body.matches("\"inputSchema\"").count() == tools,
            Operation::Stream => body.contains(TEXT) && body.contains("notifications/progress"),
        }
    }
}

/// The version of the protocol that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Era {
    Modern,
    Legacy,
}

impl Era {
    pub(super) const ALL: [Era; 2] = [Era::Modern, Era::Legacy];

    pub(super) fn name(self) -> &'static str {
        match self {
            Era::Modern => "2026-07-28",
            Era::Legacy => "2025-11-25",
        }
    }

    fn message(self, operation: Operation) -> String {
        let params = operation.params(self);
        json!({"jsonrpc": "2.0", "id": 1, "method": operation.method(), "params": params}).to_string()
    }
}

fn opening() -> [String; 2] {
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": Era::Legacy.name(),
        "capabilities": {},
        "clientInfo": {"name": "benches", "version": "1.0.0"},
    }});
    [initialize, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})].map(|it| it.to_string())
}

/// One that asks, again and again.
pub(super) enum Client {
    Http(Http),
    Stdio(Stdio),
}

impl Client {
    /// Asks once; the text of the answer.
    pub(super) fn ask(&mut self, operation: Operation) -> io::Result<&str> {
        match self {
            Client::Http(http) => {
                http.stream.write_all(&http.requests[operation as usize])?;
                http.read()
            }
            Client::Stdio(stdio) => {
                stdio.writer.write_all(stdio.requests[operation as usize].as_bytes())?;
                stdio.read()
            }
        }
    }
}

/// A connection, and the requests that are sent over it.
pub(super) struct Http {
    stream: TcpStream,
    buffer: Vec<u8>,
    requests: [Vec<u8>; 3],
}

impl Http {
    pub(super) fn open(port: u16, era: Era, is_mcp: bool) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        let mut client = Http { stream, buffer: vec![0; 1 << 16], requests: Default::default() };
        let session = match era {
            Era::Legacy if is_mcp => client.open_session()?,
            Era::Legacy => of_version(era),
            Era::Modern => String::new(),
        };
        client.requests = Operation::ALL.map(|operation| {
            let headers = match era {
                Era::Legacy => session.clone(),
                Era::Modern => {
                    let tool = operation.tool().map(|tool| format!("mcp-name: {tool}\r\n"));
                    let (version, method) = (of_version(era), operation.method());
                    format!("{version}mcp-method: {method}\r\n{}", tool.unwrap_or_default())
                }
            };
            post(&headers, &era.message(operation))
        });
        Ok(client)
    }

    /// Opens a session of the older era; the headers of its requests.
    pub(super) fn open_session(&mut self) -> io::Result<String> {
        let [initialize, initialized] = opening();
        self.stream.write_all(&post("", &initialize))?;
        self.read()?;
        let session = format!("{}mcp-session-id: {}\r\n", of_version(Era::Legacy), self.session()?);
        self.stream.write_all(&post(&session, &initialized))?;
        self.read()?;
        Ok(session)
    }

    /// Reads one answer to its end; its body.
    fn read(&mut self) -> io::Result<&str> {
        let mut read = 0;
        let mut head = None;
        loop {
            if read == self.buffer.len() {
                self.buffer.resize(2 * read, 0);
            }
            let more = self.stream.read(&mut self.buffer[read..])?;
            if more == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            read += more;
            if head.is_none() {
                head = self::head(&self.buffer[..read]).transpose()?;
            }
            let Some((start, length)) = head else { continue };
            let whole = match length {
                Some(length) => read >= start + length,
                // The end of the head precedes a body without content.
                None => self.buffer[start - 2..read].ends_with(b"\r\n0\r\n\r\n"),
            };
            if whole {
                return std::str::from_utf8(&self.buffer[start..read]).map_err(io::Error::other);
            }
        }
    }

    /// The session that the last answer named.
    fn session(&self) -> io::Result<String> {
        let end = self.buffer.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_default();
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_lowercase();
        let line = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        line.map(str::to_owned).ok_or_else(|| io::Error::other("no session was opened"))
    }
}

fn of_version(era: Era) -> String {
    format!("mcp-protocol-version: {}\r\n", era.name())
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nuser-agent: benches\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The length of the head of an answer, and that of the body, if it is announced; otherwise the body comes in chunks.
fn head(text: &[u8]) -> Option<io::Result<(usize, Option<usize>)>> {
    let end = text.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&text[..end]).to_lowercase();
    if !head.starts_with("http/1.1 20") {
        return Some(Err(io::Error::other(String::from_utf8_lossy(text).into_owned())));
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    // 202 has no body, and may not say so.
    let length = length.or((!head.contains("transfer-encoding: chunked")).then_some(0));
    Some(Ok((end, length)))
}

/// Two pipes, and the lines that are sent over them.
pub(super) struct Stdio {
    writer: ChildStdin,
    reader: BufReader<ChildStdout>,
    line: String,
    requests: [String; 3],
}

impl Stdio {
    pub(super) fn open(writer: ChildStdin, reader: ChildStdout, era: Era, is_mcp: bool) -> io::Result<Self> {
        let requests = Operation::ALL.map(|operation| era.message(operation) + "\n");
        let mut client = Stdio {
            writer,
            reader: BufReader::with_capacity(1 << 20, reader),
            line: String::new(),
            requests,
        };
        if era == Era::Legacy && is_mcp {
            let [initialize, initialized] = opening();
            client.writer.write_all((initialize + "\n").as_bytes())?;
            client.read()?;
            client.writer.write_all((initialized + "\n").as_bytes())?;
        }
        Ok(client)
    }

    fn read(&mut self) -> io::Result<&str> {
        self.line.clear();
        if self.reader.read_line(&mut self.line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(&self.line)
    }
}

/// The result in an answer, plain or as an event of a stream, in one piece or in chunks.
pub(super) fn result(answer: &str) -> Result<String, Error> {
    #[derive(Deserialize)]
    struct Message<'m> {
        #[serde(borrow)]
        result: &'m RawValue,
    }
    let whole = put_together(answer);
    let answer = whole.as_deref().unwrap_or(answer);
    let plain = [answer].into_iter();
    let messages = plain.chain(answer.lines().map(|line| line.trim_start_matches("data: ")));
    let mut results = messages.filter_map(|text| serde_json::from_str::<Message<'_>>(text.trim()).ok());
    let result = results.next().map(|message| message.result.get().to_owned());
    result.ok_or_else(|| Error::Unreadable { command: "tools/list".to_owned(), expected: "a result" })
}

/// What chunks hold, if these are some: each is preceded by a line with its length.
fn put_together(mut chunks: &str) -> Option<String> {
    let mut whole = String::new();
    loop {
        let (length, rest) = chunks.split_once("\r\n")?;
        let length = usize::from_str_radix(length, 16).ok()?;
        if length == 0 {
            return Some(whole);
        }
        whole += rest.get(..length)?;
        chunks = rest.get(length..)?.strip_prefix("\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_answer_is_read_off_its_head() {
        let read = |text: &[u8]| head(text).transpose().map_err(|error| error.to_string());
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(read(text), Ok(Some((text.len() - 3, Some(3)))));
        let text = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        assert_eq!(read(text), Ok(Some((text.len(), None))));
        assert_eq!(read(b"HTTP/1.1 200 OK\r\ncontent-"), Ok(None));
        assert!(read(b"HTTP/1.1 400 Oops\r\ncontent-length: 0\r\n\r\n").is_err());
    }

    #[test]
    fn a_result_is_found_in_either_form() {
        assert_eq!(result(r#"{"id":1,"result":{"a":1}}"#).unwrap(), r#"{"a":1}"#);
        let event = "id: 1\ndata: {\"id\":1,\"result\":{\"a\":1}}\n\n";
        for at in 0..event.len() {
            let chunks: String = [&event[..at], &event[at..]]
                .into_iter()
                .filter(|part| !part.is_empty())
                .map(|part| format!("{:x}\r\n{part}\r\n", part.len()))
                .collect();
            assert_eq!(result(&(chunks + "0\r\n\r\n")).unwrap(), r#"{"a":1}"#, "cut at {at}");
        }
        assert!(result(r#"{"id":1,"error":{}}"#).is_err());
    }
}
