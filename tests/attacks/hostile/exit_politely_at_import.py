"""Calls exit() while it is imported."""
# expect: * = error

sys.exit(0)
