"""The figures that a grid's tables may have, by name."""

#: Figures as tables head them, with what they are multiplied by.
FIGURES = {
    "gsr": ("GSR %", 100.0),
    "ssr": ("SSR %", 100.0),
    "steps": ("steps", 1.0),
    "limit_steps": ("steps, failures at the limit", 1.0),
    "decisions": ("decisions", 1.0),
    "informed": ("informed %", 100.0),
    "app": ("APP %", 100.0),
    "tpa": ("TPA", 1.0),
    "reward": ("reward", 1.0),
    "planning_s": ("planning s", 1.0),
    "thinking_s": ("planning s with the models' replies", 1.0),
    "tokens": ("tokens", 1.0),
    "tokens_in": ("tokens in", 1.0),
    "peak_tokens_in": ("peak tokens in", 1.0),
    "node_f1": ("node F1 %", 100.0),
    "edge_f1": ("edge F1 %", 100.0),
    "exact_looks": ("all right %", 100.0),
}
