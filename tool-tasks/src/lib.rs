//! Task engines for `tool-core`: work that outlives its call.
