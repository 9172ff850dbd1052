"""Never finishes to be imported."""
# expect: * = timeout

while True:
    pass
