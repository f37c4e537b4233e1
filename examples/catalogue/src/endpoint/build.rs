//! Builds requests from arguments.

use reqwest::header::HeaderValue;
use serde_json::{Map, Value};
use tool_core::{Failure, FailureKind};

use crate::client::{Credential, Request};
use crate::endpoint::template::climbs;
use crate::endpoint::{Endpoint, header};
use crate::model::{Auth, Lists, Method, Parameter, Place, Provider};
use crate::secret::{Scrubber, Secret};

/// The most bytes that the secrets of a call may have: each one is looked for, in several encodings, in all of the answer.
const MOST_SECRETS: usize = 16 * 1024;

impl Endpoint {
    /// Builds the request for these arguments, which are already validated.
    pub(crate) fn request(
        &self,
        arguments: &Map<String, Value>,
        secret: Option<&Secret>,
    ) -> Result<Request, Failure> {
        let given = |parameter: &Parameter| {
            let given = arguments.get(&parameter.name).filter(|value| !value.is_null());
            given.or(parameter.default.as_ref()).filter(|value| !value.is_null()).cloned()
        };
        let (mut segments, mut body) = (Map::new(), None);
        let (mut pairs, mut headers) = (Vec::new(), Vec::new());
        if self.tool.parameters.iter().any(|parameter| parameter.place == Place::Body) {
            body = Some(Map::new());
        }
        for parameter in &self.tool.parameters {
            let Some(value) = given(parameter) else { continue };
            let wire = parameter.sent_as.as_deref().unwrap_or(&parameter.name);
            match (parameter.place, value) {
                (Place::Path, value) => {
                    segments.insert(parameter.name.clone(), self.segment(parameter, &value)?.into());
                }
                (Place::Query, Value::Array(items)) if parameter.lists == Lists::Repeat => {
                    pairs.extend(items.iter().map(|item| (wire.to_owned(), text(item))));
                }
                (Place::Query, value) => pairs.push((wire.to_owned(), text(&value))),
                (Place::Header, value) => {
                    let refused = || self.refused(parameter, "it has characters that no header has");
                    let name = header(wire).ok_or_else(refused)?;
                    headers.push((name, HeaderValue::from_str(&text(&value)).map_err(|_| refused())?));
                }
                (Place::Body, value) => {
                    body.get_or_insert_default().insert(wire.to_owned(), value);
                }
            }
        }
        let path = self.template.fill(|name| segments.get(name).and_then(Value::as_str).map(str::to_owned));
        // Each value may be harmless, and all of them together not.
        if climbs(&path) {
            let reason = format!("invalid input for `{}`: its path must not lead upwards", self.tool.code);
            return Err(Failure::new(FailureKind::Input, reason));
        }
        let mut url = self.service.url(&path, self.template.query.as_deref());
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        Ok(Request {
            method: match self.tool.method {
                Method::Get => reqwest::Method::GET,
                Method::Post => reqwest::Method::POST,
                Method::Put => reqwest::Method::PUT,
                Method::Patch => reqwest::Method::PATCH,
                Method::Delete => reqwest::Method::DELETE,
            },
            url,
            headers,
            body: body.map(|members| Value::Object(members).to_string()),
            credential: secret.map(|secret| credential(&self.service.provider, secret)).transpose()?,
        })
    }

    /// Formats a value for one segment of the path.
    fn segment(&self, parameter: &Parameter, value: &Value) -> Result<String, Failure> {
        let segment = text(value);
        if segment.is_empty() {
            Err(self.refused(parameter, "it must not be empty"))
        } else if segment.contains(char::is_control) {
            Err(self.refused(parameter, "it has control characters"))
        } else if climbs(&segment) {
            Err(self.refused(parameter, "it must not be a path that leads upwards"))
        } else {
            Ok(segment)
        }
    }

    fn refused(&self, parameter: &Parameter, reason: &str) -> Failure {
        let (tool, name) = (&self.tool.code, &parameter.name);
        Failure::new(FailureKind::Input, format!("invalid input for `{tool}`: /{name}: {reason}"))
    }

    /// Creates a scrubber for all secrets of this call.
    ///
    /// # Errors
    ///
    /// When there are too many of them.
    pub(crate) fn scrubber(
        &self,
        arguments: &Map<String, Value>,
        secret: Option<&Secret>,
    ) -> Result<Scrubber, Failure> {
        let own = self.tool.parameters.iter().flat_map(|parameter| {
            let values = arguments.get(&parameter.name).into_iter().chain(&parameter.default);
            values.flat_map(|value| parameter.secrets(value)).flat_map(texts)
        });
        let mut own: Vec<String> = own.collect();
        let bytes: usize = own.iter().map(String::len).sum();
        if bytes > MOST_SECRETS {
            return Err(Failure::new(
                FailureKind::Input,
                format!(
                    "invalid input for `{}`: its secrets have {bytes} bytes, and at most {MOST_SECRETS} can be masked",
                    self.tool.code
                ),
            ));
        }
        own.extend(secret.map(|secret| secret.text().to_owned()));
        Ok(Scrubber::of(own))
    }

    /// Formats the arguments for the log, without secrets.
    pub(crate) fn shown(&self, arguments: &Map<String, Value>, scrubber: &Scrubber) -> String {
        let mut shown = arguments.clone();
        for parameter in self.tool.parameters.iter().filter(|parameter| parameter.hides()) {
            if let Some(value) = shown.get_mut(&parameter.name) {
                *value = crate::secret::MASK.into();
            }
        }
        scrubber.scrub(&Value::Object(shown).to_string())
    }
}

/// Returns the credential in the form that the service expects.
pub(crate) fn credential(provider: &Provider, secret: &Secret) -> Result<Credential, Failure> {
    let name = || provider.auth_name.clone().unwrap_or_default();
    let in_header = |name, text: &str| {
        let mut value = HeaderValue::from_str(text).map_err(|_| {
            let variable = provider.secret_variable.as_deref().unwrap_or_default();
            let reason =
                format!("provider `{}`: the value of `{variable}` cannot be sent in a header", provider.code);
            Failure::new(FailureKind::Unmet, reason)
        })?;
        value.set_sensitive(true);
        Ok(Credential::Header(name, value))
    };
    match provider.auth {
        Auth::Query => Ok(Credential::Query(name(), secret.text().to_owned())),
        Auth::Header => in_header(header(&name()).ok_or_else(Failure::internal)?, secret.text()),
        Auth::None | Auth::Bearer => {
            in_header(reqwest::header::AUTHORIZATION, &format!("Bearer {}", secret.text()))
        }
    }
}

/// Formats a value for a URL or a header; list items are separated by commas.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Returns every string and number in a value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) => Vec::new(),
        scalar => vec![text(scalar)],
    }
}
