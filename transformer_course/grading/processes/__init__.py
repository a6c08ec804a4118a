"""The processes that run student code: how they start, what they serve, how they end."""
