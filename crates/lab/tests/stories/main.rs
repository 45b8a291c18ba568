//! Whole simulations, from documents and from networks built in code, one file per subject.

mod networks;

mod allocations;
mod capture;
mod combinations;
mod damage;
mod digests;
mod drain;
mod events;
mod latency;
mod means;
mod mptcp;
mod other_ways;
mod outages;
mod physics;
mod scenario;
mod stopped;
mod tcp;
mod transfer;
mod unequal;
mod version;
