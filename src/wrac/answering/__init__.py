"""A question and evidence to an answer whose every citation was sent and whose every quotation is verbatim."""
