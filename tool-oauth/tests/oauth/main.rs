//! A resource server against an issuer on loopback, whose keys and tokens these tests make.

mod authenticating;
mod forged;
mod introspection;
mod issuer;
mod keys;
mod log;
mod serving;
mod signing;
