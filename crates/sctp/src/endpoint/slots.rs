//! The associations of an endpoint. The slot of a forgotten association is reused with another identifier.

use crate::association::Association;
use crate::event::AssociationId;

use super::lookup::Keys;

/// A place for one association at a time.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Number of earlier associations in this slot.
    generation: u32,
    pub(super) association: Option<Box<Association>>,
    /// The keys of the association in the lookup.
    pub(super) keys: Keys,
}

impl Slot {
    /// The identifier of the association in this slot, whose index is `index`.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        AssociationId::new(index, self.generation)
    }
}

/// All slots, and those that are free. The first slot needs no indirection, because most endpoints have one
/// association.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Slot 0.
    first: Slot,
    /// Slots from 1 on.
    others: Vec<Slot>,
    /// How many slots there are.
    count: usize,
    free: Vec<u32>,
}

impl Slots {
    /// Number of slots, including free ones.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Number of associations, including closed ones.
    pub(super) fn occupied(&self) -> usize {
        self.count - self.free.len()
    }

    /// The slot, if there is exactly one.
    #[inline]
    pub(super) fn only(&self) -> Option<&Slot> {
        (self.count == 1).then_some(&self.first)
    }

    #[inline]
    pub(super) fn only_mut(&mut self) -> Option<&mut Slot> {
        (self.count == 1).then_some(&mut self.first)
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<&Slot> {
        if index == 0 { Some(&self.first) } else { self.others.get(index - 1) }
    }

    #[inline]
    pub(super) fn slot_mut(&mut self, index: usize) -> Option<&mut Slot> {
        if index == 0 { Some(&mut self.first) } else { self.others.get_mut(index - 1) }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Association> {
        self.slot(index)?.association.as_deref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Association> {
        self.slot_mut(index)?.association.as_deref_mut()
    }

    /// The slot of an association by its identifier; `None` if the association is forgotten.
    #[inline]
    pub(super) fn index(&self, id: AssociationId) -> Option<usize> {
        self.find(id).map(|_| id.slot())
    }

    /// The association with an identifier, unless it is forgotten.
    #[inline]
    pub(super) fn find(&self, id: AssociationId) -> Option<&Association> {
        let slot = self.slot(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref() } else { None }
    }

    /// The association with an identifier, unless it is forgotten.
    #[inline]
    pub(super) fn find_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        let slot = self.slot_mut(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref_mut() } else { None }
    }

    /// The identifier of the association in a slot.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        let slot = if index == 0 { &self.first } else { &self.others[index - 1] };
        slot.id(index)
    }

    /// Stores an association; returns its slot.
    pub(super) fn insert(&mut self, association: Association) -> usize {
        let index = self.free.pop().map_or(self.count, |index| index as usize);
        if index == self.count {
            self.count += 1;
            if index > 0 {
                self.others.push(Slot::default());
            }
        }
        if let Some(slot) = self.slot_mut(index) {
            slot.association = Some(Box::new(association));
        }
        index
    }

    /// Removes the association in a slot. Its identifier becomes invalid.
    pub(super) fn remove(&mut self, index: usize) {
        let Some(slot) = self.slot_mut(index) else { return };
        slot.association = None;
        // After its last generation a slot stays empty, so that no identifier is reused
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(index as u32);
        }
    }
}
