//! The expansion of methods and associated functions, where it differs from that of functions.
//!
//! ```text
//! pub async fn open(&self, key: String) -> bool { … }
//!
//! #[doc(hidden)]
//! fn __enter_open(__call: &mut Call<'_>) -> EntryOutcome {
//!     run(
//!         __call,
//!         const { &(receiver::<Self, _>(op::Read), input("key", "")) },
//!         |(__arg0, __arg1)| async move { Self::open(&__arg0, __arg1).await },
//!         Shape::<bool>::new().__split().__value().__error(),
//!     )
//! }
//!
//! #[doc(hidden)]
//! pub const __tool_attribute_of_open: &'static Declaration = {
//!     type __Owner = Shop;
//!     static __TOOL: Declaration = Declaration::new("open", …, __Owner::__enter_open);
//!     register!(&__TOOL);
//!     &__TOOL
//! };
//! ```
//!
//! A `static` cannot name `Self`, so it uses an alias. The type is written once, with the tokens of the author, so that an
//! unknown type is reported once.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;

use super::tokens::{argument, local, tuple};
use crate::diagnostics::{ends, respan};
use crate::model::{Callee, Execution, Parameter, Receiver};

/// Returns the original block, with the declarations next to their methods.
pub(crate) fn block(head: TokenStream, braces: &Group, members: TokenStream) -> TokenStream {
    let mut body = Group::new(braces.delimiter(), members);
    body.set_span(braces.span());
    head.into_iter().chain([TokenTree::Group(body)]).collect()
}

/// The entry of a declaration: a closure, or an associated function that has the type of `self`.
pub(super) struct Entry {
    pub(super) expression: TokenStream,
    /// The tokens next to the constant.
    pub(super) outside: Option<TokenStream>,
    /// The tokens inside the constant.
    pub(super) inside: Option<TokenStream>,
}

/// Builds the entry of a function: a closure, or an associated function if the function has an owner.
pub(super) fn entry(callee: &Callee, function: &Ident, run: &TokenStream) -> Entry {
    let Callee { krate, cfgs, owner, .. } = callee;
    let call = local("__call");
    let Some(owner) = owner else {
        return Entry { expression: quote!(|#call| #run), outside: None, inside: None };
    };
    let name = format_ident!("__enter_{}", function.unraw());
    let outside = quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(deprecated)]
        fn #name(#call: &mut #krate::private::Call<'_>) -> #krate::private::EntryOutcome {
            #run
        }
    };
    Entry {
        expression: quote!(__Owner::#name),
        outside: Some(outside),
        inside: Some(quote!(type __Owner = #owner;)),
    }
}

/// `|(__arg0, __arg1)| add(__arg0, __arg1)`, and for a method one of
///
/// ```text
/// |(__arg0, __arg1)| Self::open(&__arg0, __arg1)
/// |(__arg0, __arg1)| async move { Self::open(&__arg0, __arg1).await }
/// |(__arg0, __arg1)| Self::open(received(__arg0), __arg1)
/// ```
pub(super) fn call_closure(callee: &Callee, name: &Ident) -> TokenStream {
    let Callee { krate, parameters, .. } = callee;
    let arguments: Vec<Ident> = (0..parameters.len()).map(argument).collect();
    let pattern = tuple(arguments.iter().map(ToTokens::to_token_stream).collect());
    let mut borrows = false;
    let call_arguments = parameters.iter().zip(&arguments).map(|(parameter, argument)| match parameter {
        Parameter::Receiver(receiver) if receiver.borrowed => {
            borrows = true;
            quote!(&#argument)
        }
        Parameter::Receiver(receiver) => {
            respan(quote!(#krate::private::received(#argument)), ends(&receiver.tokens))
        }
        Parameter::Input(_) | Parameter::Injected(_) => argument.to_token_stream(),
    });
    let call_arguments: Vec<TokenStream> = call_arguments.collect();
    let span = (name.span(), name.span());
    let owner = callee.owner.as_ref().map(|_| quote!(Self::));
    let call = respan(quote!(#owner #name(#(#call_arguments),*)), span);
    // The future of a method borrows the state, so the `async` block takes ownership of it.
    let call = if borrows && callee.execution == Execution::Async {
        let awaited = respan(quote!(#call.await), span);
        quote!(async move { #awaited })
    } else {
        call
    };
    respan(quote!(|#pattern| #call), span)
}

/// `receiver::<Self, _>(op::Read)`, or `shown_receiver` if the access function takes `self`.
pub(super) fn receiver(callee: &Callee, receiver: &Receiver, is_shown: bool) -> TokenStream {
    let Callee { krate, operation, .. } = callee;
    let function = if is_shown { quote!(shown_receiver) } else { quote!(receiver) };
    respan(
        quote!(#krate::private::#function::<Self, _>(#krate::inject::op::#operation)),
        ends(&receiver.tokens),
    )
}

/// Replaces `Self`, which cannot be used in a `static`, with the alias.
pub(super) fn replace_self(callee: &Callee, tokens: TokenStream) -> TokenStream {
    if callee.owner.is_some() { replaced(tokens) } else { tokens }
}

fn replaced(tokens: TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => Ident::new("__Owner", ident.span()).into(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), self::replaced(group.stream()));
            inner.set_span(group.span());
            inner.into()
        }
        token => token,
    });
    replaced.collect()
}
