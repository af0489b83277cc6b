"""Languages of texts, pages and units."""

from __future__ import annotations

import pytest

from wrac.core.types import Page
from wrac.parsing import parse
from wrac.text.detection import detect, direction, languages, page_language


def test_the_language_of_a_page_is_guessed_from_its_words_or_script() -> None:
    assert detect("The refund is paid to the card that was used for the order, and it takes five days.") == "en"
    assert detect("Die Erstattung wird auf die Karte gebucht, die bei der Bestellung benutzt wurde.") == "de"
    assert detect("Le remboursement est versé sur la carte qui a été utilisée pour la commande.") == "fr"
    assert detect("退款将在五天内退回到您下单时使用的银行卡。") == "zh"
    assert detect("返金は五日以内にカードへ行われます。") == "ja"
    assert detect("x = 1") == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("El reemborsament es fa a la targeta que s'ha utilitzat per pagar la comanda de la botiga", "ca"),
        ("Pengembalian dana dilakukan ke kartu yang digunakan untuk membayar pesanan tersebut", "id"),
        ("Hoàn tiền được thực hiện vào thẻ đã dùng để thanh toán cho đơn hàng trong vòng năm ngày", "vi"),
    ],
)
def test_languages_without_known_function_words_are_told_too(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize("text", ["", "x = 1", "12 345 67890 $%&", "a1b2c3d4 " * 20, "OK", "import numpy as np"])
def test_what_is_in_no_language_has_none(text: str) -> None:
    assert detect(text) == ""


ENGLISH = "The refund is paid to the card that was used for the order, and it takes five days."
GERMAN = "Die Erstattung wird auf die Karte gebucht, die bei der Bestellung benutzt wurde, und zwar am selben Tag."


def test_a_unit_is_in_the_declared_language_else_in_the_page_s_unless_plainly_in_another() -> None:
    texts = f"<p>{ENGLISH}</p><p>{GERMAN}</p><p lang=fr>OK</p><p>OK</p><p>返金は五日以内にカードへ行われます。</p>"
    page = f"<html lang=en>{texts}"
    assert languages(parse(Page("a", page.encode()))) == ["en", "de", "fr", "en", "ja"]


def test_a_page_that_declares_no_language_is_read() -> None:
    document = parse(Page("a", f"<nav>Home</nav><p>{GERMAN}</p><p>x = 1</p>".encode()))
    assert page_language(document) == "de"
    assert languages(document) == ["de", "de", "de"]


def test_direction_is_that_of_the_first_letter() -> None:
    assert [direction(text) for text in ("abc", "1. שלום abc", "«مرحبا»", "123", "")] == [
        "ltr",
        "rtl",
        "rtl",
        "ltr",
        "ltr",
    ]
