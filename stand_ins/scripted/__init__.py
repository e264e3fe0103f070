"""The model `scripted`: a rule-based stand-in for a language model.

It answers chat completions on the loopback interface and reads no prompt. Beside the messages, a
question has its content as data (`models.contract.About`), with the account of the episode as the
planner knows it (`planners.kits.account`). Once a run, a table gives the goals of instructions as
categories and relations, in place of language understanding. A run with this model shows that the
mechanism works, and nothing about any language model.

For each kind of question a function of `answers` makes the reply, from the next action that `home`
or `blocks` choose. `faults` may spoil the reply.

`--model scripted` starts it for a run; `--model scripted:malformed=0.1,slow=0.05` adds faults.
"""

#: The model's name in requests.
NAME = "scripted"
