//! The arguments of one call, handed to the typed inputs one after the other.

use std::borrow::Cow;
use std::fmt;

use crate::declare::inject::InjectionSource;
use crate::declare::input::Presence;
use crate::declare::layout::{ArgumentLayout, MemberLayout};
use crate::declare::slots::Slots;
use crate::model::access::Principal;
use crate::schema::json::integers;
use crate::schema::json::pointer::pointer;

/// What was given for one input.
pub(crate) enum Slot<'r> {
    Given(Cow<'r, [u8]>),
    Null,
    Absent,
    /// It may break a limit of the input: the schema has to say.
    Unverified,
}

/// What was wrong with the arguments of one call.
#[derive(Default)]
pub(crate) struct ReadErrors<'r> {
    /// Inputs that could not be read, in their order.
    pub(crate) unread: Vec<UnreadInput<'r>>,
}

/// An input that could not be read.
pub(crate) enum UnreadInput<'r> {
    /// It is required and was not given. Its place is a JSON Pointer.
    Missing { path: String },
    /// Its type could not be read from this text, which stands at the place.
    Undecoded { path: String, text: Cow<'r, str>, error: serde_json::Error },
}

/// Hands out the arguments of one call in the order of the inputs, and collects what is wrong with them.
///
/// Nothing here is generic: the typed shell around it is [`crate::declare::input`].
pub struct ArgumentReader<'r> {
    layout: &'r ArgumentLayout,
    slots: &'r Slots<'r>,
    source: InjectionSource<'r>,
    /// The input to hand out next, and its member of the arguments.
    input: usize,
    member: usize,
    respelled: bool,
    /// Whether the schema has judged the arguments already.
    checked: bool,
    unverified: bool,
    errors: ReadErrors<'r>,
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
            errors: ReadErrors::default(),
        }
    }

    /// What was given for the next input, with its default in place.
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

    /// The members of a flattened input that were given, as one object.
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

    /// Notes that the input just handed out is required and was not given.
    pub(crate) fn missing<T>(&mut self) -> Option<T> {
        let path = self.path();
        self.errors.unread.push(UnreadInput::Missing { path });
        None
    }

    /// The text to try instead after a failed decode; once a value, and `None` when there is no other spelling of it.
    ///
    /// JSON Schema counts `1.0` and `1e3` as integers, and serde does not: such a number is spelled out.
    pub(crate) fn respelled(
        &mut self,
        text: Cow<'r, [u8]>,
        error: serde_json::Error,
    ) -> Option<Cow<'r, [u8]>> {
        // What is no text at all is told of the whole.
        let text = match text {
            Cow::Borrowed(text) => String::from_utf8_lossy(text),
            Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
        };
        let again = if self.respelled { None } else { integers::spell_out_integers(&text) };
        self.respelled = true;
        if again.is_none() {
            let path = self.path();
            self.errors.unread.push(UnreadInput::Undecoded { path, text, error });
        }
        again.map(|again| Cow::Owned(again.into_bytes()))
    }

    /// Where parameters that are no inputs come from.
    pub(crate) fn source(&self) -> InjectionSource<'r> {
        self.source
    }

    /// Who calls.
    pub(crate) fn principal(&self) -> &'r Principal {
        self.source.context.principal()
    }

    /// Whether nothing was wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        !self.unverified && self.errors.unread.is_empty()
    }

    /// What was wrong, after all inputs were read.
    pub(crate) fn into_errors(self) -> ReadErrors<'r> {
        self.errors
    }

    /// The JSON Pointer of the input just handed out; that of the whole for one that is flattened.
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
        // The arguments may hold secrets.
        f.debug_struct("ArgumentReader").field("input", &self.input).finish_non_exhaustive()
    }
}
