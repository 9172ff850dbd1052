"""Looks for the course, its seed, the submissions or the teacher in the environment and the command line."""
# expect: * = passed

texts = [*os.environ, *os.environ.values(), *sys.argv, *sys.orig_argv, *sys.path, os.getcwd(), str(sys.flags)]
for text in texts:
    for secret in (COURSE, SUBMISSIONS, OUT, "4711", "grader-seed", "--grader-serve", "test_echo", "_honest"):
        if secret in text:
            ESCAPES.append(f"{secret} in {text[:80]}")
must_fail("user", lambda: __import__("pwd").getpwuid(os.getuid()).pw_name if LEVEL == "bubblewrap" else 1 / 0)
