//! The reader of the arguments of one call, which hands them to the typed inputs in order.

use std::borrow::Cow;
use std::fmt;

use crate::declare::inject::InjectionSource;
use crate::declare::layout::{ArgumentLayout, MemberLayout};
use crate::declare::presence::Presence;
use crate::declare::slots::Slots;
use crate::schema::json::integers;
use crate::schema::json::pointer::pointer;

/// The argument for one input.
pub(crate) enum Slot<'r> {
    Given(Cow<'r, [u8]>),
    Null,
    Absent,
    /// The argument may violate a limit, so it must be validated first.
    Unverified,
}

/// An input that could not be read.
pub(crate) enum UnreadInput<'r> {
    /// A required input is missing. The path is a JSON Pointer.
    Missing { path: String },
    /// The text at this path does not decode to the type of the input.
    Undecoded { path: String, text: Cow<'r, str>, error: serde_json::Error },
}

/// Reads the arguments of one call in the order of the inputs, and collects the errors.
///
/// Nothing here is generic; the typed wrapper is [`crate::declare::input`].
pub struct ArgumentReader<'r> {
    layout: &'r ArgumentLayout,
    slots: &'r Slots<'r>,
    source: InjectionSource<'r>,
    /// The index of the next input, and of its first member.
    input: usize,
    member: usize,
    respelled: bool,
    /// Whether the arguments were already validated.
    checked: bool,
    unverified: bool,
    unread: Vec<UnreadInput<'r>>,
}

impl<'r> ArgumentReader<'r> {
    pub(crate) fn new(
        layout: &'r ArgumentLayout,
        slots: &'r Slots<'r>,
        source: InjectionSource<'r>,
        checked: bool,
    ) -> Self {
        ArgumentReader {
            layout,
            slots,
            source,
            input: 0,
            member: 0,
            respelled: false,
            checked,
            unverified: false,
            unread: Vec::new(),
        }
    }

    /// Returns the argument for the next input, or its default.
    pub(crate) fn next(&mut self) -> Slot<'r> {
        self.respelled = false;
        let (input, member) = (self.input, self.member);
        self.input += 1;
        if let Some(count) = self.layout.flattened(input) {
            self.member += count;
            return Slot::Given(self.flattened_object(member, count).into());
        }
        self.member += 1;
        let layout = &self.layout.members[member];
        match self.slots.get(member) {
            Some(b"null") if layout.presence == Presence::Nullable => Slot::Null,
            Some(b"null") if layout.presence == Presence::Optional || layout.default.is_some() => {
                default_or_absent(layout)
            }
            Some(text) if self.checked || layout.limits.admit(text) => Slot::Given(text.into()),
            Some(_) => {
                self.unverified = true;
                Slot::Unverified
            }
            None => default_or_absent(layout),
        }
    }

    /// Joins the given members of a flattened input into one object.
    #[inline(never)]
    fn flattened_object(&self, first: usize, count: usize) -> Vec<u8> {
        let mut object = vec![b'{'];
        for (position, layout) in self.layout.members.iter().enumerate().skip(first).take(count) {
            let Some(text) = self.slots.get(position) else { continue };
            if object.len() > 1 {
                object.push(b',');
            }
            object.extend_from_slice(layout.quoted.as_bytes());
            object.push(b':');
            object.extend_from_slice(text);
        }
        object.push(b'}');
        object
    }

    /// Records that the last input is required but missing.
    pub(crate) fn missing<T>(&mut self) -> Option<T> {
        let path = self.path();
        self.unread.push(UnreadInput::Missing { path });
        None
    }

    /// Returns another spelling of a text that failed to decode, at most once per value. Records an error if there is
    /// none.
    ///
    /// JSON Schema accepts `1.0` and `1e3` as integers, and serde does not: such numbers are spelled out.
    pub(crate) fn respelled(
        &mut self,
        text: Cow<'r, [u8]>,
        error: serde_json::Error,
    ) -> Option<Cow<'r, [u8]>> {
        // Bytes that are not UTF-8 are reported for the arguments as a whole.
        let text = match text {
            Cow::Borrowed(text) => String::from_utf8_lossy(text),
            Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
        };
        let again = if self.respelled { None } else { integers::spell_out_integers(&text) };
        self.respelled = true;
        if again.is_none() {
            let path = self.path();
            self.unread.push(UnreadInput::Undecoded { path, text, error });
        }
        again.map(|again| Cow::Owned(again.into_bytes()))
    }

    /// Returns the source of injected parameters.
    pub(crate) fn source(&self) -> InjectionSource<'r> {
        self.source
    }

    /// Returns `true` if there is no error so far.
    pub(crate) fn is_clean(&self) -> bool {
        !self.unverified && self.unread.is_empty()
    }

    /// Returns the errors, after all inputs were read.
    pub(crate) fn into_errors(self) -> Vec<UnreadInput<'r>> {
        self.unread
    }

    /// Returns the JSON Pointer of the last input; empty for a flattened one.
    fn path(&self) -> String {
        match self.layout.flattened(self.input - 1) {
            Some(_) => String::new(),
            None => pointer(&self.layout.members[self.member - 1].name),
        }
    }
}

fn default_or_absent(layout: &MemberLayout) -> Slot<'_> {
    layout.default.as_deref().map_or(Slot::Absent, |default| Slot::Given(default.as_bytes().into()))
}

impl fmt::Debug for ArgumentReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The arguments may contain secrets.
        f.debug_struct("ArgumentReader").field("input", &self.input).finish_non_exhaustive()
    }
}
