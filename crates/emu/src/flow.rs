//! Assignment of packets to flows, by addresses, protocol and ports.

/// The flow of a packet that begins with its IP header: equal for equal addresses, protocol and ports.
///
/// Fragments after the first have no ports and form a separate flow.
pub(crate) fn flow_of(packet: &[u8]) -> u32 {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 20 => {
            let length = usize::from(packet[0] & 0x0f) * 4;
            let offset = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff;
            let ports = if offset == 0 { ports(packet[9], packet.get(length..)) } else { &[] };
            hash(&[&packet[9..10], &packet[12..20], ports])
        }
        Some(6) if packet.len() >= 40 => {
            hash(&[&packet[6..7], &packet[8..40], ports(packet[6], packet.get(40..))])
        }
        _ => 0,
    }
}

/// Both ports, if the protocol has them at the start of its header.
fn ports(protocol: u8, content: Option<&[u8]>) -> &[u8] {
    let has_ports = matches!(protocol, TCP | UDP | DCCP | SCTP | UDP_LITE);
    content.and_then(|content| content.get(..4)).filter(|_| has_ports).unwrap_or_default()
}

/// FNV-1a, 32 bits.
fn hash(parts: &[&[u8]]) -> u32 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

const TCP: u8 = 6;
const UDP: u8 = 17;
const DCCP: u8 = 33;
const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(protocol: u8, ports: [u8; 4], offset: u8) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 24, 0, 0, 0, offset, 64, protocol, 0, 0];
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend(ports);
        packet
    }

    #[test]
    fn packets_of_a_connection_are_one_flow() {
        let mut first = packet(TCP, [1, 2, 3, 4], 0);
        let flow = flow_of(&first);
        first.push(99);
        assert_eq!(flow_of(&first), flow, "what a packet carries does not matter");
        assert_ne!(flow_of(&packet(TCP, [1, 2, 3, 5], 0)), flow);
        assert_ne!(flow_of(&packet(UDP, [1, 2, 3, 4], 0)), flow);
    }

    #[test]
    fn packets_without_ports_are_distinguished_by_their_addresses() {
        let ping = |content| flow_of(&packet(1, content, 0));
        assert_eq!(ping([8, 0, 1, 2]), ping([8, 0, 3, 4]));
        let fragment = |content| flow_of(&packet(UDP, content, 7));
        assert_eq!(fragment([1, 2, 3, 4]), fragment([5, 6, 7, 8]));
        let mut other = packet(1, [0; 4], 0);
        other[19] = 9;
        assert_ne!(flow_of(&other), ping([0; 4]));
    }

    #[test]
    fn ports_of_ipv6_count_too() {
        let mut packet = vec![0; 44];
        (packet[0], packet[6]) = (0x60, TCP);
        let flow = flow_of(&packet);
        packet[43] = 1;
        assert_ne!(flow_of(&packet), flow);
    }

    #[test]
    fn truncated_packets_are_a_separate_flow() {
        assert_eq!([flow_of(&[]), flow_of(&[0x45; 8]), flow_of(&[0x12; 60])], [0; 3]);
    }
}
