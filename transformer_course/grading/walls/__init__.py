"""What confines a process: each wall alone, and a way to ask whether it stands."""
