"""Near-identical products: does what is found about one of them hold what is said of another?

Three phones in three languages: the same sections in the same words, a table and a paragraph that differ, and nearly
all of the text without the name of the phone it is about. They stand on a page each, or one after the other on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from wrac.flow import Result, Workspace
from wrac.flow.gather import gather
from wrac.flow.search import Ask
from wrac.retrieval import FAINT

MODELS: Final[Mapping[str, Mapping[str, str]]] = {
    "one": {"weight": "168 g", "screen": "6.1", "memory": "128 GB", "charge": "18 W", "days": "1", "price": "499"},
    "pro": {"weight": "187 g", "screen": "6.4", "memory": "256 GB", "charge": "45 W", "days": "2", "price": "799"},
    "ultra": {"weight": "231 g", "screen": "6.9", "memory": "512 GB", "charge": "80 W", "days": "3", "price": "1199"},
}  # fmt: skip
"""What the models differ in."""
_ROWS: Final = ("weight", "screen", "memory", "charge", "price")


class Section(NamedTuple):
    """A section of every page of a family, and how it is asked for; `{name}` is the product."""

    heading: str
    text: str
    question: str


class Family(NamedTuple):
    """Pages of a language that differ in the product's name and in `MODELS`."""

    language: str
    brand: str
    opening: str
    sections: tuple[Section, ...]
    table: tuple[str, ...]
    asked: str
    comparison: str

    @property
    def names(self) -> tuple[str, ...]:
        """The products: the brand and a word."""
        return tuple(f"{self.brand} {model.title()}" for model in MODELS)


class Asked(NamedTuple):
    """A question, and the products it names."""

    text: str
    names: tuple[str, ...]


class Figures(NamedTuple):
    """Of questions about products: how many, the share whose first passage is about no other product, and of the tokens
    of a context those about others.
    """

    questions: int
    first: float
    others: float


FAMILIES: Final = (
    Family(
        "en", "Nimbus", "The {name} is a phone for people who travel. It is sold in every shop and online.",
        (
            Section(
                "Battery", "The battery charges with up to {charge} over the cable that comes with the phone. A full "
                "charge lasts for about {days} days of calls, maps and music. To keep it healthy, do not leave it in "
                "the sun and charge it before it is empty. It can be replaced by any of our shops within an hour.",
                "How long does the battery of the {name} last?",
            ),
            Section(
                "Camera", "Open the camera with a double press of the side button, even while the screen is locked. "
                "Hold the button to film, swipe to change between portrait, night and wide. Pictures are kept on the "
                "phone until you turn on the backup, and their place is only stored when you allow it.",
                "How do I open the camera of the {name}?",
            ),
            Section(
                "Water and dust", "The phone may lie in one metre of water for half an hour. Rinse it after salt water "
                "and let it dry before you charge it. Opening the case ends the protection, and damage by water is not "
                "covered where the seal was broken by a repair that was not ours.",
                "Is the {name} protected against water?",
            ),
            Section(
                "Reset", "To reset the phone hold the side button and volume down for ten seconds, until the logo "
                "shows. Choose restart to keep everything, or erase to delete all data and settings. An erased phone "
                "asks for the account it was last used with before anybody can set it up again.",
                "How can I reset the {name}?",
            ),
            Section(
                "Warranty", "The warranty is two years from the day of purchase and covers faults of material and "
                "work. Keep the receipt, and register within a month to have a third year without a fee. Broken "
                "glass is covered once when the protection plan was bought together with the phone.",
                "What warranty does the {name} have?",
            ),
        ),
        ("Specification", "Value", "Weight", "Screen in inches", "Storage", "Charging", "Price in euros"),
        "What is the weight and the price of the {name}?",
        "How do the {name} and the {other} differ in weight and price?",
    ),
    Family(
        "de", "Falke", "Das {name} ist ein Telefon für alle, die viel reisen. Es wird in jedem Laden verkauft.",
        (
            Section(
                "Akku", "Der Akku lädt mit bis zu {charge} über das beiliegende Kabel. Eine volle Ladung reicht für "
                "etwa {days} Tage mit Gesprächen, Karten und Musik. Damit er lange hält, sollte er nicht in der Sonne "
                "liegen und nie ganz leer werden. Jeder unserer Läden tauscht ihn in einer Stunde aus.",
                "Wie lange hält der Akku des {name}?",
            ),
            Section(
                "Kamera", "Die Kamera öffnet sich mit zwei Drucken auf die Seitentaste, auch wenn der Bildschirm "
                "gesperrt ist. Halten Sie die Taste zum Filmen und wischen Sie für Porträt, Nacht und Weitwinkel. "
                "Bilder bleiben auf dem Gerät, bis Sie die Sicherung einschalten.",
                "Wie öffne ich die Kamera des {name}?",
            ),
            Section(
                "Wasser und Staub", "Das Gerät darf eine halbe Stunde in einem Meter Wasser liegen. Spülen Sie es nach "
                "Salzwasser ab und lassen Sie es vor dem Laden trocknen. Wer das Gehäuse öffnet, beendet den Schutz; "
                "Schäden durch Wasser sind dann nicht gedeckt.",
                "Ist das {name} gegen Wasser geschützt?",
            ),
            Section(
                "Zurücksetzen", "Zum Zurücksetzen halten Sie die Seitentaste und Leiser zehn Sekunden gedrückt, bis "
                "das Zeichen erscheint. Wählen Sie Neustart, um alles zu behalten, oder Löschen für alle Daten. Ein "
                "gelöschtes Gerät fragt nach dem letzten Konto, bevor es jemand neu einrichtet.",
                "Wie setze ich das {name} zurück?",
            ),
            Section(
                "Garantie", "Die Garantie gilt zwei Jahre ab dem Kauf für Fehler von Material und Arbeit. Heben Sie "
                "den Beleg auf und melden Sie das Gerät in einem Monat an, dann kommt ein drittes Jahr ohne Gebühr "
                "hinzu. Zerbrochenes Glas ist einmal gedeckt, wenn der Schutzbrief mit dem Gerät gekauft wurde.",
                "Welche Garantie hat das {name}?",
            ),
        ),
        ("Merkmal", "Wert", "Gewicht", "Bildschirm in Zoll", "Speicher", "Laden", "Preis in Euro"),
        "Wie schwer ist das {name} und was kostet es?",
        "Wie unterscheiden sich {name} und {other} in Gewicht und Preis?",
    ),
    Family(
        "es", "Cometa", "El {name} es un teléfono para quienes viajan mucho. Se vende en todas las tiendas.",
        (
            Section(
                "Batería", "La batería se carga con hasta {charge} por el cable incluido. Una carga completa dura unos "
                "{days} días con llamadas, mapas y música. Para que dure más, no la deje al sol y cárguela antes de "
                "que se agote. Cualquiera de nuestras tiendas la cambia en una hora.",
                "¿Cuánto dura la batería del {name}?",
            ),
            Section(
                "Cámara", "La cámara se abre con dos pulsaciones del botón lateral, incluso con la pantalla bloqueada. "
                "Mantenga el botón para grabar y deslice para elegir retrato, noche o gran angular. Las fotos quedan "
                "en el teléfono hasta que active la copia de seguridad.",
                "¿Cómo se abre la cámara del {name}?",
            ),
            Section(
                "Agua y polvo", "El teléfono puede estar media hora en un metro de agua. Enjuáguelo después del agua "
                "salada y déjelo secar antes de cargarlo. Abrir la carcasa termina la protección, y los daños por agua "
                "ya no están cubiertos.",
                "¿El {name} está protegido contra el agua?",
            ),
            Section(
                "Restablecer", "Para restablecer el teléfono mantenga el botón lateral y bajar volumen diez segundos, "
                "hasta ver el logotipo. Elija reiniciar para conservar todo o borrar para eliminar los datos. Un "
                "teléfono borrado pide la última cuenta antes de configurarlo de nuevo.",
                "¿Cómo puedo restablecer el {name}?",
            ),
            Section(
                "Garantía", "La garantía es de dos años desde la compra y cubre fallos de material y trabajo. Guarde "
                "el recibo y registre el teléfono en un mes para tener un tercer año sin coste. El cristal roto se "
                "cubre una vez si el plan de protección se compró con el teléfono.",
                "¿Qué garantía tiene el {name}?",
            ),
        ),
        ("Característica", "Valor", "Peso", "Pantalla en pulgadas", "Memoria", "Carga", "Precio en euros"),
        "¿Cuánto pesa el {name} y qué precio tiene?",
        "¿En qué se diferencian el {name} y el {other} en peso y precio?",
    ),
)  # fmt: skip


def write(folder: Path, families: Sequence[Family] = FAMILIES, *, joined: bool = False) -> None:
    """A page a product in a folder, or, `joined`, one page of all products of a family."""
    for family in families:
        bodies = [
            _product(family, name, facts, level=1 + joined)
            for name, facts in zip(family.names, MODELS.values(), strict=True)
        ]
        pages = [f"<h1>{family.brand}</h1>{''.join(bodies)}"] if joined else bodies
        for number, body in enumerate(pages, 1):
            page = f'<!doctype html><html lang="{family.language}"><body>{body}</body></html>'
            (folder / f"{family.language}-{number}.html").write_text(page, encoding="utf-8")


def questions(family: Family) -> Iterator[Asked]:
    """For each product a question a section and one about its table."""
    for name in family.names:
        for asked in (*(section.question for section in family.sections), family.asked):
            yield Asked(asked.format(name=name), (name,))


def comparisons(family: Family) -> Iterator[Asked]:
    """Questions about two products."""
    for name, other in combinations(family.names, 2):
        yield Asked(family.comparison.format(name=name, other=other), (name, other))


def about(result: Result) -> str:
    """The product of `FAMILIES` that a passage is about, by its text and the headings above it; "" for none."""
    said = " > ".join((*result.trail, result.text))
    return next((name for family in FAMILIES for name in family.names if name in said), "")


def measured(
    workspace: Workspace, asked: Sequence[Asked], about: Callable[[Result], str], budget: int, *, mixed: bool = False
) -> Figures:
    """What contexts of `budget` tokens hold of other products than the questions name; `mixed` as a search does that
    does not tell siblings apart.
    """
    first, others = [], []
    with workspace.database.read() as connection:
        index = workspace.shelf.search(connection)
        for one in asked:
            ask = Ask(one.text, None, budget, confidence=FAINT, mixed=mixed)
            hits = gather(connection, index, workspace.embedder, ask).answered.results
            strange = [hit for hit in hits if about(hit) not in ("", *one.names)]
            first.append(bool(hits) and hits[0] not in strange)
            others.append(sum(hit.tokens for hit in strange) / max(sum(hit.tokens for hit in hits), 1))
    return Figures(len(asked), fmean(first), fmean(others))


def _product(family: Family, name: str, facts: Mapping[str, str], level: int) -> str:
    """A product's part of a page, from its heading on."""
    sections = "".join(
        f"<h{level + 1}>{escape(one.heading)}</h{level + 1}><p>{escape(one.text.format(name=name, **facts))}</p>"
        for one in family.sections
    )
    head, value, *rows = family.table
    cells = "".join(f"<tr><td>{row}</td><td>{facts[key]}</td></tr>" for row, key in zip(rows, _ROWS, strict=True))
    table = f"<h{level + 1}>{head}</h{level + 1}><table><tr><th>{head}</th><th>{value}</th></tr>{cells}</table>"
    return f"<h{level}>{name}</h{level}><p>{escape(family.opening.format(name=name))}</p>{sections}{table}"
