//! The query of a request: nothing that is not known is ignored.

use std::str::FromStr;

use axum::extract::Query;
use axum::http::Uri;
use tool_core::Operation;
use tool_core::profile::Profile;

use crate::refusal::Refusal;

/// The most tools on one page.
pub(crate) const MOST: usize = 1000;

/// Which tools are listed, and how much is told of each.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Only those of one of these operations; any when empty.
    pub(crate) operations: Vec<Operation>,
    /// Only those with one of these tags; any when empty.
    pub(crate) tags: Vec<String>,
    /// Only those with a word of this text, the best first.
    pub(crate) text: Option<String>,
    pub(crate) unmet: Unmet,
    /// Whether everything is told that `GET /tools/{name}` tells.
    pub(crate) full: bool,
    /// In whose words it is told.
    pub(crate) profile: Option<Profile>,
    /// How many are on one page; all, when it is not said.
    pub(crate) limit: Option<usize>,
    /// The name of the last tool of the page before.
    pub(crate) cursor: Option<String>,
    /// What was asked, but for the cursor: what leads to the next page.
    pub(crate) asked: Vec<(String, String)>,
}

/// What becomes of the tools that cannot run at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Unmet {
    #[default]
    Show,
    Hide,
    Only,
}

impl Listing {
    /// Reads the query of `GET /tools`. An operation or a tag given twice widens the selection.
    ///
    /// # Errors
    ///
    /// When a parameter or a value is not known; the message lists those that are.
    pub(crate) fn parse(uri: &Uri) -> Result<Self, Refusal> {
        const KNOWN: [&str; 8] = ["cursor", "detail", "limit", "operation", "profile", "q", "tag", "unmet"];
        let mut listing = Listing::default();
        for (name, value) in pairs(uri)? {
            let many = matches!(name.as_str(), "operation" | "tag");
            let twice = listing.asked.iter().any(|(known, _)| *known == name)
                || (name == "cursor" && listing.cursor.is_some());
            if !many && twice {
                return Err(Refusal::Query(format!("the query parameter `{name}` is given twice")));
            }
            match name.as_str() {
                "operation" => {
                    listing.operations.push(among(&name, &value, &Operation::ALL, |one| one.as_str())?);
                }
                "tag" => listing.tags.push(value.clone()),
                "q" => listing.text = Some(value.clone()),
                "unmet" => {
                    let known = [Unmet::Show, Unmet::Hide, Unmet::Only];
                    listing.unmet = among(&name, &value, &known, |unmet| match unmet {
                        Unmet::Show => "show",
                        Unmet::Hide => "hide",
                        Unmet::Only => "only",
                    })?;
                }
                "detail" => {
                    let word = |full: &bool| if *full { "full" } else { "summary" };
                    listing.full = among(&name, &value, &[true, false], word)?;
                }
                "profile" => listing.profile = Some(profile(&value)?),
                "limit" => listing.limit = Some(limit(&value)?),
                "cursor" => {
                    listing.cursor = Some(value);
                    continue;
                }
                _ => return Err(unknown_parameter(&name, &KNOWN)),
            }
            listing.asked.push((name, value));
        }
        Ok(listing)
    }

    /// Whether every tool is listed, and all on one page, whoever asks and whatever the moment.
    pub(crate) fn is_whole(&self) -> bool {
        self.asked.iter().all(|(name, _)| name == "detail") && self.cursor.is_none()
    }
}

/// Reads a query that has a profile at most.
///
/// # Errors
///
/// When it has another parameter, or the profile is not known.
pub(crate) fn sole_profile(uri: &Uri) -> Result<Option<Profile>, Refusal> {
    let mut found = None;
    for (name, value) in pairs(uri)? {
        if name != "profile" {
            return Err(unknown_parameter(&name, &["profile"]));
        }
        if found.replace(profile(&value)?).is_some() {
            return Err(Refusal::Query("the query parameter `profile` is given twice".to_owned()));
        }
    }
    Ok(found)
}

/// Reads a query that has some parameters at most, each once; their values in their order.
///
/// # Errors
///
/// When it has another one, or one twice.
pub(crate) fn each<const N: usize>(uri: &Uri, known: [&str; N]) -> Result<[Option<String>; N], Refusal> {
    let mut values = [const { None }; N];
    for (name, value) in pairs(uri)? {
        let place = known.iter().position(|known| *known == name);
        let place = place.ok_or_else(|| unknown_parameter(&name, &known))?;
        if values[place].replace(value).is_some() {
            return Err(Refusal::Query(format!("the query parameter `{name}` is given twice")));
        }
    }
    Ok(values)
}

/// Reads a query that has no parameters.
///
/// # Errors
///
/// When it has one: what looks like an input in the query would otherwise be dropped without a word.
pub(crate) fn none(uri: &Uri) -> Result<(), Refusal> {
    match pairs(uri)?.first() {
        Some((name, _)) => Err(unknown_parameter(name, &[])),
        None => Ok(()),
    }
}

fn pairs(uri: &Uri) -> Result<Vec<(String, String)>, Refusal> {
    let query =
        Query::try_from_uri(uri).map_err(|_| Refusal::Query("the query cannot be read".to_owned()))?;
    Ok(query.0)
}

fn profile(value: &str) -> Result<Profile, Refusal> {
    among("profile", value, &Profile::ALL, |profile| profile.as_str())
}

fn limit(value: &str) -> Result<usize, Refusal> {
    let limit = usize::from_str(value).ok().filter(|limit| (1..=MOST).contains(limit));
    limit.ok_or_else(|| {
        Refusal::Query(format!("unknown value `{}` of `limit`: expected 1 to {MOST}", shown(value)))
    })
}

/// The one of these whose word the value is.
fn among<T: Copy>(
    name: &str,
    value: &str,
    all: &[T],
    word: impl Fn(&T) -> &'static str,
) -> Result<T, Refusal> {
    let found = all.iter().find(|one| word(one) == value);
    found.copied().ok_or_else(|| unknown_value(name, value, all.iter().map(word)))
}

fn unknown_parameter(name: &str, known: &[&str]) -> Refusal {
    let known = match known {
        [] => "there are none here".to_owned(),
        [sole] => format!("known is {sole}"),
        known => format!("known are {}", known.join(", ")),
    };
    Refusal::Query(format!("unknown query parameter `{}`: {known}", shown(name)))
}

/// The refusal of a value that is none of those that are known.
pub(crate) fn unknown_value<'k>(
    name: &str,
    value: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Refusal {
    let known: Vec<&str> = known.into_iter().collect();
    let known = if known.is_empty() {
        "there are none".to_owned()
    } else {
        format!("known are {}", known.join(", "))
    };
    Refusal::Query(format!("unknown value `{}` of `{name}`: {known}", shown(value)))
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}
