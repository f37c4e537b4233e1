//! Rewrites a schema to the subset of JSON Schema that a vendor supports.

use serde_json::{Map, Value, json};

use crate::definition::profile::branches::{nullable, of_every_type, put_tag_first, set_description};
use crate::definition::profile::choice;
use crate::definition::profile::choice::TooMany;
use crate::definition::profile::dialect::{
    ChoiceSupport, Dialect, FreeNames, OptionalSupport, UntypedSupport,
};
use crate::definition::profile::subschemas::below;
use crate::definition::profile::{ProfileError, describe};

/// Rewrites the schema of all inputs, whose references were inlined.
pub(super) fn rewritten(schema: Value, dialect: &Dialect) -> Result<Value, ProfileError> {
    let rewriting = Rewriting { dialect };
    let Value::Object(mut root) = schema else { return Err(rewriting.no_root()) };
    let definitions = root.shift_remove("$defs");
    let (notes, mut alternatives) = choice::alternatives(root).map_err(|error| rewriting.too_large(error))?;
    let (Some(mut root), true) = (alternatives.pop(), alternatives.is_empty()) else {
        return Err(rewriting.no_root());
    };
    if root.get("type").is_none_or(|kind| kind != "object") || root.contains_key("enum") {
        return Err(rewriting.no_root());
    }
    root.extend(notes);
    let mut rewritten = rewriting.plain(root, "")?;
    if let Some(Value::Object(mut definitions)) = definitions {
        for (name, definition) in &mut definitions {
            *definition = rewriting.schema(definition.take(), &below("", &["$defs", name]))?;
        }
        rewritten["$defs"] = definitions.into();
    }
    Ok(rewritten)
}

struct Rewriting<'d> {
    dialect: &'d Dialect,
}

type Schema = Map<String, Value>;

impl Rewriting<'_> {
    fn schema(&self, schema: Value, path: &str) -> Result<Value, ProfileError> {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(false) => Schema::from_iter([("not".to_owned(), json!({}))]),
            _ => Schema::new(),
        };
        let (notes, mut alternatives) =
            choice::alternatives(schema).map_err(|error| self.too_large(error))?;
        match alternatives.pop() {
            Some(mut only) if alternatives.is_empty() => {
                // Annotations of the whole take precedence over those of its only alternative.
                only.extend(notes);
                self.plain(only, path)
            }
            last => {
                alternatives.extend(last);
                self.choice(notes, alternatives, path)
            }
        }
    }

    /// Rewrites a choice of several schemas, or of none, if no value is valid.
    fn choice(&self, notes: Schema, alternatives: Vec<Schema>, path: &str) -> Result<Value, ProfileError> {
        let mut branches: Vec<Value> = Vec::new();
        for (position, alternative) in alternatives.into_iter().enumerate() {
            let branch = self.plain(alternative, &below(path, &["anyOf", &position.to_string()]))?;
            if !branches.contains(&branch) {
                branches.push(branch);
            }
        }
        match branches.as_mut_slice() {
            [] => return Ok(json!({"not": {}})),
            [only] if notes.is_empty() => return Ok(only.take()),
            _ => {}
        }
        let (mut rewritten, left) = self.sorted(notes, None);
        let description = described(&mut rewritten, &left);
        match self.dialect.choice {
            ChoiceSupport::Plain => {}
            ChoiceSupport::ByFirstProperty => put_tag_first(&mut branches),
            ChoiceSupport::Alone => {
                if let Some(description) = &description {
                    branches.iter_mut().for_each(|branch| set_description(branch, description));
                }
                return Ok(json!({ "anyOf": branches }));
            }
        }
        if let Some(description) = description {
            rewritten.shift_insert(0, "description".to_owned(), description.into());
        }
        rewritten.insert("anyOf".to_owned(), branches.into());
        Ok(rewritten.into())
    }

    /// Rewrites a schema of one type, or a reference.
    fn plain(&self, mut schema: Schema, path: &str) -> Result<Value, ProfileError> {
        if let Some(reference) = schema.shift_remove("$ref") {
            let (_, left) = self.sorted(schema.clone(), None);
            let reference = json!({ "$ref": reference });
            // A reference has no sibling keywords.
            return Ok(match described(&mut schema, &left) {
                Some(description) => json!({"description": description, "anyOf": [reference]}),
                None => reference,
            });
        }
        let kind = kind(&mut schema);
        let kept = match kind.as_deref() {
            Some("object") => self.object(&mut schema, path)?,
            Some("array") => self.array(&mut schema, path)?,
            _ => Schema::new(),
        };
        let (mut taken, left) = self.sorted(schema, kind.as_deref());
        let mut rewritten = Schema::new();
        match (&kind, self.dialect.untyped) {
            (Some(kind), _) => {
                rewritten.insert("type".to_owned(), kind.as_str().into());
            }
            (None, UntypedSupport::Empty) => {}
            (None, UntypedSupport::EveryType) => {
                taken.insert("anyOf".to_owned(), of_every_type());
            }
            (None, UntypedSupport::Refused) => {
                return Err(ProfileError::Untyped { profile: self.dialect.profile, path: path.to_owned() });
            }
        }
        let description = described(&mut taken, &left);
        rewritten.extend(description.map(|description| ("description".to_owned(), description.into())));
        rewritten.extend(taken);
        rewritten.extend(kept);
        Ok(rewritten.into())
    }

    fn object(&self, schema: &mut Schema, path: &str) -> Result<Schema, ProfileError> {
        let required = schema.shift_remove("required").unwrap_or_default();
        let is_required =
            |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let takes = if path.is_empty() { self.dialect.takes_input } else { self.dialect.takes_property };
        let mut properties = Schema::new();
        let mut always = Vec::new();
        if let Some(Value::Object(all)) = schema.shift_remove("properties") {
            for (name, property) in all {
                // A forbidden property.
                if property == false {
                    continue;
                }
                if !takes(&name) {
                    return Err(ProfileError::PropertyName { profile: self.dialect.profile, name });
                }
                let mut property = self.schema(property, &below(path, &["properties", &name]))?;
                let required = is_required(&name);
                if !required && self.dialect.optional == OptionalSupport::Null {
                    property = nullable(property);
                }
                if required || self.dialect.optional == OptionalSupport::Null {
                    always.push(Value::from(name.as_str()));
                }
                properties.insert(name, property);
            }
        }
        let others = self.other_properties(schema, properties.is_empty(), path)?;
        let mut kept = Schema::new();
        // A map has no properties.
        if !properties.is_empty() || others.as_ref().is_some_and(|others| *others == false) {
            kept.insert("properties".to_owned(), properties.into());
        }
        if !always.is_empty() || self.dialect.optional == OptionalSupport::Null {
            kept.insert("required".to_owned(), always.into());
        }
        kept.extend(others.map(|others| ("additionalProperties".to_owned(), others)));
        Ok(kept)
    }

    /// Returns the schema of additional properties, or `None` for any value.
    fn other_properties(
        &self,
        schema: &mut Schema,
        nameless: bool,
        path: &str,
    ) -> Result<Option<Value>, ProfileError> {
        let unevaluated = schema.shift_remove("unevaluatedProperties");
        let others = schema.shift_remove("additionalProperties").or(unevaluated);
        let patterns: Vec<Value> = schema
            .get("patternProperties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::values)
            .cloned()
            .collect();
        let closed = others.as_ref().is_some_and(|others| *others == false);
        if closed && patterns.is_empty() {
            return Ok(Some(false.into()));
        }
        if self.dialect.free_names == FreeNames::Refused {
            // An open object with properties is closed: the model uses no others.
            if patterns.is_empty() && others.is_none() && !nameless {
                return Ok(Some(false.into()));
            }
            return Err(ProfileError::FreeNames { profile: self.dialect.profile, path: path.to_owned() });
        }
        let mut types = patterns;
        match others {
            Some(Value::Object(others)) if !others.is_empty() => types.push(others.into()),
            Some(Value::Bool(false)) => {}
            _ => return Ok(None),
        }
        let types = if types.len() == 1 { types.remove(0) } else { json!({ "anyOf": types }) };
        self.schema(types, &below(path, &["additionalProperties"])).map(Some)
    }

    fn array(&self, schema: &mut Schema, path: &str) -> Result<Schema, ProfileError> {
        let unevaluated = schema.shift_remove("unevaluatedItems");
        let rest = schema.shift_remove("items").or(unevaluated);
        let mut items = match schema.get("prefixItems") {
            Some(Value::Array(items)) => items.clone(),
            _ => Vec::new(),
        };
        // A tuple becomes an array of all its types; the description has the order.
        let length = items.len();
        let ends = schema.get("maxItems").and_then(Value::as_u64).is_some_and(|most| most <= length as u64);
        match rest {
            Some(Value::Bool(false)) => {
                schema.entry("maxItems").or_insert_with(|| length.into());
            }
            Some(rest) if !ends => items.push(rest),
            None if !ends => items.push(json!({})),
            _ => {}
        }
        let items = if items.len() == 1 { items.remove(0) } else { json!({ "anyOf": items }) };
        let items = self.schema(items, &below(path, &["items"]))?;
        Ok(Schema::from_iter([("items".to_owned(), items)]))
    }

    /// Splits keywords into supported ones and those for the description.
    fn sorted(&self, schema: Schema, kind: Option<&str>) -> (Schema, Schema) {
        let mut taken = Schema::new();
        let mut left = Schema::new();
        for (keyword, value) in schema {
            if !limits(&keyword, kind) {
                continue;
            }
            if keyword == "description" || (self.dialect.takes)(&keyword, &value) {
                taken.insert(keyword, value);
            } else if keyword == "const" && (self.dialect.takes)("enum", &json!([value])) {
                taken.insert("enum".to_owned(), json!([value]));
            } else {
                left.insert(keyword, value);
            }
        }
        (taken, left)
    }

    fn no_root(&self) -> ProfileError {
        ProfileError::Root { profile: self.dialect.profile }
    }

    fn too_large(&self, _: TooMany) -> ProfileError {
        ProfileError::TooLarge { profile: self.dialect.profile }
    }
}

/// Returns the type of a plain schema. Without `type`, keywords of objects or arrays imply it.
fn kind(schema: &mut Schema) -> Option<String> {
    if let Some(Value::String(kind)) = schema.shift_remove("type") {
        return Some(kind);
    }
    let has = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
    if has(&["properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties"])
    {
        return Some("object".to_owned());
    }
    has(&["items", "prefixItems", "unevaluatedItems"]).then(|| "array".to_owned())
}

/// Returns `true` if a keyword can limit a value of this type.
fn limits(keyword: &str, kind: Option<&str>) -> bool {
    let of: &[&str] = match keyword {
        "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding" | "contentMediaType" => {
            &["string"]
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            &["integer", "number"]
        }
        "minItems" | "maxItems" | "uniqueItems" | "prefixItems" | "contains" | "minContains"
        | "maxContains" => &["array"],
        "minProperties" | "maxProperties" | "patternProperties" | "propertyNames" | "dependentRequired"
        | "dependentSchemas" => &["object"],
        // `null` has only one value.
        "enum" | "const" => return kind != Some("null"),
        _ => return true,
    };
    kind.is_none_or(|kind| of.contains(&kind))
}

/// Returns the description, extended by unsupported keywords.
fn described(schema: &mut Schema, left: &Schema) -> Option<String> {
    let description = schema.shift_remove("description");
    describe::described(description.as_ref().and_then(Value::as_str), &describe::sentences(left))
}
