//! What the command line asks for.

/// What to do.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Arguments {
    /// Tell the story of this number.
    One(u64),
    /// Tell so many stories, then look for the bugs.
    Many {
        /// Number of the first story.
        from: u64,
        /// How many.
        stories: u64,
    },
}

impl Arguments {
    /// # Errors
    /// One line that names the argument and what would be right.
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
                // `cargo test --quiet` hands this on to every test
                "--quiet" => {}
                _ => {
                    return Err(format!(
                        "{word}: not known; use --story, --from or --stories with a number"
                    ));
                }
            }
        }
        Ok(story.map_or(Self::Many { from, stories }, Self::One))
    }
}

const USUAL_STORIES: u64 = 100_000;
