//! Which origin gets the secret of a variable.

use std::collections::{HashMap, HashSet};

use reqwest::Url;

use crate::model::Provider;
use crate::store::{Row, StoreError};

/// Refuses providers whose variable is also that of a provider of another origin. The database does not say which of them was first,
/// so none of them gets the secret.
pub(super) fn refuse_shared(rows: &mut [Row]) {
    let mut users: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for row in rows.iter() {
        if let Row::Provider(code, Ok(provider)) = row
            && let Some((variable, origin)) = variable_and_origin(provider)
        {
            users.entry(variable.to_owned()).or_default().push((code.clone(), origin));
        }
    }
    for row in rows {
        let Row::Provider(_, described) = row else { continue };
        let Some((variable, origin)) = described.as_ref().ok().and_then(variable_and_origin) else {
            continue;
        };
        let others = users.get(variable).into_iter().flatten();
        if let Some((other, _)) = others.into_iter().find(|(_, other)| *other != origin) {
            let reason =
                format!("`{variable}` is also the variable of provider `{other}`, which has another origin");
            *described = Err(reason);
        }
    }
}

/// The address of a stored provider, and the variable of its secret.
pub(super) struct Target {
    pub(super) code: String,
    pub(super) base_url: String,
    pub(super) variable: Option<String>,
}

/// Refuses an import that would send the secret of a stored provider to another origin. `before` is everything that was stored before
/// it, and `after` is what it leaves: how it gets from one to the other does not matter.
pub(super) fn refuse_moves(before: &[Target], after: &[Target]) -> Result<(), StoreError> {
    let mut faults = Vec::new();
    let mut by_code = HashMap::new();
    let mut by_variable: HashMap<&str, Vec<(&str, String)>> = HashMap::new();
    for Target { code, base_url, variable } in before {
        if let (Some(variable), Some(origin)) = (variable.as_deref(), origin(base_url)) {
            by_variable.entry(variable).or_default().push((code, origin.clone()));
            by_code.insert(code.as_str(), (variable, origin));
        }
    }
    for Target { code, base_url, variable } in after {
        let Some(now) = origin(base_url) else { continue };
        if let Some((variable, before)) = by_code.get(code.as_str())
            && *before != now
        {
            faults.push(format!(
                "provider `{code}`: `base_url` has another origin than before, which would get the secret of `{variable}`: if the \
                 service has moved, use `edit_provider`"
            ));
            continue;
        }
        let Some(variable) = variable.as_deref() else { continue };
        // What stays as it was is not of this import.
        if by_code.get(code.as_str()).is_some_and(|(before, _)| *before == variable) {
            continue;
        }
        let mut users = by_variable.get(variable).into_iter().flatten();
        if let Some((other, _)) = users.find(|(_, before)| *before != now) {
            faults.push(format!(
                "provider `{code}`: `{variable}` is also the variable of provider `{other}`, which had another origin before"
            ));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(StoreError::Faults(faults)) }
}

/// Refuses a code that two entries of an import have: the last one would replace the others.
pub(super) fn refuse_repeated<'a>(
    kind: &str,
    codes: impl Iterator<Item = &'a str>,
) -> Result<(), StoreError> {
    let mut seen = HashSet::new();
    for code in codes {
        if !seen.insert(code) {
            return Err(StoreError::Faults(vec![format!("there are two {kind} of the code `{code}`")]));
        }
    }
    Ok(())
}

fn variable_and_origin(provider: &Provider) -> Option<(&str, String)> {
    Some((provider.secret_variable.as_deref()?, origin(&provider.base_url)?))
}

fn origin(base_url: &str) -> Option<String> {
    Some(Url::parse(base_url).ok()?.origin().ascii_serialization())
}
