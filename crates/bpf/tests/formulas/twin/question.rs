//! `struct question` of `bpf/question.h`, word by word.

const WORDS: usize = 270;
const CONNECTION: usize = 96;
const SLOTS: usize = CONNECTION + 16;
const SLOT: usize = 128;

/// The requested operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Formulas,
    FormulasAsMeasured,
    EuniceMeasure,
    Windows,
    VegasSlowStart,
    VegasAvoid,
}

/// A question and its answers.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) words: [u64; WORDS],
}

/// `struct vegas`: windows in packets, times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vegas {
    pub(crate) window: u32,
    pub(crate) threshold: u32,
    pub(crate) base: u32,
    pub(crate) rtt: u32,
    pub(crate) queued: u32,
    pub(crate) queue_delay: u32,
}

impl Question {
    pub(crate) fn new(action: Action) -> Self {
        let mut question = Self { words: [0; WORDS] };
        question.set_action(action);
        question
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for (word, bytes) in self.words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().unwrap());
        }
    }

    pub(crate) fn set_action(&mut self, action: Action) {
        self.set(0, action as u32);
    }

    pub(crate) fn set_algorithm(&mut self, algorithm: u32) {
        self.set(4, algorithm);
    }

    pub(crate) fn set_mine(&mut self, slot: usize) {
        self.set(8, slot as u32);
    }

    /// Marks a slot as used.
    pub(crate) fn open(&mut self, slot: usize) {
        self.words[(SLOTS + slot * SLOT) / 8] = 1;
        let count = self.get(CONNECTION + 4).max(slot as u32 + 1);
        self.set(CONNECTION + 4, count);
    }

    pub(crate) fn set_slot(&mut self, slot: usize, window: u64, threshold: u64, srtt: u32) {
        let at = SLOTS + slot * SLOT;
        self.set(at + 24, u32::try_from(window).expect("32 bits"));
        self.set(at + 28, srtt);
        self.set(at + 32, u32::try_from(threshold).expect("32 bits"));
    }

    pub(crate) fn set_weight(&mut self, slot: usize, weight: u32) {
        self.set(SLOTS + slot * SLOT + 36, weight);
    }

    pub(crate) fn deliver(&mut self, slot: usize, amount: u64) {
        let at = SLOTS + slot * SLOT + 40;
        self.set(at, self.get(at).wrapping_add(amount as u32));
    }

    pub(crate) fn lose(&mut self, slot: usize) {
        let at = SLOTS + slot * SLOT + 40;
        let since = self.get(at);
        if since > 0 {
            self.set(at + 4, since);
            self.set(at, 0);
        }
    }

    /// A question about the changes of a window: growth and cut in packets, as integers divided by powers of two.
    pub(crate) fn windows(
        window: u32,
        acked: u32,
        fraction: i64,
        more: f64,
        cut: f64,
        floor: u32,
    ) -> Self {
        let mut question = Self::new(Action::Windows);
        question.set(12, acked);
        question.words[2] = fraction.cast_unsigned();
        question.words[3] = number(more);
        question.words[5] = number(cut);
        question.set(56, window);
        question.set(68, floor);
        question
    }

    pub(crate) fn vegas(action: Action, vegas: Vegas, was_used: bool) -> Self {
        let Vegas { window, threshold, base, rtt, queued, queue_delay } = vegas;
        let mut question = Self::new(action);
        question.open(0);
        question.set(12, u32::from(was_used));
        for (index, value) in
            [window, threshold, base, rtt, queued, queue_delay].into_iter().enumerate()
        {
            question.set(72 + 4 * index, value);
        }
        question
    }

    pub(crate) fn after_round(&self) -> Vegas {
        Vegas {
            window: self.get(72),
            threshold: self.get(76),
            base: self.get(80),
            rtt: self.get(84),
            queued: self.get(88),
            queue_delay: self.get(92),
        }
    }

    /// In packets.
    pub(crate) fn more(&self) -> f64 {
        value(self.words[3])
    }

    pub(crate) fn less(&self) -> f64 {
        value(self.words[4])
    }

    pub(crate) fn cut(&self) -> f64 {
        value(self.words[5])
    }

    pub(crate) fn share(&self) -> f64 {
        value(self.words[6])
    }

    /// In 2^-48 packets.
    pub(crate) fn fraction(&self) -> i64 {
        self.words[2].cast_signed()
    }

    pub(crate) fn grown(&self) -> u32 {
        self.get(60)
    }

    pub(crate) fn reduced(&self) -> u32 {
        self.get(64)
    }

    fn set(&mut self, at: usize, value: u32) {
        let shift = at % 8 * 8;
        let word = &mut self.words[at / 8];
        *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(value) << shift;
    }

    fn get(&self, at: usize) -> u32 {
        (self.words[at / 8] >> (at % 8 * 8)) as u32
    }
}

/// The value of a word of `bpf/number.h`.
pub(crate) fn value(number: u64) -> f64 {
    let exponent = (number >> 32) as i32 - 16384;
    (number as u32) as f64 * 2_f64.powi(exponent)
}

/// The word of a positive number, truncated after 32 bits.
pub(crate) fn number(x: f64) -> u64 {
    if x == 0.0 {
        return 0;
    }
    let exponent = x.log2().floor() as i32 - 31;
    let mantissa = (x / 2_f64.powi(exponent)) as u64;
    (((exponent + 16384) as u64) << 32) | mantissa
}
