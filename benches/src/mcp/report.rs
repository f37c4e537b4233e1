//! The tables of what was measured, and which goals are missed.

use std::fmt::Write as _;

use crate::mcp::client::Operation;
use crate::mcp::memory::{Calls, GROWTH_GOAL, Memory, SESSION_GOAL, Sessions};
use crate::mcp::peer::Peer;
use crate::mcp::server::Transport;
use crate::mcp::{Row, Scaled, TOOLS};

/// By how much a call may cost more when more tools are registered.
const TOLERANCE: f64 = 1.05;

/// All that was measured.
pub(super) struct Report {
    pub(super) rounds: usize,
    /// Of the crates that are compared with.
    pub(super) versions: Vec<(&'static str, String)>,
    pub(super) rows: Vec<Row>,
    pub(super) scaled: Vec<Scaled>,
    pub(super) memory: Memory,
}

impl Report {
    /// The section of the README, and whether every goal is met.
    pub(super) fn render(&self) -> (String, bool) {
        let mut misses = Vec::new();
        let versions: Vec<_> =
            self.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
        let rounds = self.rounds;
        let mut section = format!("Compared with {}. Rounds: {rounds}.\n", versions.join(", "));
        for (title, transport, is_stream) in [
            ("Over HTTP", Transport::Http, false),
            ("Over HTTP, as a stream", Transport::Http, true),
            ("Over stdio", Transport::Stdio, false),
        ] {
            let is_of =
                |row: &&Row| row.transport == transport && (row.operation == Operation::Stream) == is_stream;
            let rows: Vec<&Row> = self.rows.iter().filter(is_of).collect();
            if let Some(first) = rows.first() {
                let peers = Peer::of(transport, first.operation);
                let _ = writeln!(section, "\n### {title}\n");
                section += &table(peers, &rows, &mut misses);
            }
        }
        section += &self.scaled(&mut misses);
        section += &memory(&self.memory, &mut misses);
        section += &verdict(&misses);
        (section, misses.is_empty())
    }

    fn scaled(&self, misses: &mut Vec<String>) -> String {
        let [few, .., many] = TOOLS;
        let mut text = format!(
            "\n### A call with {many} tools, as a multiple of one with {few}\n\n\
             | transport | era | ours |\n|---|---|--:|\n"
        );
        for Scaled { transport, era, multiple } in &self.scaled {
            let (transport, era) = (transport.title(), era.name());
            let is_missed = *multiple > TOLERANCE;
            let _ = writeln!(text, "| {transport} | {era} | {} |", bold(format!("{multiple:.2}"), is_missed));
            if is_missed {
                misses.push(format!(
                    "`tools/call`, {transport}, {era}: {multiple:.2} times as much with {many} tools as \
                     with {few}, and not {TOLERANCE}"
                ));
            }
        }
        text
    }
}

fn table(peers: &[Peer], rows: &[&Row], misses: &mut Vec<String>) -> String {
    let mut text = "| request | era | tools | ours |".to_owned();
    for peer in &peers[1..] {
        let _ = write!(text, " {} | ours ÷ |", peer.title());
    }
    text += "\n|---|---|--:|--:|";
    text += &"--:|--:|".repeat(peers.len() - 1);
    text.push('\n');
    for Row { transport, era, operation, tools, costs } in rows {
        let (title, era) = (operation.title(), era.name());
        let _ = write!(text, "| `{title}` | {era} | {tools} | {:.1} µs |", costs[0].microseconds);
        for (peer, cost) in peers.iter().zip(costs).skip(1) {
            let multiple = cost.multiple;
            let missed = peer.goal(*transport, *operation).filter(|goal| multiple > *goal);
            let shown = bold(format!("{multiple:.2}"), missed.is_some());
            let _ = write!(text, " {:.1} µs | {shown} |", cost.microseconds);
            if let Some(goal) = missed {
                misses.push(format!(
                    "`{title}`, {}, {era}, {tools} {}: {multiple:.2} times {}, and not {goal}",
                    transport.title(),
                    if *tools == 1 { "tool" } else { "tools" },
                    peer.title()
                ));
            }
        }
        text.push('\n');
    }
    text
}

fn memory(memory: &Memory, misses: &mut Vec<String>) -> String {
    let mut text = "\n### Memory\n\n\
                    | server | KiB of an idle session | with its connection | less a bare connection |\n\
                    |---|--:|--:|--:|\n"
        .to_owned();
    let kilobytes = |bytes: f64| format!("{:.1}", bytes / 1024.0);
    let bare = memory.connection();
    for Sessions { peer, alone, connected } in &memory.sessions {
        let title = peer.title();
        let Some(alone) = alone else {
            let _ = writeln!(text, "| {title} | – | {} | – |", kilobytes(*connected));
            continue;
        };
        let beyond = connected - bare;
        let mut judged = |bytes: f64, what: &str| {
            let is_missed = *peer == Peer::Ours && bytes > SESSION_GOAL;
            if is_missed {
                let (bytes, goal) = (kilobytes(bytes), kilobytes(SESSION_GOAL));
                misses.push(format!("an idle session{what}: {bytes} KiB, and not {goal}"));
            }
            bold(kilobytes(bytes), is_missed)
        };
        let alone = judged(*alone, "");
        let beyond = judged(beyond, " beyond its connection");
        let _ = writeln!(text, "| {title} | {alone} | {} | {beyond} |", kilobytes(*connected));
    }
    text += "\n| calls of ours | transport | era | calls | resident, KiB | calls | resident, KiB |\n\
             |---|---|---|--:|--:|--:|--:|\n";
    for Calls { transport, era, operation, first, last } in &memory.calls {
        let (title, transport, era) = (operation.title(), transport.title(), era.name());
        let is_missed = last.1 - first.1 > GROWTH_GOAL;
        let _ = writeln!(
            text,
            "| `{title}` | {transport} | {era} | {} | {:.0} | {} | {} |",
            first.0,
            first.1 / 1024.0,
            last.0,
            bold(format!("{:.0}", last.1 / 1024.0), is_missed)
        );
        if is_missed {
            let (grown, goal) = (kilobytes(last.1 - first.1), kilobytes(GROWTH_GOAL));
            misses.push(format!(
                "the memory after `{title}`, {transport}, {era}: {grown} KiB more, and not {goal}"
            ));
        }
    }
    text
}

fn bold(text: String, is_bold: bool) -> String {
    if is_bold { format!("**{text}**") } else { text }
}

fn verdict(misses: &[String]) -> String {
    if misses.is_empty() {
        return "\nEvery goal is met.\n".to_owned();
    }
    let lines: String = misses.iter().map(|miss| format!("- {miss}\n")).collect();
    format!("\nMissed (bold above):\n\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::Cost;
    use crate::mcp::client::Era;

    fn report(rows: Vec<Row>) -> Report {
        let memory = Memory { sessions: Vec::new(), calls: Vec::new() };
        Report { rounds: 1, versions: vec![("rmcp", "1.0.0".to_owned())], rows, scaled: Vec::new(), memory }
    }

    /// A row where every server takes 100 µs, but for one.
    fn row(transport: Transport, operation: Operation, peer: Peer, microseconds: f64) -> Row {
        let cost = |of: &Peer| {
            let microseconds = if *of == peer { microseconds } else { 1_000.0 };
            Cost { microseconds, multiple: 100.0 / microseconds }
        };
        let costs = Peer::of(transport, operation).iter().map(cost).collect();
        Row { transport, era: Era::Modern, operation, tools: 10, costs }
    }

    #[test]
    fn each_missed_goal_is_named() {
        for (transport, operation, peer, met, missed) in [
            (Transport::Http, Operation::Call, Peer::Typed, 81.0, 78.0),
            (Transport::Http, Operation::Stream, Peer::Streamed, 81.0, 78.0),
            (Transport::Http, Operation::List, Peer::Bytes, 92.0, 90.0),
            (Transport::Stdio, Operation::Call, Peer::Loop, 78.0, 75.0),
            (Transport::Stdio, Operation::Call, Peer::RmcpStored, 201.0, 198.0),
            (Transport::Http, Operation::Call, Peer::TurboMcp, 101.0, 98.0),
        ] {
            let (section, is_met) = report(vec![row(transport, operation, peer, met)]).render();
            assert!(is_met && section.contains("Every goal is met."), "{section}");
            let (section, is_met) = report(vec![row(transport, operation, peer, missed)]).render();
            let [title, multiple] = [operation.title().to_owned(), format!("{:.2}", 100.0 / missed)];
            let (transport, peer) = (transport.title(), peer.title());
            let line =
                format!("- `{title}`, {transport}, 2026-07-28, 10 tools: {multiple} times {peer}, and not");
            assert!(!is_met && section.contains(&line), "{section}");
            assert!(section.contains(&format!("| {missed:.1} µs | **{multiple}** |")), "{section}");
        }
    }

    #[test]
    fn a_call_must_not_cost_more_with_more_tools() {
        let scaled = |multiple| {
            let scaled = vec![Scaled { transport: Transport::Stdio, era: Era::Modern, multiple }];
            Report { scaled, ..report(Vec::new()) }.render()
        };
        assert!(scaled(1.04).1);
        let (section, is_met) = scaled(1.06);
        assert!(!is_met && section.contains("| stdio | 2026-07-28 | **1.06** |"), "{section}");
    }

    #[test]
    fn sessions_and_calls_have_limits() {
        let render = |session: f64, grown: f64| {
            let sessions = |peer, alone, connected| Sessions { peer, alone, connected };
            let sessions = vec![
                sessions(Peer::Ours, Some(session), session + 10_240.0),
                sessions(Peer::Bytes, None, 10_240.0),
            ];
            let (first, last) = ((100, 1_048_576.0), (1_000, 1_048_576.0 + grown));
            let (transport, era, operation) = (Transport::Http, Era::Legacy, Operation::Call);
            let calls = vec![Calls { transport, era, operation, first, last }];
            Report { memory: Memory { sessions, calls }, ..report(Vec::new()) }.render()
        };
        assert!(render(4_096.0, 1_024.0).1);
        let (section, is_met) = render(5_120.0, 1_024.0);
        assert!(!is_met && section.contains("| ours | **5.0** | 15.0 | **5.0** |"), "{section}");
        let (section, is_met) = render(4_096.0, 1_048_576.0);
        assert!(!is_met && section.contains("| 100 | 1024 | 1000 | **2048** |"), "{section}");
    }
}
