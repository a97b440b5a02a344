"""How times are said in other languages, by an independent source.

The numbers are those of num2words, and what stands around them was written out from the sources that are named, not from
the voices.
"""

import re
import unicodedata

from num2words import num2words

from voice_pack import VOICES

LANGUAGES = VOICES.parent / "languages"


def shipped_languages():
    """The folders of every voice in another language."""
    return sorted(conf.parent for conf in LANGUAGES.glob("*/voice.conf"))


def bare(text):
    """Letters alone: whether "treinta y uno" is one word or three is a matter of spelling, and so is an accent."""
    letters = unicodedata.normalize("NFD", text.lower())
    return re.sub(r"\W", "", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def counting(number, language, one):
    """A number before what it counts, or of its gender: it ends in that "one", as "vingt et une" does."""
    words = num2words(number, lang=language)
    return words.removesuffix(num2words(1, lang=language)) + one if number % 10 == 1 and number != 11 else words


def italian_number(number):
    """The tens lose their last vowel before "uno" and "otto" (RAI Scuola), which num2words 0.5.10 leaves in 21."""
    return re.sub("(vent|trent|quarant|cinquant)[ia](uno|otto)$", r"\1\2", num2words(number, lang="it"))


# ---- Times ------------------------------------------------------------------------

def spanish(hour, minute, clock):
    """RAE, "La expresión de la hora": numbers from 0 to 23; "en punto"; a. m. and p. m.

    The article is singular for one alone, and plural for zero: "la una", "las cero horas".
    """
    named = hour if clock == 24 else hour % 12 or 12
    words = f"{'la' if named == 1 else 'las'} {counting(named, 'es', 'una')}"
    if minute:
        words += f" y {num2words(minute, lang='es')}"
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


def russian(hour, minute, clock):
    """The short form of timetables and of the army: the hour, then two digits, "ноль-ноль" at the full hour."""
    minutes = "ноль ноль" if minute == 0 else num2words(minute, lang="ru")
    return f"{num2words(hour, lang='ru')} {'ноль ' if 0 < minute < 10 else ''}{minutes}"


SAID = {"es": spanish, "fr": french, "it": italian, "ru": russian}


# ---- Timers -----------------------------------------------------------------------

# What an hour, a minute and a second are called: one, and more; and what "one" is before them.
UNITS = {
    "es": [("hora", "horas", "una"), ("minuto", "minutos", "un"), ("segundo", "segundos", "un")],
    "fr": [("heure", "heures", "une"), ("minute", "minutes", "une"), ("seconde", "secondes", "une")],
    "it": [("ora", "ore", "un'"), ("minuto", "minuti", "un"), ("secondo", "secondi", "un")],
    "ru": [("час", "часов", "один"), ("минута", "минут", "одна"), ("секунда", "секунд", "одна")],
}
AND = {"es": " y ", "fr": " ", "it": " e ", "ru": " "}


def left(language, hours, minutes, seconds):
    """So much time, in the forms of those numbers, but for the Russian one of 2 to 4, which no voice here has."""
    parts = []
    for number, (one, more, gender) in zip((hours, minutes, seconds), UNITS[language]):
        if not number:
            continue
        # In Italian only one itself changes: "un minuto", but "ventuno minuti".
        counted = italian_number(number) if language == "it" and number > 1 else counting(number, language, gender)
        parts.append(f"{counted} {one if number == 1 else more}")
    return AND[language].join(parts)


def can_be_left_unsaid(language, numbers):
    """True where the prompts lack a form that the language has, "un'ora", "две минуты": then a signal sounds alone."""
    if language == "it":
        return numbers[0] == 1 or numbers == (0, 0, 1)
    # CLDR's plural rules: one, and few, which is 2 to 4, but not 12 to 14.
    return language == "ru" and any(number % 10 in (1, 2, 3, 4) and number not in (11, 12, 13, 14) for number in numbers)
