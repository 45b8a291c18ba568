//! Simulated time: hosts, links and routes under one deterministic event loop.
