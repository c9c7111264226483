"""What is read of an input at most.

Whatever lies beyond is left out, with a problem, before a library in machine code sees it.

A line says what is counted and, after a colon, what becomes of more; docs/security.md has them as a
table. Limits of analyses (how many words of a command are followed, how many lines are compared)
stand where they are used: beyond them nothing is read either, but what they bound is work on texts
that these limits have let in.
"""

# --- Repositories
# files and directories of a commit, repeated ones counted each time: the repository is refused
TREE_ENTRIES = 3_000_000
TEXT_BYTES = 50_000_000  # bytes of a version of a file: listed, its lines have no author
TEXT_LINES = 1_500_000  # lines of a version of a file: as above
# lines that a commit adds to files that people type, and apart from these to others, such as
# vendored ones: further files of that sort are listed, their lines have no author
COMMIT_LINES = 1_000_000
FOLLOWED_BYTES = 8 << 20  # bytes of a version of a file: its lines are not followed through history
# bytes of a version of a file: not scanned for weaknesses, no maintainability
SCANNED_BYTES = 500_000
SCANNED_LINES = 20_000  # lines of a version of a file: as above
# characters of a line: compared with what agents wrote in two steps, its beginning first
LINE_HEAD = 2_000
# bytes of a reftable, or of packed refs of a SHA-256 repository: refused, or no refs
REFS_BYTES = 1 << 30
# branches, tags and pull requests: the first ones by their names are read; as many other refs
REFS = 100_000
REF_BYTES = 4096  # bytes of a file with one ref of a SHA-256 repository: no ref
# bytes of a configuration that are searched for files it includes: the first ones
CONFIG_BYTES = 10_000_000
MAILMAP_BYTES = 1_000_000  # bytes of a mailmap: not read
# bytes of a `.gitattributes` or a configuration of hooks in a commit: not read
ATTRIBUTES_BYTES = 1_000_000
# patterns of all `.gitattributes` of a commit that say what a file is: the first ones count
ATTRIBUTE_PATTERNS = 1_000
WILDCARDS = 4  # groups of stars in one such pattern: it matches nothing

# --- Checkpoints and transcripts
# bytes of a line or document of JSON, which takes up to 30 times as much memory: unreadable
JSON_BYTES = 64 << 20
JSON_DEPTH = 1_000  # arrays and objects inside each other: unreadable
# bytes of one session's copies together: those that fit are read, the longest first
SESSION_BYTES = 400_000_000
METADATA_BYTES = 20_000_000  # bytes of the metadata of a checkpoint: not read
SUBAGENTS = 2_000  # subagents of a checkpoint: the first ones are read
SUBAGENT_BYTES = 1_000_000  # bytes of the record of a subagent: not read
SHADOW_TURNS = 5_000  # commits of a shadow branch: the latest ones are read
# branches that are searched for checkpoints of other commits: the first ones are
OTHER_BRANCHES = 200
OTHER_COMMITS = 2_000  # commits of such a branch: the latest ones are searched
# files of one form that only pull requests have and other programs write too: the first ones are
# compared
FOREIGN_RECORDS = 30
TREE_RECORDS = 5_000  # transcripts of one form that are files of a commit: the first ones are read
DATABASE_BYTES = 4 << 30  # bytes of another program's database: reported, not copied
DATABASE_SECONDS = 600.0  # seconds for which such a database is read: what came until then
# characters of a text that an edit makes: not followed line by line
REPLAYED_CHARACTERS = 4_000_000
# lines of a worktree that edits of all occurrences may change: such an edit is left out
REPEATED_LINES = 250_000

# --- Other tools
CLAIM_BYTES = 64_000_000  # bytes of a note or file with claims: not read
CLAIM_FILES = 500  # files with claims in a directory: the first ones are read
# bytes of a file with results of evaluations, or of a log in SARIF: not read
RESULT_BYTES = 64_000_000
RESULT_FILES = 200_000  # files with such results: the first ones are read

# --- Servers
ANSWER_BYTES = 64 << 20  # bytes of an answer of a server: a failure of this request
REDIRECTS = 5  # redirects of one request, or of a repository that has moved: as above
ADVERTISED_REFS = 2_000_000  # refs that a server names: the repository counts as unreachable
LIST_BYTES = 256 << 20  # bytes of a list of repositories: refused
REQUEST_BYTES = 1 << 20  # bytes of a request to `whowrote serve mcp`: an error is the answer
SETTING_BYTES = 1_000_000  # bytes of a blob with settings of a recorder: not fetched

# --- Everything
RUN_SECONDS = 7200.0  # seconds for one repository (`--timeout`): stopped, what was finished is kept
STORED_LENGTH = 100_000_000  # characters or bytes of a value in the database: cut
# bytes of the archive of sessions: those that still exist elsewhere leave first
ARCHIVED_BYTES = 4_000_000_000
CACHE_BYTES = 2_000_000_000  # bytes of the cache of sessions: nothing is added
CACHED_BYTES = 256_000_000  # bytes of one session in the cache: it is read again each time
