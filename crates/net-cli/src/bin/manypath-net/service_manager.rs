//! Messages to the service manager that started this program. sd_notify(3)

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The service is ready.
pub(crate) const READY: &str = "READY=1";
/// The service has begun to end.
pub(crate) const STOPPING: &str = "STOPPING=1";

/// Reports a state to the service manager, if there is one.
pub(crate) fn tell(state: &str) {
    if let Some(socket) = std::env::var_os("NOTIFY_SOCKET") {
        // A manager that does not listen waits for no message
        let _ = send(&socket, state);
    }
}

/// Sends a message to a Unix socket; a name that begins with `@` is abstract. unix(7)
fn send(socket: &OsStr, state: &str) -> io::Result<()> {
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_may_have_a_path_or_an_abstract_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let by_path = UnixDatagram::bind(&path).unwrap();
        let name = format!("manypath-test-{}", std::process::id());
        let by_name =
            UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for (manager, address) in [(by_path, path.into()), (by_name, format!("@{name}").into())] {
            let address: std::ffi::OsString = address;
            send(&address, READY).unwrap();
            let mut bytes = [0; 100];
            let length = manager.recv(&mut bytes).unwrap();
            assert_eq!(&bytes[..length], READY.as_bytes());
        }
    }
}
