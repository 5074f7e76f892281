"""The audit of a judge: code changes debates, the judge judges them as usual, and differences show the judge's biases."""
