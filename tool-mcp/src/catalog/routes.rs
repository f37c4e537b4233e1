//! Routing of URIs.

use std::collections::HashMap;

use tool_core::address::InvalidVariable;

use crate::catalog::uri::{Location, Pattern, PatternKey};

/// A map from URIs to targets. Exact URIs take precedence over templates, in any order of insertion.
pub(crate) struct Routes<T> {
    /// Resources of the application, whose URIs may have any form.
    verbatim: HashMap<String, T>,
    /// Patterns by the number of their segments.
    groups: HashMap<usize, RouteGroup<T>>,
}

/// Patterns by the first segment, unless it is a variable.
type RouteGroup<T> = HashMap<Option<String>, Vec<(Pattern, T)>>;

pub(crate) enum RouteMatch<'r, T> {
    /// The target, and the values of the variables.
    Found(&'r T, Vec<(String, String)>),
    /// The URI matches a template, but the value of a variable is invalid.
    InvalidVariable(&'r T, InvalidVariable),
}

impl<T> Routes<T> {
    pub(crate) fn new() -> Self {
        Routes { verbatim: HashMap::new(), groups: HashMap::new() }
    }

    /// Adds a URI of any form.
    ///
    /// # Errors
    ///
    /// The URI, if it has a target already.
    pub(crate) fn add_verbatim(&mut self, uri: &str, target: T) -> Result<(), String> {
        let has_pattern =
            Location::parse(uri).is_some_and(|location| self.candidate(&location, false).is_some());
        if has_pattern || self.verbatim.contains_key(uri) {
            return Err(uri.to_owned());
        }
        self.verbatim.insert(uri.to_owned(), target);
        Ok(())
    }

    /// Adds a pattern.
    ///
    /// # Errors
    ///
    /// A pattern that matches the same URIs.
    pub(crate) fn add(&mut self, pattern: Pattern, target: T) -> Result<(), String> {
        if self.verbatim.contains_key(pattern.as_str()) {
            return Err(pattern.as_str().to_owned());
        }
        let PatternKey { length, first } = pattern.key();
        let first = first.map(str::to_owned);
        let groups = self.groups.entry(length).or_default();
        let near = groups.iter().filter(|(other, _)| first.is_none() || other.is_none() || **other == first);
        let mut near = near.flat_map(|(_, group)| group);
        if let Some((other, _)) = near.find(|(other, _)| other.collides(&pattern)) {
            return Err(other.as_str().to_owned());
        }
        groups.entry(first).or_default().push((pattern, target));
        Ok(())
    }

    /// Finds the target of a URI.
    pub(crate) fn find(&self, uri: &str) -> Option<RouteMatch<'_, T>> {
        if let Some(target) = self.verbatim.get(uri) {
            return Some(RouteMatch::Found(target, Vec::new()));
        }
        let location = Location::parse(uri)?;
        let (pattern, target) =
            self.candidate(&location, false).or_else(|| self.candidate(&location, true))?;
        Some(match pattern.values(&location) {
            Ok(values) => RouteMatch::Found(target, values),
            Err(bad) => RouteMatch::InvalidVariable(target, bad),
        })
    }

    /// Finds a template by its text.
    pub(crate) fn template(&self, text: &str) -> Option<(&Pattern, &T)> {
        let all = self.groups.values().flat_map(HashMap::values).flatten();
        let mut templates = all.filter(|(pattern, _)| pattern.is_template());
        templates.find(|(pattern, _)| pattern.as_str() == text).map(|(pattern, target)| (pattern, target))
    }

    /// Finds the template, or the exact pattern, that matches. There is at most one of each.
    fn candidate(&self, location: &Location, template: bool) -> Option<(&Pattern, &T)> {
        let keys = location.keys();
        let groups = self.groups.get(&keys[0].length)?;
        let near = keys.iter().filter_map(|key| groups.get(&key.first.map(str::to_owned))).flatten();
        let mut near = near.filter(|(pattern, _)| pattern.is_template() == template);
        near.find(|(pattern, _)| pattern.matches(location)).map(|(pattern, target)| (pattern, target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(patterns: &[&str]) -> Routes<String> {
        let mut routes = Routes::new();
        for text in patterns {
            routes.add(Pattern::parse(text).unwrap(), (*text).to_owned()).unwrap();
        }
        routes
    }

    fn found(routes: &Routes<String>, uri: &str) -> Option<String> {
        routes.find(uri).map(|found| match found {
            RouteMatch::Found(target, values) => format!("{target} {values:?}"),
            RouteMatch::InvalidVariable(_, bad) => bad.to_string(),
        })
    }

    #[test]
    fn prefers_exact_uris_to_templates() {
        for order in [["a://x/{v}", "a://x/y"], ["a://x/y", "a://x/{v}"]] {
            let routes = routes(&order);
            assert_eq!(found(&routes, "a://x/y").unwrap(), "a://x/y []");
            assert_eq!(found(&routes, "a://x/%79").unwrap(), "a://x/y []");
            assert_eq!(found(&routes, "a://x/z").unwrap(), r#"a://x/{v} [("v", "z")]"#);
        }
    }

    #[test]
    fn rejects_ambiguous_templates() {
        let mut routes = routes(&["a://x/{v}", "b://y"]);
        for (text, other) in [
            ("a://{v}/x", Some("a://x/{v}")),
            ("a://x/{other}", Some("a://x/{v}")),
            ("b://y", Some("b://y")),
            ("a://x/{v}/z", None),
            ("c://x/{v}", None),
        ] {
            let added = routes.add(Pattern::parse(text).unwrap(), String::new());
            assert_eq!(added.err().as_deref(), other, "{text}");
        }
        assert_eq!(routes.add_verbatim("b://y", String::new()), Err("b://y".to_owned()));
        assert_eq!(routes.add_verbatim("urn:isbn:1", "book".to_owned()), Ok(()));
        assert_eq!(found(&routes, "urn:isbn:1").unwrap(), "book []");
    }

    #[test]
    fn finds_a_template_by_its_text() {
        let routes = routes(&["a://x/{v}", "a://y"]);
        assert_eq!(routes.template("a://x/{v}").unwrap().1, "a://x/{v}");
        assert!(routes.template("a://y").is_none());
        assert!(routes.template("a://x/{w}").is_none());
    }

    #[test]
    fn distinguishes_a_thousand_templates() {
        let mut routes = Routes::new();
        for n in 0..1000 {
            routes.add(Pattern::parse(&format!("a://t{n}/{{v}}")).unwrap(), n.to_string()).unwrap();
        }
        assert_eq!(found(&routes, "a://t777/5").unwrap(), r#"777 [("v", "5")]"#);
        assert_eq!(found(&routes, "a://t1000/5"), None);
    }
}
