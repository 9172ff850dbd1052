"""Freezes, disables and fills what collects garbage; hides its objects from whoever looks for them."""

gc.freeze()
gc.disable()
gc.set_threshold(0)
gc.callbacks.append(lambda *_: 1 / 0)
