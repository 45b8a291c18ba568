//! The settings of the stack: as C has them, and checked.

use crate::failure::Failure;
use crate::pointer::{check, text};
use libc::{c_char, c_int};
use manypath_net::output_file::NewFile;
use manypath_net::{BoundAddress, Builder, Capture, Endpoint, Error, Peer};
use manypath_serve as serve;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The settings of `manypath_sctp_start`. Zero and NULL stand for the default. Set `size`, and leave the other fields
/// that you do not use at zero: `struct manypath_sctp_settings settings = {.size = sizeof settings};`
#[repr(C)]
#[derive(Debug)]
pub struct Settings {
    /// `sizeof (struct manypath_sctp_settings)`
    pub size: usize,
    /// Local addresses of the sockets, separated by commas. By default all addresses of the machine. Packets of
    /// `ADDRESS%INTERFACE`, such as `192.0.2.7%eth0`, leave only on that interface.
    pub local: *const c_char,
    /// UDP port of listening sockets, and of peers. The default is 9899.
    pub udp_port: u16,
    /// Not 0: packets are sent directly in IP instead of UDP, which needs root or `CAP_NET_RAW`. `udp_port` must be 0.
    pub raw: c_int,
    /// Not 0: the packets of each path are paced over its round-trip time.
    pub pacing: c_int,
    /// Congestion control, by its name in `manypath list`. The default is `cmt-rpv2`.
    pub congestion_control: *const c_char,
    /// Path of a pcapng file that gets all packets. An earlier capture of manypath is overwritten; another file that is
    /// there is refused with `EEXIST`.
    pub capture: *const c_char,
    /// Largest number of sockets. The default is 4096. Each one needs up to four of the descriptors that `RLIMIT_NOFILE`
    /// allows the stack; the program has its own table of them.
    pub most_sockets: u32,
}

/// Settings whose text is valid.
#[derive(Debug)]
pub(crate) struct Plan {
    local: Vec<BoundAddress>,
    /// UDP port, or none for raw IP.
    udp: Option<u16>,
    pacing: bool,
    congestion_control: String,
    capture: Option<PathBuf>,
    most_sockets: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            local: Vec::new(),
            udp: Some(Peer::ENCAPSULATION_PORT),
            pacing: false,
            congestion_control: "cmt-rpv2".to_owned(),
            capture: None,
            most_sockets: 4096,
        }
    }
}

impl Plan {
    /// Reads the settings of the caller; null for the defaults.
    ///
    /// # Safety
    /// The pointer is null, or its settings and their texts are valid.
    pub(crate) unsafe fn read(settings: *const Settings) -> Result<Self, Failure> {
        let default = Self::default();
        if settings.is_null() {
            return Ok(default);
        }
        check(settings).map_err(|errno| Failure::new(errno, "`settings` is not aligned"))?;
        // SAFETY: the caller's promise; a program that sets no size is recognised before other fields are read
        let size = unsafe { (&raw const (*settings).size).read() };
        if size != size_of::<Settings>() {
            return Err(Failure::field("size", size, size_of::<Settings>()));
        }
        // SAFETY: the caller's promise
        let settings = unsafe { &*settings };
        let field = |name, pointer| {
            // SAFETY: the caller's promise
            match unsafe { text(pointer) }.map(|text| text.to_str()) {
                Some(Ok(text)) => Ok(Some(text)),
                Some(Err(_)) => Err(Failure::field(name, "no text", "UTF-8")),
                None => Ok(None),
            }
        };
        let is_raw = settings.raw != 0;
        if is_raw && settings.udp_port != 0 {
            return Err(Failure::field("udp_port", settings.udp_port, "0, because `raw` is set"));
        }
        if settings.most_sockets > MOST_SOCKETS {
            let expected = format_args!("at most {MOST_SOCKETS}");
            return Err(Failure::field("most_sockets", settings.most_sockets, expected));
        }
        // SAFETY: the caller's promise
        let capture = unsafe { text(settings.capture) };
        let udp = match (is_raw, settings.udp_port) {
            (true, _) => None,
            (false, 0) => default.udp,
            (false, port) => Some(port),
        };
        Ok(Self {
            local: addresses(field("local", settings.local)?.unwrap_or_default())?,
            udp,
            pacing: settings.pacing != 0,
            congestion_control: field("congestion_control", settings.congestion_control)?
                .map_or(default.congestion_control, str::to_owned),
            capture: capture.map(|path| PathBuf::from(OsStr::from_bytes(path.to_bytes()))),
            most_sockets: match settings.most_sockets {
                0 => default.most_sockets,
                most => most as usize,
            },
        })
    }

    /// The settings of a daemon at `path`.
    pub(crate) fn settings(&self, path: &Path, capture: Option<&Capture>) -> serve::Settings {
        let builder = self.builder();
        serve::Settings {
            path: path.to_owned(),
            builder: match capture {
                Some(capture) => builder.capture(capture.clone()),
                None => builder,
            },
            local: self.local.iter().map(|bound| bound.address).collect(),
            encapsulation: self.udp,
            most_sockets: self.most_sockets,
            group: None,
            limits: serve::Limits::default(),
        }
    }

    /// Opens the capture, if there is one, and the file, which is removed again if it is new and not kept.
    pub(crate) fn open_capture(&self) -> Result<(Option<Capture>, Option<NewFile>), Failure> {
        let Some(file) = &self.capture else { return Ok((None, None)) };
        let what = format!("`capture` is {}", file.display());
        let failed = |error| Failure::system(&what, &error);
        if !Capture::may_replace(file).map_err(failed)? {
            let remedy = "choose another name, or remove it first";
            let reason = "it is there, and manypath did not write it as a capture";
            return Err(Failure::new(libc::EEXIST, format_args!("{what}: {reason}: {remedy}")));
        }
        let new = NewFile::at(file);
        Ok((Some(Capture::create(file).map_err(failed)?), Some(new)))
    }

    fn builder(&self) -> Builder {
        Endpoint::builder()
            .bound(&self.local)
            .concurrent(self.congestion_control.clone())
            .pacing(self.pacing)
            .notice_dead_peers()
    }
}

/// The failure of a daemon with the settings.
pub(crate) fn refused(error: Error) -> Failure {
    let errno = match &error {
        Error::NoRights(_) => libc::EACCES,
        Error::System { error, .. } => error.raw_os_error().unwrap_or(libc::EIO),
        _ => libc::EINVAL,
    };
    match error {
        Error::Setting { field, value, expected } => {
            let field = if field == "congestion" { "congestion_control" } else { field };
            Failure::field(field, value, expected)
        }
        error => Failure::new(errno, error),
    }
}

/// Addresses with their interfaces, separated by commas.
fn addresses(list: &str) -> Result<Vec<BoundAddress>, Failure> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let parse = |text: &str| {
        let wrong =
            |error| Failure::new(libc::EINVAL, format_args!("`local` is {text:?}: {error}"));
        text.parse().map_err(wrong)
    };
    list.split(',').map(str::trim).map(parse).collect()
}

/// Largest limit of sockets.
const MOST_SOCKETS: u32 = 65_536;

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::ptr::null;

    fn settings() -> Settings {
        Settings {
            size: size_of::<Settings>(),
            local: null(),
            udp_port: 0,
            raw: 0,
            pacing: 0,
            congestion_control: null(),
            capture: null(),
            most_sockets: 0,
        }
    }

    fn read(settings: &Settings) -> Result<Plan, Failure> {
        // SAFETY: the texts of the tests are static
        unsafe { Plan::read(settings) }
    }

    fn refusal(change: impl FnOnce(&mut Settings)) -> String {
        let mut settings = settings();
        change(&mut settings);
        read(&settings).expect_err("it is not valid").text
    }

    #[test]
    fn zeros_are_the_defaults() {
        let plan = read(&settings()).expect("it is valid");
        assert_eq!(format!("{plan:?}"), format!("{:?}", Plan::default()));
    }

    #[test]
    fn every_field_is_read() {
        let plan = read(&Settings {
            local: c"192.0.2.7%eth0, 2001:db8::1".as_ptr(),
            udp_port: 7,
            pacing: 1,
            congestion_control: c"newreno".as_ptr(),
            capture: c"/tmp/file".as_ptr(),
            most_sockets: 5,
            ..settings()
        });
        let plan = plan.expect("it is valid");
        assert_eq!(
            plan.local,
            ["192.0.2.7%eth0", "2001:db8::1"].map(|text| text.parse().expect("one"))
        );
        assert_eq!((plan.udp, plan.pacing, plan.most_sockets), (Some(7), true, 5));
        assert_eq!(plan.congestion_control, "newreno");
        assert_eq!(plan.capture.as_deref(), Some(Path::new("/tmp/file")));
        assert_eq!(read(&Settings { raw: 1, ..settings() }).expect("it is valid").udp, None);
    }

    #[test]
    fn a_wrong_field_is_named_with_its_value() {
        const NO_TEXT: &CStr = c"\xff";
        assert_eq!(refusal(|it| it.size = 8), "`size` is 8: expected 56");
        let text = refusal(|it| it.local = c"::1,here".as_ptr());
        assert!(
            text.starts_with("`local` is \"here\": expected an IPv4 or IPv6 address"),
            "{text}"
        );
        let text = refusal(|it| it.local = c"::1%".as_ptr());
        assert!(
            text.starts_with("`local` is \"::1%\": expected the name of an interface"),
            "{text}"
        );
        let text = refusal(|it| it.congestion_control = NO_TEXT.as_ptr());
        assert_eq!(text, "`congestion_control` is no text: expected UTF-8");
        let text = refusal(|it| (it.raw, it.udp_port) = (1, 9));
        assert_eq!(text, "`udp_port` is 9: expected 0, because `raw` is set");
        let text = refusal(|it| it.most_sockets = 1_000_000);
        assert_eq!(text, "`most_sockets` is 1000000: expected at most 65536");
    }
}
