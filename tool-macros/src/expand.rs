//! A valid declaration into tokens. Nothing here can fail, and nothing it writes decides anything at run time.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::diagnostics::{ends, placed};
use crate::listing;
use crate::model::{Default, Input, Parameter, Running, Tool};
use crate::parse::Function;

/// The function, and beside it its declaration.
///
/// ```text
/// #[allow(clippy::needless_pass_by_value)]
/// /// Adds two numbers.
/// pub fn add(a: i64, b: i64) -> i64 { a + b }
///
/// #[doc(hidden)]
/// #[allow(dead_code, deprecated, non_upper_case_globals, unreachable_pub)]
/// pub const __tool_add: &'static Declaration = {
///     static __TOOL: Declaration = Declaration::new(
///         "add", "Adds two numbers.", Operation::Transform, module_path!(),
///         |__call| run_sync(
///             __call,
///             const { &(input("a", "First."), input("b", "Second.")) },
///             |(__arg0, __arg1)| add(__arg0, __arg1),
///             Shape::<i64>::new().__split().__value().__error(),
///         ),
///     );
///     register!(&__TOOL);
///     &__TOOL
/// };
/// ```
///
/// The constant is what `tools![…]` names, visible where the function is. The types of the inputs are not written
/// again: the call of the function says them, so that one which does not resolve is one error; for the same reason the
/// declaration is a `static`. To declare what is deprecated is not to use it.
pub(crate) fn tool(tool: &Tool, function: &Function) -> TokenStream {
    let plain = self::function(function);
    let constant = constant(tool, function);
    quote!(#plain #constant)
}

/// `pub const __tool_add: &'static Declaration = { … };`
fn constant(tool: &Tool, function: &Function) -> TokenStream {
    let Tool { krate, cfgs, .. } = tool;
    let visibility = &function.visibility;
    let name = listing::constant(&function.signature.ident);
    let declaration = declaration(tool, function);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, deprecated, non_upper_case_globals, unreachable_pub)]
        #visibility const #name: &'static #krate::private::Declaration = {
            static __TOOL: #krate::private::Declaration = #declaration;
            #krate::private::register!(&__TOOL);
            &__TOOL
        };
    }
}

/// The function as it was, without the attributes that are ours.
pub(crate) fn function(function: &Function) -> TokenStream {
    let Function { attributes, visibility, signature, body, .. } = function;
    // A tool owns what it is given, and a signature that borrows would be none of a tool. An `async fn` is not linted.
    // It stands first, so that the author has the last word.
    let owned = signature.asyncness.is_none().then(|| quote!(#[allow(clippy::needless_pass_by_value)]));
    quote!(#owned #(#attributes)* #visibility #signature #body)
}

/// `const { &(input("a", "…"), injected(op::Read)) }`
fn inputs(tool: &Tool) -> TokenStream {
    let Tool { krate, operation, .. } = tool;
    let parameters = tool.parameters.iter().map(|parameter| match parameter {
        Parameter::Input(input) => self::input(krate, input),
        Parameter::Injected(kind) => {
            placed(quote!(#krate::private::injected(#krate::op::#operation)), ends(&kind.to_token_stream()))
        }
    });
    let parameters = tuple(parameters.collect());
    quote!(const { &#parameters })
}

/// `input("days", "How many.").default(|| json::<u32>(3)).examples(&[|| json(5)])`
fn input(krate: &TokenStream, input: &Input) -> TokenStream {
    let Input { name, description, kind, default, example } = input;
    let kind = kind.to_token_stream();
    let place = ends(&kind);
    let description = description.as_ref().map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let mut value = placed(quote!(#krate::private::input(#name, #description)), place);
    match default {
        Some(Default::OfType) => value = placed(quote!(#krate::private::defaulted(#value)), place),
        Some(Default::Is(expression)) => {
            // A text is read as any other caller's, as for a date; everything else is of the input's own type.
            let kind = (!is_text(expression)).then_some(&kind);
            let json = json(krate, kind, expression);
            value = quote!(#value.default(#json));
        }
        None => {}
    }
    if let Some(expression) = example {
        let json = json(krate, None, expression);
        value = quote!(#value.examples(&[#json]));
    }
    value
}

/// `|| json(expression)`, or `|| json::<T>(expression)`
fn json(krate: &TokenStream, kind: Option<&TokenStream>, expression: &syn::Expr) -> TokenStream {
    let kind = kind.map(|kind| quote!(::<#kind>));
    let call = placed(quote!(#krate::private::json #kind (#expression)), ends(&expression.to_token_stream()));
    quote!(|| #call)
}

fn is_text(expression: &syn::Expr) -> bool {
    matches!(expression, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
}

/// `Declaration::new("…", "…", Operation::Read, module_path!(), |__call| …).title("…")`
fn declaration(tool: &Tool, function: &Function) -> TokenStream {
    let Tool { krate, name, title, description, operation, .. } = tool;
    let entry = entry(tool, function);
    let mut options = TokenStream::new();
    if let Some(title) = title {
        options.extend(quote!(.title(#title)));
    }
    if tool.destructive {
        options.extend(quote!(.destructive(true)));
    }
    for (option, value) in [("idempotent", tool.idempotent), ("open_world", tool.open_world)] {
        if let Some(value) = value {
            let option = format_ident!("{option}");
            options.extend(quote!(.#option(#value)));
        }
    }
    // All of the call has the span of the name, its path too, so that `Location::caller` is where the function is.
    let place = function.signature.ident.span();
    let arguments =
        quote!(#name, #description, #krate::Operation::#operation, ::core::module_path!(), #entry);
    let new = placed(quote!(#krate::private::Declaration::new(#arguments)), (place, place));
    quote!(#new #options)
}

/// `|__call| run(__call, const { … }, |(__arg0, __arg1)| add(__arg0, __arg1), Shape::<R>::new().__split().__value().__error())`
fn entry(tool: &Tool, function: &Function) -> TokenStream {
    let krate = &tool.krate;
    let name = &function.signature.ident;
    let call = format_ident!("__call", span = Span::mixed_site());
    let inputs = inputs(tool);
    let arguments: Vec<TokenStream> = (0..tool.parameters.len())
        .map(|position| format_ident!("__arg{position}", span = Span::mixed_site()).into_token_stream())
        .collect();
    let pattern = tuple(arguments.clone());
    let run = match tool.running {
        Running::Async => quote!(run),
        Running::Sync => quote!(run_sync),
        Running::Blocking => quote!(run_blocking),
    };
    let returns = returns(krate, function);
    let place = (name.span(), name.span());
    let function = placed(quote!(|#pattern| #name(#(#arguments),*)), place);
    let run = placed(quote!(#krate::private::#run(#call, #inputs, #function, #returns)), place);
    quote!(|#call| #run)
}

/// `Shape::<R>::new().__split().__value().__error()`
fn returns(krate: &TokenStream, function: &Function) -> TokenStream {
    let kind = match function.returns() {
        Some(kind) => kind.to_token_stream(),
        None => quote!(()),
    };
    let (start, end) = ends(&kind);
    let path = placed(quote!(#krate::private::Shape::<), (start, end));
    let rest = quote_spanned!(end=> >::new().__split().__value().__error());
    quote!(#path #kind #rest)
}

/// A tuple of any length: of more than eight, a tuple of tuples.
fn tuple(mut items: Vec<TokenStream>) -> TokenStream {
    while items.len() > 8 {
        items = items.chunks(8).map(|items| quote!((#(#items,)*))).collect();
    }
    quote!((#(#items,)*))
}
