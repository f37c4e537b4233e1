//! The table of options from which a struct, its reader and the list of known names are generated.

/// Declares a struct with one field for each option of an attribute.
///
/// A row is `"name" => field: Type = method, [Kind, …];`: the option `name` is read by `Setting::method` into `field`, on
/// items of these kinds. Fields after the rows are not options. An option that lacks a part does not compile.
macro_rules! option_table {
    (
        $(#[$attribute:meta])*
        pub(crate) struct $table:ident {
            $($name:literal => $field:ident: $type:ty = $method:ident, [$($kind:ident),+];)+
        }
        $($(#[$extra_attribute:meta])* $extra:ident: $extra_type:ty,)*
    ) => {
        $(#[$attribute])*
        #[derive(Default)]
        pub(crate) struct $table {
            $(pub(crate) $field: ::core::option::Option<$type>,)+
            $($(#[$extra_attribute])* pub(crate) $extra: $extra_type,)*
        }

        impl $table {
            /// Returns the names of the options on an item of this kind, in the order of the table.
            pub(crate) fn names(item_kind: $crate::parse::ItemKind) -> ::std::vec::Vec<&'static str> {
                const ROWS: &[(&str, &[$crate::parse::ItemKind])] =
                    &[$(($name, &[$($crate::parse::ItemKind::$kind),+])),+];
                ROWS.iter().filter(|(_, kinds)| kinds.contains(&item_kind)).map(|(name, _)| *name).collect()
            }

            /// Reads the value of one option; the names are those of [`names`](Self::names).
            fn set(
                &mut self,
                setting: $crate::parse::options::Setting,
                errors: &mut $crate::diagnostics::Errors,
            ) {
                match setting.name().as_str() {
                    $($name => self.$field = setting.$method(errors),)+
                    name => unreachable!("`{name}` is not in the table of options"),
                }
            }
        }
    };
}

pub(super) use option_table;
