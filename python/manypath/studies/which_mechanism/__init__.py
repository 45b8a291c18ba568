"""Which mechanism matters when: a factorial experiment over the mechanisms of [D10]."""
