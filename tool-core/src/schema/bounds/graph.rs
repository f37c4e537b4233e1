//! The schemas of a document as a graph: which schema applies which others, to the same value or to a part of it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::schema::bounds::dialect::SchemaDialect;
use crate::schema::bounds::fault::{SchemaError, SchemaFault};
use crate::schema::bounds::reach::Traversal;
use crate::schema::bounds::{MAX_ALTERNATIVES, MAX_LEVELS, MAX_NAME_LENGTH, MAX_SCHEMAS};
use crate::schema::json::pointer::push_token;
use crate::schema::reference::target;
use crate::schema::subschemas::{Applies, Member, Subschema, subschemas};

pub(super) struct Graph<'s> {
    nodes: Vec<SchemaNode<'s>>,
}

/// A schema of the document.
struct SchemaNode<'s> {
    part: Subschema<'s>,
    /// The parent schema; the root is its own parent.
    parent: usize,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) to: usize,
    applies: Applies,
}

impl<'s> Graph<'s> {
    /// Finds every schema of the document, and the target of each `$ref`.
    ///
    /// # Errors
    ///
    /// The first unsupported keyword, invalid property name, or `$ref` without a target.
    pub(super) fn of(root: &'s Value) -> Result<Self, SchemaError> {
        let mut graph = Graph { nodes: Vec::new() };
        let dialect = SchemaDialect::of(root).map_err(|fault| SchemaError::new("/$schema", fault))?;
        let part = Subschema { schema: root, keyword: "", member: Member::Only, applies: Applies::Nowhere };
        graph.nodes.push(SchemaNode { part, parent: 0, edges: Vec::new() });
        let mut at = 0;
        // The list grows during the loop, because each schema adds its subschemas.
        while at < graph.nodes.len() {
            if let Value::Object(schema) = graph.nodes[at].part.schema {
                dialect
                    .check(schema, at == 0)
                    .map_err(|(keyword, fault)| SchemaError::new(graph.pointer(at, keyword), fault))?;
                graph.add_members(at, schema)?;
            }
            at += 1;
        }
        graph.link()?;
        Ok(graph)
    }

    /// Adds the subschemas of this one.
    fn add_members(&mut self, at: usize, schema: &'s Map<String, Value>) -> Result<(), SchemaError> {
        for part in subschemas(schema) {
            if let Member::Name(name) = part.member
                && part.keyword == "properties"
                && !is_sane(name)
            {
                let fault = SchemaFault::PropertyName(name.to_owned());
                return Err(SchemaError::new(self.pointer(at, part.keyword), fault));
            }
            if part.applies != Applies::Nowhere {
                let to = self.nodes.len();
                self.nodes[at].edges.push(Edge { to, applies: part.applies });
            }
            self.nodes.push(SchemaNode { part, parent: at, edges: Vec::new() });
        }
        Ok(())
    }

    /// Adds an edge for each `$ref`.
    fn link(&mut self) -> Result<(), SchemaError> {
        let address = |schema: &Value| std::ptr::from_ref(schema) as usize;
        let root = self.nodes[0].part.schema;
        let seen: HashMap<usize, usize> =
            self.nodes.iter().enumerate().map(|(at, node)| (address(node.part.schema), at)).collect();
        for at in 0..self.nodes.len() {
            let Some(reference) = self.nodes[at].part.schema.get("$ref").and_then(Value::as_str) else {
                continue;
            };
            let found = target(reference, root);
            if let Some(to) = found.and_then(|target| seen.get(&address(target))) {
                self.nodes[at].edges.push(Edge { to: *to, applies: Applies::Here });
                continue;
            }
            let fault = if reference.starts_with('#') {
                SchemaFault::UnknownReference(reference.to_owned())
            } else {
                SchemaFault::RemoteReference(reference.to_owned())
            };
            return Err(SchemaError::new(self.pointer(at, "$ref"), fault));
        }
        Ok(())
    }

    /// Rejects endless recursion, and schemas that become too large once each `$ref` is followed.
    ///
    /// # Errors
    ///
    /// The first fault, innermost first.
    pub(super) fn check(&self) -> Result<(), SchemaError> {
        let refuse = |at, fault| Err(SchemaError::new(self.pointer(at, ""), fault));
        let here = Traversal::traverse(self, |edge| edge.applies == Applies::Here);
        if let Some(at) = here.cycle {
            return refuse(at, SchemaFault::EndlessReference);
        }
        for (at, reach) in here.reach(self) {
            if reach.schemas > MAX_ALTERNATIVES {
                return refuse(at, SchemaFault::TooManyAlternatives { most: MAX_ALTERNATIVES });
            }
        }
        for (at, reach) in Traversal::traverse(self, |_| true).reach(self) {
            if reach.levels > MAX_LEVELS {
                return refuse(at, SchemaFault::TooDeep { most: MAX_LEVELS });
            }
            if reach.schemas > MAX_SCHEMAS {
                return refuse(at, SchemaFault::TooManySchemas { most: MAX_SCHEMAS });
            }
        }
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the edges to the schemas that this one applies.
    pub(super) fn edges(&self, at: usize) -> &[Edge] {
        &self.nodes[at].edges
    }

    /// Returns all schemas with their positions.
    pub(super) fn schemas(&self) -> impl Iterator<Item = (usize, &'s Value)> {
        self.nodes.iter().enumerate().map(|(at, node)| (at, node.part.schema))
    }

    /// Returns `true` if a schema is reachable from the root through `properties` only.
    pub(super) fn is_property(&self, mut at: usize) -> bool {
        at != 0
            && loop {
                if self.nodes[at].part.keyword != "properties" {
                    break false;
                }
                at = self.nodes[at].parent;
                if at == 0 {
                    break true;
                }
            }
    }

    /// Returns the JSON Pointer of a keyword in a schema, or of the schema itself for an empty keyword.
    pub(super) fn pointer(&self, mut at: usize, keyword: &str) -> String {
        let mut ancestors = Vec::new();
        while at != 0 {
            ancestors.push(at);
            at = self.nodes[at].parent;
        }
        let mut pointer = String::new();
        for at in ancestors.into_iter().rev() {
            self.nodes[at].part.push_path(&mut pointer);
        }
        if !keyword.is_empty() {
            push_token(&mut pointer, keyword);
        }
        pointer
    }
}

/// Returns `true` if a name can be displayed. Names such as `help`, `a b` and the empty name are valid.
fn is_sane(name: &str) -> bool {
    name.len() <= MAX_NAME_LENGTH && !name.chars().any(char::is_control)
}
