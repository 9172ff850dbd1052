"""Results for people: they are rendered here, and nothing else is done."""
