//! A valid declaration into tokens. Nothing here can fail, and nothing it writes decides anything at run time.

mod inputs;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use self::inputs::{inputs, json, option};
use crate::diagnostics::{ends, placed};
use crate::listing;
use crate::model::{Access, Deprecated, Permission, Running, Tool};
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

/// `Declaration::new("…", "…", Operation::Read, module_path!(), |__call| …).title("…")`
fn declaration(tool: &Tool, function: &Function) -> TokenStream {
    let Tool { krate, name, description, operation, .. } = tool;
    let entry = entry(tool, function);
    // All of the call has the span of the name, its path too, so that `Location::caller` is where the function is.
    let place = function.signature.ident.span();
    let arguments =
        quote!(#name, #description, #krate::Operation::#operation, ::core::module_path!(), #entry);
    let new = placed(quote!(#krate::private::Declaration::new(#arguments)), (place, place));
    let options = options(tool);
    quote!(#new #options)
}

/// `.title("…").destructive(true)`, and so on: what was said beyond the least.
fn options(tool: &Tool) -> TokenStream {
    let mut options = TokenStream::new();
    let mut add = |option: &str, arguments: TokenStream| {
        let option = format_ident!("{option}");
        options.extend(quote!(.#option(#arguments)));
    };
    if let Some(title) = &tool.title {
        add("title", quote!(#title));
    }
    if tool.destructive {
        add("destructive", quote!(true));
    }
    if let Some(idempotent) = tool.idempotent {
        add("idempotent", quote!(#idempotent));
    }
    if let Some(open_world) = tool.open_world {
        add("open_world", quote!(#open_world));
    }
    if let Some(Permission { names, any }) = &tool.permission {
        add("permission", quote!(&[#(#names),*], #any));
    }
    if tool.access.is_some() {
        add("guarded", TokenStream::new());
    }
    if !tool.requires.is_empty() {
        let (requires, requiring) = (&tool.requires, local("__requiring"));
        add("requires", quote!(&[#(|#requiring| #requiring.by(#requires)),*]));
    }
    if !tool.tags.is_empty() {
        let tags = &tool.tags;
        add("tags", quote!(&[#(#tags),*]));
    }
    if let Some(path) = &tool.path {
        add("path", quote!(#path));
    }
    if let Some(schema) = &tool.schema {
        add("schema", json(&tool.krate, None, schema));
    }
    if let Some(milliseconds) = tool.timeout {
        add("timeout", Literal::u64_unsuffixed(milliseconds).into_token_stream());
    }
    if let Some(milliseconds) = tool.cache {
        add("cache", Literal::u64_unsuffixed(milliseconds).into_token_stream());
    }
    if let Some(alias) = &tool.alias {
        add("alias", quote!(#alias));
    }
    if let Some(Deprecated { since, note }) = &tool.deprecated {
        let (since, note) =
            (option(since.as_ref(), |since| quote!(#since)), option(note.as_ref(), |note| quote!(#note)));
        add("deprecated", quote!(#since, #note));
    }
    options
}

/// `|__call| run(__call, const { … }, |(__arg0, __arg1)| add(__arg0, __arg1), Shape::<R>::new().__split().__value().__error())`
fn entry(tool: &Tool, function: &Function) -> TokenStream {
    let krate = &tool.krate;
    let name = &function.signature.ident;
    let call = local("__call");
    let inputs = inputs(tool);
    let arguments: Vec<TokenStream> =
        (0..tool.parameters.len()).map(|position| argument(position).into_token_stream()).collect();
    let pattern = tuple(arguments.clone());
    let run = match (tool.running, &tool.access) {
        (Running::Async, None) => quote!(run),
        (Running::Sync, None) => quote!(run_sync),
        (Running::Blocking, None) => quote!(run_blocking),
        (Running::Async, Some(_)) => quote!(run_guarded),
        (Running::Sync, Some(_)) => quote!(run_sync_guarded),
        (Running::Blocking, Some(_)) => quote!(run_blocking_guarded),
    };
    // It stands behind the function, which says the types of the inputs.
    let access = tool.access.as_ref().map(|access| self::access(tool, access));
    let returns = returns(krate, function);
    let place = (name.span(), name.span());
    let function = placed(quote!(|#pattern| #name(#(#arguments),*)), place);
    let run = placed(quote!(#krate::private::#run(#call, #inputs, #function, #access #returns)), place);
    quote!(|#call| #run)
}

/// `|__principal, (_, __arg1)| access(may_edit(__principal, __arg1)),`
fn access(tool: &Tool, access: &Access) -> TokenStream {
    let Tool { krate, parameters, .. } = tool;
    let Access { function, parentheses, parameters: shown } = access;
    let principal = local("__principal");
    let pattern = (0..parameters.len()).map(|position| {
        let is_shown = shown.iter().any(|(shown, _)| *shown == position);
        if is_shown { argument(position).into_token_stream() } else { quote!(_) }
    });
    let pattern = tuple(pattern.collect());
    // Each argument stands where the author named the parameter, and so does what rustc says about it.
    let arguments = shown.iter().map(|(position, named)| {
        let mut argument = argument(*position);
        argument.set_span(argument.span().located_at(named.span()));
        argument
    });
    let (_, end) = ends(&function.to_token_stream());
    let end = parentheses.map_or(end, |parentheses| parentheses.span.join());
    let arguments = quote_spanned!(end=> (#principal #(, #arguments)*));
    let decision = quote!(#function #arguments);
    let place = ends(&decision);
    let decided = placed(quote!(#krate::private::access(#decision)), place);
    quote!(|#principal, #pattern| #decided,)
}

/// A name that no name of the user's can be.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

fn argument(position: usize) -> Ident {
    local(&format!("__arg{position}"))
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
