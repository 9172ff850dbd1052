"""From submissions to results: tasks and their keys, judges at work, and what counts in the end."""
