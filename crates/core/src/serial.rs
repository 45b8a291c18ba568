//! Serial numbers that wrap around: transmission and stream sequence numbers.

use std::fmt;

macro_rules! serial_number {
    ($(#[$doc:meta])* $name:ident: $int:ty, $signed:ty) => {
        $(#[$doc])*
        ///
        /// Comparisons follow RFC 1982: a number is before another if the distance to it is less than half of the
        /// number space.
        /// Two numbers at a distance of exactly half of the number space have no order, so this type is not `Ord`.
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
                other.0.wrapping_sub(self.0) as $signed >= 0
            }

            /// Whether `self` equals `other` or comes after it.
            #[must_use]
            pub const fn is_at_or_after(self, other: Self) -> bool {
                other.is_at_or_before(self)
            }

            /// The next number.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.wrapping_add(1))
            }

            /// The previous number.
            #[must_use]
            pub const fn previous(self) -> Self {
                Self(self.0.wrapping_sub(1))
            }

            /// The number `steps` after `self`.
            #[must_use]
            pub const fn add(self, steps: $int) -> Self {
                Self(self.0.wrapping_add(steps))
            }

            /// The number of steps from `earlier` to `self`, modulo the number space.
            #[must_use]
            pub const fn distance_from(self, earlier: Self) -> $int {
                self.0.wrapping_sub(earlier.0)
            }

            /// The later of the two numbers.
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
    /// Transmission sequence number: identifies one DATA chunk of an association (RFC 9260 §1.6).
    Tsn: u32, i32
}

serial_number! {
    /// Stream sequence number: identifies one ordered message of a stream (RFC 9260 §1.6).
    Ssn: u16, i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_wrap_around() {
        let last = Tsn(u32::MAX);
        assert_eq!(last.next(), Tsn(0));
        assert_eq!(Tsn(0).previous(), last);
        assert!(last.is_before(Tsn(0)) && Tsn(3).is_after(last));
        assert_eq!(Tsn(3).distance_from(last), 4);
        assert_eq!(last.max_serial(Tsn(2)), Tsn(2));
        assert!(Ssn(u16::MAX).is_before(Ssn(0)));
    }

    #[test]
    fn opposite_numbers_have_no_order() {
        let (one, other) = (Tsn(7), Tsn(7 + (1 << 31)));
        assert!(!one.is_before(other) && !one.is_after(other));
        assert!(!one.is_at_or_before(other) && !one.is_at_or_after(other));
    }

    proptest! {
        #[test]
        fn the_order_follows_from_the_distance(start: u32, steps in 0_u32..(1 << 31)) {
            let (earlier, later) = (Tsn(start), Tsn(start).add(steps));
            prop_assert_eq!(later.distance_from(earlier), steps);
            prop_assert_eq!(earlier.is_before(later), steps > 0);
            prop_assert_eq!(later.is_after(earlier), steps > 0);
            prop_assert!(earlier.is_at_or_before(later) && later.is_at_or_after(earlier));
            prop_assert_eq!(earlier.max_serial(later), later);
            prop_assert_eq!(later.max_serial(earlier), later);
        }

        #[test]
        fn no_number_is_both_before_and_after(a: u16, b: u16) {
            prop_assert!(!(Ssn(a).is_before(Ssn(b)) && Ssn(a).is_after(Ssn(b))));
        }
    }
}
