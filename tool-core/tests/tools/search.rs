//! Search over the tools of a realistic application.

use tool_core::search::Match;
use tool_core::{DynamicTool, Output, Registry, ToolDefinition, tool};

use crate::tools_of;

/// Declares tools in few words: name, title, tags, description, inputs with their descriptions.
macro_rules! tools {
    ($($name:ident $title:literal [$($tag:literal)*] $text:literal ($($input:ident: $about:literal),*))*) => {
        $(
            #[doc = $text]
            #[tool(operation = Read, title = $title, tags = [$($tag),*])]
            fn $name($(#[doc = $about] $input: String),*) -> usize {
                0 $(+ $input.len())*
            }
        )*
    };
}

tools! {
    add_comment "Comment" ["tickets"] "Adds a comment to a ticket." (ticket: "Number of the ticket.", text: "What to say.")
    archive_project "Archive" ["projects"] "Archives a project that is finished." (project: "Key of the project.")
    assign_ticket "Assign" ["tickets"] "Gives a ticket to somebody." (ticket: "Number of the ticket.", user: "Who works on it.")
    cancel_invoice "Cancel an invoice" ["billing"] "Cancels an invoice that is not paid." (invoice: "Number of the invoice.")
    close_ticket "Close" ["tickets"] "Closes a ticket and says why." (ticket: "Number of the ticket.", reason: "Why it is closed.")
    convert_currency "Convert money" ["billing"] "Converts an amount of money from one currency to another." (amount: "How much.", from: "Currency code.", to: "Currency code.")
    convert_temperature "Convert a temperature" ["weather"] "Converts a temperature from one scale to another." (value: "Degrees.", from: "Scale.", to: "Scale.")
    create_invoice "Write an invoice" ["billing"] "Writes an invoice for a customer." (customer: "Who pays.", amount: "How much is due.")
    create_project "New project" ["projects"] "Creates a project with its first members." (key: "Key of the project.", members: "Who belongs to it.")
    create_ticket "New ticket" ["tickets"] "Opens a ticket in a project." (project: "Key of the project.", title: "What it is about.")
    delete_reports "Delete reports" ["weather"] "Deletes the stored reports of all days before a date." (before: "First day whose reports are kept.")
    delete_user "Delete an account" ["users"] "Deletes the account of a person for good." (user: "Login name.")
    download_file "Download" ["files"] "Returns the contents of a file." (path: "Where the file is.")
    explain_columns "Explain the columns" ["weather"] "Explains the columns of the weather archive: their names, units and meaning." ()
    find_days "Find days" ["weather"] "Finds the days of a period, ordered by date and then by city." (from: "First day.", to: "Last day.")
    find_files "Find files" ["files"] "Finds files by a part of their name." (name: "Part of the name.")
    find_tickets "Find tickets" ["tickets"] "Finds tickets by words, state and assignee." (words: "What to look for.", state: "Open or closed.")
    forecast "Forecast" ["weather"] "Foretells the weather of the next days." (city: "City.")
    get_invoice "Invoice" ["billing"] "One invoice with all of its lines." (invoice: "Number of the invoice.")
    get_user "Account" ["users"] "The account of one person." (user: "Login name.")
    get_weather "Weather of a day" ["weather"] "Daily weather as it was observed in one city on one day." (city: "City.", date: "Day of the observation.")
    list_customers "Customers" ["billing"] "Everybody who was ever sent an invoice." ()
    list_projects "Projects" ["projects"] "All projects that a person belongs to." (user: "Login name.")
    monthly_summary "Summary by month" ["weather"] "Sums up the months of a year in one city: mean temperatures and precipitation." (city: "City.", year: "Year.")
    move_file "Move" ["files"] "Moves a file to another folder." (from: "Where it is.", to: "Where it shall be.")
    report_observation "Report an observation" ["weather"] "Stores a report of the weather of a day." (city: "City.", date: "Day.")
    reset_password "Reset a password" ["users"] "Sends a link by which a person chooses a new password." (user: "Login name.")
    send_message "Message" ["users"] "Sends a message to a person or a channel." (to: "Person or channel.", text: "What to say.")
    translate_text "Translate" ["texts"] "Translates a text from one language to another." (text: "What to translate.", language: "Into which language.")
    upload_file "Upload" ["files"] "Stores a file in a folder." (path: "Where it shall be.", contents: "What is in it.")
}

fn registry() -> Registry {
    let registry = tools_of(module_path!());
    assert_eq!(registry.tools().count(), 30);
    registry
}

fn names<'r>(registry: &'r Registry, text: &str, matching: Match) -> Vec<&'r str> {
    registry.search_matching(text, matching).iter().map(|hit| hit.tool.name()).collect()
}

/// Rows of a query and its first results.
#[test]
fn ranks_the_best_match_first() {
    let registry = registry();
    let table: [(&str, &[&str]); 22] = [
        ("weather of a day", &["get_weather"]),
        ("get_weather", &["get_weather"]),
        ("getWeather", &["get_weather"]),
        ("GET_INVOICE", &["get_invoice"]),
        ("forecast", &["forecast"]),
        ("what will the weather be next week", &["forecast"]),
        ("convert money", &["convert_currency", "convert_temperature"]),
        ("exchange rate currency", &["convert_currency"]),
        ("celsius temperature scale", &["convert_temperature"]),
        ("new ticket", &["create_ticket"]),
        ("who works on a ticket", &["assign_ticket"]),
        ("password", &["reset_password"]),
        ("delete account", &["delete_user"]),
        ("delete", &["delete_reports", "delete_user"]),
        ("precipitation per year", &["monthly_summary"]),
        ("translate into another language", &["translate_text"]),
        ("folder", &["move_file", "upload_file"]),
        // Beginnings of words, as they are typed.
        ("invo", &["get_invoice", "cancel_invoice", "create_invoice"]),
        ("monthly summ", &["monthly_summary"]),
        // Other forms of a word.
        ("observations reported", &["report_observation"]),
        // Misspellings.
        ("tranlsate", &["translate_text"]),
        ("pasword", &["reset_password"]),
    ];
    for (text, expected) in table {
        let found = names(&registry, text, Match::Any);
        assert_eq!(&found[..expected.len().min(found.len())], expected, "{text}: {found:?}");
    }
}

#[test]
fn matches_any_or_all_words() {
    let registry = registry();
    assert_eq!(names(&registry, "close invoice", Match::All), <[&str; 0]>::default());
    assert_eq!(names(&registry, "cancel invoice", Match::All), ["cancel_invoice"]);
    assert!(names(&registry, "cancel invoice", Match::Any).len() > 3);
}

#[test]
fn sorts_equal_scores_by_name() {
    let registry = registry();
    // Each of them has that tag, and no other mention of it.
    let hits = registry.search("projects");
    let pairs = hits.windows(2).all(|pair| {
        pair[0].score > pair[1].score
            || pair[0].score == pair[1].score && pair[0].tool.name() < pair[1].tool.name()
    });
    assert!(pairs, "{hits:?}");
    let login = registry.search("login");
    let names: Vec<_> = login.iter().map(|hit| hit.tool.name()).collect();
    assert_eq!(names, ["delete_user", "get_user", "list_projects", "reset_password"]);
    assert_eq!(login[0].score.to_bits(), login[1].score.to_bits());
}

/// Names that differ in their letters' case alone.
#[test]
fn ranks_the_better_of_two_matching_names_first() {
    let tool = |name: &str, text: &str| {
        let definition = ToolDefinition::builder(name, text).build().unwrap();
        DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })
    };
    let (worse, better) = (tool("ECHO", "Says nothing of it at all."), tool("echo", "An echo."));
    let registry = Registry::builder().tool(worse).tool(better).tool(tool("echoes", "Echo echo echo."));
    let registry = registry.build().unwrap();
    assert_eq!(names(&registry, "Echo", Match::Any), ["echo", "ECHO", "echoes"]);
}

#[test]
fn lists_all_tools_for_an_empty_query() {
    let registry = registry();
    let all: Vec<&str> = registry.tools().map(ToolDefinition::name).collect();
    for text in ["", "  ", " -- !"] {
        assert_eq!(names(&registry, text, Match::Any), all);
        assert_eq!(names(&registry, text, Match::All), all);
    }
    assert!(registry.search("").iter().all(|hit| hit.score == 0.0));
    assert!(registry.search("zeppelin").is_empty());
    assert!(registry.search(&"x".repeat(1_000_000)).is_empty());
}

/// Scores are exact on every machine.
#[test]
fn computes_the_same_scores_everywhere() {
    let registry = registry();
    let hits = registry.search("weather day city");
    let hits: Vec<(&str, f64)> = hits.iter().map(|hit| (hit.tool.name(), hit.score)).collect();
    assert_eq!(
        hits,
        [
            ("get_weather", 7.438625),
            ("find_days", 6.33359),
            ("forecast", 6.130357),
            ("report_observation", 5.953511),
            ("monthly_summary", 3.722896),
            ("delete_reports", 3.461079),
            ("explain_columns", 1.841046),
            ("convert_temperature", 1.293921),
        ]
    );
}

mod named {
    use tool_core::tool;

    /// One point of a line.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(super) struct Point {
        /// Degrees east of Greenwich.
        longitude: f64,
    }

    /// Says which one it is.
    #[tool(operation = Read)]
    fn day() {}

    /// Says which ones they are.
    #[tool(operation = Read)]
    fn day_day_day(
        /** Where it is. */
        line: Option<Vec<Point>>,
    ) -> f64 {
        line.into_iter().flatten().map(|point| point.longitude).sum()
    }
}

#[test]
fn ranks_exact_names_first() {
    let registry = tools_of("tools::search::named");
    let scores: Vec<f64> = registry.search("day").iter().map(|hit| hit.score).collect();
    assert!(scores[0] < scores[1], "{scores:?}");
    assert_eq!(names(&registry, " DAY ", Match::Any), ["day", "day_day_day"]);
    assert_eq!(names(&registry, "day day", Match::Any), ["day_day_day", "day"]);
}

#[test]
fn finds_members_of_inputs() {
    let registry = tools_of("tools::search::named");
    assert_eq!(names(&registry, "longitude", Match::Any), ["day_day_day"]);
    assert_eq!(names(&registry, "greenwich", Match::Any), ["day_day_day"]);
}

mod hidden {
    use tool_core::tool;

    /// Reads a page.
    #[tool(operation = Read)]
    fn read_page() {}

    /// Writes a page.
    #[tool(operation = Write, destructive = true)]
    fn write_page() {}
}

#[test]
fn finds_only_listed_tools() {
    let builder =
        || Registry::builder().linked().select(|tool| tool.source().module.ends_with("search::hidden"));
    let (all, reading) = (builder().build().unwrap(), builder().read_only().build().unwrap());
    assert_eq!(names(&all, "page", Match::Any), ["read_page", "write_page"]);
    assert_eq!(names(&reading, "page", Match::Any), ["read_page"]);
    for hidden in ["write", "wirte", "writ"] {
        assert_eq!(names(&reading, hidden, Match::Any), <[&str; 0]>::default(), "{hidden}");
    }
    let only_readable = Registry::builder()
        .linked()
        .select(|tool| tool.source().module.ends_with("search::hidden") && tool.name() == "read_page")
        .build()
        .unwrap();
    let score = |registry: &Registry| registry.search("page")[0].score.to_bits();
    assert_eq!(score(&reading), score(&only_readable), "hidden tools do not affect scores");
    assert_ne!(score(&all), score(&only_readable));
    assert_eq!(all.digest(), reading.digest(), "the tools are the same, even if some cannot be called");
}
