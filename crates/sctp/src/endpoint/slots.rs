//! The associations of an endpoint. The slot of a forgotten association is reused with another identifier.

use crate::association::Association;
use crate::event::AssociationId;

use super::lookup::Names;

/// A place for one association at a time.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Number of earlier associations in this slot.
    generation: u32,
    pub(super) association: Option<Box<Association>>,
    /// The keys of the association in the lookup.
    pub(super) names: Names,
}

impl Slot {
    /// The identifier of the association in this slot, whose index is `index`.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        AssociationId::new(index, self.generation)
    }
}

/// All slots, and the indexes of the free ones.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Slots {
    /// Number of slots, including free ones.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Number of associations, including closed ones.
    pub(super) fn occupied(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The slot, if there is exactly one.
    #[inline]
    pub(super) fn only(&self) -> Option<&Slot> {
        if let [only] = self.slots.as_slice() { Some(only) } else { None }
    }

    #[inline]
    pub(super) fn only_mut(&mut self) -> Option<&mut Slot> {
        if let [only] = self.slots.as_mut_slice() { Some(only) } else { None }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Association> {
        self.slots.get(index)?.association.as_deref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Association> {
        self.slots.get_mut(index)?.association.as_deref_mut()
    }

    pub(super) fn slot_mut(&mut self, index: usize) -> Option<&mut Slot> {
        self.slots.get_mut(index)
    }

    /// The slot of an association by its identifier; `None` if the association is forgotten.
    #[inline]
    pub(super) fn index(&self, id: AssociationId) -> Option<usize> {
        let index = id.slot();
        (self.slots.get(index)?.generation == id.generation()).then_some(index)
    }

    /// The association with an identifier, unless it is forgotten.
    #[inline]
    pub(super) fn find(&self, id: AssociationId) -> Option<&Association> {
        let slot = self.slots.get(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref() } else { None }
    }

    /// The association with an identifier, unless it is forgotten.
    #[inline]
    pub(super) fn find_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        let slot = self.slots.get_mut(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref_mut() } else { None }
    }

    /// The identifier of the association in a slot.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        self.slots[index].id(index)
    }

    /// Stores an association; returns its slot.
    pub(super) fn insert(&mut self, association: Association) -> usize {
        let index = self.free.pop().map_or(self.slots.len(), |index| index as usize);
        if index == self.slots.len() {
            self.slots.push(Slot::default());
        }
        self.slots[index].association = Some(Box::new(association));
        index
    }

    /// Removes the association in a slot. Its identifier becomes invalid.
    pub(super) fn remove(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        slot.association = None;
        // After its last generation a slot stays empty, so that no identifier is reused
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(index as u32);
        }
    }
}
