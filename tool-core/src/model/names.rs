//! Enums whose variants have names.

/// Defines an enum whose variants have names, with a list of all variants and a function that returns the name. With
/// `impl FromStr`, the names are also displayed and parsed.
macro_rules! names {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $text:literal,)+
        }

        $(#[$of_all:meta])*
        const ALL: $all:ty;

        $(#[$of_function:meta])*
        pub $($function:ident)+;

        $(impl FromStr<Err = $error:ty>, $unknown:expr;)?
    ) => {
        $(#[$meta])*
        $visibility enum $name {
            $($(#[$of_variant])* $variant,)+
        }

        impl $name {
            $(#[$of_all])*
            pub const ALL: $all = [$($name::$variant),+];

            $(#[$of_function])*
            pub $($function)+(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }
        }

        $(
            impl ::std::fmt::Display for $name {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    f.pad(self.as_str())
                }
            }

            impl ::std::str::FromStr for $name {
                type Err = $error;

                fn from_str(text: &str) -> Result<Self, Self::Err> {
                    let named = $name::ALL.into_iter().find(|it| it.as_str() == text);
                    named.ok_or_else(|| $unknown(text))
                }
            }
        )?
    };
}

pub(crate) use names;
