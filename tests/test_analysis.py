"""Search terms: a query and a page that mean the same word meet in the same term."""

import threading
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrac.text.analysis import analyse, analyser, query_terms
from wrac.text.compounds import parts
from wrac.text.languages import STEMMERS


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from(["", "en", "de-AT", "zh", "ja", "tr", "xx", *STEMMERS]))
def test_terms_are_words_and_the_same_every_time(text: str, language: str) -> None:
    terms = analyse(text, language)
    assert terms == analyse(text, language)
    assert all(term and not any(c.isspace() for c in term) for term in terms)


@settings(deadline=None)
@given(st.text(max_size=100))
def test_normal_forms_and_case_do_not_matter(text: str) -> None:
    assert analyse(unicodedata.normalize("NFD", text)) == analyse(unicodedata.normalize("NFC", text))
    assert analyse("refunds take DAYS") == analyse("REFUNDS TAKE days")


WORDS = ["json.dumps", "C++", "中文字", "v2.1", "Bücher", "don't", "x_y", "1,000"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_terms_of_a_text_are_those_of_its_words(words: list[str]) -> None:
    assert analyse(" ".join(words)) == [term for word in words for term in analyse(word)]


@pytest.mark.parametrize(
    ("page", "query", "language"),
    [
        ("json.dumps", "dumps", "en"), ("json.dumps()", "json.dumps", "en"), ("foo_bar", "bar", "en"),
        ("Node.js", "nodejs", "en"), ("UTF-8", "utf8", "en"), ("e-mail", "emails", "en"), ("16GB", "16 GB", "en"),
        ("Python 3.11.4", "3.11", "en"), ("v2.1", "2.1", "en"), ("1,000,000", "1000000", "en"), ("C++20", "C++", "en"),
        ("company’s", "companies", "en"), ("__init__", "init", "en"), ("ﬁle", "file", "en"),
        ("co\u00adoperate", "cooperate", "en"),
        ("Straße", "STRASSE", "de"), ("Bücher", "buch", "de"), ("l’assurance", "assurances", "fr"),
        ("café", "cafe", "fr"), ("devolución", "devoluciones", "es"), ("ISTANBUL", "ıstanbul", "tr"),
        ("数据库的连接", "数据库", "zh"), ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース", "ja"), ("데이터베이스를", "데이터베이스", "ko"),
        ("databases", "database", "ru"), ("базы", "база", ""), ("Ελλάς", "ΕΛΛΑΣ", "el"), ("ภาษาไทย", "ภาษา", "th"),
        ("किताबें", "किताब", "hi"), ("הספר", "ספרים", "he"), ("ובמחיר", "מחיר", "he"), ("والكتاب", "كتاب", "ar"),
        ("للمستخدمين", "مستخدم", "ar"), ("Tiếng Việt", "tieng viet", "vi"), ("환불은", "환불", "ko"),
        ("ການຄືນເງິນ", "ເງິນ", "lo"), ("ការសងប្រាក់", "ប្រាក់", "km"), ("İSTANBUL'DA", "istanbul", "tr"),
        ("документами", "документ", "uk"), ("υπολογιστές", "υπολογιστής", "el"), ("مُدَرِّس", "مدرس", "ar"),
    ],
)  # fmt: skip
def test_a_query_finds_the_page(page: str, query: str, language: str) -> None:
    assert set(analyse(query, language)) & set(analyse(page, language))


def test_names_with_signs_are_not_their_letter() -> None:
    assert analyse("C++ C# F#") == ["c++", "c#", "f#"]
    assert analyse("3.11.4") == ["3.11.4", "3.11"]
    assert analyse("猫 数据库") == ["猫", "数据", "据库"]


def test_unknown_languages_are_read_as_none_is() -> None:
    text = "Databases базы Bücher 数据库"
    assert analyse(text, "tlh") == analyse(text, "en-GB") == analyse(text) != analyse(text, "de")


def test_marks_of_scripts_that_need_them_stay() -> None:
    assert analyse("हिन्दी")[0].startswith("हिन्द")
    assert analyse("ＡＢＣ ½") == analyse("abc 1⁄2")


def test_a_query_drops_function_words_unless_it_has_nothing_else() -> None:
    assert query_terms("How are the refunds calculated?", ["en"]) == ["refund", "calcul"]
    assert query_terms("who is who", ["en"]) == ["who", "is"]
    both = query_terms("Wie werden die Bücher erstattet?", ["de", "en"])
    assert {"buch", "bucher"} <= set(both)
    assert query_terms("", []) == []


def test_threads_share_the_stemmers() -> None:
    words = [f"{stem}{end}" for stem in ("calculat", "refund", "regist") for end in ("ing", "ed", "ions", "er")]
    texts = [" ".join(f"{word}{tail}" for word in words) for tail in ("", "s", "ly", "ness")]
    found: list[list[list[str]]] = []
    threads = [threading.Thread(target=lambda: found.append([analyse(t, "en") for t in texts])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each == [analyse(text, "en") for text in texts] for each in found)


@pytest.mark.parametrize("text", ["a_" * 100_000, "a" * 1_000_000, "," * 500_000, "é." * 200_000, "中" * 200_000])
def test_hostile_runs_take_linear_time(text: str) -> None:
    start = time.process_time()
    analyse(text)
    assert time.process_time() - start < 12


@pytest.mark.parametrize(
    ("page", "typed", "language"),
    [
        ("œufs", "oeufs", "fr"),
        ("smørrebrød", "smorrebrod", "da"),
        ("Łódź", "lodz", "pl"),
        ("Đà Nẵng", "da nang", "vi"),
        ("Işıklar", "ışık", "tr"),
        ("Þórr", "thorr", "is"),
        ("إلغاء", "الغاء", "ar"),
        ("الإلغاء", "الغاء", "ar"),
    ],
)
def test_letters_that_a_keyboard_lacks_are_found_without_them(page: str, typed: str, language: str) -> None:
    assert set(query_terms(typed, ["en", language])) & set(analyse(page, language))
    assert set(query_terms(page, [language])) & set(analyse(typed, language))


def test_the_rules_carry_a_version() -> None:
    assert analyser().startswith("terms@3+snowball")


COMPOUNDS = [
    ("de", "Rechnungsstellung", ["Rechnung", "Stellung"]), ("de", "Kündigungsfristen", ["Kündigung", "Frist"]),
    ("de", "Krankenversicherungsbeitrag", ["Kranken", "Versicherung", "Beiträge"]), ("de", "Schulbuch", ["Schule"]),
    ("de", "Paketverwaltungs-Werkzeug", ["Paket", "Verwaltung", "Werkzeug"]), ("nl", "rekeningnummer", ["rekening"]),
    ("nl", "ziektekostenverzekering", ["ziekte", "kosten", "verzekering"]), ("sv", "användarnamnet", ["namn"]),
    ("sv", "betalningsvillkor", ["betalning", "villkor"]), ("da", "forsikringspræmie", ["forsikring", "præmie"]),
    ("nb", "kundeservice", ["kunde"]), ("fi", "asiakaspalvelusta", ["asiakas", "palvelu"]),
    ("fi", "sähköpostiosoite", ["sähköposti", "osoite"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "compound", "words"), COMPOUNDS)
def test_a_compound_is_found_by_its_words(language: str, compound: str, words: list[str]) -> None:
    terms = analyse(compound, language)
    for word in words:
        assert set(analyse(word, language)) <= set(terms), word


SIMPLE = {
    "de": """Übersicht Software Einstellungen verfügbar Veröffentlichung Sicherheit Gesellschaft Zusammenarbeit wieder
        herunterladen Informationen selbstverständlich unterstützten Mitgliedschaft beispielsweise entsprechende""",
    "nl": "vergelijking verantwoordelijkheid beschikbaarheid overeenkomst",
    "sv": "möjligheter tillgänglighet genomförande",
    "fi": "mahdollisuus kirjautuminen",
    "en": "bookkeeping passwords database",
}


@pytest.mark.parametrize("language", SIMPLE)
def test_a_word_that_is_no_compound_stays_whole(language: str) -> None:
    assert {word: parts(language, word.lower()) for word in SIMPLE[language].split()} == dict.fromkeys(
        SIMPLE[language].split(), ()
    )


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["de", "nl", "sv", "da", "no", "fi"]), st.text("abdefghiklnorstuäöåø", max_size=40))
def test_parts_stand_in_their_word_in_order(language: str, word: str) -> None:
    found, start = parts(language, word), 0
    assert len(found) != 1
    for part in found:
        at = word.find(part[:-2] or part, start)
        assert at >= start
        start = at + 1
    assert analyse(word, language)[: 1 + len(found)] == analyse(word, language)


def test_no_other_language_has_compounds() -> None:
    text = "Rechnungsstellung användarnamn asiakaspalvelu"
    assert all(len(analyse(text, language)) == 3 for language in ("", "en", "fr", "ru", "xx"))
