//! The metadata of a tool, besides its schemas.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::declare::declaration::{Declaration, Options};
use crate::declare::source::Source;
use crate::model::operation::{Annotations, Operation};
use crate::model::permission::Permission;
use crate::model::task::TaskOptions;
use crate::model::ui::Ui;

/// The metadata of a tool. That of a declaration is borrowed.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) name: Cow<'static, str>,
    pub(super) title: Option<Cow<'static, str>>,
    pub(super) description: Cow<'static, str>,
    pub(super) operation: Option<Operation>,
    pub(super) annotations: Option<Annotations>,
    pub(super) permission: Option<Permission>,
    pub(super) tags: Vec<Cow<'static, str>>,
    pub(super) path: Option<Cow<'static, str>>,
    pub(super) timeout: Option<Duration>,
    pub(super) task: Option<TaskOptions>,
    /// The metadata of a dynamic tool.
    pub(super) meta: Option<Map<String, Value>>,
    /// The page of a dynamic tool.
    pub(super) ui: Option<Ui>,
    /// The provider of a dynamic tool.
    pub(super) provider: Option<Cow<'static, str>>,
    pub(super) location: Source<'static>,
}

impl Facts {
    pub(super) fn declared(
        declaration: &'static Declaration,
        location: Source<'static>,
        description: Cow<'static, str>,
    ) -> Self {
        let Options { title, permission, tags, path, timeout, task, .. } = declaration.options_or_default();
        Facts {
            name: declaration.name.into(),
            title: title.map(Cow::from),
            description,
            operation: Some(declaration.operation),
            annotations: Some(declaration.annotations()),
            permission: permission.map(Permission::declared),
            tags: tags.iter().copied().map(Cow::from).collect(),
            path: path.map(Cow::from),
            timeout: *timeout,
            task: *task,
            meta: None,
            ui: None,
            provider: None,
            location,
        }
    }

    /// Starts with the facts that a dynamic tool must have.
    pub(super) fn custom(name: String, description: String, location: Source<'static>) -> Self {
        Facts {
            name: name.into(),
            title: None,
            description: description.into(),
            operation: None,
            annotations: None,
            permission: None,
            tags: Vec::new(),
            path: None,
            timeout: None,
            task: None,
            meta: None,
            ui: None,
            provider: None,
            location,
        }
    }
}
