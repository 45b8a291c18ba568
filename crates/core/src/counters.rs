//! Counters as rows: a name with its meaning gives the field, the sums and differences, and the entry of a table.

/// A counter of `T`, a struct of counters.
#[derive(Debug)]
pub struct Counter<T, V = u64> {
    /// The name of the field.
    pub name: &'static str,
    /// The meaning, in one line of Markdown.
    pub doc: &'static str,
    /// Reads the counter.
    pub get: fn(&T) -> V,
}

/// Defines a struct of counters, numbers or times, with the table of its counters, `COUNTERS`. Fields after the `;` are
/// no counters: they are a state, and sums and differences have that of the later reading.
#[macro_export]
macro_rules! counters {
    (
        $(#[$about:meta])*
        $of:ident: $value:ty {
            $($(#[doc = $doc:literal])+ $name:ident,)+
            $(; $($(#[doc = $state_doc:literal])+ $state:ident: $type:ty,)+)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub struct $of {
            $($(#[doc = $doc])+ pub $name: $value,)+
            $($($(#[doc = $state_doc])+ pub $state: $type,)+)?
        }

        impl $of {
            /// All counters, in the order of the fields.
            pub const COUNTERS: &[$crate::Counter<Self, $value>] = &[$($crate::Counter {
                name: stringify!($name),
                doc: concat!($($doc),+).trim_ascii_start(),
                get: |it| it.$name,
            }),+];
        }

        /// The counters since an earlier reading.
        impl std::ops::Sub for $of {
            type Output = Self;

            fn sub(self, earlier: Self) -> Self {
                Self {
                    $($name: self.$name - earlier.$name,)+
                    $($($state: self.$state,)+)?
                }
            }
        }

        /// The sum of the counters of two, with the state of the second.
        impl std::ops::Add for $of {
            type Output = Self;

            fn add(self, later: Self) -> Self {
                Self {
                    $($name: self.$name + later.$name,)+
                    $($($state: later.$state,)+)?
                }
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro defines public structs")]
mod tests {
    counters! {
        /// Counters with a state.
        Example: u64 {
            /// Packets sent.
            packets_sent,
            /// Bytes of these,
            /// headers included.
            bytes_sent,
            ;
            /// Whether it is open.
            is_open: bool,
        }
    }

    #[test]
    fn sums_and_differences_have_the_later_state() {
        let early = Example { packets_sent: 3, bytes_sent: 30, is_open: false };
        let late = Example { packets_sent: 5, bytes_sent: 90, is_open: true };
        let since = Example { packets_sent: 2, bytes_sent: 60, is_open: true };
        assert_eq!(late - early, since);
        assert_eq!(early + since, late);
    }

    #[test]
    fn the_table_has_each_counter_with_its_meaning() {
        let example = Example { packets_sent: 3, bytes_sent: 30, is_open: true };
        let rows = Example::COUNTERS.iter().map(|it| (it.name, it.doc, (it.get)(&example)));
        let expected = [
            ("packets_sent", "Packets sent.", 3),
            ("bytes_sent", "Bytes of these, headers included.", 30),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }
}
