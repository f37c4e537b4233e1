//! What is stored comes back, and what would not do is not stored.
