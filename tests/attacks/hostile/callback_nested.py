"""Calls the judge's function from many threads at once, and from within the text of an argument."""
# expect: apply = failed | tampered | crashed | error | timeout
# expect: * = passed | tampered | crashed | timeout

import threading


def apply(function, x):
    class Number(int):
        def __int__(self):
            return function(x)

    threads = [threading.Thread(target=function, args=[x]) for _ in range(8)]
    for thread in threads:
        thread.start()
    return function(Number(x))
