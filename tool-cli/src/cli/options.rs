//! Options that several commands share.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction};
use tool_core::Operation;
use tool_core::profile::Profile;

pub(super) fn name() -> Arg {
    Arg::new("name")
        .value_name("NAME")
        .help("The name of the tool; write `--` before a name that starts with `-`")
        .required(true)
}

/// Returns the option for the output format; the first one is the default.
pub(super) fn format<const N: usize>(formats: [&'static str; N]) -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("The output format")
        .default_value(formats[0])
        .value_parser(PossibleValuesParser::new(formats))
}

/// Returns the options for the caller.
pub(super) fn identity() -> [Arg; 2] {
    let identity = Arg::new("as").long("as").value_name("ID").help("The caller; by default the local user");
    let grant = Arg::new("grant")
        .long("grant")
        .value_name("PERMISSION")
        .help("A permission to grant to the caller; may be repeated")
        .action(ArgAction::Append);
    [identity, grant].map(|arg| arg.help_heading("Identity"))
}

/// Returns the options that filter tools.
pub(super) fn filters() -> [Arg; 3] {
    let operation = Arg::new("operation")
        .long("operation")
        .value_name("OP")
        .help("Only tools with this operation; may be repeated")
        .action(ArgAction::Append)
        .value_parser(PossibleValuesParser::new(Operation::ALL.map(Operation::as_str)).map(
            // All names in `ALL` can be parsed.
            |name| name.parse::<Operation>().unwrap_or(Operation::Explain),
        ));
    let tag = Arg::new("tag")
        .long("tag")
        .value_name("TAG")
        .help("Only tools with this tag; if repeated, with all of them")
        .action(ArgAction::Append);
    let unmet = Arg::new("unmet")
        .long("unmet")
        .value_name("WHAT")
        .help("How to treat tools with unmet requirements")
        .default_value("show")
        .value_parser(PossibleValuesParser::new([
            PossibleValue::new("show").help("list them with the reason"),
            PossibleValue::new("hide").help("hide them"),
            PossibleValue::new("only").help("list only them"),
        ]));
    [operation, tag, unmet]
}

pub(super) fn profile() -> Arg {
    Arg::new("profile")
        .long("profile")
        .value_name("P")
        .help("The schema of the arguments for this client or vendor")
        .conflicts_with("output")
        .value_parser(PossibleValuesParser::new(Profile::ALL.map(Profile::as_str)).map(
            // All names in `ALL` can be parsed.
            |name| name.parse::<Profile>().unwrap_or(Profile::Mcp),
        ))
}

pub(super) fn arguments() -> Arg {
    Arg::new("arguments")
        .value_name("ARGS")
        .help("Inputs as key=value, parsed by input type, or key:=json")
        .action(ArgAction::Append)
        .num_args(0..)
}

pub(super) fn input_json() -> Arg {
    Arg::new("input-json")
        .long("input-json")
        .value_name("JSON|@FILE|-")
        .help("Inputs as one JSON object: inline, from a file or from stdin; may be repeated")
        .long_help(
            "Inputs as one JSON object: inline, from a file or from stdin.\n\
             May be repeated and mixed with other inputs: of an input that is given by several sources the last one \
             counts.",
        )
        .action(ArgAction::Append)
}
