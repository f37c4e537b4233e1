//! The properties of a tool, except its inputs and its output.

use serde_json::Value;
use tool_core::address::Surface;
use tool_core::{Operation, ToolDefinition};

use crate::info::VisibleTool;
use crate::list;

/// The name and the value of a property.
pub(super) type Fact = (&'static str, String);

/// Returns all properties, in the order of display.
pub(super) fn facts(visible: &VisibleTool<'_>) -> Vec<Fact> {
    let tool = visible.tool;
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let mut facts = vec![
        ("Operation", tool.operation().map_or("not declared".to_owned(), meaning)),
        ("Modifying", yes(tool.modifies())),
        ("Destructive", yes(tool.destructive())),
        ("Idempotent", yes(tool.idempotent())),
        ("Open world", yes(tool.open_world())),
        ("Permission", permission(visible)),
        ("Access rule", if tool.guarded() { "checked for each call".to_owned() } else { "none".to_owned() }),
        ("Requirements", requirements(visible)),
        ("MCP surface", surface(tool)),
    ];
    let tags: Vec<_> = tool.tags().collect();
    let optional = [
        ("Tags", (!tags.is_empty()).then(|| tags.join(", "))),
        ("Alias", tool.alias().map(str::to_owned)),
        ("Deprecated", deprecated(tool)),
        ("Timeout", tool.timeout().map(|time| format!("{time:?}"))),
        ("Fresh for", tool.cache().map(|time| format!("{time:?}"))),
    ];
    facts.extend(optional.into_iter().filter_map(|(name, fact)| Some((name, fact?))));
    facts.extend([("Source", source(tool)), ("Digest", tool.digest().to_string())]);
    let others = tool.examples().iter().filter(|example| *example != tool.example());
    let examples = std::iter::once(tool.example()).chain(others);
    facts.extend(examples.map(|arguments| ("Example", example(visible.program, tool, arguments))));
    facts
}

/// Returns the properties that do not depend on this machine or the caller.
#[cfg(feature = "publish")]
pub(super) fn lasting(visible: &VisibleTool<'_>) -> Vec<Fact> {
    const LASTING: [&str; 7] =
        ["Operation", "Destructive", "Permission", "Tags", "Deprecated", "Timeout", "Example"];
    let permission = visible.tool.permission();
    let mut facts = facts(visible);
    facts.retain(|(name, _)| LASTING.contains(name) && (*name != "Permission" || permission.is_some()));
    if let Some(permission) = permission
        && let Some((_, fact)) = facts.iter_mut().find(|(name, _)| *name == "Permission")
    {
        *fact = format!("`{permission}`");
    }
    facts
}

fn meaning(operation: Operation) -> String {
    let meaning = match operation {
        Operation::Explain => "describes the system itself",
        Operation::Read => "returns stored state",
        Operation::Transform => "computes a new value and changes nothing",
        Operation::Trigger => "starts something outside of the system",
        Operation::Write => "changes stored state",
    };
    format!("{operation}: {meaning}")
}

fn permission(visible: &VisibleTool<'_>) -> String {
    let Some(permission) = visible.tool.permission() else { return "none".to_owned() };
    let held = if list::denial(visible.registry, visible.tool).is_some() { "not held" } else { "held" };
    let caller = visible.registry.principal().id().unwrap_or("an anonymous caller");
    format!("`{permission}`, {held} by {caller}")
}

fn requirements(visible: &VisibleTool<'_>) -> String {
    match visible.registry.requirements(visible.tool.name()) {
        None => "none".to_owned(),
        Some(requirements) => match requirements.message {
            None => "met".to_owned(),
            Some(message) => format!("not met: {message}"),
        },
    }
}

fn surface(tool: &ToolDefinition) -> String {
    match Surface::of(tool) {
        Surface::Tool => "tool".to_owned(),
        Surface::Resource(address) => format!("resource at `{address}`"),
        Surface::ResourceTemplate(address) => format!("resource template at `{address}`"),
    }
}

fn deprecated(tool: &ToolDefinition) -> Option<String> {
    let deprecated = tool.deprecated()?;
    let since = deprecated.since.map(|since| format!("since {since}"));
    let words: Vec<_> = since.into_iter().chain(deprecated.note.map(str::to_owned)).collect();
    Some(if words.is_empty() { "yes".to_owned() } else { words.join(": ") })
}

fn source(tool: &ToolDefinition) -> String {
    let source = tool.source();
    match source.module {
        "" => format!("{source}, custom tool"),
        module => format!("{source}, module {module}"),
    }
}

/// Returns a call for a POSIX shell.
fn example(program: &str, tool: &ToolDefinition, arguments: &Value) -> String {
    let separator = if tool.name().starts_with('-') { "-- " } else { "" };
    let mut words = format!("{program} run {separator}{}", tool.name());
    for (name, value) in arguments.as_object().into_iter().flatten() {
        let kind =
            tool.inputs().iter().find(|input| input.name.as_ref() == Some(name)).map(|input| input.kind);
        let pair = match value {
            Value::String(text) if kind == Some("string") => format!("{name}={text}"),
            value if matches!(kind, Some("integer" | "number" | "boolean")) => format!("{name}={value}"),
            value => format!("{name}:={value}"),
        };
        words.push(' ');
        words.push_str(&quoted(&pair));
    }
    words
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_words_for_the_shell() {
        assert_eq!(quoted("date=2014-07-04"), "date=2014-07-04");
        assert_eq!(quoted("n:=[1,2]"), "'n:=[1,2]'");
        assert_eq!(quoted("it=isn't $HOME"), r"'it=isn'\''t $HOME'");
    }
}
