"""The commands: one module each, with its options, its call and its report."""
