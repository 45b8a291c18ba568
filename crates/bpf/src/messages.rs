//! The messages of libbpf about failures, stored until they are read.

use std::sync::{Mutex, Once, PoisonError};

use libbpf_rs::{PrintLevel, set_print};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Redirects libbpf's messages into a list, and clears the list.
pub(crate) fn begin() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        set_print(Some((PrintLevel::Warn, |_, text| {
            lines().extend(text.lines().map(str::to_owned));
        })));
    });
    lines().clear();
}

/// The last message with the kernel's reason for a refusal, if there is one.
pub(crate) fn reason() -> Option<String> {
    let lines = lines();
    let of_verifier = lines.iter().rposition(|line| line.starts_with("processed "));
    let telling = of_verifier.and_then(|end| lines[..end].last()).or(lines.last())?;
    Some(telling.trim().to_owned())
}

fn lines() -> std::sync::MutexGuard<'static, Vec<String>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}
