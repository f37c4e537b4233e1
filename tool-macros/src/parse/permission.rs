//! `permission = "a"`, `all("a", "b")`, `any("a", all("b", "c"))`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprPath};

use crate::diagnostics::Errors;
use crate::parse::options::{Setting, Spanned, peel_groups, text};

/// The value of `permission`, as written.
pub(crate) enum Permission {
    Name(Spanned<String>),
    List { any: bool, items: Vec<Permission>, tokens: TokenStream },
}

impl Setting {
    /// Reads a name, or a list of names and lists.
    pub(crate) fn permission(self, errors: &mut Errors) -> Option<Permission> {
        let Some(expression) = self.as_expression() else {
            return self.mismatch("a name in quotes, `all(…)` or `any(…)`", "= \"…\"", errors);
        };
        permission(expression)
            .map_err(|invalid| {
                errors.push(
                    self.section,
                    invalid,
                    "`permission` expects a name in quotes, `all(…)` or `any(…)`",
                    "write `permission = \"a\"`, `all(\"a\", \"b\")` if each is required, or `any(\"a\", \"b\")` if one is enough",
                );
                errors.mark_unreadable(self.key.to_string());
            })
            .ok()
    }
}

/// Reads an expression, or returns the part that is neither a name nor a list.
fn permission(expression: &Expr) -> Result<Permission, &Expr> {
    let expression = peel_groups(expression);
    if let Some(name) = text(expression) {
        return Ok(Permission::Name(name));
    }
    let Expr::Call(call) = expression else { return Err(expression) };
    let any = match peel_groups(&call.func) {
        Expr::Path(ExprPath { qself: None, path, .. }) if path.is_ident("all") => false,
        Expr::Path(ExprPath { qself: None, path, .. }) if path.is_ident("any") => true,
        other => return Err(other),
    };
    let items = call.args.iter().map(permission).collect::<Result<_, _>>()?;
    Ok(Permission::List { any, items, tokens: expression.to_token_stream() })
}

impl Permission {
    /// Returns all tokens.
    pub(crate) fn tokens(&self) -> &TokenStream {
        match self {
            Permission::Name(name) => &name.tokens,
            Permission::List { tokens, .. } => tokens,
        }
    }
}
