"""Settings that a paper's text leaves open, and verdicts on its claims over all of their values.

A text does not give every setting of its runs, and may contradict itself. Each value that a careful reader finds
plausible is a possible paper. A claim stands if it is shown in every setting, and falls if it is contradicted in every
one.
"""
