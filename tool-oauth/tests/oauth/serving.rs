//! Servers of MCP and HTTP with tokens.
