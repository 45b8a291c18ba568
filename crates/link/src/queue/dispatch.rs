//! The macro that expands the lines of the registry.

/// Expands one line for each kind to: the configurations as one enum tagged by `kind`, the queues as one enum with
/// static dispatch, and the list of names.
macro_rules! queues {
    ($($Queue:ident $name:literal $Config:ident: $summary:literal,)+) => {
        /// The configuration of a link's queue.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(tag = "kind"))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum QueueConfig {
            $(
                #[doc = $summary]
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $Queue($Config),
            )+
        }

        impl QueueConfig {
            /// Checks the values.
            ///
            /// # Errors
            /// The first field with an invalid value.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self { $(Self::$Queue(config) => config.validate(),)+ }
            }

            /// The capacity of the queue.
            #[must_use]
            pub fn limit(&self) -> Limit {
                match self { $(Self::$Queue(config) => config.limit(),)+ }
            }

            /// An empty queue in front of a transmitter of `rate`.
            #[must_use]
            pub fn build<T>(&self, rate: Rate, random: Random) -> AnyQueue<T> {
                match self { $(Self::$Queue(config) => AnyQueue::$Queue($Queue::new(config, rate, random)),)+ }
            }
        }

        /// A queue of any registered discipline.
        #[derive(Debug)]
        pub enum AnyQueue<T> {
            $(#[doc = $summary] $Queue($Queue<T>),)+
        }

        impl<T: Copy> Queue<T> for AnyQueue<T> {
            #[inline]
            fn enqueue(&mut self, now: Time, entry: Entry<T>, discarded: &mut Vec<T>) -> Verdict {
                match self { $(Self::$Queue(queue) => queue.enqueue(now, entry, discarded),)+ }
            }

            #[inline]
            fn dequeue(&mut self, start: Time, discarded: &mut Vec<T>) -> Option<Entry<T>> {
                match self { $(Self::$Queue(queue) => queue.dequeue(start, discarded),)+ }
            }

            #[inline]
            fn may_skip(&self, size: u32) -> bool {
                match self { $(Self::$Queue(queue) => queue.may_skip(size),)+ }
            }

            #[inline]
            fn len(&self) -> usize {
                match self { $(Self::$Queue(queue) => queue.len(),)+ }
            }

            #[inline]
            fn bytes(&self) -> u64 {
                match self { $(Self::$Queue(queue) => queue.bytes(),)+ }
            }
        }

        /// The registered queue disciplines.
        #[must_use]
        pub fn kinds() -> &'static [Kind] {
            &[$(Kind { name: $name, summary: $summary },)+]
        }
    };
}
pub(super) use queues;
