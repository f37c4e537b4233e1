#![doc = include_str!("../README.md")]

mod check;
mod diagnostics;
mod docs;
mod expand;
mod listing;
mod model;
mod parse;

use proc_macro::TokenStream;

/// Declares a function as a tool. See the front page of `tool-core` for all options.
///
/// The function stays what it is: it is called, tested and documented as before.
///
/// ```text
/// /// Adds two numbers.
/// #[tool(operation = Transform)]
/// fn add(
///     /// The first number.
///     a: i64,
///     /// The second number.
///     #[arg(default = 1)]
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
/// ```
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    declare(attribute.into(), item.into()).into()
}

/// What `tool_core::tools!` hands over: its `$crate`, and the paths of the functions.
#[doc(hidden)]
#[proc_macro]
pub fn __tools(paths: TokenStream) -> TokenStream {
    listing::tools(paths.into()).into()
}

/// Tokens in, tokens out: parse, check, expand. The function comes out whatever is wrong with its declaration.
fn declare(attribute: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut errors = diagnostics::Errors::new();
    let Some(function) = parse::function(item.clone(), &mut errors) else {
        return errors.beside(item);
    };
    let attribute = parse::attribute(attribute, &mut errors);
    match check::tool(&attribute, &function, &mut errors) {
        Some(tool) => {
            errors.assert_none();
            expand::tool(&tool, &function)
        }
        None => errors.beside(expand::function(&function)),
    }
}

#[cfg(test)]
mod tests;
