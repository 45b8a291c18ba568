//! Counters as rows: a name with its meaning gives the field, the sums and differences, the entry of a table, and for
//! some the counter of a flow in the results of simulations.

/// A counter of `T`, a struct of counters.
#[derive(Debug)]
pub struct Counter<T> {
    /// The name of the field.
    pub name: &'static str,
    /// The meaning, in one line of Markdown.
    pub doc: &'static str,
    /// Reads the counter.
    pub get: fn(&T) -> u64,
    /// Its place in the results of simulations.
    pub result: Option<ResultCounter>,
}

/// A counter in the results of simulations: one of a flow, or of a path of a flow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ResultCounter {
    /// Its name in the results, which are the same for all protocols.
    pub name: &'static str,
    /// The end that counts for the flow.
    pub end: FlowEnd,
}

/// An end of a flow, or both.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FlowEnd {
    /// The end that sends the data.
    Source,
    /// The end that receives them.
    Sink,
    /// The sum of both ends.
    Both,
}

impl<T> Counter<T> {
    /// The counter in the results, with its value for a flow whose ends have these counters; `None` if the results do
    /// not have it.
    pub fn of_flow(&self, source: &T, sink: &T) -> Option<(&'static str, u64)> {
        let result = self.result?;
        let count = match result.end {
            FlowEnd::Source => (self.get)(source),
            FlowEnd::Sink => (self.get)(sink),
            FlowEnd::Both => (self.get)(source) + (self.get)(sink),
        };
        Some((result.name, count))
    }
}

/// Defines a struct of counters with the table of its counters, `COUNTERS`.
///
/// `name: End` is a counter that the results of simulations have, at this [`FlowEnd`]; `name: End as other` has another
/// name there. Counters after the `=`, such as `name = one + other: End`, are sums of others: methods, not fields. Fields
/// after the `;` are no counters: they are a state, and sums and differences have that of the later reading.
#[macro_export]
macro_rules! counters {
    (
        $(#[$about:meta])*
        $of:ident {
            $($(#[doc = $doc:literal])+ $name:ident $(: $end:ident $(as $result:ident)?)?,)+
            $(= $($(#[doc = $sum_doc:literal])+ $sum:ident = $first:ident $(+ $part:ident)+
                $(: $sum_end:ident $(as $sum_result:ident)?)?,)+)?
            $(; $($(#[doc = $state_doc:literal])+ $state:ident: $type:ty,)+)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub struct $of {
            $($(#[doc = $doc])+ pub $name: u64,)+
            $($($(#[doc = $state_doc])+ pub $state: $type,)+)?
        }

        impl $of {
            /// All counters, in the order of the fields.
            pub const COUNTERS: &[$crate::Counter<Self>] = &[$($crate::Counter {
                name: stringify!($name),
                doc: concat!($($doc),+).trim_ascii_start(),
                get: |it| it.$name,
                result: $crate::counters!(@ $name $($end $($result)?)?),
            },)+ $($($crate::Counter {
                name: stringify!($sum),
                doc: concat!($($sum_doc),+).trim_ascii_start(),
                get: Self::$sum,
                result: $crate::counters!(@ $sum $($sum_end $($sum_result)?)?),
            },)+)?];

            $($($(#[doc = $sum_doc])+
            #[must_use]
            pub fn $sum(&self) -> u64 {
                self.$first $(+ self.$part)+
            })+)?
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
    (@ $name:ident) => { None };
    (@ $name:ident $end:ident) => { $crate::counters!(@ $name $end $name) };
    (@ $name:ident $end:ident $result:ident) => {
        Some($crate::ResultCounter { name: stringify!($result), end: $crate::FlowEnd::$end })
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro defines public structs")]
mod tests {
    counters! {
        /// Counters with a state.
        Example {
            /// Packets sent.
            packets_sent,
            /// Bytes of these,
            /// headers included.
            bytes_sent: Source,
            /// Segments received twice.
            duplicate_segments: Sink as duplicates,
            /// Damaged packets.
            damaged: Both,
            =
            /// Packets that were wrong.
            wrong_packets = duplicate_segments + damaged: Sink as wrong,
            ;
            /// Whether it is open.
            is_open: bool,
        }
    }

    #[test]
    fn sums_and_differences_have_the_later_state() {
        let early = Example { packets_sent: 3, bytes_sent: 30, ..Example::default() };
        let late = Example { packets_sent: 5, bytes_sent: 90, is_open: true, ..early };
        let since = Example { packets_sent: 2, bytes_sent: 60, is_open: true, ..early - early };
        assert_eq!(late - early, since);
        assert_eq!(early + since, late);
    }

    #[test]
    fn the_table_has_each_counter_with_its_meaning() {
        let example = Example {
            packets_sent: 3,
            bytes_sent: 30,
            duplicate_segments: 2,
            damaged: 1,
            is_open: false,
        };
        let rows = Example::COUNTERS.iter().map(|it| (it.name, it.doc, (it.get)(&example)));
        let expected = [
            ("packets_sent", "Packets sent.", 3),
            ("bytes_sent", "Bytes of these, headers included.", 30),
            ("duplicate_segments", "Segments received twice.", 2),
            ("damaged", "Damaged packets.", 1),
            ("wrong_packets", "Packets that were wrong.", 3),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_flow_has_the_counters_of_its_source_of_its_sink_or_of_both() {
        let [source, sink] = [1, 10].map(|count| Example {
            packets_sent: count,
            bytes_sent: 2 * count,
            duplicate_segments: 3 * count,
            damaged: 4 * count,
            is_open: true,
        });
        let counted = Example::COUNTERS.iter().filter_map(|it| it.of_flow(&source, &sink));
        assert_eq!(
            counted.collect::<Vec<_>>(),
            [("bytes_sent", 2), ("duplicates", 30), ("damaged", 44), ("wrong", 70)]
        );
    }
}
