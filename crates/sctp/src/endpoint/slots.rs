//! The associations of an endpoint. A slot is used again once its association is forgotten, under another id.

use crate::association::Association;
use crate::event::AssociationId;

use super::lookup::Names;

/// A place for one association at a time.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// How many associations were in this slot before.
    generation: u32,
    pub(super) association: Option<Box<Association>>,
    /// The keys of the association in the lookup.
    pub(super) names: Names,
}

impl Slot {
    /// The id of the association here, in the slot with this number.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        AssociationId::new(index, self.generation)
    }
}

/// All slots, and those that are free. The first slot needs no indirection, because most endpoints have one association.
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
    /// Slots that there are, free ones included.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Associations that are kept, closed ones included.
    pub(super) fn occupied(&self) -> usize {
        self.count - self.free.len()
    }

    /// The only slot, if there is no other.
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

    /// The slot that an id names, if its association is still there.
    #[inline]
    pub(super) fn index(&self, id: AssociationId) -> Option<usize> {
        self.find(id).map(|_| id.slot())
    }

    /// The association that an id names, if it is still there.
    #[inline]
    pub(super) fn find(&self, id: AssociationId) -> Option<&Association> {
        let slot = self.slot(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref() } else { None }
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn find_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        let slot = self.slot_mut(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref_mut() } else { None }
    }

    /// The id of the association in a slot, which must exist.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        let slot = if index == 0 { &self.first } else { &self.others[index - 1] };
        slot.id(index)
    }

    /// Keeps an association; returns its slot.
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

    /// Drops the association in a slot. Its id is not used again.
    pub(super) fn remove(&mut self, index: usize) {
        let Some(slot) = self.slot_mut(index) else { return };
        slot.association = None;
        // After the last generation a slot stays empty, so that no id is used twice
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(index as u32);
        }
    }
}
