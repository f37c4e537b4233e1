//! stub
use proc_macro::TokenStream;
/// stub
#[proc_macro_attribute]
pub fn tool(_: TokenStream, item: TokenStream) -> TokenStream { item }
