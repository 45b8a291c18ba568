//! Pairs local addresses with the addresses of a peer.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use manypath_core::{Address, Scope, Via};

use crate::Error;

/// The paths to a peer with the addresses `remotes`, the primary one first.
///
/// Within a family and a scope, the i-th local address sends to the i-th remote one; the shorter list is repeated. The
/// first path leads to the first remote address. If no local IPv4 address has the scope of a remote one, link-local and
/// global addresses send to each other. RFC 3927 §2.6
pub(crate) fn pair(locals: &[Address], remotes: &[Address]) -> Result<Vec<Via>, Error> {
    let mut vias: Vec<(usize, usize, Via)> = Vec::new();
    for (place, &remote) in remotes.iter().enumerate() {
        let able = sources_for(locals, remote);
        if able.is_empty() {
            return Err(Error::NoRoute(remote.into()));
        }
        let alike: Vec<Address> =
            remotes.iter().copied().filter(|other| other.reaches(remote)).collect();
        let number = alike.iter().position(|other| *other == remote).unwrap_or(0);
        let rounds = able.len().max(alike.len());
        for index in (number..rounds).step_by(alike.len()) {
            let via = Via { local: able[index % able.len()], remote };
            if vias.iter().all(|(_, _, known)| *known != via) {
                vias.push((index / alike.len(), place, via));
            }
        }
    }
    vias.sort_by_key(|(round, place, _)| (*round, *place));
    Ok(vias.into_iter().map(|(_, _, via)| via).collect())
}

/// The local addresses that send to a remote one.
fn sources_for(locals: &[Address], remote: Address) -> Vec<Address> {
    let those = |fits: &dyn Fn(Address) -> bool| -> Vec<Address> {
        locals.iter().copied().filter(|local| fits(*local)).collect()
    };
    let able = those(&|local| local.reaches(remote));
    if !able.is_empty() {
        return able;
    }
    let leaves_the_host = |address: Address| address.is_v4() && address.scope() != Scope::Host;
    those(&|local| leaves_the_host(local) && leaves_the_host(remote))
}

/// The local addresses of the endpoint that the system's routes use for the peer; all local addresses if the system has
/// no route.
pub(crate) fn preferred(locals: &[Address], remotes: &[Address]) -> Vec<Address> {
    let mut sources: Vec<Address> = Vec::new();
    for &remote in remotes {
        let source = source_to(remote.into()).map(Address::from);
        if let Some(source) = source.filter(|source| locals.contains(source))
            && !sources.contains(&source)
        {
            sources.push(source);
        }
    }
    if sources.is_empty() { locals.to_vec() } else { sources }
}

/// The source address that the system would use for this destination; `None` without a route. No packet is sent.
#[must_use]
pub fn source_to(remote: IpAddr) -> Option<IpAddr> {
    let any: SocketAddr = if remote.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect((remote, DISCARD)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// An arbitrary UDP port.
const DISCARD: u16 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(locals: &[&str], remotes: &[&str]) -> Result<Vec<String>, String> {
        let parse = |texts: &[&str]| -> Vec<Address> {
            texts.iter().map(|text| text.parse::<IpAddr>().unwrap().into()).collect()
        };
        match pair(&parse(locals), &parse(remotes)) {
            Ok(vias) => Ok(vias.iter().map(ToString::to_string).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn addresses_are_paired_by_their_number() {
        let expected = ["10.0.0.1 -> 10.0.0.2", "10.1.0.1 -> 10.1.0.2"];
        assert_eq!(pairs(&["10.0.0.1", "10.1.0.1"], &["10.0.0.2", "10.1.0.2"]).unwrap(), expected);
    }

    #[test]
    fn the_side_with_fewer_addresses_uses_them_again() {
        let expected = ["10.0.0.1 -> 10.9.0.2", "10.1.0.1 -> 10.9.0.2"];
        assert_eq!(pairs(&["10.0.0.1", "10.1.0.1"], &["10.9.0.2"]).unwrap(), expected);
        let expected = ["10.0.0.1 -> 10.8.0.2", "10.0.0.1 -> 10.9.0.2"];
        assert_eq!(pairs(&["10.0.0.1"], &["10.8.0.2", "10.9.0.2"]).unwrap(), expected);
    }

    #[test]
    fn an_ipv4_link_local_address_is_used_for_global_ones_only_if_there_is_no_other() {
        let locals = ["10.0.0.1", "169.254.0.1"];
        assert_eq!(pairs(&locals, &["169.254.0.2"]).unwrap(), ["169.254.0.1 -> 169.254.0.2"]);
        assert_eq!(pairs(&locals, &["10.0.0.2"]).unwrap(), ["10.0.0.1 -> 10.0.0.2"]);
        assert_eq!(pairs(&["10.0.0.1"], &["169.254.0.2"]).unwrap(), ["10.0.0.1 -> 169.254.0.2"]);
        assert_eq!(pairs(&["169.254.0.1"], &["10.0.0.2"]).unwrap(), ["169.254.0.1 -> 10.0.0.2"]);
    }

    #[test]
    fn families_and_scopes_do_not_mix() {
        let locals = ["10.0.0.1", "2001:db8::1", "127.0.0.1"];
        let expected = ["2001:db8::1 -> 2001:db8::2", "10.0.0.1 -> 10.0.0.2"];
        assert_eq!(pairs(&locals, &["2001:db8::2", "10.0.0.2"]).unwrap(), expected);
        for locals in [["127.0.0.1"], ["fe80::1"]] {
            pairs(&locals, &["169.254.0.2"]).unwrap_err();
        }
        assert_eq!(
            pairs(&["10.0.0.1"], &["2001:db8::2"]).unwrap_err(),
            "2001:db8::2 cannot be reached from any local address of the endpoint"
        );
    }
}
