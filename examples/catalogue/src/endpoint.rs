//! Validated descriptions of services and tools, and the requests built from them.

mod build;
mod template;

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reqwest::Url;
use reqwest::header::HeaderName;
use tool_core::definition::DefinitionError;
use tool_core::{Annotations, Operation, ToolDefinition};

pub(crate) use crate::endpoint::build::credential;
use crate::endpoint::template::Template;
use crate::model::{Auth, Method, Parameter, Place, Provider, Tool};
use crate::secret::is_variable;

/// Unreserved characters of a URL (RFC 3986, 2.3).
pub(crate) const UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Headers that a description may not set.
const OWN_HEADERS: [&str; 14] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// A validated service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    pub(crate) provider: Provider,
    pub(crate) base: Url,
}

impl Service {
    /// Validates the description of a service.
    ///
    /// # Errors
    ///
    /// What is wrong, as a sentence without a subject: `base_url …`.
    pub fn new(provider: Provider) -> Result<Self, String> {
        if !is_code(&provider.code) {
            return Err(
                "`code` is not made of 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `_` and `-`".to_owned()
            );
        }
        let base =
            Url::parse(&provider.base_url).map_err(|error| format!("`base_url` is no address: {error}"))?;
        if !matches!(base.scheme(), "http" | "https") || base.query().is_some() || base.fragment().is_some() {
            return Err(
                "`base_url` is no address that begins with `http://` or `https://` and has no `?` or `#`"
                    .to_owned(),
            );
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(
                "`base_url` holds a name or a password: name the variable that holds it instead".to_owned()
            );
        }
        let (named, variable) = (provider.auth_name.is_some(), provider.secret_variable.as_deref());
        match provider.auth {
            Auth::None if named || variable.is_some() => {
                return Err("`auth` is `none`, and there is an `auth_name` or a `secret_variable`".to_owned());
            }
            Auth::Bearer if named => return Err("`auth` is `bearer`, which needs no `auth_name`".to_owned()),
            Auth::Header | Auth::Query if !named => {
                return Err("`auth_name` is missing: the name that the key is sent under".to_owned());
            }
            Auth::Header if header(provider.auth_name.as_deref().unwrap_or_default()).is_none() => {
                return Err("`auth_name` is no name of a header for a key".to_owned());
            }
            _ => {}
        }
        if provider.auth != Auth::None {
            // The value is not repeated: it may be the secret itself.
            if !variable.is_some_and(is_variable) {
                return Err("`secret_variable` is no name such as `CATALOGUE_KEY_WEATHER`, of a variable that holds the secret".to_owned());
            }
            if base.scheme() == "http" && !crate::egress::is_this_machine(base.host_str().unwrap_or_default())
            {
                return Err(
                    "`base_url` begins with `http://`: a secret is sent over `https://` alone".to_owned()
                );
            }
        }
        if provider.timeout_ms == 0 || provider.max_bytes == 0 {
            return Err("`timeout_ms` and `max_bytes` must not be 0".to_owned());
        }
        template::literal(&provider.health_path).map_err(|reason| format!("`health_path` {reason}"))?;
        Ok(Service { provider, base })
    }

    /// Returns an address below the base URL of the service.
    pub(crate) fn url(&self, path: &str, query: Option<&str>) -> Url {
        let mut url = self.base.clone();
        let path = format!("{}{path}", self.base.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(query);
        url
    }
}

/// A validated tool of a service.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(crate) service: Arc<Service>,
    pub(crate) tool: Tool,
    template: Template,
    pub(crate) definition: ToolDefinition,
}

impl Endpoint {
    /// Validates the description of a tool.
    ///
    /// # Errors
    ///
    /// The first error of the description.
    pub fn new(service: Arc<Service>, tool: Tool) -> Result<Self, DefinitionError> {
        let refused = |reason: String| DefinitionError::refused(&tool.code, reason);
        let template = Template::parse(&tool.path).map_err(|reason| refused(format!("`path` {reason}")))?;
        check(&service, &tool, &template).map_err(refused)?;
        let operation = tool.operation.unwrap_or(match tool.method {
            Method::Get => Operation::Read,
            _ => Operation::Write,
        });
        let idempotent = matches!(tool.method, Method::Get | Method::Put | Method::Delete).then_some(true);
        let hints = Annotations {
            destructive_hint: tool.destructive,
            idempotent_hint: idempotent,
            ..Annotations::default()
        };
        let mut parameters = Vec::new();
        for parameter in &tool.parameters {
            parameters.push(
                described(parameter)
                    .map_err(|reason| refused(format!("input `{}` {reason}", parameter.name)))?,
            );
        }
        let mut builder = ToolDefinition::builder(&tool.code, &tool.description)
            .provider(&service.provider.code)
            .operation(operation)
            .annotations(hints)
            .tags(&tool.tags)
            .parameters(parameters);
        if let Some(title) = &tool.title {
            builder = builder.title(title);
        }
        if let Some(schema) = &tool.output_schema {
            builder = builder.output_schema(schema.clone());
        }
        for example in &tool.examples {
            builder = builder.example(example.clone());
        }
        let definition = builder.build()?;
        Ok(Endpoint { service, tool, template, definition })
    }
}

/// Converts an input into a parameter of the tool.
fn described(parameter: &Parameter) -> Result<tool_core::definition::Parameter, String> {
    use tool_core::definition::ParameterType;
    let mut described = match (parameter.kind, &parameter.schema) {
        (Some(kind), None) => tool_core::definition::Parameter::new(&parameter.name, kind),
        (None, Some(schema)) if parameter.items.is_none() && parameter.allowed.is_none() => {
            tool_core::definition::Parameter::of_schema(&parameter.name, schema.clone())
        }
        _ => {
            return Err(
                "needs either a `type`, which may have `items` and an `enum`, or a `schema`".to_owned()
            );
        }
    };
    match &parameter.items {
        None => {}
        Some(serde_json::Value::String(word)) => {
            let kind = ParameterType::ALL.into_iter().find(|kind| kind.as_str() == word);
            described = described.items(kind.ok_or("has `items` of a type that there is not")?);
        }
        Some(schema) => {
            let list = serde_json::json!({"type": "array", "items": schema});
            described = tool_core::definition::Parameter::of_schema(&parameter.name, list);
        }
    }
    if let Some(allowed) = &parameter.allowed {
        described = described.one_of(allowed.iter().cloned());
    }
    if let Some(description) = &parameter.description {
        described = described.description(description);
    }
    if let Some(default) = &parameter.default {
        described = described.default_value(default.clone());
    }
    if parameter.required {
        described = described.required();
    }
    Ok(if parameter.secret { described.secret() } else { described })
}

/// Checks the places of the inputs against the method, the path and the service.
fn check(service: &Service, tool: &Tool, template: &Template) -> Result<(), String> {
    for variable in template.variables() {
        let found = tool.parameters.iter().find(|parameter| parameter.name == variable);
        if !found.is_some_and(|parameter| parameter.place == Place::Path && parameter.required) {
            return Err(format!("`{{{variable}}}` in `path` is no required input whose place is `path`"));
        }
    }
    let mut sent = std::collections::HashSet::new();
    if service.provider.auth == Auth::Query {
        sent.extend(service.provider.auth_name.as_deref().map(|name| (Place::Query, name.to_owned())));
    }
    for parameter in &tool.parameters {
        let (name, wire) = (&parameter.name, parameter.sent_as.as_deref().unwrap_or(&parameter.name));
        let structured = parameter.kind == Some(tool_core::definition::ParameterType::Object);
        match parameter.place {
            Place::Path if !template.variables().any(|variable| variable == name) => {
                return Err(format!("input `{name}` has the place `path`, and `path` has no `{{{name}}}`"));
            }
            Place::Body if matches!(tool.method, Method::Get | Method::Delete) => {
                return Err(format!("input `{name}` has the place `body`, which the method does not have"));
            }
            Place::Header if header(wire).is_none() => {
                return Err(format!(
                    "input `{name}` is sent as `{wire}`, which is no header that a caller may set"
                ));
            }
            Place::Header
                if service
                    .provider
                    .auth_name
                    .as_deref()
                    .is_some_and(|own| own.eq_ignore_ascii_case(wire)) =>
            {
                return Err(format!("input `{name}` is sent as `{wire}`, which is the header of the key"));
            }
            Place::Path | Place::Query | Place::Header if structured => {
                return Err(format!("input `{name}` is an object, which is sent in a `body` alone"));
            }
            _ => {}
        }
        let wire = if parameter.place == Place::Header { wire.to_ascii_lowercase() } else { wire.to_owned() };
        if !sent.insert((parameter.place, wire)) {
            return Err(format!("input `{name}` is sent under a name that something else has"));
        }
    }
    Ok(())
}

/// Returns the header with this name, if a description may set it.
fn header(name: &str) -> Option<HeaderName> {
    let header: HeaderName = name.parse().ok()?;
    let own = OWN_HEADERS.contains(&header.as_str())
        || ["proxy-", "sec-", "x-forwarded-"].iter().any(|prefix| header.as_str().starts_with(prefix));
    (!own).then_some(header)
}

fn is_code(code: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&code.len()) && code.bytes().all(allowed)
}

#[cfg(test)]
mod tests;
