//! An `impl` block with methods that are tools.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, ItemImpl, Meta, Type, parse_quote};

use crate::diagnostics::Errors;
use crate::parse::function::{Function, Head};
use crate::parse::item_kind::ItemKind;

/// An `impl` block, split into methods that are tools and other members.
pub(crate) struct Block {
    /// Everything before the braces, as written.
    pub(crate) head: TokenStream,
    pub(crate) braces: Group,
    /// The block with empty braces.
    pub(crate) empty: ItemImpl,
    pub(crate) members: Vec<Member>,
}

/// A member of an `impl` block.
pub(crate) enum Member {
    Tool(Box<Method>),
    /// A member that is not a tool, as written.
    Other(TokenStream),
    /// An attribute whose method is incomplete.
    Incomplete,
}

/// A method with `#[tool(…)]`.
pub(crate) struct Method {
    pub(crate) options: TokenStream,
    pub(crate) function: Function,
    pub(crate) errors: Errors,
}

/// Reads an `impl` block. Returns `None` for other items and for syntax errors.
pub(super) fn block(item: &TokenStream) -> Option<Block> {
    let mut head: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(braces)) = head.pop() else { return None };
    if braces.delimiter() != Delimiter::Brace {
        return None;
    }
    let head: TokenStream = head.into_iter().collect();
    let empty: ItemImpl = syn::parse2(parse_quote!(#head {})).ok()?;
    let members = (|input: ParseStream<'_>| members(input, &empty.self_ty)).parse2(braces.stream()).ok()?;
    Some(Block { head, braces, empty, members })
}

/// Reads the members. Bodies are groups, so every `#` outside of them starts the attribute of a member.
fn members(input: ParseStream<'_>, owner: &Type) -> syn::Result<Vec<Member>> {
    let mut members = Vec::new();
    while !input.is_empty() {
        let ahead = input.fork();
        let Some(mut attributes) = attributes(&ahead) else {
            extend(&mut members, input.parse::<TokenTree>()?);
            continue;
        };
        input.advance_to(&ahead);
        let is_tool = |attribute: &Attribute| ItemKind::of(attribute) == Some(ItemKind::Tool);
        let tool = attributes.iter().position(is_tool).map(|position| attributes.remove(position));
        match tool.map(|tool| (tool, ahead.parse::<Head>())) {
            Some((tool, Ok(head))) => {
                input.advance_to(&ahead);
                let mut errors = Errors::new();
                let function =
                    Function::new(ItemKind::Tool, attributes, head, Some(owner.clone()), &mut errors);
                members.push(Member::Tool(Box::new(Method { options: options(tool), function, errors })));
            }
            Some((_, Err(_))) => {
                members.push(Member::Incomplete);
                extend(&mut members, quote!(#(#attributes)*));
            }
            None => extend(&mut members, quote!(#(#attributes)*)),
        }
    }
    Ok(members)
}

/// Returns the attributes of the next member, if there are any that can be parsed.
fn attributes(input: ParseStream<'_>) -> Option<Vec<Attribute>> {
    let attributes = input.call(Attribute::parse_outer).ok()?;
    (!attributes.is_empty()).then_some(attributes)
}

/// Adds tokens that are emitted unchanged.
fn extend(members: &mut Vec<Member>, tokens: impl ToTokens) {
    if let Some(Member::Other(last)) = members.last_mut() {
        tokens.to_tokens(last);
    } else {
        members.push(Member::Other(tokens.into_token_stream()));
    }
}

/// Returns the tokens after the path of an attribute.
fn options(attribute: Attribute) -> TokenStream {
    match attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens,
        Meta::NameValue(pair) => {
            let (eq, value) = (pair.eq_token, pair.value);
            quote!(#eq #value)
        }
    }
}
