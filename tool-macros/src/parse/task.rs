//! `task(optional, retries = 2, …)`.

use proc_macro2::TokenStream;
use syn::{Expr, Ident};

use crate::diagnostics::Errors;
use crate::parse::item_kind::ItemKind;
use crate::parse::options::{Setting, Spanned, options};
use crate::parse::table::option_table;

option_table! {
    /// The options in the parentheses of `task(…)`, as written.
    pub(crate) struct TaskOption {
        "optional" => optional: Ident = flag, [Tool];
        "required" => required: Ident = flag, [Tool];
        "retries" => retries: Expr = expression, [Tool];
        "attempt_timeout" => attempt_timeout: Spanned<String> = text, [Tool];
        "ttl" => ttl: Spanned<String> = text, [Tool];
        "poll" => poll: Spanned<String> = text, [Tool];
    }
    /// The parentheses and their content.
    tokens: TokenStream,
    /// Whether a part could not be read, so that any option may be missing.
    unread: bool,
}

impl Setting {
    /// Reads `(optional, retries = …)`.
    pub(crate) fn task(self, errors: &mut Errors) -> Option<TaskOption> {
        let section = self.section;
        let (inside, tokens) = match self.parentheses() {
            Ok(list) => list,
            Err(setting) => {
                return setting.mismatch("`optional` or `required` in parentheses", "(optional)", errors);
            }
        };
        let mut task = TaskOption { tokens, ..TaskOption::default() };
        let before = errors.count();
        for setting in options(inside, &TaskOption::names(ItemKind::Tool), "task", section, errors) {
            task.set(setting, errors);
        }
        task.unread = errors.count() > before;
        Some(task)
    }
}
