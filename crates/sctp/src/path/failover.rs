//! When a path has failed, and when it works again. RFC 9260 §8.2
