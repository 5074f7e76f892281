"""The audit of a judge: debates are changed by code and judged as usual; the differences show biases of the judge."""
