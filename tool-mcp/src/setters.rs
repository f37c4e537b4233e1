//! The macro for the setters of builders.

/// Defines setters. The example of each is `$setup`, and then `$builder` with a call of the setter.
macro_rules! setters {
    ($self:ident, $setup:literal, $builder:literal;
     $($(#[$attribute:meta])* $name:ident($value:ident: $type:ty) => $set:expr, example($example:expr);)+) => {$(
        $(#[$attribute])*
        ///
        /// ```
        #[doc = $setup]
        #[doc = concat!($builder, ".", stringify!($name), "(", stringify!($example), ");")]
        /// ```
        pub fn $name(mut $self, $value: $type) -> Self {
            $set;
            $self
        }
    )+};
}
