"""Code that nobody vetted, in a process of its own: what shuts it in, and how one talks to it."""
