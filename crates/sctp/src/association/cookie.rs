//! The state cookie: the sealed state of a future association. The peer stores it, so this side keeps no state.
//! RFC 9260 §5.1.3

use std::collections::BTreeSet;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use hmac::{Hmac, KeyInit, Mac};
use manypath_core::{Address, Span, Time, Tsn, Via};
use sha2::Sha256;

use crate::entropy::Entropy;
use crate::packet::Init;

/// The values that both sides agreed on, as one side sees them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Terms {
    /// Verification tag of received packets.
    pub(crate) local_tag: u32,
    /// Verification tag of sent packets.
    pub(crate) peer_tag: u32,
    /// TSN of the first sent DATA chunk.
    pub(crate) local_tsn: Tsn,
    /// TSN of the first received DATA chunk.
    pub(crate) peer_tsn: Tsn,
    /// The peer's receive buffer in bytes.
    pub(crate) peer_window: u32,
    /// Streams to send on.
    pub(crate) outbound_streams: u16,
    /// Streams to receive on.
    pub(crate) inbound_streams: u16,
    /// Both sides support NR-SACK.
    pub(crate) nr_sack: bool,
    /// Both sides support packet drop reports.
    pub(crate) packet_drop_reports: bool,
}

impl Terms {
    /// The agreement from two INIT bodies; for streams, the smaller number. RFC 9260 §5.1.1
    pub(crate) fn between(own: &Init, peer: &Init) -> Self {
        Self {
            local_tag: own.tag,
            peer_tag: peer.tag,
            local_tsn: own.initial_tsn,
            peer_tsn: peer.initial_tsn,
            peer_window: peer.window,
            outbound_streams: own.outbound_streams.min(peer.inbound_streams),
            inbound_streams: own.inbound_streams.min(peer.outbound_streams),
            nr_sack: own.nr_sack && peer.nr_sack,
            packet_drop_reports: own.packet_drop_reports && peer.packet_drop_reports,
        }
    }

    /// The extensions beyond RFC 9260 that both sides support, one bit each.
    fn extensions(&self) -> u8 {
        let bit = |agreed, bit| if agreed { bit } else { 0 };
        bit(self.nr_sack, NR_SACK) | bit(self.packet_drop_reports, PACKET_DROP_REPORTS)
    }

    fn extend(&mut self, extensions: u8) {
        self.nr_sack = extensions & NR_SACK != 0;
        self.packet_drop_reports = extensions & PACKET_DROP_REPORTS != 0;
    }
}

/// All state that COOKIE ECHO needs to create an association. RFC 9260 §5.1.3
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Cookie {
    pub(crate) terms: Terms,
    pub(crate) created: Time,
    /// Identifies the association that existed when the INIT arrived, without revealing its tags; 0 if there was none.
    /// RFC 9260 §5.2.2
    pub(crate) tie_tag: u64,
    pub(crate) peer_port: u16,
    /// The addresses of the INIT, as this side sees them.
    pub(crate) via: Via,
    /// All addresses of the peer in the peer's order.
    pub(crate) peer_addresses: Vec<Address>,
}

impl Cookie {
    /// The time since the cookie expired; `None` if it is still valid.
    pub(crate) fn staleness(&self, now: Time, life: Span) -> Option<Span> {
        let age = now.saturating_since(self.created);
        (age > life).then(|| age - life)
    }

    fn encode(&self) -> BytesMut {
        let mut bytes = BytesMut::with_capacity(FIXED + ADDRESS * self.peer_addresses.len() + SEAL);
        bytes.put_u32(self.terms.local_tag);
        bytes.put_u32(self.terms.peer_tag);
        bytes.put_u32(self.terms.local_tsn.0);
        bytes.put_u32(self.terms.peer_tsn.0);
        bytes.put_u32(self.terms.peer_window);
        bytes.put_u16(self.terms.outbound_streams);
        bytes.put_u16(self.terms.inbound_streams);
        bytes.put_u8(self.terms.extensions());
        bytes.put_u64(self.created.as_nanos());
        bytes.put_u64(self.tie_tag);
        bytes.put_u16(self.peer_port);
        for address in [self.via.local, self.via.remote].iter().chain(&self.peer_addresses) {
            bytes.put_u128(address.bits());
        }
        bytes
    }

    fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut terms = Terms {
            local_tag: bytes.try_get_u32().ok()?,
            peer_tag: bytes.try_get_u32().ok()?,
            local_tsn: Tsn(bytes.try_get_u32().ok()?),
            peer_tsn: Tsn(bytes.try_get_u32().ok()?),
            peer_window: bytes.try_get_u32().ok()?,
            outbound_streams: bytes.try_get_u16().ok()?,
            inbound_streams: bytes.try_get_u16().ok()?,
            nr_sack: false,
            packet_drop_reports: false,
        };
        terms.extend(bytes.try_get_u8().ok()?);
        let created = Time::from_nanos(bytes.try_get_u64().ok()?);
        let tie_tag = bytes.try_get_u64().ok()?;
        let peer_port = bytes.try_get_u16().ok()?;
        let mut address = || bytes.try_get_u128().ok().map(Address::from_bits);
        let via = Via { local: address()?, remote: address()? };
        let peer_addresses = std::iter::from_fn(address).collect();
        Some(Self { terms, created, tie_tag, peer_port, via, peer_addresses })
    }
}

/// Seals cookies and detects forged ones. RFC 9260 §5.1.3, RFC 2104
#[derive(Debug)]
pub(crate) struct CookieJar {
    /// The keyed hash with the current key, before the first byte.
    current: Hmac<Sha256>,
    /// The keyed hash with the previous key. It is valid for one cookie lifetime after the current key came into use.
    previous: Option<Hmac<Sha256>>,
    /// When the current key came into use.
    renewed: Time,
    spent: Spent,
}

impl CookieJar {
    /// A jar with a new secret.
    pub(crate) fn new(random: &mut Entropy) -> Self {
        Self::with_secret(&random.key())
    }

    fn with_secret(secret: &[u8]) -> Self {
        let spent = Spent::default();
        Self { current: keyed(secret), previous: None, renewed: Time::ZERO, spent }
    }

    /// Replaces the key from time to time. RFC 9260 §5.1.3
    ///
    /// A key stays valid until all cookies of the key before it have expired, so two keys are enough.
    pub(crate) fn renew_key(&mut self, now: Time, cookie_life: Span, random: &mut Entropy) {
        if now.saturating_since(self.renewed) > sealing_time(cookie_life) {
            let fresh = keyed(&random.key());
            self.previous = Some(std::mem::replace(&mut self.current, fresh));
            self.renewed = now;
        }
    }

    /// Records that an association with this local tag exists or will exist, so that no other cookie with this tag
    /// creates another one. Such cookies were sealed before now and are valid for `life`. Returns false if the tag was
    /// already recorded.
    pub(crate) fn spend(&mut self, now: Time, local_tag: u32, life: Span) -> bool {
        self.spent.insert(now, local_tag, life)
    }

    /// Whether a cookie with this local tag has been used, as far as the record goes back.
    pub(crate) fn is_spent(&self, local_tag: u32) -> bool {
        self.spent.has(local_tag)
    }

    /// The cookie as sealed bytes.
    pub(crate) fn seal(&self, cookie: &Cookie) -> Bytes {
        let mut bytes = cookie.encode();
        let seal = self.current.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.put_slice(&seal);
        bytes.freeze()
    }

    /// The cookie, if its seal is valid. A key is valid for one cookie lifetime after its last cookie, even if no INIT
    /// renews it.
    pub(crate) fn open(&self, now: Time, cookie_life: Span, sealed: &[u8]) -> Option<Cookie> {
        let (body, seal) = sealed.split_at_checked(sealed.len().checked_sub(SEAL)?)?;
        let fits = |key: &Hmac<Sha256>| key.clone().chain_update(body).verify_slice(seal).is_ok();
        let age = now.saturating_since(self.renewed);
        let previous = self.previous.as_ref().filter(|_| age <= cookie_life);
        let current =
            Some(&self.current).filter(|_| age <= sealing_time(cookie_life) + cookie_life);
        let is_own = current.into_iter().chain(previous).any(fits);
        if is_own { Cookie::decode(body) } else { None }
    }
}

/// The time for which a key seals cookies.
fn sealing_time(cookie_life: Span) -> Span {
    KEY_LIFE.max(cookie_life)
}

fn keyed(secret: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(secret).expect("HMAC takes keys of any length")
}

/// Local tags of used cookies: those of about the last cookie lifetime, and those of the one before.
#[derive(Debug, Default)]
struct Spent {
    recent: BTreeSet<u32>,
    earlier: BTreeSet<u32>,
    /// When the first tag of the recent ones was recorded.
    since: Time,
}

impl Spent {
    fn has(&self, tag: u32) -> bool {
        self.recent.contains(&tag) || self.earlier.contains(&tag)
    }

    /// Records a tag for at least `life`; returns false if it was already recorded.
    ///
    /// If cookies are used faster than the memory allows, the earliest tags are removed first. A replay of such a
    /// cookie creates an association, like a new INIT.
    fn insert(&mut self, now: Time, tag: u32, life: Span) -> bool {
        if now.saturating_since(self.since) > life || self.recent.len() >= MOST_SPENT / 2 {
            self.earlier = std::mem::take(&mut self.recent);
            self.since = now;
        }
        self.recent.insert(tag) && !self.earlier.contains(&tag)
    }
}

/// The shortest time for which a key seals cookies.
const KEY_LIFE: Span = Span::from_secs(3600);
/// The largest number of recorded tags.
const MOST_SPENT: usize = 65_536;
const NR_SACK: u8 = 0x01;
const PACKET_DROP_REPORTS: u8 = 0x02;
/// Bytes of a cookie without the peer's addresses and the seal.
const FIXED: usize = 5 * 4 + 2 * 2 + 1 + 2 * 8 + 2 + 2 * ADDRESS;
const ADDRESS: usize = 16;
/// HMAC-SHA-256.
const SEAL: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use manypath_core::Streams;

    const NOW: Time = Time::from_nanos(2_000);
    const LIFE: Span = Span::from_secs(60);

    fn cookie() -> Cookie {
        let own = Init {
            tag: 7,
            window: 9000,
            outbound_streams: 10,
            inbound_streams: 3,
            nr_sack: true,
            ..Init::default()
        };
        let peer = Init {
            tag: 8,
            window: 4000,
            outbound_streams: 2,
            inbound_streams: 5,
            initial_tsn: Tsn(99),
            ..Init::default()
        };
        Cookie {
            terms: Terms::between(&own, &peer),
            created: Time::from_nanos(1_000),
            tie_tag: 5,
            peer_port: 4711,
            via: Via { local: Address::v4(10, 0, 0, 2), remote: Address::v4(10, 0, 0, 1) },
            peer_addresses: vec![Address::v4(10, 0, 0, 1), Address::v4(10, 1, 0, 1)],
        }
    }

    fn jar(seed: u64) -> CookieJar {
        CookieJar::new(&mut Entropy::Simulated(Streams::new(seed, 0).stream("jar")))
    }

    #[test]
    fn terms_have_the_smaller_number_of_streams_and_the_common_extensions() {
        let terms = cookie().terms;
        assert_eq!((terms.outbound_streams, terms.inbound_streams), (5, 2));
        assert!(!terms.nr_sack);
    }

    #[test]
    fn a_sealed_cookie_is_opened_unchanged() {
        for (nr_sack, packet_drop_reports) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let terms = Terms { nr_sack, packet_drop_reports, ..cookie().terms };
            let cookie = Cookie { terms, ..cookie() };
            let sealed = jar(1).seal(&cookie);
            assert_eq!(jar(1).open(NOW, LIFE, &sealed), Some(cookie));
        }
    }

    #[test]
    fn a_cookie_has_107_bytes_and_16_for_each_listed_address_of_the_peer() {
        for listed in [0, 1, 16] {
            let peer_addresses = vec![Address::v4(10, 0, 0, 1); listed];
            let sealed = jar(1).seal(&Cookie { peer_addresses, ..cookie() });
            assert_eq!(sealed.len(), 107 + 16 * listed);
        }
    }

    #[test]
    fn a_cookie_with_any_bit_changed_is_refused() {
        let sealed = jar(1).seal(&cookie());
        for bit in 0..8 * sealed.len() {
            let mut forged = sealed.to_vec();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(jar(1).open(NOW, LIFE, &forged), None, "bit {bit}");
        }
        assert_eq!(jar(1).open(NOW, LIFE, &sealed[..sealed.len() - 1]), None);
        assert_eq!(jar(1).open(NOW, LIFE, &[]), None);
    }

    #[test]
    fn a_cookie_of_another_endpoint_is_refused() {
        assert_eq!(jar(2).open(NOW, LIFE, &jar(1).seal(&cookie())), None);
    }

    /// RFC 4231 §4.2, test case 1: the seal is plain HMAC-SHA-256.
    #[test]
    fn the_seal_is_hmac_sha_256() {
        let seal = keyed(&[0x0b; 20]).chain_update(b"Hi There").finalize().into_bytes();
        assert_eq!(seal[..8], [0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53]);
    }

    #[test]
    fn a_cookie_is_stale_only_after_its_lifetime() {
        let life = Span::from_nanos(500);
        assert_eq!(cookie().staleness(Time::from_nanos(1_500), life), None);
        assert_eq!(cookie().staleness(Time::from_nanos(1_502), life), Some(Span::from_nanos(2)));
    }

    #[test]
    fn a_cookie_is_valid_after_one_change_of_the_key_but_not_after_two() {
        let (mut jar, mut random) = (jar(1), Entropy::secret([1; 32]));
        let sealed = jar.seal(&cookie());
        let (hour, second) = (Time::ZERO + KEY_LIFE, Span::from_secs(1));
        jar.renew_key(hour, LIFE, &mut random);
        assert_eq!(jar.seal(&cookie()), sealed, "the hour is not over");
        let later = hour + second;
        jar.renew_key(later, LIFE, &mut random);
        assert_ne!(jar.seal(&cookie()), sealed);
        assert_eq!(jar.open(later, LIFE, &sealed), Some(cookie()));
        jar.renew_key(later + second, LIFE, &mut random);
        assert_eq!(jar.open(later + second, LIFE, &sealed), Some(cookie()), "changed too early");
        let second_change = later + KEY_LIFE + second;
        jar.renew_key(second_change, LIFE, &mut random);
        assert_eq!(jar.open(second_change, LIFE, &sealed), None);
    }

    #[test]
    fn the_previous_key_ends_one_cookie_lifetime_after_the_change() {
        let (mut jar, mut random) = (jar(1), Entropy::secret([1; 32]));
        let sealed = jar.seal(&cookie());
        let change = Time::ZERO + KEY_LIFE + Span::from_secs(1);
        jar.renew_key(change, LIFE, &mut random);
        assert_eq!(jar.open(change + LIFE, LIFE, &sealed), Some(cookie()));
        assert_eq!(jar.open(change + LIFE + Span::from_nanos(1), LIFE, &sealed), None);
    }

    #[test]
    fn the_current_key_ends_one_cookie_lifetime_after_its_last_cookie_without_an_init() {
        let (jar, long) = (jar(1), KEY_LIFE + KEY_LIFE);
        let sealed = jar.seal(&cookie());
        for (life, end) in [(LIFE, KEY_LIFE + LIFE), (long, long + long)] {
            let end = Time::ZERO + end;
            assert_eq!(jar.open(end, life, &sealed), Some(cookie()));
            assert_eq!(jar.open(end + Span::from_nanos(1), life, &sealed), None);
        }
    }

    #[test]
    fn a_key_seals_cookies_for_one_cookie_lifetime() {
        let (mut jar, mut random) = (jar(1), Entropy::secret([1; 32]));
        let (sealed, life) = (jar.seal(&cookie()), KEY_LIFE + KEY_LIFE);
        jar.renew_key(Time::ZERO + life, life, &mut random);
        assert_eq!(jar.seal(&cookie()), sealed, "cookies that are good would need a third key");
    }

    #[test]
    fn a_spent_cookie_is_recorded_for_its_lifetime_and_then_removed() {
        let (mut spent, life) = (Spent::default(), Span::from_secs(60));
        let at = |seconds| Time::ZERO + Span::from_secs(seconds);
        assert!(spent.insert(at(0), 1, life));
        assert!(spent.insert(at(59), 2, life));
        assert!(!spent.insert(at(60), 1, life));
        assert!(spent.insert(at(61), 3, life));
        assert!(!spent.insert(at(119), 2, life));
        spent.insert(at(200), 4, life);
        spent.insert(at(300), 5, life);
        assert!(spent.insert(at(301), 2, life));
        assert_eq!(spent.recent.len() + spent.earlier.len(), 3);
    }

    #[test]
    fn the_memory_for_spent_cookies_is_bounded() {
        let mut spent = Spent::default();
        for tag in 0..1_000_000 {
            assert!(spent.insert(Time::ZERO, tag, Span::from_secs(60)));
        }
        assert!(spent.recent.len() + spent.earlier.len() <= MOST_SPENT);
        assert!(!spent.insert(Time::ZERO, 999_999, Span::from_secs(60)), "the last one is known");
    }
}
