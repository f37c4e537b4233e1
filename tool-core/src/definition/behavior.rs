//! The behavior of a tool: operation, hints, permissions and time limits.

use std::time::Duration;

use crate::definition::ToolDefinition;
use crate::model::operation::{Annotations, Operation};
use crate::model::permission::Permission;
use crate::model::task::{TaskOptions, TaskSupport};

impl ToolDefinition {
    /// Returns the operation; `None` for a dynamic tool without one.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_c(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_c").build().unwrap();
    /// let tool = registry.get("send_c").unwrap();
    /// assert_eq!(tool.operation(), Some(tool_core::Operation::Trigger));
    /// ```
    pub fn operation(&self) -> Option<Operation> {
        match self.declaration() {
            Some(declaration) => Some(declaration.operation),
            None => self.facts().operation,
        }
    }

    /// Returns the hints for clients; `None` for a dynamic tool without hints.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_d(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_d").build().unwrap();
    /// let tool = registry.get("send_d").unwrap();
    /// assert_eq!(tool.annotations().unwrap().read_only_hint, Some(false));
    /// ```
    pub fn annotations(&self) -> Option<&Annotations> {
        self.facts().annotations.as_ref()
    }

    /// Returns `true` if the tool changes something, or does not declare its operation.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_e(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_e").build().unwrap();
    /// let tool = registry.get("send_e").unwrap();
    /// assert!(tool.modifies());
    /// ```
    pub fn modifies(&self) -> bool {
        self.operation().is_none_or(Operation::modifies)
    }

    /// Returns `true` if the tool may delete or overwrite, or does not declare it.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_f(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_f").build().unwrap();
    /// let tool = registry.get("send_f").unwrap();
    /// assert!(!tool.destructive());
    /// ```
    pub fn destructive(&self) -> bool {
        self.operation().is_none()
            || self.annotations().and_then(|hints| hints.destructive_hint).unwrap_or(true)
    }

    /// Returns `true` if repeating a call has no further effect.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_g(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_g").build().unwrap();
    /// let tool = registry.get("send_g").unwrap();
    /// assert!(!tool.idempotent());
    /// ```
    pub fn idempotent(&self) -> bool {
        self.annotations().and_then(|hints| hints.idempotent_hint).unwrap_or(false)
    }

    /// Returns `true` if the tool interacts with entities outside this system.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_h(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_h").build().unwrap();
    /// let tool = registry.get("send_h").unwrap();
    /// assert!(tool.open_world());
    /// ```
    pub fn open_world(&self) -> bool {
        self.annotations().and_then(|hints| hints.open_world_hint).unwrap_or(true)
    }

    /// Returns the permissions that a caller must have; `None` if none are required.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_p(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_p").build().unwrap();
    /// let tool = registry.get("send_p").unwrap();
    /// assert!(tool.permission().is_none());
    /// ```
    pub fn permission(&self) -> Option<&Permission> {
        match self.declaration() {
            Some(declaration) if declaration.options_or_default().permission.is_none() => None,
            _ => self.facts().permission.as_ref(),
        }
    }

    /// Returns `true` if the tool has an access function.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let guarded = registry.tools().filter(|tool| tool.guarded());
    /// # assert_eq!(guarded.count(), 0);
    /// ```
    pub fn guarded(&self) -> bool {
        self.declaration().is_some_and(|declaration| declaration.guarded)
    }

    /// Returns the time limit of a call.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let limited = registry.tools().filter(|tool| tool.timeout().is_some());
    /// # assert_eq!(limited.count(), 0);
    /// ```
    pub fn timeout(&self) -> Option<Duration> {
        match self.declaration() {
            Some(declaration) => declaration.options_or_default().timeout,
            None => self.facts().timeout,
        }
    }

    /// Returns how long a result may be cached.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let lasting = registry.tools().filter(|tool| tool.cache().is_some());
    /// # assert_eq!(lasting.count(), 0);
    /// ```
    pub fn cache(&self) -> Option<Duration> {
        self.declaration()?.options_or_default().cache
    }

    /// Returns how the tool runs as a task, if it can.
    ///
    /// ```
    /// use tool_core::tasks::TaskSupport;
    /// use tool_core::{Registry, tool, tools};
    ///
    /// /// Rebuilds the index.
    /// #[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 2))]
    /// async fn rebuild_index() {}
    ///
    /// let registry = Registry::builder().tools(tools![rebuild_index]).build().unwrap();
    /// let task = registry.get("rebuild_index").unwrap().task().unwrap();
    /// assert_eq!((task.support, task.retries), (TaskSupport::Optional, 2));
    /// ```
    pub fn task(&self) -> Option<&TaskOptions> {
        match self.declaration() {
            Some(declaration) => declaration.options_or_default().task.as_ref(),
            None => self.facts().task.as_ref(),
        }
    }

    /// Returns `true` if every call of the tool is a task.
    pub(crate) fn requires_task(&self) -> bool {
        self.task().is_some_and(|task| task.support == TaskSupport::Required)
    }
}
