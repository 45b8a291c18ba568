//! Where an endpoint keeps its associations. A slot is used again once its association is forgotten, under another id.

use crate::association::Association;
use crate::event::AssociationId;

use super::lookup::Names;

/// A place for one association at a time.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// How many associations were here before.
    generation: u32,
    pub(super) association: Option<Box<Association>>,
    /// What the association is listed under.
    pub(super) names: Names,
}

impl Slot {
    /// The id of the association here, in the slot with this number.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        AssociationId::new(index, self.generation)
    }
}

/// All slots, and those that are free.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Slots {
    /// Slots that there are, free ones included.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Associations that are kept, closed ones included.
    pub(super) fn occupied(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The only slot, if there is no other.
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

    /// The slot that an id names, if its association is still there.
    #[inline]
    pub(super) fn index(&self, id: AssociationId) -> Option<usize> {
        let index = id.slot();
        (self.slots.get(index)?.generation == id.generation()).then_some(index)
    }

    /// The association that an id names, if it is still there.
    #[inline]
    pub(super) fn find(&self, id: AssociationId) -> Option<&Association> {
        let slot = self.slots.get(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref() } else { None }
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn find_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        let slot = self.slots.get_mut(id.slot())?;
        if slot.generation == id.generation() { slot.association.as_deref_mut() } else { None }
    }

    /// The id of the association in a slot.
    #[inline]
    pub(super) fn id(&self, index: usize) -> AssociationId {
        self.slots[index].id(index)
    }

    /// Keeps an association; its slot.
    pub(super) fn insert(&mut self, association: Association) -> usize {
        let index = self.free.pop().map_or(self.slots.len(), |index| index as usize);
        if index == self.slots.len() {
            self.slots.push(Slot::default());
        }
        self.slots[index].association = Some(Box::new(association));
        index
    }

    /// Drops the association in a slot. Its id names nothing from now on.
    pub(super) fn remove(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        slot.association = None;
        // After the last number a slot stays empty, so that no id comes twice
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(index as u32);
        }
    }
}
