"""The model `replies`: it answers with the replies that a file lists, for tests of planners.

`--model replies:FILE`; the file is a JSON list of replies, or has one on each line:

    "Let me think."                                   a text
    {"thought": "I look there.", "action": "wait"}    an object, sent as JSON text
    {"when": "You hold nothing", "reply": "…"}        wherever the last message of the user says so

A question gets the reply of the first `when` that matches it, as often as it does; every other
question gets the next one of the other replies. These are taken in the order in which questions
arrive, over all episodes of the run; asking again after a reply that could not be used is a
question too, and a resumed run begins with the first one. A run on several workers that is to come
out the same each time lists replies with `when` alone.

A reply that has a field `when` or `reply` of its own is listed as {"reply": {…}}.
"""
