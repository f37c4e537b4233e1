//! Which URI leads where.

use std::collections::HashMap;

use crate::catalog::uri::{BadVariable, Kind, Location, Pattern};

/// Where URIs lead: exact ones before templates, whatever the order in which they were added.
#[derive(Debug)]
pub(crate) struct Routes<T> {
    /// By the URI to the letter: what is written by hand need not be a scheme with segments.
    verbatim: HashMap<String, T>,
    /// By the number of their segments.
    groups: HashMap<usize, Group<T>>,
}

/// By the first segment, unless it is a variable.
type Group<T> = HashMap<Option<String>, Vec<(Pattern, T)>>;

/// What a URI leads to.
#[derive(Debug)]
pub(crate) enum Found<'r, T> {
    /// The values of its variables, if it has any.
    Here(&'r T, Vec<(String, String)>),
    /// It is of a template, and one of its variables stands for nothing.
    Bad(&'r T, BadVariable),
}

impl<T> Routes<T> {
    pub(crate) fn new() -> Self {
        Routes { verbatim: HashMap::new(), groups: HashMap::new() }
    }

    /// Adds what has a URI of any form.
    ///
    /// # Errors
    ///
    /// The URI, where something has it already.
    pub(crate) fn add_verbatim(&mut self, uri: &str, target: T) -> Result<(), String> {
        let led = Location::parse(uri).is_some_and(|location| self.candidate(&location, false).is_some());
        if led || self.verbatim.contains_key(uri) {
            return Err(uri.to_owned());
        }
        self.verbatim.insert(uri.to_owned(), target);
        Ok(())
    }

    /// Adds a pattern.
    ///
    /// # Errors
    ///
    /// The pattern that it cannot be told from.
    pub(crate) fn add(&mut self, pattern: Pattern, target: T) -> Result<(), String> {
        if self.verbatim.contains_key(pattern.as_str()) {
            return Err(pattern.as_str().to_owned());
        }
        let Kind { length, first } = pattern.kind();
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

    /// Where a URI leads; `None` where there is nothing.
    pub(crate) fn find(&self, uri: &str) -> Option<Found<'_, T>> {
        if let Some(target) = self.verbatim.get(uri) {
            return Some(Found::Here(target, Vec::new()));
        }
        let location = Location::parse(uri)?;
        let (pattern, target) =
            self.candidate(&location, false).or_else(|| self.candidate(&location, true))?;
        Some(match pattern.values(location) {
            Ok(values) => Found::Here(target, values),
            Err(bad) => Found::Bad(target, bad),
        })
    }

    /// The template that stands so in the list of them, and where its URIs lead.
    pub(crate) fn template(&self, text: &str) -> Option<(&Pattern, &T)> {
        let all = self.groups.values().flat_map(HashMap::values).flatten();
        let mut templates = all.filter(|(pattern, _)| pattern.is_template());
        templates.find(|(pattern, _)| pattern.as_str() == text).map(|(pattern, target)| (pattern, target))
    }

    /// The first template, or the exact pattern, that a URI is of. No two can be.
    fn candidate(&self, location: &Location, template: bool) -> Option<(&Pattern, &T)> {
        let kinds = location.kinds();
        let groups = self.groups.get(&kinds[0].length)?;
        let near = kinds.iter().filter_map(|kind| groups.get(&kind.first.map(str::to_owned))).flatten();
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
            Found::Here(target, values) => format!("{target} {values:?}"),
            Found::Bad(_, bad) => bad.to_string(),
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
