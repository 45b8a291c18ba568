//! Rounding of the real numbers of the formulas to whole bytes.

/// The smallest integer that is not below `x`. An excess that is as small as a rounding error is ignored.
///
/// The formulas contain ceilings of quotients: 25410.000000000004 bytes, where exact arithmetic gives 25410, must not
/// become 25411.
pub(crate) fn ceil(x: f64) -> i64 {
    let x = x - TOLERANCE;
    let toward_zero = x as i64;
    toward_zero + i64::from((toward_zero as f64) < x)
}

/// The largest integer that is not above `x`, with the same tolerance.
pub(crate) fn floor(x: f64) -> i64 {
    -ceil(-x)
}

/// Half of `whole`; a tie goes to the even neighbour, like `rint` of C.
pub(crate) const fn half_to_even(whole: u64) -> u64 {
    let half = whole / 2;
    half + (whole & half & 1)
}

const TOLERANCE: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excess_within_rounding_errors_is_ignored() {
        assert_eq!(ceil(25_410.000_000_000_004), 25_410);
        assert_eq!(ceil(25_410.0), 25_410);
        assert_eq!(ceil(25_410.001), 25_411);
        assert_eq!(ceil(-0.5), 0);
        assert_eq!(ceil(-1.5), -1);
        assert_eq!(floor(25_409.999_999_999_996), 25_410);
        assert_eq!(floor(25_409.5), 25_409);
        assert_eq!(floor(-0.5), -1);
    }

    #[test]
    fn halves_are_rounded_to_the_even_neighbour() {
        assert_eq!([4, 5, 6, 7, 8, 9].map(half_to_even), [2, 2, 3, 4, 4, 4]);
    }
}
