"""How times are said in other languages, by an independent source.

The numbers come from num2words. The words around them were written down from the sources named here, not from the
voices.
"""

import re
import unicodedata

from babel import Locale
from num2words import num2words

from voice_pack import VOICES

LANGUAGES = VOICES.parent / "languages"


def shipped_languages():
    """The folders of every voice in another language."""
    return sorted(conf.parent for conf in LANGUAGES.glob("*/voice.conf"))


def bare(text):
    """Only the letters, as they are heard: spaces ("treinta y uno" as one word or three) and accents are not."""
    letters = unicodedata.normalize("NFD", text.lower())
    return re.sub(r"\W", "", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def number_in(language, number):
    """A number as it is counted, and as it is written today."""
    if language == "it":
        return italian_number(number)
    # num2words 0.5.10 leaves out this accent (RAE, Diccionario panhispánico de dudas, "cardinales").
    return num2words(number, lang=language).replace("dieciseis", "dieciséis")


def counting(number, language, one):
    """A number in the form for a counted noun: it ends in this form of "one", as in "vingt et une"."""
    words = number_in(language, number)
    if number % 10 != 1 or number == 11:
        return words
    # "Veintiún" has an accent, as a word that ends in N and is stressed there (RAE).
    return re.sub("veintiun$", "veintiún", words.removesuffix(num2words(1, lang=language)) + one)


def italian_number(number):
    """The tens lose their last vowel before "uno" and "otto" (RAI Scuola); num2words 0.5.10 keeps it in 21."""
    return re.sub("(vent|trent|quarant|cinquant)[ia](uno|otto)$", r"\1\2", num2words(number, lang="it"))


# ---- Times ------------------------------------------------------------------------

def spanish(hour, minute, clock):
    """RAE, "La expresión de la hora": numbers from 0 to 23; "en punto"; a. m. and p. m.

    The article is singular for one only, and plural for zero: "la una", "las cero horas".
    """
    named = hour if clock == 24 else hour % 12 or 12
    words = f"{'la' if named == 1 else 'las'} {counting(named, 'es', 'una')}"
    if minute:
        words += f" y {number_in('es', minute)}"
    else:
        words += " horas" if named == 0 else " en punto"
    return words if clock == 24 else f"{words} {'a eme' if hour < 12 else 'pe eme'}"


def french(hour, minute, clock):
    """OQLF, Vitrine linguistique, "Écriture des heures": from 0 to 23, plural from two on; both units are feminine."""
    words = f"{counting(hour, 'fr', 'une')} {'heures' if hour > 1 else 'heure'}"
    return words if minute == 0 else f"{words} {counting(minute, 'fr', 'une')}"


def italian(hour, minute, clock):
    """RAI Scuola, "contare, chiedere e indicare l'ora": from 13 to 23 in public; "e" before the minutes; "mezzanotte".

    "Ore" stands before the hour as in announcements, and before "una" as before the others.
    """
    words = "mezzanotte" if hour == 0 else f"ore {'una' if hour == 1 else italian_number(hour)}"
    return words if minute == 0 else f"{words} e {italian_number(minute)}"


# The words before an hour, by the minute; it is the next hour from minute 25 on.
GERMAN_FIVES = {5: "fünf nach", 10: "zehn nach", 15: "Viertel nach", 20: "zwanzig nach", 25: "fünf vor halb", 30: "halb",
                35: "fünf nach halb", 40: "zwanzig vor", 45: "Viertel vor", 50: "zehn vor", 55: "fünf vor"}


def german(hour, minute, clock):
    """Duden, "Uhr" and "Viertel": "ein Uhr", but "halb eins"; "drei Uhr fünfzehn", "Viertel nach drei", "halb vier".

    In the north and west of Germany; in the south and east people say "viertel vier" (Atlas zur deutschen
    Alltagssprache, round 1, "Uhrzeit").
    """
    if clock == 24:
        words = f"{'ein' if hour == 1 else num2words(hour, lang='de')} Uhr"
        return words if minute == 0 else f"{words} {num2words(minute, lang='de')}"
    if minute == 0:
        on_dial = hour % 12 or 12
        return {0: "Mitternacht", 12: "zwölf Uhr mittags"}.get(hour) or german(on_dial, 0, 24)
    named = num2words((hour if minute <= 24 else hour + 1) % 12 or 12, lang="de")
    if minute in GERMAN_FIVES:
        return f"{GERMAN_FIVES[minute]} {named}"
    # Count from the full hour, around the half hour, or to the next hour.
    if minute <= 24:
        count, words = minute, "nach"
    elif minute <= 34:
        count, words = abs(minute - 30), "vor halb" if minute < 30 else "nach halb"
    else:
        count, words = 60 - minute, "vor"
    counted = "eine Minute" if count == 1 else f"{num2words(count, lang='de')} Minuten"
    return f"{counted} {words} {named}"


def russian(hour, minute, clock):
    """The short form of timetables and of the army: the hour, then two digits, "ноль-ноль" at the full hour."""
    minutes = "ноль-ноль" if minute == 0 else num2words(minute, lang="ru")
    return f"{num2words(hour, lang='ru')} {'ноль ' if 0 < minute < 10 else ''}{minutes}"


SAID = {"de": german, "es": spanish, "fr": french, "it": italian, "ru": russian}


# ---- Timers -----------------------------------------------------------------------

# The words for hour, minute and second by the plural category of their number, and the form of "one" before them.
UNITS = {
    "de": [({"one": "Stunde", "other": "Stunden"}, "eine"), ({"one": "Minute", "other": "Minuten"}, "eine"),
           ({"one": "Sekunde", "other": "Sekunden"}, "eine")],
    "es": [({"one": "hora", "other": "horas"}, "una"), ({"one": "minuto", "other": "minutos"}, "un"),
           ({"one": "segundo", "other": "segundos"}, "un")],
    "fr": [({"one": "heure", "other": "heures"}, "une"), ({"one": "minute", "other": "minutes"}, "une"),
           ({"one": "seconde", "other": "secondes"}, "une")],
    "it": [({"one": "ora", "other": "ore"}, "un'"), ({"one": "minuto", "other": "minuti"}, "un"),
           ({"one": "secondo", "other": "secondi"}, "un")],
    "ru": [({"one": "час", "few": "часа", "many": "часов"}, "один"), ({"one": "минута", "few": "минуты", "many": "минут"}, "одна"),
           ({"one": "секунда", "few": "секунды", "many": "секунд"}, "одна")],
}
AND = {"de": " und ", "es": " y ", "fr": " ", "it": " e ", "ru": " "}
# The words before the time that is left, before a timer's length and before a round's number, where a voice has them.
LEFT, TIMER, ROUND = ({"de": words} for words in ("noch ", "Timer über ", "Runde "))


def category(number, language):
    """The plural category of a number by CLDR's rules, from Babel."""
    return Locale(language).plural_form(number)


def lengths(language, numbers):
    """The hours, minutes and seconds that are not zero, each with its unit in the right form."""
    for number, (forms, gender) in zip(numbers, UNITS[language]):
        if number:
            # In Italian and German only the number one itself changes: "un minuto", but "ventuno minuti".
            if number == 1 or language not in ("de", "it"):
                counted = counting(number, language, gender)
            else:
                counted = number_in(language, number)
            yield f"{counted} {forms[category(number, language)]}"


def left(language, *numbers):
    return LEFT.get(language, "") + AND[language].join(lengths(language, numbers))


def timer(language, *numbers):
    """A timer named by its length; "and" stands before the last part only."""
    *first, last = lengths(language, numbers)
    return TIMER[language] + (" ".join(first) + AND[language] if first else "") + last


def round_of(language, number):
    """A round: its number as it is counted, "un", "vingt et un"."""
    return ROUND.get(language, "") + number_in(language, number)


def can_be_left_unsaid(language, numbers):
    """True if the prompts lack a form of the language, as "un'ora" or "две минуты"; then only a signal sounds."""
    if language == "it":
        return numbers[0] == 1 or numbers == (0, 0, 1)
    # The Russian prompts have only "часов", "минут" and "секунд".
    return language == "ru" and any(number and category(number, language) != "many" for number in numbers)
