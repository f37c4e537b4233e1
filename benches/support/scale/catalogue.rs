//! Definitions as servers of some size have them: a description of about a hundred characters, and four inputs, among them
//! a choice, a nested object and a list.

use serde_json::{Value, json};

/// Where the tools come from.
pub(super) const PROVIDERS: [&str; 20] = [
    "accounts",
    "analytics",
    "calendar",
    "chat",
    "contracts",
    "crm",
    "deliveries",
    "documents",
    "helpdesk",
    "inventory",
    "invoices",
    "mail",
    "maps",
    "payments",
    "payroll",
    "projects",
    "purchasing",
    "storage",
    "translations",
    "weather",
];

const VERBS: [&str; 10] =
    ["archive", "assign", "cancel", "copy", "create", "export", "find", "move", "rename", "update"];

const NOUNS: [&str; 25] = [
    "account",
    "address",
    "approval",
    "attachment",
    "budget",
    "campaign",
    "comment",
    "contact",
    "customer",
    "employee",
    "forecast",
    "invoice",
    "label",
    "meeting",
    "order",
    "payment",
    "product",
    "quote",
    "refund",
    "reminder",
    "report",
    "shipment",
    "supplier",
    "ticket",
    "warehouse",
];

const PLACES: [&str; 5] = ["Basel", "Bergen", "Porto", "Tallinn", "Utrecht"];

/// The definitions of one of the providers, where all together have so many.
pub(super) fn of(provider: usize, tools: usize) -> impl Iterator<Item = Value> {
    let numbers = (provider..tools).step_by(PROVIDERS.len());
    numbers.enumerate().map(move |(position, _)| definition(PROVIDERS[provider], position))
}

fn definition(provider: &str, position: usize) -> Value {
    let verb = VERBS[position % VERBS.len()];
    let noun = NOUNS[position / VERBS.len() % NOUNS.len()];
    let office = position / (VERBS.len() * NOUNS.len());
    let place = PLACES[position % PLACES.len()];
    json!({
        "name": format!("{provider}__{verb}_{noun}_{office}"),
        "description": format!(
            "Will {verb} one {noun} of the {provider} system in office {office} at {place}, and tells what has become of it."
        ),
        "operation": if verb == "find" { "read" } else { "write" },
        "inputSchema": {
            "type": "object",
            "properties": {
                "status": {
                    "type": "string",
                    "enum": ["draft", "open", "waiting", "closed", place],
                    "description": format!("Which state the {noun} must be in."),
                },
                "filter": {
                    "type": "object",
                    "description": format!("What else must be true of the {noun}."),
                    "properties": {
                        "owner": {"type": "string", "description": "The name of its owner.", "minLength": 1},
                        "since": {"type": "string", "format": "date", "description": "The first day."},
                        "amount": {"type": "number", "minimum": 0, "description": format!("Its value at {place}.")},
                    },
                    "required": ["owner"],
                    "additionalProperties": false,
                },
                "labels": {
                    "type": "array",
                    "items": {"type": "string", "maxLength": 40},
                    "maxItems": 20,
                    "description": format!("Labels that the {noun} gets."),
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                    "default": 10,
                    "description": "How many at most.",
                },
            },
            "required": ["status", "filter"],
            "additionalProperties": false,
        },
    })
}
