//! Query strings. Unknown parameters are errors.

use std::str::FromStr;

use axum::extract::Query;
use axum::http::Uri;
use tool_core::Operation;
use tool_core::profile::Profile;

use crate::error::ApiError;

/// The maximum number of tools on one page.
pub(crate) const MAX_LIMIT: usize = 1000;

/// The filters and the format of a list.
#[derive(Debug, Default)]
pub(crate) struct ListQuery {
    /// Any of these operations; empty for all.
    pub(crate) operations: Vec<Operation>,
    /// Any of these tags; empty for all.
    pub(crate) tags: Vec<String>,
    /// Any word of this text, best match first.
    pub(crate) text: Option<String>,
    pub(crate) unmet: UnmetFilter,
    /// Whether tools have the detail of `GET /tools/{name}`.
    pub(crate) full: bool,
    /// The format of a vendor.
    pub(crate) profile: Option<Profile>,
    /// The number of tools on one page; all by default.
    pub(crate) limit: Option<usize>,
    /// The name of the last tool of the previous page.
    pub(crate) cursor: Option<String>,
    /// All parameters except the cursor, for the link to the next page.
    pub(crate) pairs: Vec<(String, String)>,
}

/// The handling of tools with unmet requirements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum UnmetFilter {
    #[default]
    Show,
    Hide,
    Only,
}

impl ListQuery {
    /// Parses the query of `GET /tools`. Several operations or tags are combined with OR.
    ///
    /// # Errors
    ///
    /// Returns an error that lists the known ones if a parameter or a value is unknown.
    pub(crate) fn parse(uri: &Uri) -> Result<Self, ApiError> {
        const PARAMETERS: [&str; 8] =
            ["cursor", "detail", "limit", "operation", "profile", "q", "tag", "unmet"];
        let mut query = ListQuery::default();
        for (name, value) in pairs(uri)? {
            let many = matches!(name.as_str(), "operation" | "tag");
            let twice = query.pairs.iter().any(|(other, _)| *other == name)
                || (name == "cursor" && query.cursor.is_some());
            if !many && twice {
                return Err(ApiError::InvalidQuery(format!("the query parameter `{name}` is given twice")));
            }
            match name.as_str() {
                "operation" => {
                    query.operations.push(parse_choice(&name, &value, &Operation::ALL, |one| one.as_str())?);
                }
                "tag" => query.tags.push(value.clone()),
                "q" => query.text = Some(value.clone()),
                "unmet" => {
                    let names = [UnmetFilter::Show, UnmetFilter::Hide, UnmetFilter::Only];
                    query.unmet = parse_choice(&name, &value, &names, |unmet| match unmet {
                        UnmetFilter::Show => "show",
                        UnmetFilter::Hide => "hide",
                        UnmetFilter::Only => "only",
                    })?;
                }
                "detail" => {
                    let word = |full: &bool| if *full { "full" } else { "summary" };
                    query.full = parse_choice(&name, &value, &[true, false], word)?;
                }
                "profile" => query.profile = Some(profile(&value)?),
                "limit" => query.limit = Some(limit(&value)?),
                "cursor" => {
                    query.cursor = Some(value);
                    continue;
                }
                _ => return Err(unknown_parameter(&name, &PARAMETERS)),
            }
            query.pairs.push((name, value));
        }
        Ok(query)
    }

    /// Returns `true` if the list contains every tool on one page, for all callers and at any time.
    pub(crate) fn is_unfiltered(&self) -> bool {
        self.pairs.iter().all(|(name, _)| name == "detail") && self.cursor.is_none()
    }
}

/// Parses a query with an optional profile.
///
/// # Errors
///
/// Returns an error for other parameters and unknown profiles.
pub(crate) fn parse_profile(uri: &Uri) -> Result<Option<Profile>, ApiError> {
    let mut found = None;
    for (name, value) in pairs(uri)? {
        if name != "profile" {
            return Err(unknown_parameter(&name, &["profile"]));
        }
        if found.replace(profile(&value)?).is_some() {
            return Err(ApiError::InvalidQuery("the query parameter `profile` is given twice".to_owned()));
        }
    }
    Ok(found)
}

/// Parses a query with these optional parameters, and returns their values in the same order.
///
/// # Errors
///
/// Returns an error for other parameters and duplicates.
pub(crate) fn parse_parameters<const N: usize>(
    uri: &Uri,
    names: [&str; N],
) -> Result<[Option<String>; N], ApiError> {
    let mut values = [const { None }; N];
    for (name, value) in pairs(uri)? {
        let position = names.iter().position(|other| *other == name);
        let position = position.ok_or_else(|| unknown_parameter(&name, &names))?;
        if values[position].replace(value).is_some() {
            return Err(ApiError::InvalidQuery(format!("the query parameter `{name}` is given twice")));
        }
    }
    Ok(values)
}

/// Checks that there are no parameters.
///
/// # Errors
///
/// Returns an error for any parameter: it may be meant as an input, and would be ignored.
pub(crate) fn expect_empty(uri: &Uri) -> Result<(), ApiError> {
    match pairs(uri)?.first() {
        Some((name, _)) => Err(unknown_parameter(name, &[])),
        None => Ok(()),
    }
}

/// Returns the parameters in their order.
///
/// # Errors
///
/// Returns an error if the query cannot be decoded.
pub(crate) fn pairs(uri: &Uri) -> Result<Vec<(String, String)>, ApiError> {
    let query = Query::try_from_uri(uri)
        .map_err(|_| ApiError::InvalidQuery("the query cannot be read".to_owned()))?;
    Ok(query.0)
}

fn profile(value: &str) -> Result<Profile, ApiError> {
    parse_choice("profile", value, &Profile::ALL, |profile| profile.as_str())
}

pub(crate) fn limit(value: &str) -> Result<usize, ApiError> {
    let limit = usize::from_str(value).ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| {
        ApiError::InvalidQuery(format!(
            "unknown value `{}` of `limit`: expected 1 to {MAX_LIMIT}",
            truncated(value)
        ))
    })
}

/// Parses one of several values.
pub(crate) fn parse_choice<T: Copy>(
    name: &str,
    value: &str,
    all: &[T],
    word: impl Fn(&T) -> &'static str,
) -> Result<T, ApiError> {
    let found = all.iter().find(|one| word(one) == value);
    found.copied().ok_or_else(|| unknown_value(name, value, all.iter().map(word)))
}

fn unknown_parameter(name: &str, names: &[&str]) -> ApiError {
    let names = match names {
        [] => "there are none here".to_owned(),
        [sole] => format!("known is {sole}"),
        names => format!("known are {}", names.join(", ")),
    };
    ApiError::InvalidQuery(format!("unknown query parameter `{}`: {names}", truncated(name)))
}

/// Returns the error for an unknown value.
pub(crate) fn unknown_value<'k>(
    name: &str,
    value: &str,
    names: impl IntoIterator<Item = &'k str>,
) -> ApiError {
    let names: Vec<&str> = names.into_iter().collect();
    let names = if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("known are {}", names.join(", "))
    };
    ApiError::InvalidQuery(format!("unknown value `{}` of `{name}`: {names}", truncated(value)))
}

fn truncated(text: &str) -> String {
    text.chars().take(80).collect()
}
