//! The processes that keep a BPF link in the kernel.

use std::fs;
use std::path::Path;

/// The processes that have the link with this number open, sorted by number, such as `process 77 (manypath-kernel)`.
pub(crate) fn of_link(link: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut numbers: Vec<u32> =
        processes.filter_map(|it| it.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers.into_iter().filter_map(|process| holder(process, link)).collect()
}

/// The process, if it has the link open. It may end at any time.
fn holder(process: u32, link: u32) -> Option<String> {
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
        format!("process {process} ({})", program.trim())
    })
}

/// The target of a link's descriptor in `/proc`.
const LINK: &str = "anon_inode:bpf_link";
