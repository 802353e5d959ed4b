"""The course: exercises that check themselves, from a dot product to a whole BERT.

An exercise is a folder `exercises/NN_name` with four files, and nothing else has to know of it:

    solution.py    complete code. What stands between `# gap: what to write` and `# end of gap` is left out of the
                   learner's file, which is made of this one, so that the two cannot drift apart.
    page.md        front matter (`page.About`), then the sections The idea, Your task, Hint 1, Hint 2, Hint 3 and
                   Afterwards, with formulas in $…$.
    check.py       `def check(learner)`: steps, judged by the functions of `judging`.
    mutants.yaml   classic wrong answers: what to replace in the solution by what, and a phrase that the learner
                   must be told.

`mini-bert course check --self-test` proves them all: what is unsolved fails, solutions pass, mutants are caught. A
learner's code runs in a process of its own (`apart`, `judge`) with limits of time and memory, and a `guard` who
refuses what no exercise needs.
"""
