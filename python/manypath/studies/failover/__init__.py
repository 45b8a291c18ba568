"""How long a transfer waits when its path fails."""
