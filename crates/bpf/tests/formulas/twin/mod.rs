//! The integer formulas, evaluated on the host or in the kernel, as an algorithm of `manypath-cc`.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use libbpf_rs::{MapCore, MapFlags, ObjectBuilder, ProgramInput};
use manypath_cc::{Adjustment, Algorithm, Cut, Loss, PathAck, Paths};
use manypath_core::{PathId, Time};

use question::{Action, Question};

pub(crate) mod question;

/// The place where the formulas are evaluated.
pub(crate) trait Ask: Debug + Send + Sync {
    /// Fills in the answers.
    fn ask(&self, question: &mut Question);
}

/// The headers, compiled for this machine.
#[derive(Debug)]
pub(crate) struct Host;

impl Ask for Host {
    #[expect(unsafe_code, reason = "a call of the C that is to be tested")]
    fn ask(&self, question: &mut Question) {
        #[link(name = "manypath_twin", kind = "static")]
        unsafe extern "C" {
            fn manypath_answer(question: *mut u64);
        }
        // SAFETY: the words have the size and the alignment of `struct question`, which is written within its bounds.
        unsafe { manypath_answer(question.words.as_mut_ptr()) }
    }
}

/// The headers, run by the kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    object: Mutex<libbpf_rs::Object>,
}

impl Kernel {
    /// Loads the program that evaluates the formulas.
    pub(crate) fn new() -> Self {
        let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/questions.bpf.o")).to_vec();
        let object = ObjectBuilder::default().open_memory(&bytes).unwrap().load().unwrap();
        Self { object: Mutex::new(object) }
    }
}

impl Ask for Kernel {
    fn ask(&self, question: &mut Question) {
        let object = self.object.lock().unwrap();
        let is_ours = |map: &libbpf_rs::Map<'_>| map.name().to_string_lossy().ends_with(".bss");
        let map = object.maps().find(is_ours).unwrap();
        let key = 0_u32.to_ne_bytes();
        map.update(&key, &question.bytes(), MapFlags::ANY).unwrap();
        let output = object.progs_mut().next().unwrap().test_run(ProgramInput::default()).unwrap();
        assert_eq!(output.return_value, 0);
        question.read(&map.lookup(&key, MapFlags::ANY).unwrap().unwrap());
    }
}

/// The algorithms of `bpf/question.h`, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Lia,
    Eunice,
    Olia,
    Balia,
    Coupled,
    RpV1,
    RpV2,
    Weighted,
}

impl Kind {
    /// The algorithms with a counterpart in `manypath-cc` that needs no parameters in its name.
    pub(crate) const ALL: [(&'static str, Self); 8] = [
        ("lia", Self::Lia),
        ("lia-eunice", Self::Eunice),
        ("olia", Self::Olia),
        ("balia", Self::Balia),
        ("coupled", Self::Coupled),
        ("cmt-rpv1", Self::RpV1),
        ("cmt-rpv2", Self::RpV2),
        ("weighted-aimd", Self::Weighted),
    ];
}

/// An algorithm that evaluates the integer formulas.
#[derive(Debug)]
pub(crate) struct Twin {
    kind: Kind,
    ask: Arc<dyn Ask>,
    question: Question,
    /// Windows are in units of this many bytes, so that they fit into 32 bits.
    scale: u64,
}

impl Twin {
    /// The twin of the algorithm that `text` names, if there is one.
    pub(crate) fn named(text: &str, ask: &Arc<dyn Ask>) -> Option<Box<dyn Algorithm>> {
        let (name, weight) = text.split_once(":weight=").unwrap_or((text, "1"));
        let (_, kind) = Kind::ALL.into_iter().find(|(known, _)| *known == name)?;
        let mut question = Question::new(Action::Formulas);
        question.set_algorithm(kind as u32);
        let (above, below) = weight.split_once('/').unwrap_or((weight, "1"));
        let weight = above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap();
        for slot in 0..16 {
            question.set_weight(slot, (weight * f64::from(1 << 24)).round() as u32);
        }
        Some(Box::new(Self { kind, ask: Arc::clone(ask), question, scale: 1 }))
    }

    fn answer(&self, path: PathId) -> Question {
        let mut question = self.question.clone();
        question.set_mine(path.index());
        let as_measured = self.kind == Kind::Eunice;
        question.set_action(if as_measured {
            Action::FormulasAsMeasured
        } else {
            Action::Formulas
        });
        self.ask.ask(&mut question);
        question
    }

    /// Updates the contribution of `path` and the maximum, as an acknowledgement does.
    fn correct(&mut self, paths: &Paths, path: PathId, window: u64) {
        self.question.set_action(Action::EuniceMeasure);
        self.question.set_mine(path.index());
        self.question.set_slot(path.index(), window, paths[path].ssthresh(), srtt(paths, path));
        self.ask.ask(&mut self.question);
    }
}

impl Algorithm for Twin {
    fn uses_acks(&self) -> bool {
        true
    }

    fn observe(&mut self, _now: Time, paths: &Paths) {
        let is_huge = paths.iter().any(|path| path.window() > u64::from(u32::MAX));
        self.scale = if is_huge { paths[PathId(0)].unit() } else { 1 };
        if self.kind == Kind::Eunice {
            return;
        }
        for (id, path) in paths.coupled_ids() {
            let (window, threshold) = (path.window() / self.scale, path.ssthresh() / self.scale);
            self.question.set_slot(id.index(), window, threshold, srtt(paths, id));
        }
    }

    fn slow_start(&self, paths: &Paths, path: PathId, acked: u64) -> f64 {
        match self.kind {
            Kind::RpV1 | Kind::RpV2 => self.answer(path).share() * acked as f64,
            _ => {
                assert!(paths[path].is_open());
                acked as f64
            }
        }
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let answer = self.answer(path);
        as_told((answer.more() - answer.less()) * paths[path].unit() as f64)
    }

    fn back_off(&self, _paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        let cut = as_told(self.answer(path).cut() * self.scale as f64);
        match self.kind {
            Kind::Balia | Kind::RpV2 => Cut::Bytes(cut),
            // Halves of whole bytes, because profiles round differently.
            _ => Cut::HalfOf((2.0 * cut).round() as u64),
        }
    }

    fn floor(&self, paths: &Paths, path: PathId) -> f64 {
        let floors = paths.profile().floors;
        match self.kind {
            Kind::Lia => floors.plain,
            Kind::Olia if paths.coupled().count() == 1 => floors.plain,
            Kind::RpV1 => self.answer(path).share() * floors.pooled,
            _ => 1.0,
        }
    }

    fn on_path_opened(&mut self, _paths: &Paths, path: PathId) {
        self.question.open(path.index());
    }

    fn on_acked(&mut self, _now: Time, paths: &Paths, ack: &PathAck) -> Option<Adjustment> {
        self.question.deliver(ack.path.index(), ack.bytes);
        if self.kind == Kind::Eunice {
            self.correct(paths, ack.path, paths[ack.path].window());
        }
        None
    }

    fn on_loss(&mut self, _now: Time, paths: &Paths, path: PathId, loss: Loss) {
        self.question.lose(path.index());
        if self.kind == Kind::Eunice && loss == Loss::Timeout {
            self.correct(paths, path, paths[path].unit());
        }
    }
}

/// Smoothed round-trip time in the kernel's unit, eighths of a microsecond; zero before the first sample.
fn srtt(paths: &Paths, path: PathId) -> u32 {
    paths.rtt_seconds(path).map_or(0, |rtt| (rtt * 8e6).round() as u32)
}

/// Rounds to 26 bits: 25410 instead of 25410.00001, which would be rounded up.
fn as_told(x: f64) -> f64 {
    f64::from_bits((x.to_bits() + (1 << 25)) & !((1 << 26) - 1))
}
