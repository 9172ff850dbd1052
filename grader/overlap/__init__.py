"""Which submissions have much in common: a reason for a teacher to look. Texts are read as data; nothing is run."""
