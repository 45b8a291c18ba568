//! The door between Python and the laboratory.
