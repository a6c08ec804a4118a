"""What crosses between checks and student code: messages, values, proxies, and what can fail."""
