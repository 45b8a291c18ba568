"""manypath: a laboratory for multipath transport."""
from manypath.scenario import *
