//! Expands the parameters of a function to one typed tuple.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::method;
use super::tokens::{bound_function, option, tuple};
use crate::diagnostics::{ends, respan};
use crate::model::{Access, Callee, Default, Input, Limit, Limits, Parameter};
use crate::parse::{ItemKind, peel_groups};

/// `const { use InjectedAtOnce as _; &(input("a", "…"), injected(&InjectedType::<User, op::Read>::__PARAMETER)) }`, with
/// `shown(…)` for parameters of the access function.
pub(super) fn inputs(callee: &Callee, access: Option<&Access>) -> TokenStream {
    let Callee { krate, operation, item_kind, .. } = callee;
    let injected = match item_kind {
        ItemKind::Tool => quote!(injected),
        ItemKind::Prompt => quote!(injected_into_prompt),
    };
    let is_shown =
        |position| access.is_some_and(|access| access.parameters.iter().any(|(shown, _)| *shown == position));
    let parameters = callee.parameters.iter().enumerate().map(|(position, parameter)| match parameter {
        Parameter::Input(input) => self::input(krate, input),
        Parameter::Injected(kind) => {
            let injected = if is_shown(position) { &quote!(shown) } else { &injected };
            let kind = kind.to_token_stream();
            let (start, end) = ends(&kind);
            // The type is between tokens at its ends, so that errors underline all of it.
            let before = respan(quote!(#krate::private::InjectedType::<), (start, start));
            let after = quote_spanned!(end=> , #krate::inject::op::#operation>::__PARAMETER);
            let call = respan(quote!(#krate::private::#injected), (start, start));
            quote_spanned!(end=> #call(&#before #kind #after))
        }
        Parameter::Receiver(receiver) => method::receiver(callee, receiver, is_shown(position)),
    });
    let parameters = tuple(parameters.collect());
    // In scope, the trait is found by its constant, which is not used if all parameters are awaited.
    let fallback = callee.injects().then(|| {
        quote! {
            #[allow(unused_imports)]
            use #krate::private::InjectedAtOnce as _;
        }
    });
    quote!(const { #fallback &#parameters })
}

/// `input("days", "How many.").default(|| json::<u32>(3)).examples(&[|| json(5)]).range(Some(Bound::Integer(1)), None)`
fn input(krate: &TokenStream, input: &Input) -> TokenStream {
    let Input { name, description, kind, default, example, range, length, pattern, .. } = input;
    let kind = kind.to_token_stream();
    let span = ends(&kind);
    let description = description.as_ref().map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let mut value = respan(quote!(#krate::private::input(#name, #description)), span);
    // The bounds are required where the type is written, so that errors point to it.
    if let Some(Default::TypeDefault) = default {
        value = respan(quote!(#krate::private::defaulted(#value)), span);
    }
    if input.locator {
        value = respan(quote!(#krate::private::locator(#value)), span);
    }
    if let Some(Default::Expr(expression)) = default {
        // A string is parsed like any argument, for example as a date; other expressions have the type of the input.
        let kind = (!is_text(expression)).then_some(&kind);
        let json = json(krate, kind, expression);
        value.extend(quote!(.default(#json)));
    }
    if let Some(expression) = example {
        let json = json(krate, None, expression);
        value.extend(quote!(.examples(&[#json])));
    }
    if let Some(Limits { min, max }) = range {
        let (min, max) =
            (option(min.as_ref(), |min| bound(krate, min)), option(max.as_ref(), |max| bound(krate, max)));
        value.extend(quote!(.range(#min, #max)));
    }
    if let Some(Limits { min, max }) = length {
        let (min, max) =
            (option(min.as_ref(), |min| count(krate, min)), option(max.as_ref(), |max| count(krate, max)));
        value.extend(quote!(.length(#min, #max)));
    }
    if let Some(pattern) = pattern {
        value.extend(quote!(.pattern(#pattern)));
    }
    if input.secret {
        value.extend(quote!(.secret()));
    }
    if let Some(function) = &input.complete {
        let complete = bound_function("__completing", function);
        value.extend(quote!(.complete(#complete)));
    }
    if let Some(header) = &input.header {
        value.extend(quote!(.header(#header)));
    }
    if input.flatten {
        value.extend(quote!(.flatten()));
    }
    value
}

/// `|| json(expression)`, or `|| json::<T>(expression)`
fn json(krate: &TokenStream, kind: Option<&TokenStream>, expression: &syn::Expr) -> TokenStream {
    let kind = kind.map(|kind| quote!(::<#kind>));
    let call = respan(quote!(#krate::private::json #kind (#expression)), ends(&expression.to_token_stream()));
    quote!(|| #call)
}

fn is_text(expression: &syn::Expr) -> bool {
    matches!(peel_groups(expression), syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
}

/// `Bound::Integer(1)`, `Bound::Number(0.5)`, or `Limit::of(MAX).bound()`
fn bound(krate: &TokenStream, limit: &Limit) -> TokenStream {
    match limit {
        Limit::Integer(number) => quote!(#krate::private::Bound::Integer(#number)),
        Limit::Number(number) => quote!(#krate::private::Bound::Number(#number)),
        Limit::Constant(constant) => self::constant(krate, constant, &quote!(bound)),
    }
}

/// `64`, or `Limit::of(MAX).count()`
fn count(krate: &TokenStream, limit: &Limit) -> TokenStream {
    match limit {
        Limit::Integer(number) | Limit::Number(number) => number.to_token_stream(),
        Limit::Constant(constant) => self::constant(krate, constant, &quote!(count)),
    }
}

fn constant(krate: &TokenStream, constant: &syn::Expr, method: &TokenStream) -> TokenStream {
    let span = ends(&constant.to_token_stream());
    respan(quote!(#krate::private::Limit::of(#constant).#method()), span)
}
