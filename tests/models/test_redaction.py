"""A key that an endpoint repeats is in no text, however it is spelled; other words stay."""

from __future__ import annotations

import base64
import html
import urllib.parse

import pytest

from peephole.models.redaction import redactor

LONG = "sk-se&cret-0123456789/+x="
SPELLINGS = {
    "plain": LONG,
    "capitals": LONG.upper(),
    "url": urllib.parse.quote(LONG, safe=""),
    "url twice": urllib.parse.quote(urllib.parse.quote(LONG, safe=""), safe=""),
    "every character": "".join(f"%{ord(each):02x}" for each in LONG),
    "json": LONG.replace("-", "\\u002d"),
    "html": html.escape(LONG),
    "html numbers": "".join(f"&#{ord(each)};" for each in LONG),
    "hex": LONG.encode().hex(),
    "base64": base64.b64encode(LONG.encode()).decode(),
    "base64 of the header": base64.b64encode(f"Bearer {LONG}".encode()).decode(),
    "base64 of a pair": base64.b64encode(f"me:{LONG}:you".encode()).decode(),
    "base64 of a url": base64.urlsafe_b64encode(f":{LONG}".encode()).decode(),
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_a_key_is_left_out_however_it_is_spelled(spelled: str) -> None:
    text = redactor(LONG)(f"Your key {spelled} is no good, sorry.")
    assert text.startswith("Your key ")
    assert text.endswith(" is no good, sorry.")
    assert "[key]" in text
    assert len(text) <= len("Your key [key] is no good, sorry.") + 14  # of base64 around the key


@pytest.mark.parametrize("key", ["a", "none", "sk-1", ".", "(", "key"])
def test_a_short_key_is_left_out_where_it_is_the_key(key: str) -> None:
    for told in (
        "bad key KEY and Bearer KEY",
        "at /v1?key=KEY",
        "Incorrect API key provided: KEY.",
        "the token 'KEY' is no good",
        '{"authorization": "Bearer KEY"}',
    ):
        assert redactor(key)(told.replace("KEY", key)) == told.replace("KEY", "[key]")


@pytest.mark.parametrize("key", ["a", "none", "is"])
def test_a_short_key_that_is_a_word_spoils_no_text(key: str) -> None:
    text = "There is a banana, none of a kind: a model of 2,000 parameters."
    assert redactor(key)(text) == text


def test_without_a_key_nothing_is_left_out() -> None:
    assert redactor(None)("a key") == redactor("")("a key") == "a key"
