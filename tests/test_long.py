"""The list of tests that ./dev test leaves out: what it names is there."""

import re

from conftest import SOURCE, listed_as_long


def test_what_is_listed_as_long_exists():
    """A test that was renamed would be run again without anyone's notice."""
    listed = [name.split("[")[0].partition("::") for name in listed_as_long(sanitizers=True)]
    assert len(listed) > 100
    for file, _, test in listed:
        text = (SOURCE / "tests" / file).read_text()
        assert re.search(rf"^ *def {test}\(", text, flags=re.M) if test else text
