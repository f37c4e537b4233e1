//! Registries that are assembled from lists of tools: tools that cannot be served are skipped.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use crate::call::audit::Audit;
use crate::call::tool::Tool;
use crate::definition::{DefinitionError, DefinitionFault};
use crate::model::access::Principal;
use crate::model::catch_panic::{Panicked, catch_panic};
use crate::model::extensions::Extensions;
use crate::registry::addresses::collisions;
use crate::registry::index::Positions;
use crate::registry::provider::{Skipped, Toolset};
use crate::registry::registered_prompt::RegisteredPrompt;
use crate::registry::{Inner, RegisteredTool, Registry, Scope, ToolOverrides};

impl Registry {
    /// Returns the tools of this registry together with dynamic tools, which are called with its settings and limits. This
    /// registry does not change.
    ///
    /// A tool that cannot be served is [skipped](Toolset::skipped): one with an invalid definition, or with a name that this
    /// registry or an earlier tool has.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::{DynamicTool, Output, Registry, Tool, ToolDefinition};
    /// use tool_core::definition::DefinitionError;
    ///
    /// let tool = |name: &str| -> Result<Arc<dyn Tool>, DefinitionError> {
    ///     let definition = ToolDefinition::builder(name, "Does something.").build()?;
    ///     Ok(Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })))
    /// };
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// let tools = registry.toolset([tool("good"), tool("not good"), tool("better")]);
    /// assert_eq!(tools.registry().tools().count(), 2);
    /// assert!(tools.skipped()[0].to_string().starts_with("tool `not good`: its name"));
    /// ```
    pub fn toolset(
        &self,
        tools: impl IntoIterator<Item = Result<Arc<dyn Tool>, DefinitionError>>,
    ) -> Toolset {
        let mut assembly = Assembly::default();
        assembly.add(self);
        let scope = &self.inner.scope;
        for tool in tools {
            match tool.map(|tool| (catch_panic(|| tool.definition().clone()), tool)) {
                Ok((Ok(definition), _)) if definition.requires_task() && !scope.has_task_engine() => {
                    let fault = DefinitionFault::Task("the registry has no engine for tasks");
                    let error = DefinitionError::new(definition.name().to_owned(), fault);
                    assembly.skipped.push(error.into());
                }
                Ok((Ok(definition), tool)) => {
                    let (scope, extensions) = (Arc::clone(scope), self.extensions().cloned());
                    let overrides = Some(Arc::new(ToolOverrides { dynamic: Some(tool), scope, extensions }));
                    assembly.members.push(RegisteredTool { definition, overrides });
                }
                Ok((Err(Panicked), _)) => assembly.skipped.push(Skipped::NoDefinition),
                Err(error) => assembly.skipped.push(error.into()),
            }
        }
        assembly.finish()
    }

    /// Returns a registry without tools, for tools that come from no registry.
    pub(crate) fn empty() -> Self {
        Assembly::default().finish().into_registry()
    }

    /// Joins the tools and prompts of several registries. Each is called as before, with the extensions of its registry. The
    /// first registry determines the local principal, and the first with an audit sink records calls of unknown names.
    pub(crate) fn joined(registries: &[Registry], skipped: Vec<Skipped>) -> Toolset {
        let mut assembly = Assembly { skipped, ..Assembly::default() };
        registries.iter().for_each(|registry| assembly.add(registry));
        assembly.finish()
    }

    /// Returns `true` if both handles share the same registry, for the same principal and with the same options.
    pub(crate) fn same_view(&self, other: &Self) -> bool {
        self.ptr_eq(other) && self.principal == other.principal && self.options() == other.options()
    }
}

/// The parts of a registry, in the order in which they were added.
#[derive(Default)]
struct Assembly {
    scopes: Vec<Arc<Scope>>,
    audit: Option<Audit>,
    first: Option<Registry>,
    members: Vec<RegisteredTool>,
    prompts: Vec<RegisteredPrompt>,
    skipped: Vec<Skipped>,
}

impl Assembly {
    fn add(&mut self, registry: &Registry) {
        for scope in registry.inner.scopes() {
            if !self.scopes.iter().any(|seen| Arc::ptr_eq(seen, scope)) {
                self.scopes.push(Arc::clone(scope));
            }
        }
        self.first.get_or_insert_with(|| registry.clone());
        if self.audit.is_none() {
            self.audit.clone_from(&registry.inner.audit);
        }
        let beside = registry.extensions();
        // One value for all tools without overrides, unless they stay in their scope.
        let scope = &registry.inner.scope;
        let stays = beside.is_none() && self.scopes.first().is_some_and(|first| Arc::ptr_eq(first, scope));
        let together = (!stays).then(|| {
            let (scope, extensions) = (Arc::clone(scope), beside.cloned());
            Arc::new(ToolOverrides { dynamic: None, scope, extensions })
        });
        let brought = registry.inner.members.iter().map(|RegisteredTool { definition, overrides }| {
            let overrides = match (overrides, beside) {
                (None, _) => together.clone(),
                (Some(overrides), None) => Some(Arc::clone(overrides)),
                (Some(overrides), Some(_)) => {
                    let extensions = Extensions::layered(beside, overrides.extensions.as_ref());
                    Some(Arc::new(ToolOverrides { extensions, ..ToolOverrides::clone(overrides) }))
                }
            };
            RegisteredTool { definition: definition.clone(), overrides }
        });
        self.members.extend(brought);
        self.prompts.extend(registry.inner.prompts.iter().map(|prompt| prompt.beside(beside)));
    }

    fn finish(mut self) -> Toolset {
        let mut members = first_of_each_name(self.members, &mut self.skipped);
        first_of_each_address(&mut members, &mut self.skipped);
        let members = by_name(members);
        let mut scopes = self.scopes.into_iter();
        let inner = Inner {
            members,
            scope: scopes.next().unwrap_or_default(),
            others: scopes.collect(),
            positions: Positions::default(),
            prompts: first_prompt_of_each_name(self.prompts, &mut self.skipped),
            index: OnceLock::new(),
            addresses: OnceLock::new(),
            open: OnceLock::new(),
            audit: self.audit,
        };
        let (principal, options) = match self.first {
            Some(first) => (first.principal, first.options),
            None => (Principal::local(), None),
        };
        // The extensions of the first registry do not apply to tools of the others.
        let options = options.map(|options| Arc::new(options.without_extensions()));
        let registry = Registry { inner: Arc::new(inner), principal, options };
        Toolset::new(registry, self.skipped)
    }
}

/// Returns the prompts by name, without those whose name an earlier prompt has.
fn first_prompt_of_each_name(
    mut prompts: Vec<RegisteredPrompt>,
    skipped: &mut Vec<Skipped>,
) -> Vec<RegisteredPrompt> {
    // A stable sort: prompts with the same name stay in their order.
    prompts.sort_by(|a, b| a.definition.name().cmp(b.definition.name()));
    prompts.dedup_by(|second, first| {
        let (second, first) = (&second.definition, &first.definition);
        let is_second = second.name() == first.name();
        if is_second {
            skipped.push(Skipped::DuplicatePrompt {
                name: second.name().to_owned(),
                kept: first.tool().place(),
                skipped: second.tool().place(),
            });
        }
        is_second
    });
    prompts
}

/// Returns the tools without those whose name or alias an earlier tool has.
fn first_of_each_name(mut members: Vec<RegisteredTool>, skipped: &mut Vec<Skipped>) -> Vec<RegisteredTool> {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(members.len());
    let mut dropped = BTreeSet::new();
    for (position, RegisteredTool { definition: tool, .. }) in members.iter().enumerate() {
        let names = || [Some(tool.name()), tool.alias()].into_iter().flatten();
        if let Some((name, first)) = names().find_map(|name| Some((name, seen.get(name)?))) {
            skipped.push(Skipped::Duplicate {
                name: name.to_owned(),
                kept: members[*first].definition.place(),
                skipped: tool.place(),
            });
            dropped.insert(position);
            continue;
        }
        seen.extend(names().map(|name| (name, position)));
    }
    drop_at(&mut members, &dropped);
    members
}

/// Sorts the tools by name. Each name is looked up once, not at each comparison.
fn by_name(members: Vec<RegisteredTool>) -> Vec<RegisteredTool> {
    let names: Vec<&str> = members.iter().map(|member| member.definition.name()).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| names[*a].cmp(names[*b]));
    let mut members: Vec<Option<RegisteredTool>> = members.into_iter().map(Some).collect();
    order.into_iter().filter_map(|position| members[position].take()).collect()
}

fn drop_at(members: &mut Vec<RegisteredTool>, dropped: &BTreeSet<usize>) {
    if dropped.is_empty() {
        return;
    }
    let mut positions = 0..;
    members.retain(|_| positions.next().is_some_and(|position| !dropped.contains(&position)));
}

/// Removes the tools whose address collides with that of an earlier tool.
fn first_of_each_address(kept: &mut Vec<RegisteredTool>, skipped: &mut Vec<Skipped>) {
    let tools = kept.iter().map(|member| &member.definition);
    let mut dropped = BTreeSet::new();
    for (first, second) in collisions(tools) {
        if !dropped.contains(&first.position) && dropped.insert(second.position) {
            skipped.push(Skipped::Address { kept: first.to_string(), skipped: second.to_string() });
        }
    }
    drop_at(kept, &dropped);
}
