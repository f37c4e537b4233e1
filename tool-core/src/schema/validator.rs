//! The one validator, behind a type of our own: what it finds becomes our problems.

use jsonschema::error::{ValidationError, ValidationErrorKind as Kind};
use serde_json::Value;

use crate::failure::Problem;
use crate::schema::message::{self, Noun};
use crate::schema::nearest::nearest;
use crate::schema::{push_escaped, unescaped};

/// More problems than this help nobody.
pub(crate) const MOST_PROBLEMS: usize = 20;

/// A list of more items is explained by its first ones, where these have a fault.
const MOST_ITEMS: usize = 1_000;

/// So many faults are looked through for a `null` that counts as left out.
const MOST_EXAMINED: usize = 1_000;

/// Checks values against a schema in normal form.
#[derive(Debug)]
pub(crate) struct Validator {
    schema: Value,
    validator: jsonschema::Validator,
}

impl Validator {
    /// Makes ready to check against this schema.
    ///
    /// # Errors
    ///
    /// When the schema is none, such as a pattern that is no regular expression.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        jsonschema::draft202012::options()
            .should_validate_formats(false)
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(schema)
            .map(|validator| Validator { schema: schema.clone(), validator })
            .map_err(|error| error.to_string())
    }

    /// Everything that is wrong with the arguments, in the order of the inputs, unknown ones last; [`MOST_PROBLEMS`] at
    /// most.
    pub(crate) fn problems(&self, arguments: &Value) -> Vec<Problem> {
        if self.validator.is_valid(arguments) {
            return Vec::new();
        }
        // The validator finds every fault before it tells the first: a long list of them is cut before it is explained.
        let mut problems = match shortened(arguments) {
            Some(shorter) => self.explained(&shorter),
            None => Vec::new(),
        };
        if problems.is_empty() {
            problems = self.explained(arguments);
        }
        problems.sort_by_cached_key(|problem| self.position(&problem.path));
        problems
    }

    fn explained(&self, arguments: &Value) -> Vec<Problem> {
        let mut problems = Vec::new();
        for error in self.validator.iter_errors(arguments) {
            self.explain(&error, &mut problems);
            if problems.len() >= MOST_PROBLEMS {
                break;
            }
        }
        problems.truncate(MOST_PROBLEMS);
        problems
    }

    /// The position of the input that a place belongs to.
    pub(crate) fn position(&self, path: &str) -> usize {
        let name = path.split('/').nth(1).map(unescaped).unwrap_or_default();
        let properties = self.schema["properties"].as_object();
        properties
            .and_then(|properties| properties.keys().position(|known| *known == name))
            .unwrap_or(usize::MAX)
    }

    /// The members that are `null`, may be left out, and do not admit `null`: each counts as left out.
    pub(crate) fn superfluous_nulls(&self, arguments: &Value) -> Vec<String> {
        let mut found = Vec::new();
        // Among so many faults there is one that no `null` explains.
        for error in self.validator.iter_errors(arguments).take(MOST_EXAMINED) {
            self.nulls_of(&error, &mut found);
        }
        found
    }

    fn nulls_of(&self, error: &ValidationError<'_>, found: &mut Vec<String>) {
        if error.instance().is_null() {
            if let Some((object, name)) = self.owner(error) {
                let required = object["required"].as_array().map_or(&[][..], Vec::as_slice);
                if !required.iter().any(|required| *required == name) {
                    found.push(error.instance_path().as_str().to_owned());
                }
            }
            return;
        }
        if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind()
            && let Some(branch) = self.intended(error).and_then(|branch| context.get(branch))
        {
            branch.iter().for_each(|error| self.nulls_of(error, found));
        }
    }

    /// The object schema that has the faulty value as one of its properties, and the property's name.
    ///
    /// Follows the path that the validator took, through references too: `…/properties/next/$ref/type`.
    fn owner(&self, error: &ValidationError<'_>) -> Option<(&Value, String)> {
        let mut schema = &self.schema;
        let mut owner = None;
        let mut steps = error.evaluation_path().as_str().split('/').skip(1).map(unescaped).peekable();
        while let Some(step) = steps.next() {
            match step.as_str() {
                "$ref" => schema = self.resolved(schema),
                "properties" => {
                    let name = steps.next()?;
                    let property = schema["properties"].get(&name)?;
                    owner = Some((schema, name));
                    schema = property;
                }
                // The last step is the keyword that was broken.
                _ if steps.peek().is_none() => break,
                step => {
                    schema = match schema {
                        Value::Array(schemas) => schemas.get(step.parse::<usize>().ok()?)?,
                        _ => schema.get(step)?,
                    };
                    owner = None;
                }
            }
        }
        owner
    }

    fn explain(&self, error: &ValidationError<'_>, problems: &mut Vec<Problem>) {
        let path = error.instance_path().as_str();
        let schema = self.schema_of(error);
        let noun = Noun::at(path);
        let keyword = error.kind().keyword();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let known: Vec<&str> = schema["properties"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.as_str())
                    .collect();
                for name in unexpected.iter().take(MOST_PROBLEMS) {
                    let mut problem =
                        Problem::new(member(path, name), keyword, message::unknown(noun, name, &known));
                    problem.suggestion = nearest(name, known.iter().copied()).map(str::to_owned);
                    problems.push(problem);
                }
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let wanted = message::expected(&schema["properties"][name]);
                let text = format!("missing required {}: expected {wanted}", noun.singular());
                problems.push(Problem::new(member(path, name), keyword, text));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                let branch = self.intended(error).and_then(|branch| context.get(branch));
                match branch {
                    Some(branch) => branch.iter().for_each(|error| self.explain(error, problems)),
                    None => problems.push(self.no_branch(error, schema)),
                }
            }
            Kind::Enum { options } => {
                let mut problem = Problem::new(path, keyword, message::mismatch(schema, error.instance()));
                let options = options.as_array().into_iter().flatten().filter_map(Value::as_str);
                problem.suggestion =
                    error.instance().as_str().and_then(|given| nearest(given, options)).map(str::to_owned);
                problems.push(problem);
            }
            kind => problems.push(Problem::new(path, keyword, message::of(kind, schema, error.instance()))),
        }
    }

    /// The schema whose keyword was broken.
    fn schema_of(&self, error: &ValidationError<'_>) -> &Value {
        let path = error.schema_path().as_str();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        self.schema.pointer(parent).unwrap_or(&Value::Null)
    }

    /// Which branch of a choice the value was meant for: told by its tag, by its only member, or by its type.
    fn intended(&self, error: &ValidationError<'_>) -> Option<usize> {
        let branches = branches(self.schema_of(error))?;
        let given = error.instance();
        let resolved = branches.iter().map(|branch| self.resolved(branch));
        let mut fitting = resolved.enumerate().filter(|(_, branch)| message::is_meant_for(given, branch));
        match (fitting.next(), fitting.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    }

    fn no_branch(&self, error: &ValidationError<'_>, schema: &Value) -> Problem {
        let branches: Vec<&Value> =
            branches(schema).into_iter().flatten().map(|branch| self.resolved(branch)).collect();
        let path = error.instance_path().as_str();
        let keyword = error.kind().keyword();
        if let Some((tag, allowed)) = message::tags(&branches)
            && let Some(given) = error.instance().get(tag)
        {
            let mut problem = Problem::new(member(path, tag), "enum", message::not_among(&allowed, given));
            problem.suggestion = given.as_str().and_then(|given| nearest(given, allowed)).map(str::to_owned);
            return problem;
        }
        Problem::new(path, keyword, message::no_branch(&branches, error.instance()))
    }

    fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Value {
        schema["$ref"]
            .as_str()
            .and_then(|reference| self.schema.pointer(reference.strip_prefix('#')?))
            .unwrap_or(schema)
    }
}

fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())
}

fn member(path: &str, name: &str) -> String {
    let mut path = format!("{path}/");
    push_escaped(&mut path, &message::shortened(name));
    path
}

/// The same value with every long list cut; `None` when there is no long list.
fn shortened(value: &Value) -> Option<Value> {
    fn long(value: &Value) -> bool {
        match value {
            Value::Array(items) => items.len() > MOST_ITEMS || items.iter().any(long),
            Value::Object(members) => members.values().any(long),
            _ => false,
        }
    }
    fn cut(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().take(MOST_ITEMS).map(cut).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), cut(value))).collect()
            }
            scalar => scalar.clone(),
        }
    }
    long(value).then(|| cut(value))
}
