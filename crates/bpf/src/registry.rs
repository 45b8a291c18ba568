//! The algorithms by name, one line each.

use std::path::Path;

use manypath_core::remedy;
use manypath_program::bytes;

use crate::Error;

macro_rules! object {
    ($file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".bpf.o"))
    };
}

/// Every algorithm of this crate that the kernel can run.
pub const ALGORITHMS: &[Algorithm] = &[
    entry(
        "lia",
        object!("lia"),
        "linked increases of RFC 6356: the growth of all subflows is linked",
    ),
    entry(
        "lia-eunice",
        object!("lia_eunice"),
        "linked increases; the best subflow is approximated",
    ),
    entry(
        "olia",
        object!("olia"),
        "opportunistic linked increases: windows move to the subflows with the fewest losses",
    ),
    entry(
        "balia",
        object!("balia"),
        "balanced linked adaptation: growth and cuts follow the rates",
    ),
    entry("wvegas", object!("wvegas"), "weighted Vegas: windows follow delay"),
    entry("coupled", object!("coupled"), "fully coupled: one subflow may carry all traffic"),
    entry("rpv1", object!("rpv1"), "CMT/RPv1: growth by threshold, the whole window is halved"),
    entry("rpv2", object!("rpv2"), "CMT/RPv2: growth by rate, the whole rate is halved"),
    entry(
        "weighted",
        object!("weighted"),
        "independent subflows: each is as aggressive as its weight in TCPs",
    ),
    entry(
        "bmc",
        object!("bmc"),
        "weights that sum up to one TCP move to subflows with more goodput",
    ),
];

/// A congestion control that is part of this program.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Its name in commands: that of the same algorithm in `manypath-cc`, if there is one.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    object: &'static [u8],
}

const fn entry(name: &'static str, object: &'static [u8], summary: &'static str) -> Algorithm {
    Algorithm { name, summary, object }
}

impl Algorithm {
    /// The algorithm called `name`; `mp_lia` is accepted for `lia`.
    ///
    /// # Errors
    /// If there is none.
    pub fn by_name(name: &str) -> Result<&'static Self, Error> {
        let found = ALGORITHMS.iter().find(|it| it.name == name || it.kernel_name() == name);
        found.ok_or_else(|| {
            if let Some((plain, _)) = name.split_once(':') {
                return Error::usage(with_parameters(name, plain));
            }
            let remedy = remedy(name, ALGORITHMS.iter().map(|it| it.name));
            Error::usage(format!("there is no algorithm {name:?}: {remedy}"))
        })
    }

    /// The kernel's name of it, such as `mp_lia`.
    #[must_use]
    pub fn kernel_name(&self) -> String {
        format!("mp_{}", self.name.replace('-', "_"))
    }
}

/// The error for `name`, which is `plain` with the parameters that names have in the simulator.
fn with_parameters(name: &str, plain: &str) -> String {
    let weight = match plain {
        "weighted" | "weighted-aimd" => ", and its weight by load weighted --weight 2",
        _ => "",
    };
    format!("{name:?} has parameters, and programs of the kernel take none: give {plain:?}{weight}")
}

/// The first bytes of a compiled program. elf(5)
const ELF: &[u8] = b"\x7fELF";
const EXPECTED: &str = "a compiled program, such as mine.bpf.o";
/// Largest size of a compiled program.
const MOST_MIB: u64 = 16;

/// A compiled program: one of this crate, or a user's.
#[derive(Clone, Debug)]
pub struct Object {
    pub(crate) bytes: Vec<u8>,
    /// Its origin, for messages.
    pub(crate) origin: String,
}

impl Object {
    /// The object for `text`: the name of an algorithm, or the path of a compiled program, which ends with `.o`.
    ///
    /// # Errors
    /// If there is no such algorithm, or the file cannot be read.
    pub fn named(text: &str) -> Result<Self, Error> {
        if !text.ends_with(".o") {
            return Ok(Self::from(Algorithm::by_name(text)?));
        }
        let bytes = bytes(None, Path::new(text), MOST_MIB, EXPECTED);
        let bytes = bytes.map_err(|failure| Error::usage(failure.message))?;
        if !bytes.starts_with(ELF) {
            return Err(Error::usage(format!("{text}: it is no ELF file, expected {EXPECTED}")));
        }
        Ok(Self { bytes, origin: text.to_owned() })
    }
}

impl From<&Algorithm> for Object {
    fn from(algorithm: &Algorithm) -> Self {
        // A copy, because the reader of object files requires alignment.
        Self { bytes: algorithm.object.to_vec(), origin: algorithm.name.to_owned() }
    }
}
