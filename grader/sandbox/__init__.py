"""Confinement of student code, in layers. docs/security.md says what each layer does and what it does not.

Theory of operation. A *zygote* starts inside bubblewrap's namespaces (where there is bubblewrap), imports torch, and
then forks one *worker* per submission on request. Each worker confines itself further before it sees a byte of student
code: limits, no capabilities, landlock, and last a seccomp filter. It then speaks with the judge over one socket, and
is killed from outside when the judge is done with it or its time is up.

``launcher`` and ``doctor`` run outside, in the judge. All other modules run inside and import nothing of ours but
``grader.wire``.
"""
