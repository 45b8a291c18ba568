//! Truncated, damaged and invalid files: an error in one line, and never a panic.

use manypath_decode::{FileError, Form};

use crate::bytes::*;

fn sound() -> Vec<(Vec<u8>, usize)> {
    let ip = on_first_path(false, &cookie_ack());
    let ng: Vec<_> = (0..20).map(|at| (0, at, ip.clone())).collect();
    let classic: Vec<_> = (0..20).map(|at| (at, ip.clone())).collect();
    vec![(pcapng(&[101], &ng), 20), (pcap(101, &classic), 20), (big_pcap(101, &classic), 20)]
}

#[test]
fn a_truncated_file_shows_the_packets_before_its_end() {
    for (file, packets) in sound() {
        let mut most = 0;
        for length in 0..file.len() {
            let (out, end, _) = read(file[..length].to_vec(), options(Form::Line));
            let count = out.lines().count();
            assert!(count < packets && count >= most);
            most = count;
            if let Err(error) = end {
                let is_told = matches!(error, FileError::Truncated(_) | FileError::NotACapture);
                assert!(is_told, "{length}: {error}");
            }
        }
        assert_eq!(most, packets - 1);
    }
}

#[test]
fn a_file_that_is_no_capture_is_reported() {
    for file in [vec![], vec![0; 100], b"PK\x03\x04 something".to_vec(), vec![0xff; 5000]] {
        let (out, end, _) = read(file, options(Form::Line));
        assert_eq!(out, "");
        assert!(matches!(end, Err(FileError::NotACapture)));
    }
}

#[test]
fn a_file_of_an_unknown_version_is_reported() {
    let ip = on_first_path(false, &cookie_ack());
    let classic = pcap(101, &[(0, ip.clone())]);
    let ng = pcapng(&[101], &[(0, 0, ip)]);
    for (file, at, right, format) in [(&classic, 4, 2, "pcap"), (&ng, 12, 1, "pcapng")] {
        for major in 0..20_u8 {
            let mut other = file.clone();
            other[at] = major;
            let (out, end, _) = read(other, options(Form::Line));
            if major == right {
                assert_eq!((out.lines().count(), end.is_ok()), (1, true), "{format} {major}");
                continue;
            }
            assert_eq!(out, "");
            let said = end.expect_err("this version is unknown").to_string();
            assert!(said.starts_with(&format!("has version {major}.")), "{said}");
            assert!(said.contains(&format!("of the format {format}: give a file of ")), "{said}");
        }
    }
    // A later section may have another version.
    let mut second = ng.clone();
    second[12] = 9;
    let (out, end, _) = read([ng, second].concat(), options(Form::Line));
    assert_eq!(out.lines().count(), 1);
    assert!(matches!(end, Err(FileError::Version { major: 9, minor: 0, .. })));
}

#[test]
fn any_byte_may_be_wrong() {
    for (file, _) in sound() {
        for at in 0..file.len().min(400) {
            for bits in [0x01, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[at] ^= bits;
                let (out, _, _) = read(damaged, options(Form::Line));
                assert!(out.lines().count() <= 20);
            }
        }
    }
}

#[test]
fn random_frames_of_every_link_type_cause_no_panic() {
    let mut random = 7_u32;
    let mut byte = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 24) as u8
    };
    for link_type in [1, 101, 113, 228, 229, 276] {
        let starts: [&[u8]; 4] = [&[], &[0x45], &[0x60], &[0x45, 0, 0, 60, 0, 0, 0, 0, 64, 132]];
        let frames: Vec<_> = (0..2000)
            .map(|number: usize| {
                let mut frame = starts[number % 4].to_vec();
                frame.extend((0..number % 120).map(|_| byte()));
                (number as u64, frame)
            })
            .collect();
        let (_, end, summary) = read(pcap(link_type, &frames), options(Form::Json));
        assert!(end.is_ok());
        assert_eq!(summary["frames"], 2000);
    }
}

#[test]
fn a_packet_of_an_unknown_interface_is_reported() {
    let (_, end, _) = read(pcapng(&[101], &[(3, 0, vec![0; 40])]), options(Form::Line));
    assert!(matches!(end, Err(FileError::Interface(3))));
}

#[test]
fn a_block_that_claims_gigabytes_takes_no_memory_for_them() {
    let mut file = pcap(101, &[]);
    file.extend([0; 8]);
    file.extend([0xff, 0xff, 0xff, 0x7f].repeat(2));
    let padding = 1 << 25;
    file.resize(file.len() + padding, 0);
    let (_, end, _) = read(file, options(Form::Line));
    assert!(matches!(end, Err(FileError::Damaged(24))));
}

/// An IPv6 packet without a length extends to the end of its frame, which may have megabytes.
#[test]
fn no_packet_exceeds_the_largest_ip_packet() {
    let mut packet = sctp(true, |_| ());
    packet.extend([11, 0, 0, 4].repeat(1_000_000));
    let mut frame = ipv6(132, &[]);
    frame[4..6].fill(0);
    frame.extend(packet);
    let file = pcap(101, &[(0, frame)]);
    let packet = &objects(file)[0];
    assert_eq!(packet["chunks"].as_array().map_or(0, Vec::len), (65_535 - 12) / 4);
    assert_eq!(packet["cut"], true);
}

#[test]
fn a_flood_of_associations_is_counted_in_bounded_memory() {
    let frame = |tag: u32| {
        let packet = sctp(true, |packet| {
            packet.tag = tag;
            packet.data = vec![data(tag, 4)];
        });
        (0, on_first_path(true, &packet))
    };
    let frames: Vec<_> = (1..40_000).map(frame).collect();
    let summary = summary(pcap(101, &frames));
    let followed = summary["associations"].as_array().map_or(0, Vec::len);
    assert_eq!(followed, 1 << 14);
    assert_eq!(summary["others"], 39_999 - (1 << 14));
}
