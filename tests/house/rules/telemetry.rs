//! The names of spans, their fields, and metrics, compared with OpenTelemetry's semantic conventions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use toml::Table;

use crate::workspace::{self, LIBRARIES};

/// Fields that are no attributes: `tracing-opentelemetry` makes them the name, kind and status of a span.
const SPECIAL: [&str; 4] = ["otel.kind", "otel.name", "otel.status_code", "otel.status_description"];

/// Fields that the conventions do not have for a span, with the reason.
const OURS: [(&str, &str, &str); 3] = [
    ("http", "gen_ai.tool.name", "which tool a request is about, for subscribers that show no inner spans"),
    ("http", "gen_ai.tool.call.id", "the same for the call"),
    (
        "execute_tool",
        "trace_id",
        "finds the log lines of a trace without an exporter, as in OpenTelemetry's log formats",
    ),
];

/// Spans that the conventions do not know: a prompt, and a task that outlives its call.
const UNKNOWN: [&str; 2] = ["get_prompt", "task"];

/// The spans and the strings of a source file.
#[derive(Default)]
struct Found {
    spans: Vec<(String, Vec<String>)>,
    labels: BTreeSet<String>,
    metrics: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Found {
    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        if node.path.segments.last().is_some_and(|last| last.ident.to_string().ends_with("_span")) {
            self.spans.push(span(node.tokens.clone()));
        } else if let Ok(parsed) =
            node.parse_body_with(syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated)
        {
            parsed.iter().for_each(|expression| self.visit_expr(expression));
        }
        visit::visit_macro(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
        if let syn::Expr::Path(function) = &*node.func
            && let [.., kind, new] =
                &function.path.segments.iter().map(|it| it.ident.to_string()).collect::<Vec<_>>()[..]
            && new == "new"
            && let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. })) = node.args.first()
        {
            match &**kind {
                "Label" => self.labels.insert(name.value()),
                "DurationHistogram" => self.metrics.insert(name.value()),
                _ => false,
            };
        }
        visit::visit_expr_call(self, node);
    }
}

/// Returns the name of a span and the names of its fields, from the arguments of its macro.
fn span(tokens: TokenStream) -> (String, Vec<String>) {
    let (mut parts, mut part, mut is_value) = (Vec::new(), String::new(), false);
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                parts.push(std::mem::take(&mut part));
                is_value = false;
            }
            TokenTree::Punct(punct) if punct.as_char() == '=' => is_value = true,
            _ if is_value => {}
            token => part.push_str(&token.to_string()),
        }
    }
    parts.push(part);
    let mut parts = parts.into_iter().map(|part| part.trim_matches(['"', '%', '?']).to_owned());
    let name = parts.next().unwrap_or_default();
    (name, parts.filter(|part| !part.is_empty()).collect())
}

fn model() -> Table {
    workspace::toml("tests/fixtures/collector/conventions.toml")
}

/// Returns the attributes of a span or metric in the model.
fn attributes<'m>(model: &'m Table, kind: &str, name: &str) -> Option<BTreeSet<&'m str>> {
    let names = model[kind].get(name)?["attributes"].as_array()?;
    Some(names.iter().filter_map(toml::Value::as_str).collect())
}

fn found() -> BTreeMap<String, Found> {
    let sources = LIBRARIES.into_iter().flat_map(|library| workspace::sources(workspace::member(library)));
    let found = sources.map(|path| {
        let mut found = Found::default();
        found.visit_file(&syn::parse_file(&workspace::read(&path)).unwrap());
        (path.display().to_string(), found)
    });
    found.collect()
}

#[test]
fn spans_have_the_fields_of_the_conventions() {
    let model = model();
    let mut seen = BTreeSet::new();
    for (path, found) in found() {
        for (name, fields) in found.spans {
            assert!(
                !fields.iter().any(|field| field == "name"),
                "{path}: JSON subscribers lose a field `name`"
            );
            let allowed = attributes(&model, "span", &name);
            assert!(
                allowed.is_some() || UNKNOWN.contains(&&*name),
                "{path}: the conventions have no span `{name}`"
            );
            // A span that they do not know has attributes that they know.
            let allowed = allowed.unwrap_or_else(|| attributes(&model, "span", "execute_tool").unwrap());
            for field in &fields {
                let is_ours = OURS
                    .iter()
                    .any(|(span, ours, _)| *ours == field && (*span == name || UNKNOWN.contains(&&*name)));
                let is_allowed = allowed.contains(&**field) || field == "gen_ai.prompt.name";
                assert!(
                    is_allowed || is_ours || SPECIAL.contains(&&**field),
                    "{path}: `{name}` has a field `{field}`"
                );
            }
            for required in
                model["span"].get(&name).into_iter().flat_map(|it| it["required"].as_array().unwrap())
            {
                let required = required.as_str().unwrap();
                assert!(fields.iter().any(|field| field == required), "{path}: `{name}` lacks `{required}`");
            }
            seen.insert(name);
        }
    }
    let allowed: BTreeSet<String> = model["span"].as_table().unwrap().keys().cloned().collect();
    assert!(
        allowed.is_subset(&seen),
        "spans of the conventions that are not created: {:?}",
        allowed.difference(&seen)
    );
}

#[test]
fn metrics_have_the_labels_of_the_conventions() {
    let model = model();
    let mut seen = BTreeSet::new();
    for (path, found) in found() {
        if found.metrics.is_empty() {
            continue;
        }
        let mut allowed = BTreeSet::new();
        for name in &found.metrics {
            allowed.extend(
                attributes(&model, "metric", name).unwrap_or_else(|| panic!("{path}: no metric `{name}`")),
            );
        }
        for label in &found.labels {
            assert!(allowed.contains(&**label), "{path}: {:?} has a label `{label}`", found.metrics);
        }
        seen.extend(found.metrics);
    }
    let allowed: BTreeSet<String> = model["metric"].as_table().unwrap().keys().cloned().collect();
    // The doc example of the histogram itself is no source.
    assert_eq!(allowed, seen);
}

#[test]
fn fields_are_read_from_the_arguments_of_a_span() {
    let tokens = r#""a", otel.name = %f(b, c), %call_id, error.type = Empty, trace_id"#.parse().unwrap();
    let fields = ["otel.name", "call_id", "error.type", "trace_id"].map(str::to_owned);
    assert_eq!(span(tokens), ("a".to_owned(), fields.to_vec()));
}
