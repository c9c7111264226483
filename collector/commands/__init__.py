"""The commands of `collect`, a file per subject: parse, call the library, print. A file with COMMANDS is found."""
