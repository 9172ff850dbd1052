"""How much of a stranger's files is read. What is beyond is named and left alone, and the rest goes on."""

MAX_SOURCE = 1 << 20  # bytes of one module
MAX_NOTEBOOK = 20 << 20  # it may hold pictures; its code alone counts as the source
MAX_NESTED = 64 << 20  # bytes of an archive inside a submission
MAX_UNPACKED = 8 << 30  # bytes of a compressed tar when it is unpacked, on disk
MAX_INSIDE = 256 << 20  # bytes of all archives in one such archive together
MAX_DIRECTORY = 64 << 20  # bytes of a zip's list of contents
MAX_DIRECTORY_NESTED = 4 << 20  # the same of a zip inside a submission
MAX_MEMBERS = 500_000  # files in all that was handed in
MAX_MEMBERS_NESTED = 5_000  # files in one archive inside a submission, with those in archives in it
MAX_ARCHIVES = 50  # archives in one archive inside a submission
MAX_RATIO = 500  # a member that grows more than so often when it is unpacked, and is large, is a bomb
SMALL = 1 << 20  # bytes: below this no ratio matters
MAX_DEPTH = 3  # of archives in archives
MAX_STEPS = 40  # folders in folders
MAX_FILES = 2_000  # of one student that are looked at
MAX_READ = 64 << 20  # bytes of modules and notebooks of one student that are read
MAX_NAME = 255  # characters of one step of a path that are shown
