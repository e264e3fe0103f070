"""Programs written by models: checked, then interpreted over their syntax tree."""
