//! The vectors of `spec/vectors`, evaluated with the integer formulas on this machine and in the kernel.

use std::sync::Arc;

use crate::needs;
use crate::replay::{Player, read};
use crate::twin::{Ask, Host, Kernel, Twin};

/// The files with algorithms of the kernel, and the number of their vectors.
const FILES: [(&str, usize); 8] = [
    ("balia.json", 4),
    ("cmt-rpv1.json", 10),
    ("cmt-rpv2.json", 10),
    ("inet.json", 8),
    ("lia.json", 4),
    ("lia-eunice.json", 6),
    ("olia.json", 5),
    ("weighted-aimd.json", 4),
];

fn replay_all(ask: &Arc<dyn Ask>) {
    let make = |name: &str| Twin::named(name, ask);
    // A weight has 24 fractional bits: the error of 2/3 is 3e-8, that of its square twice as large.
    let player = Player { make: &make, tolerance: 1e-7 };
    for (file, count) in FILES {
        let replayed = read(file).iter().filter(|vector| vector.check(&player)).count();
        assert_eq!(replayed, count, "{file}");
    }
}

#[test]
fn the_integers_on_this_machine_give_the_vectors() {
    let host: Arc<dyn Ask> = Arc::new(Host);
    replay_all(&host);
}

#[test]
fn the_integers_in_the_kernel_give_the_vectors() {
    let Some(_turn) = needs::kernel() else { return };
    let kernel: Arc<dyn Ask> = Arc::new(Kernel::new());
    replay_all(&kernel);
}
