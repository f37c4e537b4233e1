//! Which origin gets the secret of a variable.

use std::collections::HashMap;

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

/// Refuses a description that would send the secret of a stored provider to another origin.
pub(super) fn refuse_move(stored: &Provider, described: &Provider) -> Result<(), StoreError> {
    match (variable_and_origin(stored), origin(described)) {
        (Some((variable, before)), Some(now)) if before != now => Err(StoreError::Faults(vec![format!(
            "provider `{}`: `base_url` has another origin than before, which would get the secret of `{variable}`: if the service \
             has moved, use `edit_provider`",
            stored.code
        )])),
        _ => Ok(()),
    }
}

fn variable_and_origin(provider: &Provider) -> Option<(&str, String)> {
    Some((provider.secret_variable.as_deref()?, origin(provider)?))
}

fn origin(provider: &Provider) -> Option<String> {
    Some(Url::parse(&provider.base_url).ok()?.origin().ascii_serialization())
}
