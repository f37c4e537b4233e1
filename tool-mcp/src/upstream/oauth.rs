//! Signing in to servers with OAuth, as the user of the program: the client's side of MCP authorization.
//!
//! rmcp discovers the authorization server, registers the client and exchanges codes and tokens. This module stores
//! the tokens, decides when to refresh them, and restricts the addresses that a server can name.

mod account;
mod address;
mod authorized_client;
mod credential_file;
mod describe;
mod http;
mod manager;
mod redirect;
mod settings;
mod sign_in;
mod token_source;

pub(super) use account::Account;
pub(super) use authorized_client::AuthorizedClient;
pub use credential_file::{CredentialFile, CredentialsError};
pub use settings::OAuth;
pub use sign_in::{SignIn, SignInError};
pub(super) use token_source::TokenSource;
