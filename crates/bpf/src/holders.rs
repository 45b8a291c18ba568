//! Which processes keep a link of the kernel.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

/// A process that keeps something in the kernel as long as it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub process: u32,
    /// The name of its program, as far as the kernel keeps it.
    pub program: String,
}

impl Display for Holder {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "process {} ({})", self.process, self.program)
    }
}

/// The processes that have the link of this number open, in the order of their numbers.
pub(crate) fn of_link(link: u32) -> Vec<Holder> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let mut holders: Vec<_> = numbers.filter_map(|process| holder(process, link)).collect();
    holders.sort_by_key(|holder| holder.process);
    holders
}

/// The process, if it has the link open. It may end at any time, and then it has not.
fn holder(process: u32, link: u32) -> Option<Holder> {
    let folder = Path::new("/proc").join(process.to_string());
    let wanted = format!("link_id:\t{link}");
    let is_it = |file: fs::DirEntry| {
        let is_link = fs::read_link(file.path()).is_ok_and(|to| to == Path::new(LINK));
        let info = folder.join("fdinfo").join(file.file_name());
        is_link && fs::read_to_string(info).is_ok_and(|text| text.lines().any(|it| it == wanted))
    };
    let mut files = fs::read_dir(folder.join("fd")).ok()?.flatten();
    files.any(is_it).then(|| {
        let program = fs::read_to_string(folder.join("comm")).unwrap_or_default();
        Holder { process, program: program.trim().to_owned() }
    })
}

/// What a descriptor of a link leads to.
const LINK: &str = "anon_inode:bpf_link";
