"""Pairs of opposites."""

from mini_bert.data.world.lexicon import adjective
from mini_bert.data.world.tree import words

OPPOSITES = tuple(
    (adjective(one), adjective(other))
    for one, other in (
        pair.split(":")
        for pair in words("""
        hot:cold big:small tall:short old:young happy:sad fast:slow heavy:light full:empty clean:dirty
        rich:poor strong:weak open:closed wet:dry hard:soft early:late bright:dark thick:thin loud:quiet
        wide:narrow high:low deep:shallow brave:cowardly kind:unkind careful:careless useful:useless
        hopeful:hopeless polite:rude safe:dangerous easy:difficult cheap:expensive sharp:blunt
        smooth:rough sweet:bitter clever:stupid lazy:hardworking friendly:unfriendly honest:dishonest
        beautiful:ugly true:false alive:dead awake:asleep fresh:stale calm:nervous generous:selfish
        right:wrong first:last lucky:unlucky patient:impatient possible:impossible visible:invisible
        healthy:sick tidy:messy common:rare ancient:modern
        """)
    )
)
