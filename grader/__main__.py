"""``python -m grader`` is the same as ``grader``."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  # whoever runs it from a folder may have an older one
    sys.exit("grader needs Python 3.11 or newer, and this is %d.%d. Run: python3.12 start.py" % sys.version_info[:2])

try:
    from grader.cli import main
except ModuleNotFoundError as error:
    from grader.errors import not_installed

    if (error.name or "grader").startswith("grader"):
        raise
    sys.exit(f"grader: {not_installed(str(error.name))}")

if __name__ == "__main__":
    main()
