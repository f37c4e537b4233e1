//! The validator: wraps the `jsonschema` crate, and converts its errors into problems.

use std::collections::HashSet;
use std::sync::OnceLock;

use jsonschema::error::{ValidationError, ValidationErrorKind as Kind};
use serde_json::{Map, Value};

use crate::schema::coercion::{Coercions, coerce};
use crate::schema::json::children::children;
use crate::schema::json::pointer::{is_below, pointer, push_token, unescaped};
use crate::schema::leniency::Leniency;
use crate::schema::message::{self, Given, Noun};
use crate::schema::nearest::nearest;
use crate::schema::problem::Problem;
use crate::schema::reference::resolved;
use crate::schema::secret::{self, Secrecy};
use crate::schema::subschemas::branches;
use crate::schema::types::{Types, names_type};
use crate::schema::untagged::Untagged;
use crate::schema::{deep, locate};

/// The maximum number of problems.
pub(crate) const MAX_PROBLEMS: usize = 20;

/// The maximum number of items or members to explain; longer lists and maps are shortened.
const MAX_ITEMS: usize = 1_000;

/// The maximum number of items and members in total, because nesting multiplies them.
const MAX_ITEMS_IN_ALL: usize = 10 * MAX_ITEMS;

/// The maximum number of branches to explain: each branch of a failed choice has its own errors.
const MAX_BRANCHES: usize = 20_000;

/// The meaning of `format` (JSON Schema 2020-12, Validation, section 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formats {
    /// An assertion, for inputs: a text in another format is invalid.
    Asserted,
    /// An annotation, for outputs and for the defaults and examples of untrusted schemas.
    Described,
}

/// Validates values against a schema.
#[derive(Debug)]
pub(crate) struct Validator {
    pub(super) schema: Value,
    validator: jsonschema::Validator,
    pub(super) formats: Formats,
    /// Whether the schema has a secret.
    has_secrets: bool,
    /// The maximum nesting of a value to explain.
    explained_depth: usize,
    /// Whether the schema has recursive untagged choices, which are tried one after the other.
    is_tried: OnceLock<bool>,
    /// The number of branches of all choices, at least one.
    breadth: usize,
}

impl Validator {
    /// Compiles the schema of inputs, where `format` is an assertion.
    ///
    /// # Errors
    ///
    /// If the schema is invalid, such as a pattern that is not a regular expression.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        Validator::with(schema, Formats::Asserted)
    }

    /// Compiles a schema, with the given meaning of `format`.
    ///
    /// # Errors
    ///
    /// See [`Validator::new`].
    pub(crate) fn with(schema: &Value, formats: Formats) -> Result<Self, String> {
        jsonschema::draft202012::options()
            .should_validate_formats(formats == Formats::Asserted)
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(schema)
            .map(|validator| Validator {
                schema: schema.clone(),
                validator,
                formats,
                has_secrets: secret::any(schema),
                explained_depth: deep::explained_depth(schema),
                is_tried: OnceLock::new(),
                breadth: branches_anywhere(schema).max(1),
            })
            .map_err(|error| error.to_string())
    }

    /// Returns `true` if the arguments are valid.
    pub(crate) fn is_valid(&self, arguments: &Value) -> bool {
        self.validator.is_valid(arguments)
    }

    /// Returns the number of branches of all choices, at least one. Multiplied by the size of a value, it bounds the
    /// cost of validation.
    pub(crate) fn breadth(&self) -> usize {
        self.breadth
    }

    /// Validates arguments.
    ///
    /// # Errors
    ///
    /// All [problems](Validator::problems), or one without details if none can be found in time.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), Vec<Problem>> {
        if self.is_valid(arguments) {
            return Ok(());
        }
        // The validator decides, even if no problem can be explained.
        let mut problems = self.problems_below("", arguments);
        if problems.is_empty() {
            problems.push(Problem::unexplained());
        }
        Err(problems)
    }

    /// Returns the first problem of a value.
    pub(crate) fn first_problem(&self, value: &Value) -> Option<Problem> {
        self.check(value).err().and_then(|problems| problems.into_iter().next())
    }

    /// Returns the inputs that would take too long to decode, as far as the schema shows.
    pub(crate) fn endless(&self, arguments: &Value) -> Vec<Problem> {
        if self.is_tried() { Untagged::of(&self.schema).problems(arguments) } else { Vec::new() }
    }

    /// Returns `true` if the schema has recursive untagged choices.
    pub(crate) fn is_tried(&self) -> bool {
        *self.is_tried.get_or_init(|| Untagged::of(&self.schema).is_any())
    }

    /// Returns the problems of one input.
    pub(crate) fn problems_of(&self, name: &str, value: &Value) -> Vec<Problem> {
        let single = Value::from(Map::from_iter([(name.to_owned(), value.clone())]));
        if self.is_valid(&single) {
            return Vec::new();
        }
        let base = pointer(name);
        let mut problems = self.problems_below(&base, &single);
        problems.retain(|problem| is_below(&base, &problem.path));
        problems
    }

    /// Returns `true` if an input can be a list.
    pub(crate) fn admits_list(&self, name: &str) -> bool {
        Types::of(&self.schema["properties"][name], &self.schema).contains(Types::ARRAY)
    }

    /// Returns the problems of invalid arguments at or below `base`.
    fn problems_below(&self, base: &str, arguments: &Value) -> Vec<Problem> {
        if self.is_too_deep(arguments) {
            let mut problems = deep::problems(self, arguments);
            problems.sort_by_cached_key(|problem| self.position(&problem.path));
            return problems;
        }
        // The validator collects all errors before it returns the first, so long lists are shortened first.
        let most = (MAX_BRANCHES / self.breadth).clamp(MAX_PROBLEMS, MAX_ITEMS_IN_ALL);
        let mut problems = match shortened(arguments, &self.schema, most) {
            Some(shorter) => self.explained(&shorter, arguments, base),
            None => self.explained(arguments, arguments, base),
        };
        if problems.is_empty()
            && let Err(first) = self.validator.validate(arguments)
        {
            self.explain(&first, arguments, &mut problems);
            problems.truncate(MAX_PROBLEMS);
        }
        problems.sort_by_cached_key(|problem| self.position(&problem.path));
        problems
    }

    fn is_too_deep(&self, arguments: &Value) -> bool {
        self.explained_depth < usize::MAX && deep::is_deeper(arguments, self.explained_depth)
    }

    /// Returns coercions for invalid arguments.
    pub(crate) fn coerce(&self, arguments: &Value, leniency: Leniency) -> Coercions {
        coerce(arguments, &self.schema, leniency)
    }

    /// Returns the part of a path that may be shown.
    pub(crate) fn shown(&self, path: &str) -> String {
        self.secrecy(path).shown
    }

    /// Returns `true` if the value at this path is, or may contain, a secret.
    pub(crate) fn conceals(&self, path: &str) -> bool {
        self.secrecy(path).concealed
    }

    /// Describes the valid values at this path in a few words.
    pub(crate) fn expected(&self, path: &str) -> String {
        let schema = locate::schemas_at(&self.schema, path).first().copied().unwrap_or(&Value::Null);
        message::expected(schema, &self.schema)
    }

    /// Returns the problem of a value that is valid for the schema but does not decode.
    pub(crate) fn undecoded(&self, path: &str, value: &Value) -> Problem {
        let secrecy = self.secrecy(path);
        let schema = locate::schemas_at(&self.schema, path).first().copied().unwrap_or(&Value::Null);
        let given = (!secrecy.concealed).then_some(value);
        Problem::new(secrecy.shown, "format", message::mismatch(schema, &self.schema, given))
    }

    /// Returns the problem of an integer that would be rounded.
    pub(crate) fn rounded(&self, path: &str) -> Problem {
        let message = "expected a number that 64 bits hold: this integer would be rounded";
        Problem::new(self.secrecy(path).shown, "format", message)
    }

    /// Returns `true` if a schema of the value at this path has a numeric type.
    pub(crate) fn names_a_number(&self, path: &str) -> bool {
        let schemas = locate::schemas_at(&self.schema, path);
        let mut schemas = schemas.into_iter().filter_map(Value::as_object);
        schemas.any(|schema| names_type(schema, "integer") || names_type(schema, "number"))
    }

    fn secrecy(&self, path: &str) -> Secrecy {
        if self.has_secrets {
            secret::of(&self.schema, path)
        } else {
            Secrecy { shown: path.to_owned(), concealed: false, names: false }
        }
    }

    fn explained(&self, arguments: &Value, whole: &Value, base: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        let errors = self.validator.iter_errors(arguments);
        for error in errors.filter(|error| is_below(base, error.instance_path().as_str())) {
            self.explain(&error, whole, &mut problems);
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
        }
        // A value of the wrong type also violates `enum`: report it once.
        problems
            .dedup_by(|later, earlier| (&later.path, &later.message) == (&earlier.path, &earlier.message));
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    /// Returns the position of the input that a path belongs to.
    pub(crate) fn position(&self, path: &str) -> usize {
        let name = path.split('/').nth(1).map(unescaped).unwrap_or_default();
        let properties = self.schema["properties"].as_object();
        properties
            .and_then(|properties| properties.keys().position(|allowed_names| *allowed_names == name))
            .unwrap_or(usize::MAX)
    }

    fn explain(&self, error: &ValidationError<'_>, whole: &Value, problems: &mut Vec<Problem>) {
        let schema = self.schema_of(error);
        let noun = Noun::at(error.instance_path().as_str());
        let keyword = error.kind().keyword();
        let Secrecy { shown: path, names: nameless, concealed } =
            self.secrecy(error.instance_path().as_str());
        // Messages use the original value, not the shortened one.
        let instance = whole.pointer(error.instance_path().as_str()).unwrap_or(error.instance().as_ref());
        let given = (!concealed).then_some(instance);
        match error.kind() {
            Kind::MinItems { limit }
                if instance.as_array().is_some_and(|items| items.len() as u64 >= *limit) => {}
            Kind::MinProperties { limit }
                if instance.as_object().is_some_and(|members| members.len() as u64 >= *limit) => {}
            Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } if nameless => {
                let allowed_names = names(schema);
                problems.push(Problem::new(path, keyword, message::unknown(noun, None, &allowed_names)));
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let allowed_names = names(schema);
                for name in unexpected.iter().take(MAX_PROBLEMS) {
                    let text = message::unknown(noun, Some(name), &allowed_names);
                    let mut problem = Problem::new(member(&path, name), keyword, text);
                    problem.suggestion = nearest(name, allowed_names.iter().copied()).map(str::to_owned);
                    problems.push(problem);
                }
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let wanted = message::expected(&schema["properties"][name], &self.schema);
                let text = format!("missing required {}: expected {wanted}", noun.singular);
                problems.push(Problem::new(member(&path, name), keyword, text));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                let branch = self.intended(error).and_then(|branch| context.get(branch));
                match branch {
                    Some(branch) => branch.iter().for_each(|error| self.explain(error, whole, problems)),
                    None => problems.push(self.no_branch(error, schema, path, given)),
                }
            }
            Kind::Enum { options } => {
                let mut problem = Problem::new(path, keyword, message::mismatch(schema, &self.schema, given));
                let options = options.as_array().into_iter().flatten().filter_map(Value::as_str);
                let given = given.and_then(Value::as_str);
                problem.suggestion = given.and_then(|given| nearest(given, options)).map(str::to_owned);
                problems.push(problem);
            }
            kind => {
                problems.push(Problem::new(path, keyword, message::of(kind, schema, &self.schema, given)));
            }
        }
    }

    /// Returns the schema whose keyword was violated.
    fn schema_of(&self, error: &ValidationError<'_>) -> &Value {
        let path = error.schema_path().as_str();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        self.schema.pointer(parent).unwrap_or(&Value::Null)
    }

    /// Finds the branch that a value was intended for, by its tag, its only member, or its type.
    fn intended(&self, error: &ValidationError<'_>) -> Option<usize> {
        let branches = branches(self.schema_of(error))?;
        let given = error.instance();
        let resolved = branches.iter().map(|branch| resolved(branch, &self.schema));
        let mut fitting = resolved.enumerate().filter(|(_, branch)| message::is_meant_for(given, branch));
        match (fitting.next(), fitting.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    }

    fn no_branch(
        &self,
        error: &ValidationError<'_>,
        schema: &Value,
        path: String,
        given: Given<'_>,
    ) -> Problem {
        let branches: Vec<&Value> =
            branches(schema).into_iter().flatten().map(|branch| resolved(branch, &self.schema)).collect();
        if let Some((tag, allowed)) = message::tags(&branches)
            && let Some(tagged) = given.and_then(|given| given.get(tag))
        {
            let mut problem =
                Problem::new(member(&path, tag), "enum", message::not_among(&allowed, Some(tagged)));
            problem.suggestion = tagged.as_str().and_then(|given| nearest(given, allowed)).map(str::to_owned);
            return problem;
        }
        let keyword = error.kind().keyword();
        Problem::new(path, keyword, message::mismatch(schema, &self.schema, given))
    }
}

/// Returns the names of the declared properties.
fn names(schema: &Value) -> Vec<&str> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

fn member(path: &str, name: &str) -> String {
    let mut path = path.to_owned();
    push_token(&mut path, &message::shortened(name));
    path
}

/// Shortens long lists and maps to `most` items in total; `None` if there are none. Declared members stay, so that none
/// of them seems to be missing.
fn shortened(value: &Value, schema: &Value, most: usize) -> Option<Value> {
    if !is_long(value, &mut { most }) {
        return None;
    }
    let mut named = HashSet::new();
    names_anywhere(schema, &mut named);
    Some(cut(value, &named, &mut { most }))
}

/// Returns the number of branches of all choices in a schema.
fn branches_anywhere(schema: &Value) -> usize {
    let own = ["anyOf", "oneOf"].iter().filter_map(|choice| schema[choice].as_array()).map(Vec::len);
    own.sum::<usize>() + children(schema).map(branches_anywhere).sum::<usize>()
}

fn is_long(value: &Value, left: &mut usize) -> bool {
    let length = children(value).count();
    let Some(less) = left.checked_sub(length).filter(|_| length <= MAX_ITEMS) else { return true };
    *left = less;
    children(value).any(|child| is_long(child, left))
}

fn cut(value: &Value, named: &HashSet<&str>, left: &mut usize) -> Value {
    match value {
        Value::Array(items) => {
            let few = items.len().min(MAX_ITEMS).min(*left);
            *left -= few;
            items.iter().take(few).map(|item| cut(item, named, left)).collect()
        }
        Value::Object(members) => {
            let mut free = members.len().min(MAX_ITEMS).min(*left);
            *left -= free;
            let mut few = Map::new();
            for (name, value) in members {
                let stays = named.contains(name.as_str());
                if stays || free > 0 {
                    free -= usize::from(!stays);
                    few.insert(name.clone(), cut(value, named, left));
                }
            }
            few.into()
        }
        scalar => scalar.clone(),
    }
}

/// Returns all declared member names in a schema.
fn names_anywhere<'s>(schema: &'s Value, names: &mut HashSet<&'s str>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match (keyword.as_str(), value) {
            ("properties" | "dependentSchemas", Value::Object(members)) => {
                names.extend(members.keys().map(String::as_str));
            }
            ("required", Value::Array(required)) => {
                names.extend(required.iter().filter_map(Value::as_str));
            }
            ("dependentRequired", Value::Object(members)) => {
                let required = members.values().filter_map(Value::as_array).flatten();
                names.extend(members.keys().map(String::as_str).chain(required.filter_map(Value::as_str)));
            }
            _ => {}
        }
    }
    children(schema).for_each(|child| names_anywhere(child, names));
}

#[cfg(test)]
mod tests {
    use super::{MAX_ITEMS, MAX_ITEMS_IN_ALL, MAX_PROBLEMS, Validator, shortened};
    use serde_json::{Map, Value, json};

    fn items(value: &Value) -> usize {
        value.as_array().map_or(0, |list| list.len() + list.iter().map(items).sum::<usize>())
    }

    #[test]
    fn shortens_nested_lists_in_total() {
        let list = json!(vec![vec!["x"; MAX_ITEMS]; MAX_ITEMS]);
        assert_eq!(items(&shortened(&list, &json!({}), MAX_ITEMS_IN_ALL).unwrap()), MAX_ITEMS_IN_ALL);
        assert_eq!(shortened(&json!(vec![vec!["x"; 8]; MAX_ITEMS]), &json!({}), MAX_ITEMS_IN_ALL), None);
    }

    #[test]
    fn shortens_to_the_last_item() {
        assert_eq!(shortened(&json!([1, 2, 3]), &json!({}), 3), None);
        assert_eq!(shortened(&json!([1, 2, 3]), &json!({}), 2), Some(json!([1, 2])));
        assert_eq!(shortened(&json!([[1, 2], [3, 4]]), &json!({}), 5), Some(json!([[1, 2], [3]])));
        assert_eq!(shortened(&json!({"a": [1, 2], "b": 3}), &json!({}), 3), Some(json!({"a": [1], "b": 3})));
        assert_eq!(shortened(&json!(vec![1; MAX_ITEMS]), &json!({}), MAX_ITEMS_IN_ALL), None);
        let longer = shortened(&json!(vec![1; MAX_ITEMS + 1]), &json!({}), MAX_ITEMS_IN_ALL).unwrap();
        assert_eq!(items(&longer), MAX_ITEMS);
    }

    #[test]
    fn keeps_members_that_any_keyword_names() {
        let schema = json!({
            "properties": {"a": {"properties": {"inner": {}}}},
            "required": ["b"],
            "dependentSchemas": {"c": {}},
            "dependentRequired": {"d": ["e"]},
        });
        let named = ["a", "inner", "b", "c", "d", "e"];
        let mut map = members(3, &json!(1));
        map.extend(named.map(|name| (name.to_owned(), json!(1))));
        let short = shortened(&map.into(), &schema, 2).unwrap();
        let kept: Vec<&str> = short.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(kept, [&["k0", "k1"], &named[..]].concat());
    }

    fn members(count: usize, value: &Value) -> Map<String, Value> {
        (0..count).map(|n| (format!("k{n}"), value.clone())).collect()
    }

    #[test]
    fn shortens_nested_maps_but_keeps_declared_members() {
        let schema = json!({
            "properties": {"last": {"type": "integer"}},
            "required": ["last"],
            "minProperties": 1500,
            "additionalProperties": {"additionalProperties": {"type": "integer"}},
        });
        let mut map = members(MAX_ITEMS, &members(MAX_ITEMS, &json!("x")).into());
        map.insert("last".to_owned(), json!(1));
        let short = shortened(&map.clone().into(), &schema, MAX_ITEMS_IN_ALL).unwrap();
        let short = short.as_object().unwrap();
        let inner: usize = short.values().filter_map(Value::as_object).map(Map::len).sum();
        assert!(short.contains_key("last"));
        assert!(short.len() + inner <= MAX_ITEMS_IN_ALL + 1, "{} {inner}", short.len());
        let validator = Validator::new(&schema).unwrap();
        map.extend((0..500).map(|n| (format!("m{n}"), json!({}))));
        let problems = validator.check(&map.into()).unwrap_err();
        assert_eq!(problems.len(), MAX_PROBLEMS);
        assert!(problems.iter().all(|problem| problem.keyword == "type"), "{problems:?}");
    }

    #[test]
    fn reports_the_full_length_of_a_shortened_list() {
        let messages = |schema: Value, list: Value| -> Vec<String> {
            let problems = Validator::new(&schema).unwrap().check(&list).unwrap_err();
            problems.into_iter().map(|problem| problem.message).collect()
        };
        assert_eq!(
            messages(json!({"maxItems": 500}), json!(vec![1; 5000])),
            ["expected at most 500 items, got 5000"]
        );
        let mut list = vec![json!(1); 2000];
        list[7] = json!("x");
        assert_eq!(
            messages(json!({"minItems": 1500, "items": {"type": "integer"}}), list.into()),
            ["expected an integer, got the string `x`"]
        );
    }
}
