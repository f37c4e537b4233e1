//! Setters of builders.

/// Defines setters of a builder: each assigns to one field, and returns the builder.
///
/// ```text
/// setters! {
///     /// Sets the title.
///     pub fn title(title: impl Into<String>) => title = Some(title.into());
/// }
/// ```
macro_rules! setters {
    ($(
        $(#[$meta:meta])*
        pub $($function:ident)+($($argument:ident: $type:ty),*) => $($field:ident).+ = $value:expr;
    )+) => {
        $(
            $(#[$meta])*
            pub $($function)+(mut self $(, $argument: $type)*) -> Self {
                self.$($field).+ = $value;
                self
            }
        )+
    };
}

pub(crate) use setters;
