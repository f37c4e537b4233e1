//! The MCP Inspector's command line as a client of the weather example.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::clients::Clients;
use crate::failure::Failure;
use crate::process::{Captured, Invocation};

/// How long one question may take. The inspector itself waits 15 seconds for a connection.
const ANSWER: Duration = Duration::from_secs(60);

/// One call and facts of its answer, which are those of the example's table.
const ARGUMENTS: &str = r#"{"location":"Seattle","date":"2014-07-04"}"#;
const FACTS: [&str; 4] =
    [r#""location":"Seattle""#, r#""date":"2014-07-04""#, r#""temp_max":23.9"#, r#""weather":"sun""#];

/// The two families of protocol versions: with `initialize` and without.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Era {
    /// 2026-07-28 and later.
    Modern,
    /// Up to 2025-11-25.
    Legacy,
}

/// How the server is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Transport<'a> {
    /// The inspector starts it with these arguments.
    Stdio(&'a Path, &'a [&'a str]),
    /// It runs, and this is its endpoint.
    Http(&'a str),
}

/// A question that the inspector asks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Question {
    /// The list of tools, whose schemas must be fit for every client that the inspector knows of.
    List,
    /// A call of one tool.
    Call,
    /// Anything else, of which some facts must be in the answer.
    Other(Other),
}

/// A question of which nothing is looked at but some facts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Other {
    method: &'static str,
    options: &'static [&'static str],
    facts: &'static [&'static str],
}

impl Question {
    /// The way of a model through a thousand tools: it searches, reads, and calls.
    pub(crate) const TWO_STEPS: [Question; 4] = [
        Question::Other(Other {
            method: "tools/list",
            options: &["--strict"],
            facts: &[
                r#""name":"list_available_tools""#,
                r#""name":"list_tool_details""#,
                r#""name":"call_tool""#,
            ],
        }),
        Question::Other(Other {
            method: "tools/call",
            options: &[
                "--tool-name",
                "list_available_tools",
                "--tool-args-json",
                r#"{"search":"cancel a ticket in department 7"}"#,
            ],
            facts: &[
                r#""structuredContent":{"tools":[{"server":"thousand","tool":"cancel_ticket_7""#,
                r#""nextPage":2"#,
            ],
        }),
        Question::Other(Other {
            method: "tools/call",
            options: &[
                "--tool-name",
                "list_tool_details",
                "--tool-args-json",
                r#"{"server":"thousand","tool_name":"cancel_ticket_7"}"#,
            ],
            facts: &[r#""name":"cancel_ticket_7""#, r#""required":["id"]"#],
        }),
        Question::Other(Other {
            method: "tools/call",
            options: &[
                "--tool-name",
                "call_tool",
                "--tool-args-json",
                r#"{"server":"thousand","tool_name":"cancel_ticket_7","arguments":{"id":5}}"#,
            ],
            facts: &["cancel_ticket_7: Some(5)", r#""isError":false"#],
        }),
    ];

    /// What the weather example is asked, in this order.
    pub(crate) const WEATHER: [Question; 9] = [
        Question::List,
        Question::Call,
        Question::Other(Other {
            method: "resources/list",
            options: &[],
            facts: &[r#""uri":"weather://tools""#, r#""uri":"weather://explain_columns""#],
        }),
        Question::Other(Other {
            method: "resources/templates/list",
            options: &[],
            facts: &[
                r#""uriTemplate":"weather://tool/{name}""#,
                r#""uriTemplate":"weather://get_weather/{location}/{date}""#,
            ],
        }),
        Question::Other(Other {
            method: "resources/read",
            options: &["--uri", "weather://get_weather/Seattle/2014-07-04"],
            facts: &[r#""mimeType":"application/json""#, r#"\"temp_max\":23.9"#, r#"\"weather\":\"sun\""#],
        }),
        Question::Other(Other {
            method: "resources/read",
            options: &["--uri", "weather://tools"],
            facts: &[r#"\"signature\":\"get_weather(location: string, date: string) -> Observation\""#],
        }),
        Question::Other(Other {
            method: "resources/read",
            options: &["--uri", "weather://tool/get_weather"],
            facts: &[r#"\"args\":[{\"name\":\"location\""#, r#"\"readOnlyHint\":true"#],
        }),
        Question::Other(Other {
            method: "prompts/list",
            options: &[],
            facts: &[r#""name":"compare_years""#, r#""required":true"#],
        }),
        Question::Other(Other {
            method: "prompts/get",
            options: &["--prompt-name", "compare_years", "--prompt-args", "location=Seattle", "day=07-04"],
            facts: &[r#""role":"user""#, "How was the weather in Seattle on 2012-07-04, 2013-07-04"],
        }),
    ];
}

/// One run of the inspector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inspection<'a> {
    /// The protocol that it speaks.
    pub(crate) era: Era,
    /// How it speaks.
    pub(crate) transport: Transport<'a>,
    /// What it asks.
    pub(crate) question: Question,
}

impl Inspection<'_> {
    /// Asks, and says what is wrong with the answer, if anything is.
    pub(crate) fn run(&self, clients: &Clients, storage: &Path) -> Result<(), String> {
        let invocation = self.invocation(clients.invocation("mcp-inspector"), storage);
        let answer = invocation.capture(ANSWER).map_err(|failure: Failure| failure.to_string())?;
        let fault = match self.question {
            Question::List => fault_of_list(&answer),
            Question::Call => fault_of_call(&answer),
            Question::Other(other) => fault_of(other.facts, &answer),
        };
        fault.map_or(Ok(()), |fault| {
            Err(format!("{fault}\n$ {invocation}\n{}{}", answer.stdout, answer.stderr))
        })
    }

    /// The target stands before the options: some of these take as many values as follow.
    fn invocation(&self, inspector: Invocation, storage: &Path) -> Invocation {
        let inspector = inspector.env("MCP_STORAGE_DIR", storage).arguments(["--cli"]);
        let inspector = match self.transport {
            Transport::Stdio(program, arguments) => {
                inspector.arguments([program]).arguments(arguments).arguments(["--transport", "stdio"])
            }
            Transport::Http(endpoint) => {
                inspector.arguments(["--transport", "http", "--server-url", endpoint])
            }
        };
        let inspector = inspector.arguments(["--format", "json", "--protocol-era", self.era.name()]);
        match self.question {
            Question::List => inspector.arguments(["--method", "tools/list", "--strict"]),
            Question::Call => inspector
                .arguments(["--method", "tools/call", "--tool-name", "get_weather"])
                .arguments(["--tool-args-json", ARGUMENTS]),
            Question::Other(other) => {
                inspector.arguments(["--method", other.method]).arguments(other.options)
            }
        }
    }
}

impl fmt::Display for Inspection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = match self.transport {
            Transport::Stdio(..) => "stdio",
            Transport::Http(_) => "http",
        };
        let question = match self.question {
            Question::List => "tools/list --strict",
            Question::Call => "tools/call",
            Question::Other(Other { method, .. }) => method,
        };
        write!(f, "inspector, {} over {transport}, {question}", self.era.name())?;
        match self.question {
            Question::Other(Other { options: ["--uri" | "--tool-name", what, ..], .. }) => {
                write!(f, " {what}")
            }
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

/// The exit code tells of errors only, so the warnings are read off the output: both streams carry them, and neither
/// says anything when there is nothing to say.
fn fault_of_list(answer: &Captured) -> Option<String> {
    if let Some(findings) = answer.stderr.lines().find(|line| is_count_of_findings(line)) {
        return Some(format!("the schemas have {findings}"));
    }
    if answer.stdout.contains(r#""schemaFindings":"#) {
        return Some("the schemas have findings".to_owned());
    }
    if !answer.status.success() {
        return Some(format!("the inspector ended with {}", answer.status));
    }
    // No tools, no findings: an empty list would pass all of the above.
    (!answer.stdout.contains(r#""name":"get_weather""#)).then(|| "`get_weather` is not listed".to_owned())
}

/// Whatever is asked, the inspector must find nothing to warn of.
fn fault_of(facts: &[&str], answer: &Captured) -> Option<String> {
    if !answer.status.success() {
        return Some(format!("the inspector ended with {}", answer.status));
    }
    if let Some(findings) = answer.stderr.lines().find(|line| is_count_of_findings(line)) {
        return Some(format!("there are {findings}"));
    }
    let missing = facts.iter().find(|fact| !answer.stdout.contains(*fact))?;
    Some(format!("the answer lacks {missing}"))
}

fn fault_of_call(answer: &Captured) -> Option<String> {
    if !answer.status.success() {
        return Some(format!("the inspector ended with {}", answer.status));
    }
    let Some((text, structured)) = answer.stdout.split_once(r#""structuredContent":"#) else {
        return Some("the answer has no structured content".to_owned());
    };
    if !text.contains(r#""type":"text""#) {
        return Some("the answer has no text".to_owned());
    }
    let missing = FACTS.iter().find(|fact| !structured.contains(*fact))?;
    Some(format!("the answer lacks {missing}"))
}

/// Whether this is the last line of the inspector's report, like `1 error, 2 warnings across 1 tool.`
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
    const CALL: &str = r#"{"result":{"content":[{"type":"text","text":"{\"temp_max\":23.9}"}],"structuredContent":{"location":"Seattle","date":"2014-07-04","temp_max":23.9,"weather":"sun"},"isError":false}}"#;

    fn answer(code: i32, stdout: &str, stderr: &str) -> Captured {
        let status = ExitStatus::from_raw(code << 8);
        Captured { status, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }

    #[test]
    fn a_list_without_findings_passes() {
        assert_eq!(fault_of_list(&answer(0, LIST, "a line of the server\n")), None);
    }

    #[test]
    fn a_warning_fails_though_the_inspector_ends_well() {
        let stderr = "Warning: tool \"get_weather\"\n  Path: …\n\n0 errors, 1 warning across 1 tool.\n";
        let fault = fault_of_list(&answer(0, LIST, stderr)).unwrap();
        assert_eq!(fault, "the schemas have 0 errors, 1 warning across 1 tool.");
        let stdout = LIST.replace("]}}", r#"]},"schemaFindings":[{"toolName":"get_weather"}]}"#);
        assert!(fault_of_list(&answer(0, &stdout, "")).is_some());
    }

    #[test]
    fn an_empty_list_and_a_failed_run_are_faults() {
        assert!(fault_of_list(&answer(0, r#"{"result":{"tools":[]}}"#, "")).unwrap().contains("not listed"));
        assert!(fault_of_list(&answer(4, LIST, "")).unwrap().contains("ended with"));
    }

    #[test]
    fn a_call_passes_with_the_facts_of_the_table() {
        assert_eq!(fault_of_call(&answer(0, CALL, "")), None);
    }

    #[test]
    fn a_call_with_other_facts_or_only_text_or_an_error_fails() {
        let other = CALL.replace("23.9", "24.0");
        assert_eq!(fault_of_call(&answer(0, &other, "")).unwrap(), r#"the answer lacks "temp_max":23.9"#);
        let text = CALL.replace("structuredContent", "structured");
        assert!(fault_of_call(&answer(0, &text, "")).unwrap().contains("no structured content"));
        assert!(fault_of_call(&answer(5, CALL, "")).unwrap().contains("ended with"));
    }

    #[test]
    fn any_other_answer_passes_with_its_facts() {
        let facts = &[r#""a":1"#, "b"];
        assert_eq!(fault_of(facts, &answer(0, r#"{"a":1,"c":"b"}"#, "")), None);
        assert_eq!(fault_of(facts, &answer(0, r#"{"a":1}"#, "")).unwrap(), "the answer lacks b");
        assert!(fault_of(facts, &answer(1, r#"{"a":1,"c":"b"}"#, "")).unwrap().contains("ended with"));
        let stderr = "0 errors, 1 warning across 1 tool.";
        assert!(fault_of(facts, &answer(0, r#"{"a":1,"c":"b"}"#, stderr)).is_some());
    }

    #[test]
    fn each_transport_has_its_command_line() {
        let line = |transport, question| {
            let inspection = Inspection { era: Era::Modern, transport, question };
            inspection.invocation(Invocation::of("mcp-inspector"), Path::new("storage")).to_string()
        };
        assert_eq!(
            line(Transport::Stdio(Path::new("debug/weather"), &["serve", "mcp"]), Question::List),
            "MCP_STORAGE_DIR=storage mcp-inspector --cli debug/weather serve mcp --transport stdio \
             --format json --protocol-era modern --method tools/list --strict"
        );
        assert!(
            line(Transport::Http("http://127.0.0.1:1/mcp"), Question::Call)
                .contains("--transport http --server-url http://127.0.0.1:1/mcp --format json")
        );
    }
}
