"""A patch that is indented as a whole, as in a list or a quotation (D181)."""
