"""Returns wrong results that take hours to print: thousands of tensors of many axes."""
# expect: * = failed | error

bomb = torch.zeros((6,) * 6 + (3,), dtype=torch.uint8)


def results(*args):
    return (bomb,) * 300


add = echo = apply = scale = table = results


class Counter:
    def __init__(self, start):
        pass

    def next(self):
        return (bomb,) * 300
