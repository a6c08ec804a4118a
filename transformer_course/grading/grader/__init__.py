"""From submissions as they lie to results: reading, grading, many at a time, the verbs."""
