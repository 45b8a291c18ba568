//! Structures with the offsets that a C compiler gives them.

/// A value with a size and an alignment in C.
pub trait Layout: Sized {
    /// The size in bytes, with padding.
    const SIZE: usize;
    /// The alignment in bytes.
    const ALIGN: usize;

    /// Writes the value to `bytes`, whose length is [`Self::SIZE`]. Padding is not written.
    fn put(&self, bytes: &mut [u8]);

    /// Reads the value from `bytes`, whose length is [`Self::SIZE`].
    fn take(bytes: &[u8]) -> Self;

    /// The bytes of the value. Padding is zero.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; Self::SIZE];
        self.put(&mut bytes);
        bytes
    }

    /// The value at the start of `bytes`, or none if they are too short.
    fn decode(bytes: &[u8]) -> Option<Self> {
        bytes.get(..Self::SIZE).map(Self::take)
    }
}

macro_rules! number {
    ($($number:ty)*) => {$(
        impl Layout for $number {
            const SIZE: usize = size_of::<Self>();
            const ALIGN: usize = align_of::<Self>();

            fn put(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }

            fn take(bytes: &[u8]) -> Self {
                let mut number = [0; size_of::<Self>()];
                number.copy_from_slice(bytes);
                Self::from_ne_bytes(number)
            }
        }
    )*};
}

number!(u8 u16 u32 u64 i32);

/// How a compiler places the fields of a structure.
#[derive(Clone, Copy)]
pub(super) enum Placing {
    /// Each field at a multiple of its alignment.
    Natural,
    /// Without padding between fields, `__attribute__((packed, aligned(4)))`.
    Packed,
}

impl Placing {
    /// The offset of a field with `alignment` after `offset` bytes.
    pub(super) const fn place(self, offset: usize, alignment: usize) -> usize {
        match self {
            Self::Natural => offset.next_multiple_of(alignment),
            Self::Packed => offset,
        }
    }

    /// The alignment of a structure whose fields have sizes and alignments.
    pub(super) const fn alignment(self, fields: &[(usize, usize)]) -> usize {
        let mut alignment = match self {
            Self::Natural => 1,
            Self::Packed => return 4,
        };
        let mut at = 0;
        while at < fields.len() {
            if fields[at].1 > alignment {
                alignment = fields[at].1;
            }
            at += 1;
        }
        alignment
    }

    /// The size of a structure whose fields have sizes and alignments.
    pub(super) const fn size(self, fields: &[(usize, usize)]) -> usize {
        let mut size = 0;
        let mut at = 0;
        while at < fields.len() {
            size = self.place(size, fields[at].1) + fields[at].0;
            at += 1;
        }
        size.next_multiple_of(self.alignment(fields))
    }
}

/// Declares a structure: its name in C, the prefix of its fields there, and how the compiler places them.
macro_rules! structure {
    (
        $(#[$doc:meta])*
        ($c:literal, $prefix:literal, $placing:ident)
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::abi::Layout for $name {
            const SIZE: usize = $crate::abi::layout::Placing::$placing.size(&[
                $((<$type as $crate::abi::Layout>::SIZE, <$type as $crate::abi::Layout>::ALIGN),)*
            ]);
            const ALIGN: usize = $crate::abi::layout::Placing::$placing.alignment(&[
                $((<$type as $crate::abi::Layout>::SIZE, <$type as $crate::abi::Layout>::ALIGN),)*
            ]);

            fn put(&self, bytes: &mut [u8]) {
                let mut rest = 0;
                $(
                    let at = $crate::abi::layout::Placing::$placing
                        .place(rest, <$type as $crate::abi::Layout>::ALIGN);
                    rest = at + <$type as $crate::abi::Layout>::SIZE;
                    $crate::abi::Layout::put(&self.$field, &mut bytes[at..rest]);
                )*
                debug_assert!(rest <= bytes.len());
            }

            fn take(bytes: &[u8]) -> Self {
                let mut rest = 0;
                $(
                    let at = $crate::abi::layout::Placing::$placing
                        .place(rest, <$type as $crate::abi::Layout>::ALIGN);
                    rest = at + <$type as $crate::abi::Layout>::SIZE;
                    let $field = <$type as $crate::abi::Layout>::take(&bytes[at..rest]);
                )*
                debug_assert!(rest <= bytes.len());
                Self { $($field,)* }
            }
        }

        #[cfg(test)]
        impl $crate::abi::layout::tests::Described for $name {
            const C: &str = $c;

            fn offsets() -> Vec<(&'static str, usize)> {
                let mut rest = 0;
                let mut offsets = Vec::new();
                $(
                    let at = $crate::abi::layout::Placing::$placing
                        .place(rest, <$type as $crate::abi::Layout>::ALIGN);
                    rest = at + <$type as $crate::abi::Layout>::SIZE;
                    offsets.push((concat!($prefix, stringify!($field)), at));
                )*
                assert!(rest <= <Self as $crate::abi::Layout>::SIZE);
                offsets
            }
        }
    };
}

pub(super) use structure;

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::abi::{message::*, notification::*, option::*};
    use std::fmt::Write as _;
    use std::process::Command;

    /// A structure with the names of C.
    pub(in crate::abi) trait Described {
        /// The type in C.
        const C: &str;

        /// The fields in C with their offsets.
        fn offsets() -> Vec<(&'static str, usize)>;
    }

    /// A line of C for the size and each offset of a structure, and the lines that the program must print.
    fn describe<S: Described + Layout>(program: &mut String, expected: &mut String) {
        let c = S::C;
        writeln!(program, "printf(\"{c} %zu\\n\", sizeof({c}));").expect("a string");
        writeln!(expected, "{c} {}", S::SIZE).expect("a string");
        for (field, offset) in S::offsets() {
            // `type` is a keyword of Rust, and one field has another prefix
            let field = match (c, field.trim_end_matches('_')) {
                ("struct sctp_send_failed_event", "ssf_info") => "ssfe_info",
                (_, field) => field,
            };
            writeln!(program, "printf(\"{c} {field} %zu\\n\", offsetof({c}, {field}));")
                .expect("a string");
            writeln!(expected, "{c} {field} {offset}").expect("a string");
        }
    }

    macro_rules! describe_all {
        ($program:ident, $expected:ident: $($name:ident)*) => {
            $(describe::<$name>(&mut $program, &mut $expected);)*
        };
    }

    #[test]
    fn sizes_and_offsets_are_those_of_the_c_compiler() {
        let (mut program, mut expected) = (String::new(), String::new());
        describe_all!(program, expected:
            InitMsg SndRcvInfo SndInfo RcvInfo NxtInfo PrInfo
            RtoInfo AssocParams SetPrim PaddrParams PaddrInfo Status SackInfo AssocValue StreamValue
            Event EventSubscribe UdpEncaps PaddrThresholds GetAddrs PeeloffArg DefaultPrInfo AssocStats
            AssocChange PaddrChange RemoteError SendFailed SendFailedEvent ShutdownEvent
            AdaptationEvent PdapiEvent SenderDryEvent StreamResetEvent
        );
        let folder = std::env::temp_dir().join(format!("manypath-posix-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let source = folder.join("layout.c");
        let headers = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <sys/socket.h>\n\
                       #include <linux/sctp.h>\n";
        std::fs::write(&source, format!("{headers}int main(void) {{\n{program}}}\n"))
            .expect("a file");
        let binary = folder.join("layout");
        let built = Command::new("cc").arg(&source).arg("-o").arg(&binary).status().expect("cc");
        assert!(built.success());
        let printed = Command::new(&binary).output().expect("the program runs").stdout;
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert_eq!(String::from_utf8(printed).expect("text"), expected);
    }

    #[test]
    fn a_decoded_structure_has_the_encoded_fields_and_short_bytes_have_none() {
        let params =
            PaddrParams { hbinterval: 7, pathmaxrxt: 3, dscp: 0x28, ..PaddrParams::default() };
        let bytes = params.encode();
        assert_eq!(PaddrParams::decode(&bytes), Some(params));
        assert_eq!(PaddrParams::decode(&bytes[1..]), None);
        assert_eq!(PaddrParams::decode(&[]), None);
    }
}
