//! Random stories by number: the number is the seed, so each story can be repeated; a failing story is shrunk.

use std::cell::RefCell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::script::{Script, script};
use super::story::{Narrator, instants_so_far, play};
use super::tally::Tally;

/// A failed story.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The number of the story.
    pub(crate) number: u64,
    /// The first failure.
    pub(crate) complaint: String,
    /// The shortest failing story found, and its failure.
    pub(crate) shortest: (Script, String),
}

/// Runs one story.
///
/// # Errors
/// The failure; the story is not shrunk.
pub(crate) fn try_one(number: u64) -> Result<Tally, String> {
    complaint_of(&tree(number).current(), None)
}

/// Runs one story, and shrinks it if it fails.
///
/// # Errors
/// The shortest story that fails.
pub(crate) fn run(number: u64) -> Result<Tally, Box<Failure>> {
    let mut tree = tree(number);
    let complaint = match complaint_of(&tree.current(), None) {
        Ok(tally) => return Ok(tally),
        Err(complaint) => complaint,
    };
    let mut shortest = (tree.current(), complaint.clone());
    let mut goes_on = tree.simplify();
    let last = instants_so_far() + PATIENCE;
    while goes_on && instants_so_far() < last {
        let candidate = tree.current();
        goes_on = match complaint_of(&candidate, None) {
            Err(shorter) if place_of(&shorter) == place_of(&complaint) => {
                shortest = (candidate, shorter);
                tree.simplify()
            }
            _ => tree.complicate(),
        };
    }
    Err(Box::new(Failure { number, complaint, shortest }))
}

/// The line of code that failed: a shrunk story must fail at the same place.
pub(crate) fn place_of(complaint: &str) -> &str {
    complaint.split(' ').next().unwrap_or_default()
}

impl Failure {
    /// Runs the shortest story again and prints its packets.
    pub(crate) fn narrate(&self, narrator: Narrator) {
        let _ = complaint_of(&self.shortest.0, Some(narrator));
    }
}

/// Runs a passing story again and prints its packets.
pub(crate) fn narrate(number: u64, narrator: Narrator) {
    let _ = complaint_of(&tree(number).current(), Some(narrator));
}

fn tree(number: u64) -> impl ValueTree<Value = Script> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    script().new_tree(&mut runner).expect("no story is refused")
}

thread_local! {
    /// The failure of the story on this thread.
    static COMPLAINT: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn complaint_of(script: &Script, narrator: Option<Narrator>) -> Result<Tally, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !COMPLAINT.with_borrow_mut(|complaint| note(complaint, info)) {
                loud(info);
            }
        }));
    });
    COMPLAINT.set(Some(String::new()));
    let played = panic::catch_unwind(AssertUnwindSafe(|| play(script, narrator)));
    let complaint = COMPLAINT.take().unwrap_or_default();
    played.map_err(|_| complaint)
}

/// Keeps the message of a panic for the running story, if there is one.
fn note(complaint: &mut Option<String>, info: &PanicHookInfo<'_>) -> bool {
    let Some(complaint) = complaint else { return false };
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    *complaint = format!("{place}: {}", text.unwrap_or("a panic without a message"));
    true
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (script, complaint) = &self.shortest;
        writeln!(f, "story {} fails: {}", self.number, self.complaint)?;
        writeln!(f, "the shortest story found: {complaint}")?;
        writeln!(f, "{script}")?;
        write!(f, "repeat it with: make soak STORY={}", self.number)
    }
}

/// Largest number of instants in the search for a shorter story.
const PATIENCE: u64 = 20_000_000;
