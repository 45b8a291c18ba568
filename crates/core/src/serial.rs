//! Serial numbers that wrap around: transmission and stream sequence numbers.

use std::fmt;

macro_rules! serial_number {
    ($(#[$doc:meta])* $name:ident: $int:ty, $signed:ty) => {
        $(#[$doc])*
        ///
        /// Comparisons follow RFC 1982: a number is before another if at most half of the circle lies between them.
        /// Two numbers exactly half of the circle apart are in no order, so this type is not `Ord`.
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub $int);

        impl $name {
            /// Whether `self` comes before `other`.
            #[must_use]
            pub const fn is_before(self, other: Self) -> bool {
                other.0.wrapping_sub(self.0) as $signed > 0
            }

            /// Whether `self` comes after `other`.
            #[must_use]
            pub const fn is_after(self, other: Self) -> bool {
                other.is_before(self)
            }

            /// Whether `self` equals `other` or comes before it.
            #[must_use]
            pub const fn is_at_or_before(self, other: Self) -> bool {
                self.0 == other.0 || self.is_before(other)
            }

            /// Whether `self` equals `other` or comes after it.
            #[must_use]
            pub const fn is_at_or_after(self, other: Self) -> bool {
                other.is_at_or_before(self)
            }

            /// The number that follows.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.wrapping_add(1))
            }

            /// The number that `self` follows.
            #[must_use]
            pub const fn previous(self) -> Self {
                Self(self.0.wrapping_sub(1))
            }

            /// The number `steps` further on.
            #[must_use]
            pub const fn add(self, steps: $int) -> Self {
                Self(self.0.wrapping_add(steps))
            }

            /// How many steps lead from `earlier` to `self` around the circle.
            #[must_use]
            pub const fn distance_from(self, earlier: Self) -> $int {
                self.0.wrapping_sub(earlier.0)
            }

            /// The later one of the two.
            #[must_use]
            pub const fn max_serial(self, other: Self) -> Self {
                if self.is_before(other) { other } else { self }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

serial_number! {
    /// Transmission sequence number: names one DATA chunk of an association (RFC 9260 §1.6).
    Tsn: u32, i32
}

serial_number! {
    /// Stream sequence number: names one ordered message of a stream (RFC 9260 §1.6).
    Ssn: u16, i16
}
