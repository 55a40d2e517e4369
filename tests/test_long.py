"""The list of tests that ./dev test leaves out (long.txt) has only tests that exist."""

import re

from conftest import SOURCE, listed_as_long


def test_what_is_listed_as_long_exists():
    """Otherwise ./dev test would run a test again after it was renamed, and nobody would notice."""
    listed = [name.split("[")[0].partition("::") for name in listed_as_long(sanitizers=True)]
    assert len(listed) > 100
    for file, _, test in listed:
        text = (SOURCE / "tests" / file).read_text()
        assert re.search(rf"^ *def {test.split('::')[-1]}\(", text, flags=re.M) if test else text
