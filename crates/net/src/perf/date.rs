//! Dates as iperf3 writes them.

/// The date of a Unix time, such as `Tue, 24 Nov 2026 20:44:05 GMT`.
pub(super) fn http_date(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    // 1970-01-01 was a Thursday
    let weekday = WEEKDAYS[(days % 7) as usize];
    let (mut year, mut day) = (1970, days);
    while day >= length_of_year(year) {
        day -= length_of_year(year);
        year += 1;
    }
    let mut month = 0;
    while day >= length_of_month(year, month) {
        day -= length_of_month(year, month);
        month += 1;
    }
    let (day, month) = (day + 1, MONTHS[month].0);
    format!("{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT")
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn length_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn length_of_month(year: u64, month: usize) -> u64 {
    MONTHS[month].1 + u64::from(month == 1 && is_leap(year))
}

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// Names and days of the months of a year that is no leap year.
const MONTHS: [(&str, u64); 12] = [
    ("Jan", 31),
    ("Feb", 28),
    ("Mar", 31),
    ("Apr", 30),
    ("May", 31),
    ("Jun", 30),
    ("Jul", 31),
    ("Aug", 31),
    ("Sep", 30),
    ("Oct", 31),
    ("Nov", 30),
    ("Dec", 31),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_has_its_weekday_and_leap_days() {
        // Expected values: date --utc --date=@SECONDS
        for (seconds, date) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (1_704_067_199, "Sun, 31 Dec 2023 23:59:59 GMT"),
            (1_795_552_698, "Tue, 24 Nov 2026 20:38:18 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] {
            assert_eq!(http_date(seconds), date);
        }
    }
}
