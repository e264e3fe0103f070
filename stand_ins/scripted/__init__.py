"""The model `scripted`: a rule-based stand-in for a language model.

It answers chat completions on the loopback interface, and reads no prompt: beside the messages it
gets what a question is about as data (`models.contract.About`), with the account of the episode as
the planner was told it (`planners.account`), and once a run a table of what the instructions ask
for in categories and relations, which takes the place of understanding language. A run with it
shows that the mechanism works, and says nothing about any language model.

From request to reply: a function of `answers` for each kind of question decides, by what `home` or
`blocks` hold for the next thing to do, and writes the reply, which `faults` may spoil.

`--model scripted` starts it for the run; `--model scripted:malformed=0.1,slow=0.05` with faults.
"""

#: What the model is called over the wire.
NAME = "scripted"
