"""SentencePiece's own normalization: a table of what is replaced by what, compiled into a trie of bytes.

    4 bytes      size of the trie in bytes, as all numbers with the lowest byte first
    the trie     4 bytes a unit (Aoe's double array): a letter leads from one unit to another
    the rest     all replacements, each ended by a zero byte; the trie's values are places in it

It is applied as the reference implementation does, which is a little odd. A letter and its marks, if they have less
than six bytes together, are all replaced by what the shortest rule says that matches their beginning; else each
character is looked up by itself. Of the rules that join letters to clusters, those for flags, families of emoji,
Hangul and Indic conjuncts are left out: such clusters are longer, and their parts are looked up one by one anyway.
"""

from __future__ import annotations

import binascii
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mini_bert.tokenizers.aligned import AlignedText, Change
from mini_bert.tokenizers.characters import CodePoints
from mini_bert.tokenizers.description import Description

FOLLOWERS = """
300-36F 483-489 591-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-65F 670 6D6-6DC 6DF-6E4 6E7-6E8 6EA-6ED 711
730-74A 7A6-7B0 7EB-7F3 7FD 816-819 81B-823 825-827 829-82D 859-85B 897-89F 8CA-8E1 8E3-903 93A-93C
93E-94F 951-957 962-963 981-983 9BC 9BE-9C4 9C7-9C8 9CB-9CD 9D7 9E2-9E3 9FE A01-A03 A3C A3E-A42 A47-A48
A4B-A4D A51 A70-A71 A75 A81-A83 ABC ABE-AC5 AC7-AC9 ACB-ACD AE2-AE3 AFA-AFF B01-B03 B3C B3E-B44 B47-B48
B4B-B4D B55-B57 B62-B63 B82 BBE-BC2 BC6-BC8 BCA-BCD BD7 C00-C04 C3C C3E-C44 C46-C48 C4A-C4D C55-C56
C62-C63 C81-C83 CBC CBE-CC4 CC6-CC8 CCA-CCD CD5-CD6 CE2-CE3 CF3 D00-D03 D3B-D3C D3E-D44 D46-D48 D4A-D4D
D57 D62-D63 D81-D83 DCA DCF-DD4 DD6 DD8-DDF DF2-DF3 E31 E33-E3A E47-E4E EB1 EB3-EBC EC8-ECE F18-F19 F35
F37 F39 F3E-F3F F71-F84 F86-F87 F8D-F97 F99-FBC FC6 102D-1037 1039-103E 1056-1059 105E-1060 1071-1074 1082
1084-1086 108D 109D 135D-135F 1712-1715 1732-1734 1752-1753 1772-1773 17B4-17D3 17DD 180B-180D 180F
1885-1886 18A9 1920-192B 1930-193B 1A17-1A1B 1A55-1A5E 1A60 1A62 1A65-1A7C 1A7F 1AB0-1ADD 1AE0-1AEB
1B00-1B04 1B34-1B44 1B6B-1B73 1B80-1B82 1BA1-1BAD 1BE6-1BF3 1C24-1C37 1CD0-1CD2 1CD4-1CE8 1CED 1CF4
1CF7-1CF9 1DC0-1DFF 200C-200D 20D0-20F0 2CEF-2CF1 2D7F 2DE0-2DFF 302A-302F 3099-309A A66F-A672 A674-A67D
A69E-A69F A6F0-A6F1 A802 A806 A80B A823-A827 A82C A880-A881 A8B4-A8C5 A8E0-A8F1 A8FF A926-A92D A947-A953
A980-A983 A9B3-A9C0 A9E5 AA29-AA36 AA43 AA4C-AA4D AA7C AAB0 AAB2-AAB4 AAB7-AAB8 AABE-AABF AAC1 AAEB-AAEF
AAF5-AAF6 ABE3-ABEA ABEC-ABED FB1E FE00-FE0F FE20-FE2F FF9E-FF9F 101FD 102E0 10376-1037A 10A01-10A03
10A05-10A06 10A0C-10A0F 10A38-10A3A 10A3F 10AE5-10AE6 10D24-10D27 10D69-10D6D 10EAB-10EAC 10EFA-10EFF
10F46-10F50 10F82-10F85 11000-11002 11038-11046 11070 11073-11074 1107F-11082 110B0-110BA 110C2
11100-11102 11127-11134 11145-11146 11173 11180-11182 111B3-111C0 111C9-111CC 111CE-111CF 1122C-11237
1123E 11241 112DF-112EA 11300-11303 1133B-1133C 1133E-11344 11347-11348 1134B-1134D 11357 11362-11363
11366-1136C 11370-11374 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 113D2 113E1-113E2 11435-11446
1145E 114B0-114C3 115AF-115B5 115B8-115C0 115DC-115DD 11630-11640 116AB-116B7 1171D-1171F 11722-1172B
1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 119D1-119D7 119DA-119E0 119E4
11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11B60-11B67 11C2F-11C36 11C38-11C3F
11C92-11CA7 11CA9-11CB6 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91
11D93-11D97 11EF3-11EF6 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 11F5A 13440 13447-13455 1611E-1612F
16AF0-16AF4 16B30-16B36 16F4F 16F51-16F87 16F8F-16F92 16FE4 16FF0-16FF1 1BC9D-1BC9E 1CF00-1CF2D
1CF30-1CF46 1D165-1D169 1D16D-1D172 1D17B-1D182 1D185-1D18B 1D1AA-1D1AD 1D242-1D244 1DA00-1DA36
1DA3B-1DA6C 1DA75 1DA84 1DA9B-1DA9F 1DAA1-1DAAF 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024
1E026-1E02A 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5
1E8D0-1E8D6 1E944-1E94A 1F3FB-1F3FF E0020-E007F E0100-E01EF
"""
"""Marks, joiners and the like, which belong to the letter before them."""

PREPENDED = """
600-605 6DD 70F 890-891 8E2 D4E 110BD 110CD 111C2-111C3 113D1 1193F 11941 11A84-11A89 11D46 11F02
"""
"""Signs that belong to the letter behind them."""

CONTROLS = """
0-1F 7F-9F AD 61C 180E 200B 200E-200F 2028-202E 2060-206F FEFF FFF0-FFFB 13430-1343F 1BCA0-1BCA3 1D173-1D17A
E0000-E001F E0080-E00FF E01F0-E0FFF
"""
"""Characters that belong to no other."""

_F, _P, _C = (CodePoints(ranges).pattern() for ranges in (FOLLOWERS, PREPENDED, CONTROLS))
CLUSTER = re.compile(f"\r\n|[{_P}]*[^{_C}][{_F}]*|[{_C}]", re.DOTALL)
FEW_BYTES = 6


@dataclass(frozen=True)
class Precompiled:
    """The table `charsmap`, as it stands in SentencePiece models."""

    charsmap: bytes
    units: tuple[int, ...] = field(init=False, repr=False, compare=False)
    replacements: bytes = field(init=False, repr=False, compare=False)
    known: dict[str, str | None] = field(init=False, repr=False, compare=False, default_factory=dict)
    untouched: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        size = int.from_bytes(self.charsmap[:4], "little")
        if len(self.charsmap) < 4 + size or size < 4:
            raise ValueError(f"the trie should have {size} bytes, and {len(self.charsmap) - 4} are there")
        units = struct.unpack_from(f"<{size // 4}I", self.charsmap, 4)
        object.__setattr__(self, "units", units)
        object.__setattr__(self, "replacements", self.charsmap[4 + size :])
        plain = "".join(char for char in map(chr, range(128)) if self.replacement(char) is None)
        object.__setattr__(self, "untouched", re.compile(f"[{re.escape(plain)}]*" if plain else "(?!)"))

    def plain(self, text: str) -> str:
        return text if self.untouched.fullmatch(text) else "".join(char for char, _ in self.changes(text))

    def aligned(self, text: AlignedText) -> AlignedText:
        return text if self.untouched.fullmatch(text.text) else text.changed(self.changes(text.text))

    def changes(self, text: str) -> list[Change]:
        found: list[Change] = []
        for cluster in CLUSTER.findall(text):
            whole = None
            if len(cluster.encode(errors="surrogatepass")) < FEW_BYTES:
                whole = self.replacement(cluster)
            if whole is not None:
                _replace(found, len(cluster), whole)
            else:
                for char in cluster:
                    new = self.replacement(char)
                    _replace(found, 1, char if new is None else new)
        return found

    def replacement(self, text: str) -> str | None:
        """By the shortest rule that matches the beginning of a text."""
        if text not in self.known:
            place = next(self._places(text.encode(errors="surrogatepass")), None)
            end = -1 if place is None else self.replacements.find(b"\0", place)
            content = self.replacements[place : end if end >= 0 else None]
            self.known[text] = None if place is None else content.decode(errors="replace")
        return self.known[text]

    def _places(self, key: bytes) -> Iterator[int]:
        """Where the replacements of all beginnings of a key stand, the shortest first."""
        node = _offset(self.units[0])
        for byte in key:
            node ^= byte
            if byte == 0 or node >= len(self.units) or self.units[node] & 0x800000FF != byte:
                return
            unit = self.units[node]
            node ^= _offset(unit)
            if unit >> 8 & 1 and node < len(self.units):
                yield self.units[node] & 0x7FFFFFFF

    def to_json(self) -> dict[str, Any]:
        return {"type": "Precompiled", "precompiled_charsmap": b64encode(self.charsmap).decode()}

    @classmethod
    def from_json(cls, entry: Description) -> Precompiled:
        try:
            return cls(b64decode(entry.text("precompiled_charsmap"), validate=True))
        except (binascii.Error, ValueError) as error:
            raise entry.error(f"not a compiled table ({error})", "precompiled_charsmap") from None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _replace(changes: list[Change], old: int, new: str) -> None:
    """Note that `old` characters became `new`: what is too much is put in, what is too few goes after the last."""
    changes += ((char, int(index >= old)) for index, char in enumerate(new))
    if len(new) < old and changes:
        char, change = changes[-1]
        changes[-1] = char, change + len(new) - old
