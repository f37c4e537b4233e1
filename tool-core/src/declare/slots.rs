//! The text of each argument, by the position of its member.

/// The texts of the arguments, in the order of the members.
pub(crate) struct Slots<'c> {
    /// The first ones. Most tools have no more, so a call does not allocate.
    first: [Option<&'c [u8]>; FIRST],
    others: Vec<Option<&'c [u8]>>,
}

/// The number of inline slots.
const FIRST: usize = 6;

impl<'c> Slots<'c> {
    pub(crate) fn new(count: usize) -> Self {
        Slots { first: [None; FIRST], others: vec![None; count.saturating_sub(FIRST)] }
    }

    pub(crate) fn get(&self, position: usize) -> Option<&'c [u8]> {
        match self.first.get(position) {
            Some(slot) => *slot,
            None => self.others.get(position - FIRST).copied().flatten(),
        }
    }

    /// Clears a slot, as if no argument was given.
    pub(crate) fn empty(&mut self, position: usize) {
        let slot = match self.first.get_mut(position) {
            Some(slot) => Some(slot),
            None => self.others.get_mut(position - FIRST),
        };
        if let Some(slot) = slot {
            *slot = None;
        }
    }

    /// Fills a slot, and returns `true` if it was empty.
    #[inline(always)]
    pub(crate) fn fill(&mut self, position: usize, text: &'c [u8]) -> bool {
        let slot = match self.first.get_mut(position) {
            Some(slot) => slot,
            None => &mut self.others[position - FIRST],
        };
        slot.replace(text).is_none()
    }
}
