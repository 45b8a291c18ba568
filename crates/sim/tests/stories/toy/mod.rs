//! A toy protocol (ping-pong with a window), and a dumbbell network of its hosts.
#![allow(dead_code, reason = "each test and example uses its part of the toys")]

use manypath_core::{Address, Packet, Rate, SansIo, Span, Streams, Time, Via};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{LinkConfig, LossConfig};
use manypath_sim::{HostId, LinkId, World};

/// The packets of the game.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ball {
    pub(crate) number: u64,
    pub(crate) size: usize,
}

impl Packet for Ball {
    fn size(&self) -> usize {
        self.size
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// One side of the game.
#[derive(Debug)]
pub(crate) enum Player {
    Pinger(Pinger),
    Ponger(Ponger),
}

/// Keeps a window of balls in flight. A ball that does not return before the timeout is sent again.
#[derive(Debug)]
pub(crate) struct Pinger {
    via: Via,
    window: u64,
    in_the_air: u64,
    served: u64,
    pub(crate) returned: u64,
    patience: Span,
    deadline: Time,
    pub(crate) timeouts: u64,
}

/// Returns each ball as a small one.
#[derive(Debug)]
pub(crate) struct Ponger {
    returns: Vec<(Via, u64)>,
    /// If it returns balls by a timer of the same instant: when the timer is due.
    timer: Option<Time>,
    /// Arrival times and addresses of balls, if the log is enabled.
    pub(crate) log: Option<Vec<(Time, Address)>>,
}

impl Player {
    pub(crate) fn pinger(via: Via, window: u64) -> Self {
        let patience = Span::from_millis(500);
        Self::Pinger(Pinger {
            via,
            window,
            in_the_air: 0,
            served: 0,
            returned: 0,
            patience,
            deadline: Time::NEVER,
            timeouts: 0,
        })
    }

    /// A pinger that sends its balls once and waits without end.
    pub(crate) fn persistent_pinger(via: Via, window: u64) -> Self {
        let Self::Pinger(pinger) = Self::pinger(via, window) else { unreachable!() };
        Self::Pinger(Pinger { patience: Span::MAX, ..pinger })
    }

    pub(crate) fn ponger() -> Self {
        Self::Ponger(Ponger { returns: Vec::new(), timer: None, log: None })
    }

    /// A ponger that returns balls by a timer, in the instant of their arrival.
    pub(crate) fn timed_ponger() -> Self {
        Self::Ponger(Ponger { returns: Vec::new(), timer: Some(Time::NEVER), log: None })
    }

    pub(crate) fn logging_ponger() -> Self {
        Self::Ponger(Ponger { returns: Vec::new(), timer: None, log: Some(Vec::new()) })
    }

    pub(crate) fn as_pinger(&self) -> &Pinger {
        let Self::Pinger(pinger) = self else { panic!("a ponger") };
        pinger
    }

    pub(crate) fn as_ponger(&self) -> &Ponger {
        let Self::Ponger(ponger) = self else { panic!("a pinger") };
        ponger
    }
}

impl Pinger {
    pub(crate) fn widen(&mut self, window: u64) {
        self.window = window;
    }
}

impl SansIo for Player {
    type Packet = Ball;
    type Event = ();

    fn handle_packet(&mut self, now: Time, via: Via, ball: &mut Ball) {
        match self {
            Self::Pinger(pinger) => {
                pinger.in_the_air = pinger.in_the_air.saturating_sub(1);
                pinger.returned += 1;
                pinger.deadline = now + pinger.patience;
            }
            Self::Ponger(ponger) => {
                ponger.returns.push((via, ball.number));
                if let Some(timer) = &mut ponger.timer {
                    *timer = now;
                }
                if let Some(log) = &mut ponger.log {
                    log.push((now, via.remote));
                }
            }
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        match self {
            Self::Pinger(pinger) if pinger.deadline <= now => {
                pinger.in_the_air = 0;
                pinger.timeouts += 1;
                pinger.deadline = Time::NEVER;
            }
            Self::Ponger(Ponger { timer: Some(timer), .. }) => *timer = Time::NEVER,
            _ => {}
        }
    }

    fn poll_transmit(&mut self, now: Time, ball: &mut Ball) -> Option<Via> {
        match self {
            Self::Pinger(pinger) => {
                if pinger.in_the_air >= pinger.window {
                    return None;
                }
                if pinger.deadline == Time::NEVER {
                    pinger.deadline = now + pinger.patience;
                }
                pinger.in_the_air += 1;
                pinger.served += 1;
                *ball = Ball { number: pinger.served, size: PING };
                Some(pinger.via)
            }
            Self::Ponger(ponger) => {
                if ponger.timer.is_some_and(|timer| timer != Time::NEVER) {
                    return None;
                }
                let (via, number) = ponger.returns.pop()?;
                *ball = Ball { number, size: PONG };
                Some(via)
            }
        }
    }

    fn poll_timeout(&self) -> Time {
        match self {
            Self::Pinger(pinger) => pinger.deadline,
            Self::Ponger(ponger) => ponger.timer.unwrap_or(Time::NEVER),
        }
    }

    fn poll_event(&mut self) -> Option<()> {
        None
    }
}

/// Games over a common core. Each player has its own access link in each direction.
pub(crate) struct Dumbbell {
    pub(crate) world: World<Player>,
    pub(crate) pingers: Vec<HostId>,
    pub(crate) pongers: Vec<HostId>,
    /// From the pingers to the pongers.
    pub(crate) core: LinkId,
    /// From the pongers to the pingers.
    pub(crate) back: LinkId,
}

impl Dumbbell {
    /// `games` pairs of players with `window` balls each; access links of 1 Gbit/s without delay.
    pub(crate) fn new(games: u8, window: u64, core: &LinkConfig, streams: &Streams) -> Self {
        Self::within(World::new(), games, window, core, streams)
    }

    /// The same in an empty `world`.
    pub(crate) fn within(
        mut world: World<Player>,
        games: u8,
        window: u64,
        core: &LinkConfig,
        streams: &Streams,
    ) -> Self {
        let access = LinkConfig::new(Rate::from_bits_per_second(1_000_000_000), Span::ZERO);
        let forward = world.add_link(core, streams, "core");
        let back = world.add_link(core, streams, "back");
        let mut players = (Vec::new(), Vec::new());
        for game in 0..games {
            let mut side =
                |name: &str| world.add_link(&access, streams, &format!("access/{game}/{name}"));
            let (up, down, out, home) = (side("up"), side("down"), side("out"), side("home"));
            let via =
                Via { local: Address::v4(10, game, 0, 1), remote: Address::v4(10, game, 0, 2) };
            let pinger = world.add_host(Player::pinger(via, window));
            let ponger = world.add_host(Player::ponger());
            world.add_route(pinger, via, &[up, forward, out], ponger);
            world.add_route(ponger, via.reversed(), &[home, back, down], pinger);
            players.0.push(pinger);
            players.1.push(ponger);
        }
        Self { world, pingers: players.0, pongers: players.1, core: forward, back }
    }

    /// The number of balls that returned to the pingers.
    pub(crate) fn returned(&self) -> u64 {
        self.pingers.iter().map(|&id| self.world.host(id).as_pinger().returned).sum()
    }
}

/// 10 Mbit/s and 10 ms.
pub(crate) fn slow_core() -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(10_000_000), Span::from_millis(10))
}

/// The same with a random loss of 2 %.
pub(crate) fn lossy_core() -> LinkConfig {
    LinkConfig { loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.02 }), ..slow_core() }
}

/// Bytes of a ball on its way to the ponger.
pub(crate) const PING: usize = 1500;

/// Bytes of a ball on its way back to the pinger.
pub(crate) const PONG: usize = 40;
