"""Cutting a word into pieces: the longest one that fits, again and again."""

CONTINUATION = "##"
UNKNOWN = "[UNK]"


def cut(word, vocabulary):
    """the longest piece that the word begins with, then the longest that the rest begins with …; ["[UNK]"] if none fits

    `vocabulary` is a set of pieces, in which those that go on with a word begin with ##. Returns a list of pieces.
    """
    # gap: try all of the rest, then one letter less, and so on; a piece that does not begin the word is looked up with
    #      its mark; where nothing fits, the whole word is unknown
    pieces, start = [], 0
    while start < len(word):
        mark = CONTINUATION if start > 0 else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                break
        else:
            return [UNKNOWN]
        pieces.append(mark + word[start:end])
        start = end
    return pieces
    # end of gap
