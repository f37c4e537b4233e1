//! A valid declaration into tokens. Nothing here can fail, and nothing it writes decides anything at run time.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::diagnostics::{ends, located_at};
use crate::model::{Default, Input, Parameter, Running, Tool};
use crate::parse::Function;

/// The function, and its declaration in a block of its own.
///
/// ```text
/// /// Adds two numbers.
/// #[allow(clippy::needless_pass_by_value)]
/// fn add(a: i64, b: i64) -> i64 { a + b }
///
/// const _: () = {
///     static __INPUTS: (In<i64>, In<i64>) = (input("a", "First."), input("b", "Second."));
///     static __TOOL: Declaration = Declaration::new(
///         "add", "Adds two numbers.", Operation::Transform, module_path!(),
///         |__call| run_sync(
///             __call, &__INPUTS, |(__arg0, __arg1)| add(__arg0, __arg1),
///             Shape::<i64>::new().split().value().error(),
///         ),
///     );
///     register! { &__TOOL }
/// };
/// ```
pub(crate) fn tool(tool: &Tool, function: &Function) -> TokenStream {
    let krate = &tool.krate;
    let cfgs = &tool.cfgs;
    let plain = self::function(function);
    let inputs = inputs(tool);
    let declaration = declaration(tool, function);
    quote! {
        #plain
        #(#cfgs)*
        const _: () = {
            #inputs
            static __TOOL: #krate::private::Declaration = #declaration;
            #krate::private::register! { &__TOOL }
        };
    }
}

/// The function as it was, without the attributes that are ours.
pub(crate) fn function(function: &Function) -> TokenStream {
    let Function { attributes, visibility, signature, body, .. } = function;
    // A tool owns what it is given, and a signature that borrows would be none of a tool. An `async fn` is not linted.
    let owned = signature.asyncness.is_none().then(|| quote!(#[allow(clippy::needless_pass_by_value)]));
    quote!(#(#attributes)* #owned #visibility #signature #body)
}

/// `static __INPUTS: (In<A>, Injected<B, op::Read>) = (input("a", "…"), injected());`
fn inputs(tool: &Tool) -> TokenStream {
    let krate = &tool.krate;
    let operation = &tool.operation;
    let types = tool.parameters.iter().map(|parameter| match parameter {
        Parameter::Input(input) => {
            let kind = &input.kind;
            quote!(#krate::private::In<#kind>)
        }
        Parameter::Injected(kind) => quote!(#krate::private::Injected<#kind, #krate::op::#operation>),
    });
    let values = tool.parameters.iter().map(|parameter| match parameter {
        Parameter::Input(input) => self::input(tool, input),
        Parameter::Injected(kind) => {
            located_at(quote!(#krate::private::injected), &kind.to_token_stream(), quote!(()))
        }
    });
    let (types, values) = (tuple(types.collect()), tuple(values.collect()));
    quote!(static __INPUTS: #types = #values;)
}

/// `input("days", "How many.").default(|| json(&3)).examples(&[|| json(&5)])`
fn input(tool: &Tool, input: &Input) -> TokenStream {
    let krate = &tool.krate;
    let Input { name, description, kind, default, example } = input;
    let kind = kind.to_token_stream();
    let description = description.as_ref().map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let mut value = located_at(quote!(#krate::private::input), &kind, quote!((#name, #description)));
    match default {
        Some(Default::OfType) => {
            value = quote!(#krate::private::defaulted(#value));
        }
        Some(Default::Is(expression)) => {
            let json = json(krate, expression);
            value = quote!(#value.default(#json));
        }
        None => {}
    }
    if let Some(expression) = example {
        let json = json(krate, expression);
        value = quote!(#value.examples(&[#json]));
    }
    value
}

/// `|| json(&expression)`
fn json(krate: &TokenStream, expression: &syn::Expr) -> TokenStream {
    let call =
        located_at(quote!(#krate::private::json), &expression.to_token_stream(), quote!((&#expression)));
    quote!(|| #call)
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
    let path = quote!(#krate::private::Declaration::new).into_iter().map(|mut token| {
        token.set_span(place);
        token
    });
    let path: TokenStream = path.collect();
    let arguments =
        quote!(#name, #description, #krate::Operation::#operation, ::core::module_path!(), #entry);
    let new = quote_spanned!(place=> #path(#arguments));
    quote!(#new #options)
}

/// `|__call| run(__call, &__INPUTS, |(__arg0, __arg1)| add(__arg0, __arg1), Shape::<R>::new().split().value().error())`
fn entry(tool: &Tool, function: &Function) -> TokenStream {
    let krate = &tool.krate;
    let name = &function.signature.ident;
    let call = format_ident!("__call", span = Span::mixed_site());
    let arguments: Vec<TokenStream> = (0..tool.parameters.len())
        .map(|position| format_ident!("__arg{position}", span = Span::mixed_site()).into_token_stream())
        .collect();
    let pattern = tuple(arguments.clone());
    let run = match tool.running {
        Running::Async => quote!(run),
        Running::Sync => quote!(run_sync),
        Running::Blocking => quote!(run_blocking),
    };
    let run = located_at(quote!(#krate::private::#run), &name.to_token_stream(), TokenStream::new());
    let shape = shape(krate, function);
    quote!(|#call| #run(#call, &__INPUTS, |#pattern| #name(#(#arguments),*), #shape))
}

/// `Shape::<R>::new().split().value().error()`, with what can go wrong located at the return type.
fn shape(krate: &TokenStream, function: &Function) -> TokenStream {
    let returned = match function.returns() {
        Some(kind) => kind.to_token_stream(),
        None => quote!(()),
    };
    let (_, place) = ends(&returned);
    let ladder = quote_spanned!(place=> .split().value().error());
    quote!(#krate::private::Shape::<#returned>::new() #ladder)
}

/// A tuple of any length: of more than eight, a tuple of tuples.
fn tuple(mut items: Vec<TokenStream>) -> TokenStream {
    while items.len() > 8 {
        items = items.chunks(8).map(|items| quote!((#(#items,)*))).collect();
    }
    quote!((#(#items,)*))
}
