//! Memory that a hostile peer makes an association use, counted by the allocator.

mod victim;

use manypath_core::{Ssn, Tsn};
use manypath_sctp::{Config, Data, DataFlags};

use victim::{NOW, STREAMS, Victim, WINDOW, chunk, open_network, unordered};

/// The largest memory use of an association while these TSNs arrive, in units of its receive window.
fn windows_taken(
    config: &Config,
    tsns: impl Iterator<Item = u32>,
    shape: &dyn Fn(u32) -> Data,
) -> f64 {
    let mut victim = Victim::new(config.clone());
    let taken =
        allocation_counter::measure(|| tsns.for_each(|tsn| victim.deliver([at(tsn, shape)])));
    taken.bytes_max as f64 / WINDOW as f64
}

/// A chunk with this TSN, which arrives in its own datagram and shares its memory.
fn at(tsn: u32, shape: &dyn Fn(u32) -> Data) -> Data {
    Data { tsn: Tsn(tsn), ..shape(tsn) }
}

/// The memory use of an association in units of its receive window, after a peer has sent these chunks with ascending
/// TSNs from 1 on, 70 per packet. All readable data is read after each packet, and each packet is sent twice, because
/// the first copy may find no room.
fn windows_kept(chunks: &[Data]) -> f64 {
    let mut victim = Victim::new(open_network(false));
    let kept = allocation_counter::measure(|| {
        for (number, packet) in (0..).zip(chunks.chunks(70)) {
            for _ in 0..2 {
                let tsns = (1 + 70 * number..).map(Tsn);
                victim.deliver(tsns.zip(packet).map(|(tsn, chunk)| Data { tsn, ..chunk.clone() }));
                while victim.endpoint.receive(NOW, victim.id).is_some() {}
            }
        }
    });
    kept.bytes_current.max(0) as f64 / WINDOW as f64
}

/// An unordered message of `count` fragments of one byte. The last fragment ends it if `ends`.
fn fragments(count: usize, ends: bool) -> impl Iterator<Item = Data> {
    (0..count).map(move |index| {
        let mut flags = DataFlags::UNORDERED;
        if index == 0 {
            flags = flags.with(DataFlags::BEGIN);
        }
        if ends && index + 1 == count {
            flags = flags.with(DataFlags::END);
        }
        chunk(1, flags)
    })
}

/// Each long message leaves an empty list of pieces, which a message that is never completed reuses.
#[test]
fn beginnings_of_messages_keep_no_long_lists() {
    let chunks: Vec<Data> = (0..800)
        .flat_map(|number| fragments(1, false).chain(fragments(1800 - number, true)))
        .collect();
    let windows = windows_kept(&chunks);
    println!("beginnings: {windows:.2} windows");
    assert!(windows <= 4.0, "{windows:.2} windows");
}

/// A message that fills the buffer is delivered in part; the next one begins before it ends.
#[test]
fn messages_in_parts_that_never_end_leave_nothing_behind() {
    let kept = |messages: usize| {
        let chunks: Vec<Data> =
            (0..messages).flat_map(|_| fragments(WINDOW / 257, false)).collect();
        windows_kept(&chunks)
    };
    let (few, many) = (kept(2), kept(40));
    println!("parts: {few:.2} windows after 2 messages, {many:.2} after 40");
    assert!(many <= few + 0.1, "{few:.2} and {many:.2} windows");
}

/// All waiting messages of a stream except the last one are delivered: their list was long.
#[test]
fn streams_on_which_one_message_waits_keep_no_long_lists() {
    let on = |stream: u16, ssn: u16| Data { stream, ssn: Ssn(ssn), ..chunk(1, DataFlags::WHOLE) };
    let chunks: Vec<Data> = (0..400)
        .flat_map(|stream: u16| {
            let early = (1..1400).chain([9999]).chain([0]);
            early.map(move |ssn| on(stream, ssn))
        })
        .collect();
    let windows = windows_kept(&chunks);
    println!("streams: {windows:.2} windows");
    assert!(windows <= 4.0, "{windows:.2} windows");
}

/// Slightly fewer TSNs than gap blocks can report.
const MANY: u32 = 65_000;

#[track_caller]
fn assert_bounded(
    name: &str,
    tsns: &dyn Fn() -> Box<dyn Iterator<Item = u32>>,
    shape: &dyn Fn(u32) -> Data,
) {
    for nr_sack in [false, true] {
        let windows = windows_taken(&open_network(nr_sack), tsns(), shape);
        println!("{name}, NR-SACK {nr_sack}: {windows:.2} windows");
        assert!(windows <= 4.0, "{name}, NR-SACK {nr_sack}: {windows:.2} windows");
    }
}

#[test]
fn messages_of_one_byte_that_are_not_read_take_less_than_four_windows() {
    assert_bounded("messages", &|| Box::new(1..MANY), &|_| unordered(1));
}

#[test]
fn payloads_just_too_long_to_be_copied_take_less_than_four_windows() {
    assert_bounded("long payloads", &|| Box::new(1..MANY), &|_| unordered(375));
}

#[test]
fn fragments_of_one_byte_without_neighbours_take_less_than_four_windows() {
    let downwards = || Box::new((1..MANY).rev().step_by(2)) as Box<dyn Iterator<Item = u32>>;
    assert_bounded("fragments", &downwards, &|_| chunk(1, DataFlags::default()));
}

#[test]
fn a_message_of_fragments_of_one_byte_takes_less_than_four_windows() {
    assert_bounded("one message", &|| Box::new((2..MANY).rev()), &|_| {
        chunk(1, DataFlags::default())
    });
}

#[test]
fn messages_of_one_byte_that_wait_for_the_first_one_take_less_than_four_windows() {
    let early = |tsn: u32| Data { ssn: Ssn(tsn as u16), ..chunk(1, DataFlags::WHOLE) };
    assert_bounded("one stream", &|| Box::new(2..30_000), &early);
}

#[test]
fn messages_of_one_byte_that_wait_on_all_streams_take_less_than_four_windows() {
    let early = |tsn: u32| {
        let stream = tsn as u16 % STREAMS;
        Data { ssn: Ssn(1), stream, ..chunk(1, DataFlags::WHOLE) }
    };
    assert_bounded("all streams", &|| Box::new((2..MANY).rev()), &early);
}

#[test]
fn tsns_beyond_all_gap_blocks_take_no_memory() {
    let far = || Box::new((70_000_u32..500_000).step_by(2)) as Box<dyn Iterator<Item = u32>>;
    let stray = |_| Data { stream: u16::MAX, ..unordered(1) };
    assert_bounded("far TSNs", &far, &stray);
    let windows = windows_taken(&open_network(false), far(), &stray);
    assert!(windows < 0.1, "{windows:.2} windows");
}

#[test]
fn a_message_on_the_highest_stream_takes_no_more_than_one_on_the_lowest() {
    let on = |stream: u16| {
        let shape = move |_| Data { stream, ..chunk(1, DataFlags::WHOLE) };
        let config = Config { inbound_streams: u16::MAX, ..open_network(false) };
        let mut victim = Victim::new(config);
        let taken = allocation_counter::measure(|| victim.deliver([at(1, &shape)]));
        taken.bytes_current.max(0)
    };
    let (lowest, highest) = (on(0), on(u16::MAX - 1));
    println!("lowest stream: {lowest} bytes, highest: {highest}");
    assert!(highest <= lowest + 4096, "{lowest} and {highest} bytes");
}
