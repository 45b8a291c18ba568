//! The command line arguments.

/// What to do.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Arguments {
    /// Run the story with this number.
    One(u64),
    /// Run this number of stories, then search for the seeded bugs.
    Many {
        /// Number of the first story.
        from: u64,
        /// Number of stories.
        stories: u64,
    },
}

impl Arguments {
    /// # Errors
    /// A message with the argument and the valid alternatives.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut from, mut stories, mut story) = (0, USUAL_STORIES, None);
        while let Some(word) = words.next() {
            let mut number = || {
                let value = words.next().unwrap_or_default();
                value
                    .replace('_', "")
                    .parse()
                    .map_err(|_| format!("{word} {value}: a number is needed"))
            };
            match word.as_str() {
                "--story" => story = Some(number()?),
                "--from" => from = number()?,
                "--stories" => stories = number()?,
                // `cargo test --quiet` passes this to every test
                "--quiet" => {}
                _ => {
                    return Err(format!(
                        "{word}: unknown; use --story, --from or --stories with a number"
                    ));
                }
            }
        }
        Ok(story.map_or(Self::Many { from, stories }, Self::One))
    }
}

const USUAL_STORIES: u64 = 100_000;
