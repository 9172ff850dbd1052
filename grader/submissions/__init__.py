"""From a pile of files to submissions."""
