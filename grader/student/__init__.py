"""For students: check their own work."""
