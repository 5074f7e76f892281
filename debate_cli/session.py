"""A debate on disk: open, go on with, judge again, close. Around the engine, which knows no files.

While a debate runs, `ID.jsonl` holds its events; when it closes, `ID.json` is written whole and the journal removed, so
that at any instant one of the two can be read.
"""
