"""Learn three kinds of vocabulary from one text, and see how each cuts the same words."""

import argparse
from pathlib import Path

from mini_bert import ByteLevelBPETokenizer, UnigramTokenizer, WordPieceTokenizer
from mini_bert.data.world import texts

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", type=Path, help="text files; without any, the embedded world")
parser.add_argument("--text", default="The wolves were sleeping peacefully.")
parser.add_argument("--vocab-size", type=int, default=1000)
parser.add_argument("--smoke", action="store_true", help="learn from a few stories")
args = parser.parse_args()

learned_from = [path.read_text("utf-8") for path in args.files] or list(texts(100 if args.smoke else 2000))
for kind in (WordPieceTokenizer, ByteLevelBPETokenizer, UnigramTokenizer):
    tokenizer = kind.train(learned_from, vocab_size=args.vocab_size)
    encoding = tokenizer.encoding(args.text)
    print(f"{kind.__name__}: {len(encoding)} pieces")
    print("  ", " ".join(tokenizer.tokenize(args.text)))
    print("   back again:", tokenizer.decode(encoding.ids))
