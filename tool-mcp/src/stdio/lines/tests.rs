use super::*;
use crate::stdio::writing::READ;

#[test]
fn what_is_read_at_once_is_what_rmcp_reads() {
    let meta = r#""_meta":{"progressToken":"a","io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let (mut at_once, mut in_all) = (0, 0);
    for (method, params) in [
        ("tools/call", r#"{"name":"a"}"#.to_owned()),
        ("tools/call", r#"{"name":"a","arguments":{"b":[1,{"c":null}]}}"#.to_owned()),
        ("tools/call", format!(r#"{{"name":"a","arguments":{{}},{meta}}}"#)),
        ("tools/call", r#"{"name":"a","arguments":null,"other":1}"#.to_owned()),
        ("tools/call", r#"{"name":"a","arguments":[1]}"#.to_owned()),
        ("tools/call", r#"{"name":5}"#.to_owned()),
        ("tools/list", "{}".to_owned()),
        ("tools/list", r#"{"cursor":"1-2"}"#.to_owned()),
        ("tools/list", format!("{{{meta}}}")),
        ("tools/list", r#"{"other":1}"#.to_owned()),
        ("tools/lists", "{}".to_owned()),
    ] {
        for id in [r#""id":1,"#, r#""id":"a","#, ""] {
            let line = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#);
            let kind = envelope::inspect(&Bytes::from(line.clone())).unwrap().kind;
            in_all += 1;
            let Some(known) = known(line.as_bytes(), kind) else { continue };
            at_once += 1;
            let read: ClientJsonRpcMessage = serde_json::from_str(&line).unwrap();
            assert_eq!(format!("{known:?}"), format!("{read:?}"), "{line}");
        }
    }
    assert!((16..in_all).contains(&at_once), "{at_once} of {in_all}");
}

#[tokio::test]
async fn requests_are_not_taken_without_end() {
    let (ours, theirs) = tokio::io::duplex(16);
    let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    let handler = crate::Server::new(registry).opened(None).await.unwrap();
    let mut lines = Lines::new(handler, tokio::io::empty(), theirs);
    let ping = |id: usize| -> ClientJsonRpcMessage {
        serde_json::from_value(serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).unwrap()
    };
    for id in 0..MOST_WAITING {
        assert!(lines.received(ping(id)).is_ok(), "{id}");
    }
    let refused = lines.received(ping(MOST_WAITING)).unwrap_err();
    assert_eq!((refused.id, refused.error.code.0), (Some(RequestId::Number(4096)), -32603));
    // An answer that nobody reads counts as none.
    let answer = rmcp::model::ServerResult::empty(());
    let unread = lines.send(ServerJsonRpcMessage::response(answer.clone(), RequestId::Number(0)));
    assert!(lines.received(ping(MOST_WAITING)).is_err());
    drop(ours);
    assert!(unread.await.is_err(), "there is nobody to read it");
    assert!(lines.received(ping(MOST_WAITING)).is_ok());
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"think"}}"#;

/// The lines of a client that is known, which says this much, of a server with one tool: it does something, and ends or
/// goes on for ever.
async fn thinking<W: AsyncWrite + Send + Unpin + 'static>(
    said: &str,
    writer: W,
    ends: bool,
    does: impl Fn() + Send + Sync + 'static,
) -> Lines<io::Cursor<String>, W> {
    use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

    let definition = ToolDefinition::builder("think", "Thinks.").operation(Operation::Read);
    let definition = definition.input_schema(serde_json::json!({"type": "object", "properties": {}}));
    let does = Arc::new(does);
    let think = DynamicTool::new(definition.build().unwrap(), move |_, _: serde_json::Value| {
        let does = Arc::clone(&does);
        async move {
            does();
            if !ends {
                std::future::pending::<()>().await;
            }
            Ok(Output::empty())
        }
    });
    let registry = Registry::builder().tool(think).build().unwrap();
    let handler = crate::Server::new(registry).opened(None).await.unwrap();
    let lines = Lines::new(handler, io::Cursor::new(said.to_owned()), writer);
    lines.early.client.meet("2025-11-25");
    lines
}

#[tokio::test]
async fn a_call_that_is_taken_back_as_it_begins_gets_no_answer() {
    for ends in [true, false] {
        let taken: Arc<std::sync::OnceLock<InFlight>> = Arc::default();
        let within = Arc::clone(&taken);
        let (mut unread, theirs) = tokio::io::duplex(1024);
        let take_back = move || within.get().unwrap().end(SESSION, RequestId::Number(1));
        let mut lines = thinking(&format!("{CALL}\n"), theirs, ends, take_back).await;
        assert!(taken.set(lines.in_flight.clone()).is_ok());
        assert!(lines.receive().await.is_none(), "rmcp does not hear of it");
        lines.close().await.unwrap();
        let mut read = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut unread, &mut read).await.unwrap();
        assert_eq!(read, b"", "{ends}");
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_at_once_does_not_begin() {
    for taken_back in [false, true] {
        let begun = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let has_begun = Arc::clone(&begun);
        let does = move || has_begun.store(true, std::sync::atomic::Ordering::Relaxed);
        let mut lines = thinking("", Vec::new(), true, does).await;
        assert!(matches!(lines.read(Ok(Bytes::from_static(CALL.as_bytes()))), Ok(None)));
        if taken_back {
            lines.in_flight.end(SESSION, RequestId::Number(1));
        }
        lines.close().await.unwrap();
        assert_eq!(begun.load(std::sync::atomic::Ordering::Relaxed), !taken_back);
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_on_its_way_to_rmcp_does_not_arrive() {
    for taken_back in [false, true] {
        let mut lines = thinking("", Vec::new(), false, || {}).await;
        assert!(matches!(lines.read(Ok(Bytes::from_static(CALL.as_bytes()))), Ok(None)));
        let late = lines.early.late().await.expect("it takes its time");
        if taken_back {
            lines.in_flight.end(SESSION, RequestId::Number(1));
        }
        assert_eq!(lines.carried(late).unwrap().is_none(), taken_back);
        assert_eq!(lines.in_flight.len(), usize::from(!taken_back));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_keeps_neither_its_name_nor_the_end_of_input() {
    // So little that no answer fits.
    let (_unread, theirs) = tokio::io::duplex(16);
    let mut lines = thinking(&format!("{CALL}\n"), theirs, true, || {}).await;
    let ended = tokio::time::timeout(60 * READ, lines.receive()).await;
    assert!(ended.expect("it waits for the reader").is_none());
    assert_eq!((lines.in_flight.len(), lines.writing.unread()), (0, 1));
    tokio::time::timeout(60 * READ, lines.close()).await.expect("it waits for the reader").unwrap();
}

#[tokio::test]
async fn what_has_begun_is_answered_before_the_end() {
    let (mut unread, theirs) = tokio::io::duplex(1024);
    let mut lines = thinking("", theirs, true, || {}).await;
    assert!(matches!(lines.read(Ok(Bytes::from_static(CALL.as_bytes()))), Ok(None)));
    lines.close().await.unwrap();
    let mut read = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut unread, &mut read).await.unwrap();
    assert!(read.contains(r#""id":1,"result""#), "{read}");
}

/// The lines of a client that has said nothing yet.
async fn unopened(writer: tokio::io::DuplexStream) -> Lines<tokio::io::Empty, tokio::io::DuplexStream> {
    let definition =
        tool_core::ToolDefinition::builder("think", "Thinks.").operation(tool_core::Operation::Read);
    let definition = definition.input_schema(serde_json::json!({"type": "object", "properties": {}}));
    let think = tool_core::DynamicTool::new(definition.build().unwrap(), |_, _: serde_json::Value| async {
        Ok(tool_core::Output::empty())
    });
    let registry = tool_core::Registry::builder().tool(think).build().unwrap();
    Lines::new(crate::Server::new(registry).opened(None).await.unwrap(), tokio::io::empty(), writer)
}

#[tokio::test]
async fn the_first_list_of_a_client_is_answered_without_rmcp() {
    let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let older = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (line, version) in [(modern, None), (older, Some("2025-11-25")), (older, Some("2025-06-18"))] {
        let (mut unread, theirs) = tokio::io::duplex(4096);
        let mut lines = unopened(theirs).await;
        version.iter().for_each(|version| lines.early.client.meet(version));
        assert!(matches!(lines.read(Ok(Bytes::from_static(line.as_bytes()))), Ok(None)), "{line}");
        lines.close().await.unwrap();
        let mut read = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut unread, &mut read).await.unwrap();
        assert!(
            read.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":{"#) && read.ends_with("}}\n"),
            "{read}"
        );
        let answer: serde_json::Value = serde_json::from_str(&read).unwrap();
        assert_eq!(answer["result"]["tools"][0]["name"], "think");
        assert_eq!(answer["result"]["resultType"] == "complete", version.is_none(), "{read}");
    }
}

#[test]
fn an_answer_is_no_request() {
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"result":{}}"#;
    assert_eq!(envelope::inspect(&Bytes::from_static(line.as_bytes())).unwrap().kind, Kind::Other);
}
