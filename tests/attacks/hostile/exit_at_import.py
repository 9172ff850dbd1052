"""Ends the process while it is imported, as if all was well."""
# expect: * = crashed

os._exit(0)
