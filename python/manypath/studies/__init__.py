"""Studies of our own: questions that no paper answers, run and drawn like a paper."""
