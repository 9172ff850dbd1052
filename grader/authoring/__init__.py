"""For authors: everything that students get is made from the solution."""
