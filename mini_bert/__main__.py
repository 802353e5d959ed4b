import sys

from mini_bert.cli import main

if __name__ == "__main__":
    sys.exit(main())
