//! Validation of a document: existing and usable names, and sensible numbers.

use manypath_link::DocumentError;

use super::{Document, Network, Pair};

impl Document {
    /// Checks the document.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn validate(&self) -> Result<(), DocumentError> {
        plain_name("name", &self.name)?;
        self.network.validate()?;
        if !(SMALLEST_MTU..=LARGEST_MTU).contains(&self.mtu) {
            let expected = format!("{SMALLEST_MTU} to {LARGEST_MTU} bytes");
            return Err(DocumentError::value("mtu", self.mtu, expected));
        }
        let share = self.bounds.share;
        if !(0.0..=1.0).contains(&share) {
            return Err(DocumentError::value("bounds.share", share, "a share from 0 to 1"));
        }
        if self.pairs.len() > MOST_PAIRS {
            let found = format!("{} pairs", self.pairs.len());
            return Err(DocumentError::value("pairs", found, format!("{MOST_PAIRS} at most")));
        }
        for (name, pair) in &self.pairs {
            let field = format!("pairs.{name}");
            if !name.is_empty() || self.pairs.len() > 1 {
                plain_name(&field, name)?;
            }
            pair.validate(&field, &self.network)?;
        }
        Ok(())
    }
}

impl Pair {
    fn validate(&self, field: &str, network: &Network) -> Result<(), DocumentError> {
        let paths = format!("{field}.paths");
        if self.paths.is_empty() || self.paths.len() > MOST_PATHS {
            let found = format!("{} paths", self.paths.len());
            return Err(DocumentError::value(paths, found, format!("1 to {MOST_PATHS} paths")));
        }
        network.validate_paths(&paths, &self.paths)?;
        for (side, name) in [("left", &self.left), ("right", &self.right)] {
            if let Some(name) = name {
                plain_name(&format!("{field}.{side}"), name)?;
            }
        }
        if self.left.is_some() && self.left == self.right {
            let right = self.right.clone().unwrap_or_default();
            let expected = "another namespace than `left`: a host reaches itself without any path";
            return Err(DocumentError::value(format!("{field}.right"), right, expected));
        }
        for name in self.sysctl.keys() {
            // A setting of the whole machine would remain after the emulation.
            let is_plain = name.split('.').all(|part| !part.is_empty() && !part.contains('/'));
            if !name.starts_with("net.") || !is_plain {
                let field = format!("{field}.sysctl");
                let expected = "settings of a namespace, such as net.ipv4.tcp_congestion_control";
                return Err(DocumentError::value(field, name, expected));
            }
        }
        Ok(())
    }
}

/// Fails unless `name` can be a part of a namespace's name, which is a file name.
fn plain_name(field: &str, name: &str) -> Result<(), DocumentError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let begins_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins_well && name.len() <= LONGEST_NAME && name.bytes().all(is_plain) {
        return Ok(());
    }
    let expected = format!(
        "up to {LONGEST_NAME} letters, digits, dots, dashes and underscores, a letter or digit first"
    );
    Err(DocumentError::value(field, format!("\"{name}\""), expected))
}

/// IPv6 requires this MTU. RFC 8200 §5
const SMALLEST_MTU: u32 = 1280;
/// The largest length in an IP header.
const LARGEST_MTU: u32 = 65_535;
/// One byte of an address is the number of the pair, another one that of the path.
const MOST_PAIRS: usize = 256;
const MOST_PATHS: usize = 256;
/// Longest part of a namespace's name, which is a file name with two of these parts.
const LONGEST_NAME: usize = 64;
