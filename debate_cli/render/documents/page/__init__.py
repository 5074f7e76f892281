"""What the one-page report shows beside tables: charts, the argument map, threads, reasons, provenance. No Rich.

Data first: a module here gathers what is to be shown as plain values; `charts` and `argument_map` are the only ones that
draw. How it all stands on the page is said by the templates.
"""
