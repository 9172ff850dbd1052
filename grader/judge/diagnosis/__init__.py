"""Which known mistake explains a failure: what was asked is kept, and asked again of known mistakes."""
