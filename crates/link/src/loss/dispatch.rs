//! The macro that expands the lines of the registry.

/// Expands one line for each kind to: the configurations as one enum tagged by `kind`, the models as one enum with
/// static dispatch, and the list of names.
macro_rules! losses {
    ($($Loss:ident $name:literal $Config:ident: $summary:literal,)+) => {
        /// The configuration of a link's loss model.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(tag = "kind"))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum LossConfig {
            $(
                #[doc = $summary]
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $Loss($Config),
            )+
        }

        impl LossConfig {
            /// Checks the values.
            ///
            /// # Errors
            /// The first field with an invalid value.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self { $(Self::$Loss(config) => config.validate(),)+ }
            }

            /// The largest probability, in the worst state of the link, that a packet of `size` bytes does not arrive
            /// intact.
            #[must_use]
            pub fn harm(&self, size: u32) -> f64 {
                match self { $(Self::$Loss(config) => config.harm(size),)+ }
            }

            /// The model at the beginning of a run.
            #[must_use]
            pub fn build(&self) -> AnyLoss {
                match self { $(Self::$Loss(config) => AnyLoss::$Loss($Loss::new(config)),)+ }
            }
        }

        /// Any registered loss model.
        #[derive(Debug)]
        pub enum AnyLoss {
            $(#[doc = $summary] $Loss($Loss),)+
        }

        impl Loss for AnyLoss {
            #[inline]
            fn fate(&mut self, now: Time, size: u32, random: &mut Random) -> Fate {
                match self { $(Self::$Loss(loss) => loss.fate(now, size, random),)+ }
            }
        }

        /// The registered loss models.
        #[must_use]
        pub fn kinds() -> &'static [Kind] {
            &[$(Kind { name: $name, summary: $summary },)+]
        }
    };
}
pub(super) use losses;
