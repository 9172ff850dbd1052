"""Confinement of student code, in layers. docs/security.md says what each layer does and what it does not.

Theory of operation. A *zygote* starts inside bubblewrap's namespaces (where there is bubblewrap), imports torch where
the course uses it, and then forks one *worker* per task on request. Each worker confines itself further before it sees
a byte of student code: limits, no capabilities, landlock, and last a seccomp filter. It then speaks with the judge over
one socket, and is killed from outside when the judge is done with it or its time is up.

Everything here runs outside, in the judge. What runs inside is ``grader.worker`` and ``grader.wire``.
"""
