"""What becomes of results: pages of feedback, tables, other systems' formats."""
