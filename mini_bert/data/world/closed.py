"""The closed classes: determiners, pronouns, prepositions, auxiliaries, conjunctions, punctuation."""

from mini_bert.data.world.tree import AM, ARE, IS, QUOTE_REST, QUOTE_SENTENCE, Phrase, Word, words

PERIOD = Word(".", "PUNCT", glued=True)
COMMA = Word(",", "PUNCT", glued=True)
QUESTION = Word("?", "PUNCT", glued=True)
EXCLAMATION = Word("!", "PUNCT", glued=True)
CLOSE = Word('"', "PUNCT", glued=True)
OPEN, OPEN_REST = Word('"', "PUNCT"), Word('"', "PUNCT")
OPEN.text += QUOTE_SENTENCE
OPEN_REST.text += QUOTE_REST


def _det(form: str, feats: str = "_") -> Word:
    return Word(form, "DET", feats=feats)


THE = _det("the", "Definite=Def|PronType=Art")
A = _det("a", "Definite=Ind|PronType=Art")
AN = Word("an", "DET", "a", "Definite=Ind|PronType=Art")
THIS, THAT_DET = _det("this", "Number=Sing|PronType=Dem"), _det("that", "Number=Sing|PronType=Dem")
THESE = Word("these", "DET", "this", "Number=Plur|PronType=Dem")
THOSE = Word("those", "DET", "that", "Number=Plur|PronType=Dem")
EVERY, EACH, SOME, ANY, NO = (_det(form) for form in words("every each some any no"))
ALL, BOTH, ANOTHER, WHICH_DET, WHAT_DET = (_det(form) for form in words("all both another which what"))
EITHER, NEITHER, SUCH = (_det(form) for form in words("either neither such"))

MANY, FEW, SEVERAL, MUCH, OTHER, OWN, SAME = (
    Word(form, "ADJ", feats="Degree=Pos") for form in words("many few several much other own same")
)
NUMBER_WORDS = tuple(
    Word(form, "NUM", feats="NumType=Card", agr=IS if form == "one" else ARE)
    for form in words("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty""")
)
TENS = tuple(Word(f, "NUM", agr=ARE) for f in words("thirty forty fifty sixty seventy eighty ninety"))
HUNDRED, THOUSAND = (Word(form, "NUM", feats="NumType=Card", agr=ARE) for form in ("hundred", "thousand"))
FIRST, SECOND, THIRD_ORD, LAST, NEXT = (
    Word(form, "ADJ", feats="Degree=Pos") for form in words("first second third last next")
)
ORDINALS = (FIRST, SECOND, THIRD_ORD, *(Word(f, "ADJ", feats="Degree=Pos") for f in ("fourth", "fifth")))


class Pronoun:
    """A personal pronoun in all its cases."""

    __slots__ = ("mine", "my", "nominative", "objective", "reflexive")

    def __init__(self, forms: str, feats: str, agr: int) -> None:
        nominative, objective, my, mine, reflexive = forms.split()
        self.nominative = Word(nominative, "PRON", nominative, f"Case=Nom|{feats}|PronType=Prs", agr=agr)
        self.objective = Word(objective, "PRON", nominative, f"Case=Acc|{feats}|PronType=Prs", agr=agr)
        self.my = Word(my, "PRON", nominative, f"{feats}|Poss=Yes|PronType=Prs")
        self.mine = Word(mine, "PRON", nominative, f"{feats}|Poss=Yes|PronType=Prs")
        self.reflexive = Word(reflexive, "PRON", nominative, f"{feats}|PronType=Prs|Reflex=Yes")


I = Pronoun("I me my mine myself", "Number=Sing|Person=1", AM)
YOU = Pronoun("you you your yours yourself", "Number=Sing|Person=2", ARE)
HE = Pronoun("he him his his himself", "Gender=Masc|Number=Sing|Person=3", IS)
SHE = Pronoun("she her her hers herself", "Gender=Fem|Number=Sing|Person=3", IS)
IT = Pronoun("it it its its itself", "Gender=Neut|Number=Sing|Person=3", IS)
WE = Pronoun("we us our ours ourselves", "Number=Plur|Person=1", ARE)
THEY = Pronoun("they them their theirs themselves", "Number=Plur|Person=3", ARE)


def _pron(form: str, agr: int = IS, feats: str = "_") -> Word:
    return Word(form, "PRON", feats=feats, agr=agr)


WHO, WHOM, WHOSE, WHAT = (_pron(f, feats="PronType=Int") for f in words("who whom whose what"))
REL_WHO, REL_THAT, REL_WHICH = (_pron(form, feats="PronType=Rel") for form in ("who", "that", "which"))
EXPLETIVE_IT, THERE = _pron("it"), _pron("there")
THIS_ONE, THAT_ONE = _pron("this"), _pron("that")
SOMETHING, NOTHING, ANYTHING, EVERYTHING = map(_pron, words("something nothing anything everything"))
SOMEONE, NOBODY, ANYONE, EVERYONE = map(_pron, words("someone nobody anyone everyone"))
SOMEBODY, ANYBODY, EVERYBODY = map(_pron, words("somebody anybody everybody"))
NO_ONE = Phrase(Word("one", "PRON"), (("det", NO),))
ONE_NOUN = Word("one", "NOUN", feats="Number=Sing")
ONES_NOUN = Word("ones", "NOUN", "one", "Number=Plur", agr=ARE)
EACH_OTHER = Phrase(EACH, (), (("fixed", OTHER),))


def _adp(form: str) -> Word:
    return Word(form, "ADP")


IN, ON, AT, TO, FROM, WITH, WITHOUT, OF, FOR, BY, ABOUT = map(
    _adp, words("in on at to from with without of for by about")
)
NEAR, BEHIND, BESIDE, UNDER, ABOVE, BETWEEN, INSIDE, OUTSIDE, INTO, THROUGH, ACROSS, AROUND = map(
    _adp, words("near behind beside under above between inside outside into through across around")
)
ALONG, DURING, AFTER_P, BEFORE_P, UNTIL_P, THAN_P, AS_P, OVER = map(
    _adp, words("along during after before until than as over")
)
UP, DOWN, OFF, AWAY_P = map(_adp, words("up down off away"))
BECAUSE_OF = Phrase(_adp("because"), (), (("fixed", OF),))
INSTEAD_OF = Phrase(Word("instead", "ADV"), (), (("fixed", OF),))
POSSESSIVE = Word("'s", "PART", glued=True)
POSSESSIVE_PLURAL = Word("'", "PART", "'s", glued=True)
TO_INF = Word("to", "PART")
NOT = Word("not", "PART", feats="Polarity=Neg")
NOT_IN_CANNOT = Word("not", "PART", feats="Polarity=Neg", glued=True)
NT = Word("n't", "PART", "not", "Polarity=Neg", glued=True)

BOTH_CC, EITHER_CC, NEITHER_CC = (Word(form, "CCONJ") for form in words("both either neither"))
AND, OR, BUT, NOR = (Word(form, "CCONJ") for form in words("and or but nor"))
THAT, BECAUSE, IF, ALTHOUGH, WHILE, SINCE, BEFORE, AFTER, WHETHER, UNLESS, WITHOUT_SC, FOR_SC = (
    Word(form, "SCONJ")
    for form in words("that because if although while since before after whether unless without for")
)


def _adv(form: str) -> Word:
    return Word(form, "ADV")


WHEN, WHERE, WHY, HOW = (Word(form, "ADV", feats="PronType=Int") for form in words("when where why how"))
VERY, TOO, SO, QUITE, RATHER, REALLY, ALMOST, ONLY, STILL, AGAIN = map(
    _adv, words("very too so quite rather really almost only still again")
)
NEVER, EVER, ALWAYS, OFTEN, USUALLY, SOMETIMES, RARELY, ALREADY, JUST, SOON, THEN = map(
    _adv, words("never ever always often usually sometimes rarely already just soon then")
)
HERE, THERE_ADV, HOME, NOW, LATER, TOGETHER, ALONE, ANYWHERE = map(
    _adv, words("here there home now later together alone anywhere")
)
AS_ADV, ANYMORE, AGO, INSTEAD, ENOUGH, BACK, AWAY, TOO_ALSO, YET, ONCE, TWICE, EVERYWHERE = map(
    _adv, words("as anymore ago instead enough back away too yet once twice everywhere")
)
FINALLY, SUDDENLY, ALSO, MUCH_ADV, LONGER, EARLY, OUTSIDE_ADV, INSIDE_ADV, CLOSER, LEFT = map(
    _adv,
    words("finally suddenly also much longer early outside inside closer left"),
)
YES, NO_INTJ, PLEASE, HELLO = (Word(form, "INTJ") for form in words("yes no please hello"))
DEAR = Word("dear", "ADJ", feats="Degree=Pos")
