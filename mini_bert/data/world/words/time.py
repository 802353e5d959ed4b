"""Times: days, months, seasons, hours, weather."""

from mini_bert.data.world.lexicon import noun, nouns, verb
from mini_bert.data.world.tree import Word, words


def _proper(forms: str) -> tuple[Word, ...]:
    return tuple(Word(form, "PROPN", feats="Number=Sing") for form in forms.split())


DAYS = _proper("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = _proper("January February March April May June July August September October November December")
SEASONS = nouns("spring summer autumn winter")
SEASON_OF = {
    month.form: season
    for season, months in {
        "winter": "December January February",
        "spring": "March April May",
        "summer": "June July August",
        "autumn": "September October November",
    }.items()
    for month in _proper(months)
}
PARTS_OF_DAY = nouns("morning afternoon evening night")
YESTERDAY, TODAY, TOMORROW = (Word(f, "NOUN") for f in words("yesterday today tomorrow"))
WEEK, MONTH, YEAR, DAY, HOUR, MINUTE, WEEKEND = nouns("week month year day hour minute weekend")

# weather: verb, noun, adjective, what people then want to wear or hold
WEATHER = {
    "rain": (verb("rain"), noun("rain"), "rainy", "umbrella"),
    "snow": (verb("snow"), noun("snow"), "snowy", "coat"),
    "wind": (verb("blow"), noun("wind"), "windy", "jacket"),
    "sun": (verb("shine"), noun("sun"), "sunny", "hat"),
    "fog": (None, noun("fog"), "foggy", "lamp"),
    "storm": (None, noun("storm"), "stormy", "raincoat"),
    "frost": (verb("freeze"), noun("frost"), "frosty", "scarf"),
    "heat": (None, noun("heat"), "hot", "sandal"),
}
SEASON_WEATHER = {
    "spring": ("rain", "sun", "wind"),
    "summer": ("sun", "heat", "storm"),
    "autumn": ("rain", "wind", "fog"),
    "winter": ("snow", "frost", "fog"),
}
