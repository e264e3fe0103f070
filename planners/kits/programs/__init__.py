"""Programs that models write: checked, then run over their syntax tree, never by Python itself."""
