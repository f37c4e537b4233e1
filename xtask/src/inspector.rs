//! The command line of the MCP Inspector as a client.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::clients::Clients;
use crate::failure::Failure;
use crate::process::{Captured, Invocation};

/// The timeout of a request. The inspector itself waits 15 seconds for a connection.
const ANSWER: Duration = Duration::from_secs(60);

/// The version in `tests/clients`.
const VERSION: &str = "2.12.0";

/// The inspector's exit code after a failed call.
const FAILED: i32 = 5;

/// The two eras of the protocol: with and without `initialize`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Era {
    /// 2026-07-28 and later.
    Modern,
    /// Up to 2025-11-25.
    Legacy,
}

/// The transport to the server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Transport<'a> {
    /// The inspector starts it.
    Stdio {
        /// The program.
        program: &'a Path,
        /// Its arguments.
        arguments: &'a [&'a str],
        /// Environment variables.
        variables: &'a [(&'a str, &'a str)],
    },
    /// The endpoint of a running server.
    Http(&'a str),
}

/// A request of the inspector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    /// The column in the table of clients.
    pub(crate) column: &'static str,
    method: &'static str,
    options: &'static [&'static str],
    /// Strings that the answer must contain.
    facts: &'static [&'static str],
    /// `true` if the answer must be an error.
    fails: bool,
}

const fn question(
    column: &'static str,
    method: &'static str,
    options: &'static [&'static str],
    facts: &'static [&'static str],
) -> Question {
    Question { column, method, options, facts, fails: false }
}

/// Lists the tools; the inspector must find no problems for any known client. A fact prevents an empty list from passing.
const fn listed(facts: &'static [&'static str]) -> Question {
    question("list", "tools/list", &["--strict"], facts)
}

const fn called(
    column: &'static str,
    options: &'static [&'static str],
    facts: &'static [&'static str],
) -> Question {
    question(column, "tools/call", options, facts)
}

const fn failing(
    column: &'static str,
    options: &'static [&'static str],
    facts: &'static [&'static str],
) -> Question {
    Question { fails: true, ..called(column, options, facts) }
}

impl Question {
    pub(crate) const ONETOOL: [Question; 1] = [listed(&[r#""name":"run""#, r#""name":"web_fetch""#])];

    pub(crate) const CONTENT: [Question; 1] = [listed(&[r#""name":"open_preview""#])];

    /// Tools from rows of a database.
    pub(crate) const CATALOGUE: [Question; 1] =
        [listed(&[r#""name":"find_books""#, r#""name":"weather_forecast""#])];

    /// Tools of other servers, passed on.
    pub(crate) const GATEWAY: [Question; 1] =
        [listed(&[r#""name":"weather__get_weather""#, r#""name":"museum__compare_revisions""#])];

    /// The three tools that stand for all others.
    const STEPS: Question = listed(&[
        r#""name":"list_available_tools""#,
        r#""name":"list_tool_details""#,
        r#""name":"call_tool""#,
    ]);

    /// The same servers behind three tools.
    pub(crate) const GATEWAY_TWO_STEPS: [Question; 2] = [
        Question::STEPS,
        called(
            "call",
            &[
                "--tool-name",
                "call_tool",
                "--tool-args-json",
                r#"{"server":"weather","tool_name":"get_weather","arguments":{"location":"Seattle","date":"2014-07-04"}}"#,
            ],
            &[r#""weather":"sun""#, r#""isError":false"#],
        ),
    ];

    /// A model's steps with a thousand tools: it searches, describes, and calls.
    pub(crate) const TWO_STEPS: [Question; 4] = [
        Question::STEPS,
        called(
            "call",
            &[
                "--tool-name",
                "list_available_tools",
                "--tool-args-json",
                r#"{"search":"cancel a ticket in department 7"}"#,
            ],
            &[
                r#""structuredContent":{"tools":[{"server":"thousand","tool":"cancel_ticket_7""#,
                r#""nextPage":2"#,
            ],
        ),
        called(
            "call",
            &[
                "--tool-name",
                "list_tool_details",
                "--tool-args-json",
                r#"{"server":"thousand","tool_name":"cancel_ticket_7"}"#,
            ],
            &[r#""name":"cancel_ticket_7""#, r#""required":["id"]"#],
        ),
        called(
            "call",
            &[
                "--tool-name",
                "call_tool",
                "--tool-args-json",
                r#"{"server":"thousand","tool_name":"cancel_ticket_7","arguments":{"id":5}}"#,
            ],
            &["cancel_ticket_7: Some(5)", r#""isError":false"#],
        ),
    ];

    /// The requests to the weather example, in order. The facts are those of its table.
    pub(crate) const WEATHER: [Question; 3] = [
        listed(&[r#""name":"get_weather""#]),
        called(
            "call",
            &[
                "--tool-name",
                "get_weather",
                "--tool-args-json",
                r#"{"location":"Seattle","date":"2014-07-04"}"#,
            ],
            &[
                r#""content":[{"type":"text""#,
                r#""structuredContent":{"location":"Seattle","date":"2014-07-04""#,
                r#""temp_max":23.9"#,
                r#""weather":"sun""#,
            ],
        ),
        question(
            "templates",
            "resources/read",
            &["--uri", "weather://get_weather/Seattle/2014-07-04"],
            &[r#""mimeType":"application/json""#, r#"\"temp_max\":23.9"#, r#"\"weather\":\"sun\""#],
        ),
    ];

    /// The inspector's row in the table: the scenarios that its command line supports.
    pub(crate) const FIXTURE: [Question; 12] = [
        listed(&[r#""name":"add""#, r#""name":"wait""#]),
        called(
            "call",
            &["--tool-name", "add", "--tool-args-json", r#"{"a":2,"b":3}"#],
            &[r#""structuredContent":{"sum":5,"of":[2,3]}"#, r#""isError":false"#],
        ),
        failing(
            "invalid",
            &["--tool-name", "add", "--tool-args-json", r#"{"a":2,"c":3}"#],
            &["/c: unknown input `c`", r#""isError":true"#],
        ),
        failing("failing", &["--tool-name", "purge"], &["the archive is locked", r#""isError":true"#]),
        failing("panic", &["--tool-name", "explode"], &["internal error (call ", r#""isError":true"#]),
        question(
            "resources",
            "resources/list",
            &[],
            &[r#""uri":"fixture://tools""#, r#""uri":"fixture://colours""#],
        ),
        question(
            "resources",
            "resources/read",
            &["--uri", "fixture://colours"],
            &[r#"[\"red\",\"green\",\"grey\"]"#],
        ),
        question(
            "templates",
            "resources/templates/list",
            &[],
            &[r#""uriTemplate":"fixture://tool/{name}""#, r#""uriTemplate":"fixture://colour/{name}""#],
        ),
        question(
            "templates",
            "resources/read",
            &["--uri", "fixture://colour/green"],
            &[r#""text":"the colour green""#],
        ),
        question("prompts", "prompts/list", &[], &[r#""name":"describe""#, r#""required":true"#]),
        question(
            "prompts",
            "prompts/get",
            &["--prompt-name", "describe", "--prompt-args", "colour=grey", "words=7"],
            &["Describe grey in at most 7 words."],
        ),
        called("stdout", &["--tool-name", "chatter"], &[r#""text":"printed""#]),
    ];
}

/// A run of the inspector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inspection<'a> {
    /// The name of the server.
    pub(crate) server: &'a str,
    /// The era of the protocol.
    pub(crate) era: Era,
    /// The transport.
    pub(crate) transport: Transport<'a>,
    /// The request.
    pub(crate) question: Question,
}

impl Inspection<'_> {
    /// Runs the inspector and checks the answer. The folder holds the state of the inspector and of the server.
    pub(crate) fn run(&self, clients: &Clients, folder: &Path) -> Result<(), String> {
        let invocation = self.invocation(clients.invocation("mcp-inspector"), folder);
        let answer = invocation.capture(ANSWER).map_err(|failure: Failure| failure.to_string())?;
        self.question.fault_of(&answer).map_or(Ok(()), |fault| {
            Err(format!("{fault}\n$ {invocation}\n{}{}", answer.stdout, answer.stderr))
        })
    }

    /// Returns the row in the table of clients.
    pub(crate) fn row(&self) -> String {
        let transport = match self.transport {
            Transport::Stdio { .. } => "stdio",
            Transport::Http(_) => "http",
        };
        format!("inspector {VERSION}, {} over {transport}", self.era.name())
    }

    /// The target precedes the options, some of which take any number of values.
    fn invocation(&self, inspector: Invocation, folder: &Path) -> Invocation {
        let inspector = inspector.folder(folder).env("MCP_STORAGE_DIR", folder).arguments(["--cli"]);
        let inspector = match self.transport {
            Transport::Stdio { program, arguments, variables } => {
                let inspector =
                    inspector.arguments([program]).arguments(arguments).arguments(["--transport", "stdio"]);
                variables.iter().fold(inspector, |inspector, (name, value)| {
                    inspector.arguments(["-e", &format!("{name}={value}")])
                })
            }
            Transport::Http(endpoint) => {
                inspector.arguments(["--transport", "http", "--server-url", endpoint])
            }
        };
        inspector
            .arguments(["--format", "json", "--protocol-era", self.era.name()])
            .arguments(["--method", self.question.method])
            .arguments(self.question.options)
    }
}

impl fmt::Display for Inspection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Question { method, options, .. } = self.question;
        write!(f, "{} of {}: {method}", self.row(), self.server)?;
        match options {
            ["--uri" | "--tool-name", what, ..] => write!(f, " {what}"),
            ["--strict"] => f.write_str(" --strict"),
            _ => Ok(()),
        }
    }
}

impl Era {
    fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy => "legacy",
        }
    }
}

impl Question {
    /// Returns the error in an answer. Warnings do not change the exit code, so that both output streams are searched for them.
    fn fault_of(&self, answer: &Captured) -> Option<String> {
        if let Some(findings) = answer.stderr.lines().find(|line| is_count_of_findings(line)) {
            return Some(format!("there are {findings}"));
        }
        if answer.stdout.contains(r#""schemaFindings":"#) {
            return Some("the schemas have findings".to_owned());
        }
        let expected = if self.fails { Some(FAILED) } else { Some(0) };
        if answer.status.code() != expected {
            return Some(format!("the inspector ended with {}", answer.status));
        }
        let missing = self.facts.iter().find(|fact| !answer.stdout.contains(*fact))?;
        Some(format!("the answer lacks {missing}"))
    }
}

/// Returns `true` for the last line of the inspector's report, like `1 error, 2 warnings across 1 tool.`
fn is_count_of_findings(line: &str) -> bool {
    let mut words = line.split(' ');
    let mut number = || words.next().is_some_and(|word| word.parse::<u64>().is_ok());
    number() && line.contains(" error") && line.contains(" warning") && line.contains(" across ")
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    const LIST: &str = r#"{"result":{"tools":[{"name":"get_weather","inputSchema":{"type":"object"}}]}}"#;

    fn answer(code: i32, stdout: &str, stderr: &str) -> Captured {
        let status = ExitStatus::from_raw(code << 8);
        Captured { status, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }

    #[test]
    fn matches_the_installed_version() {
        let package = include_str!("../../tests/clients/package.json");
        assert!(package.contains(&format!(r#""@modelcontextprotocol/inspector": "{VERSION}""#)));
    }

    #[test]
    fn accepts_lists_without_findings() {
        let list = Question::WEATHER[0];
        assert_eq!(list.fault_of(&answer(0, LIST, "")), None);
        assert!(list.fault_of(&answer(0, LIST, "0 errors, 1 warning across 1 tool.")).is_some());
        let found = LIST.replace("}]", r#"}],"schemaFindings":[]"#);
        assert!(list.fault_of(&answer(0, &found, "")).is_some());
        let empty = list.fault_of(&answer(0, r#"{"result":{"tools":[]}}"#, ""));
        assert_eq!(empty.unwrap(), r#"the answer lacks "name":"get_weather""#);
        assert!(list.fault_of(&answer(4, LIST, "")).unwrap().contains("ended with"));
    }

    #[test]
    fn requires_expected_failures() {
        let purge = Question::FIXTURE[3];
        let stdout =
            r#"{"result":{"content":[{"type":"text","text":"the archive is locked"}],"isError":true}}"#;
        assert_eq!(purge.fault_of(&answer(FAILED, stdout, "")), None);
        assert!(purge.fault_of(&answer(0, stdout, "")).is_some());
        assert!(purge.fault_of(&answer(FAILED, "{}", "")).is_some());
    }

    #[test]
    fn renders_the_command_line_of_each_transport() {
        let line = |transport, question| {
            let inspection = Inspection { server: "weather", era: Era::Modern, transport, question };
            inspection.invocation(Invocation::of("mcp-inspector"), Path::new("storage")).to_string()
        };
        let stdio = Transport::Stdio {
            program: Path::new("debug/weather"),
            arguments: &["serve", "mcp"],
            variables: &[("A", "b")],
        };
        assert_eq!(
            line(stdio, Question::WEATHER[0]),
            "MCP_STORAGE_DIR=storage mcp-inspector --cli debug/weather serve mcp --transport stdio -e A=b \
             --format json --protocol-era modern --method tools/list --strict"
        );
        assert!(
            line(Transport::Http("http://127.0.0.1:1/mcp"), Question::WEATHER[1])
                .contains("--transport http --server-url http://127.0.0.1:1/mcp --format json")
        );
    }
}
