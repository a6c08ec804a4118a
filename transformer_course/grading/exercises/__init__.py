"""An exercise: its format, what its checks may say, what it provides and forbids."""
