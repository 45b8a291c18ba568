"""What did they run? Undocumented settings of a paper, varied jointly and fitted to one half of its claims."""
