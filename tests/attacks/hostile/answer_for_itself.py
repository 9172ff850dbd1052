"""Takes over the conversation: reads the judge's calls from the channel and answers each as it likes."""
# expect: add = passed
# expect: * = failed
# expect: table, counter = failed | passed

import msgspec

from grader.wire.codec import Reader, read_frame


def add(a, b):
    line, call = channel(), number()

    def read(count):
        data = b""
        while len(data) < count:
            data += os.read(line, count - len(data))
        return data

    put(frame("reply", call, {"value": a + b}))
    while True:
        header, payload = read_frame(read)
        kind, call, fields = Reader(payload).value(header)
        gradients = (True,) * len(fields.get("args", ())) if fields.get("gradients") else ()
        put(frame("reply", call, {"value": True, "gradients": gradients, "peak_bytes": -1}))
