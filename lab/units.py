"""Sizes, rates and shares as people write them. Sizes and disk rates are binary (MB = 2^20 bytes), network rates decimal bits."""

import math
import re

UNLIMITED = math.inf
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_BITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def _number(text, pattern, scales, example):
    match = re.fullmatch(rf"([0-9]*\.?[0-9]+)\s*([kmg]?){pattern}", text.strip(), re.IGNORECASE)
    if not match:
        raise ValueError(f"{text!r} is not like {example}")
    return float(match[1]) * scales[match[2].lower()]


def _limit(parse):
    def limit(text):
        return UNLIMITED if text.strip().lower() == "unlimited" else parse(text)

    return limit


def size(text):
    """`256MB` in bytes."""
    return int(_number(text, "i?b", _BYTES, "256MB"))


@_limit
def disk_rate(text):
    """`50MB/s` in bytes per second."""
    return _number(text, "i?b/s", _BYTES, "50MB/s or unlimited")


@_limit
def network_rate(text):
    """`100mbit` in bits per second."""
    return _number(text, "bit(?:/s)?", _BITS, "100mbit or unlimited")


@_limit
def count(text):
    """`500` or `16k`: operations per second."""
    return _number(text, "", _BITS, "500, 16k or unlimited")


@_limit
def cores(text):
    """`0.45`: the share of one core's time, or the number of cores."""
    return _number(text, "", {"": 1}, "0.45 or unlimited")


def show_size(n):
    return _scaled(n, 1 << 10, ("B", "KB", "MB", "GB", "TB"))


def show_disk_rate(n):
    return "unlimited" if n == UNLIMITED else show_size(n) + "/s"


def show_network_rate(n):
    return "unlimited" if n == UNLIMITED else _scaled(n, 1000, ("bit", "kbit", "mbit", "gbit")).replace(" ", "")


def _scaled(n, base, names):
    n, at = float(n), 0
    while abs(n) >= base * 0.9995 and at < len(names) - 1:  # what would be rounded up to the next name has it
        n, at = n / base, at + 1
    digits = f"{n:.0f}" if n >= 1000 else f"{n:.3g}"
    return f"{digits} {names[at]}"
