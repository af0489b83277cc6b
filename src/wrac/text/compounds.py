"""The words that a compound is made of, in languages that write compounds as one word.

A word that is no everyday word itself is parted where both sides are: `Rechnungsstellung` is `rechnung` and `stellung`.
Everyday is what the o200k vocabulary has as one piece, which knows German and Dutch well, and `_WORDS`, which fills its
gaps. Both are fixed, so a text has the same terms on every site, in every order of pages, and in a query.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wrac.text.languages import STOPWORDS
from wrac.text.tokens import counter

SHORTEST, LONGEST = 8, 48
"""Letters of a word that may be parted; a longer one is data."""
_PART, _MOST = 4, 4
"""Letters of a part that is only in the vocabulary, and parts of a word."""


class _Rules(NamedTuple):
    """Of a language what may stand between parts, what a part ends in when inflected, and what joined parts lose."""

    links: tuple[str, ...]
    endings: tuple[str, ...]
    lost: tuple[str, ...]


_NORDIC_ENDINGS = tuple("e en et er ar or n t s ene erne erna arna orna a na ens ets ers rna rne".split())
_RULES = {
    "de": _Rules(("", "s", "es", "n", "en", "er", "e"), tuple("e n en s es er ern nen".split()), ("e", "en")),
    "nl": _Rules(("", "s", "e", "en", "er"), tuple("en s e eren tje tjes".split()), ()),
    "sv": _Rules(("", "s", "e", "o", "u"), _NORDIC_ENDINGS, ("a", "e")),
    "da": _Rules(("", "s", "e"), _NORDIC_ENDINGS, ("e",)),
    "no": _Rules(("", "s", "e"), _NORDIC_ENDINGS, ("e",)),
    "fi": _Rules(
        ("", "n", "en"),
        tuple("""n a ä t ssa ssä sta stä lla llä lta ltä lle ksi na nä ta tä tta ttä ja jä jen ien in iin een an än on
              un yn en ista istä illa ille issa issä i""".split()),
        (),
    ),
}  # fmt: skip
_RULES |= {"nb": _RULES["no"], "nn": _RULES["no"]}

_DE = """
    abgabe ablauf abrechnung abschluss abschnitt adresse amt änderung anfang anfrage anhang anlage anleitung
    anmeldung annahme anschluss ansicht anspruch antrag anzahl anzeige arznei aufbau aufgabe auflage aufnahme
    auftrag ausfall ausgabe auskunft auslastung ausnahme ausrüstung ausschluss auswahl ausweis auszug bahn band
    batterie bau baum bedarf bedingung befehl beginn behandlung beleg beratung bereich bericht berechnung
    bescheid bestand bestätigung bestellung betrag betrieb beutel bewegung bezug bild bildung bindung blatt
    boden brand breite brief bruch bus darlehen dauer deckung depot dichte dienst druck drucker eingabe eingang
    einheit einkauf einstellung eintrag empfang empfänger energie ende erfassung erhöhung erklärung ersatz
    erstattung ertrag fach fahrer fahrt fall farbe feld fenster fest fläche flug flughafen form freigabe frist
    führung gang gebiet gebühr gefahr gehäuse gemeinde gerät gericht geschäft gesetz gewicht glas grad grenze
    größe grund gut gutschein haft halter handbuch handel haus heft heizung hilfe hinweis hof höhe holz inhaber
    inhalt jahr kabel kalender kamera kammer kapital karte kasse kauf kern kette kind klasse klausel knopf
    konfiguration kopf kopie kosten kraft krankheit kreis kühlung kündigung kurs lager land lauf laufwerk leben
    leistung leiter leitung leser licht liste lizenz lohn luft macht mangel markt maschine maß meldung menge
    messung miete mittel monat motor nachricht nachweis name netz nutzer nutzung öffnung ordner ordnung ort
    partner pass pause pflege pflicht plan platte platz post prämie preis prüfung punkt quelle rabatt rad rahmen
    rand rate raum recht regel reihe reise reparatur rente reserve richtlinie rohr rückgabe ruf ruhe saldo satz
    schaden schalter schein schicht schiff schlüssel schluss schnitt schritt schrift schuld schutz seite sendung
    signal sitz speicher sperre spiel spitze sprache stand start stelle stellung steuer steuerung stoff straße
    strecke strom stück stufe stunde suche system tabelle tag takt tarif tasche taste tastatur teil termin tier
    ton topf träger treiber treppe trennung tür übergabe übertragung übung uhr umfang umsatz unfall unterlage
    urkunde urlaub verbindung verbrauch verein verfahren vergleich vergütung verkauf verkehr verlag verlust
    vermögen versand verschluss verspätung vertrag vertrieb verwaltung verzeichnis vorgang vorlage vorrat
    vorschlag vorschrift wache waage wagen wahl wandlung ware wartung wasser wechsel weg welle werk wert wetter
    wiederherstellung wirkung wohnung wort wunsch zahl zahlung zeichen zeile zeit zelle zentrum zeugnis ziel
    zimmer zinsen zins zone zubehör zufuhr zug zugang zugriff zustand zustellung zweck zweig zertifikat
"""
_NL = """
    aanvraag aanbod aangifte adres afspraak aftrek arts bank bed bedrag beheer belasting bericht bestelling
    betaling bewijs bijdrage boek brief bus dag deur dienst duur factuur fiets gebruik gemeente geld grens hulp
    huis huur inkomen instelling jaar kaart kamer kantoor kast klacht klant koop korting kosten lamp lening
    levering lijn lijst loon machine melding mensen motor naam netwerk nota nummer onderhoud opzegging ouder
    pakket pas plaats plan polis post premie prijs recht regel regeling reis rekening rente ruimte schade schema
    school sleutel slot snelheid soort staat station straat systeem taal tas tijd toeslag toestel toets trein
    tuin vakantie vak veld vergunning verkeer verkoop verklaring verlof verzekering verzending vlucht voorwaarde
    vraag wachtwoord wagen water weg werk werknemer wet winkel woning woord zaak zekerheid ziekte zorg zone
"""
_SV = """
    adress affär anmälan ansökan användar användare arbete arbets avgift avtal badrum bank barn beställning
    besked besök betalning betyg bil bild biljett blankett bok bolag bostad brev bridge buss båt cykel dag dator
    del dröjsmål dörr faktura familj fel fil flyg flygplats fond form frist fråga färg föräldra försäkring
    förening förfarande försäljning företag garanti gräns grupp gård hamn handel hand handling hem hjälp hus
    hyra hyres hälsa hög inkomst information inställning jord kabel kassa konto kontor kort kostnad kraft kredit
    kund kurs kvitto kyrka kök land ledighet leverans licens linje ljud ljus lista lån lägenhet läkare lärare
    läsare lön lösenord lösning marknad maskin mat medlem medel miljö mål månad mätare namn nät nummer nyckel
    närings område ombud ord order paket park pass pension plan plats post premie pris program punkt rad regel
    register resa reser ränta rätt rum råd sats server service sida sjuk sjukhus skada skade skatt skatte skola
    skrivare skydd skärm sommar spel språk spår stad start stol ström summa system säkerhet tabell tal tand taxa
    telefon tid tidning tillstånd tjänst transport trafik träd tåg upp uppgift utbildning utgång val vara varu
    vatten verk verksamhet vikt villkor vinter vård väg värde värme yta år ägare ärende öppning uppsägning
"""
_DA = """
    adresse afgift aftale arbejde bank barn besked bestilling betaling betingelse bidrag bil billede bog bolig
    bruger brev by bus bygning båd cykel dag del dør fejl fil flade fly forbrug forening forretning forsikring
    frist fyring garanti glas gruppe grænse handel hjælp hus højde indkomst information indstilling jord kabel
    klage konto kontor kort kraft kunde kursus land leje levering licens linje liste lov lys løn lån læge
    maskine medlem miljø måned navn net nummer nøgle ord ordning område pakke park pas pension plads plan politi
    post pris program præmie punkt regel regning rejse rente ret rum råd sag sats selskab service side sikkerhed
    skade skat skole skærm sprog spørgsmål stat strøm syge sygdom system tabel tal tandlæge telefon tid
    tilladelse tjeneste tog trafik træ udbetaling udgift udstyr vand vare varme vej vilkår virksomhed værdi
    værktøj år kode adgang
"""
_NO = """
    adresse avgift avtale arbeid bank barn beskjed bestilling betaling bidrag bil bilde bok bolig bruker brev
    buss bygg bygning båt by dag del dør faktura feil fil fly forbruk forening forretning forsikring frist
    garanti grense gruppe handel hjelp hus inntekt informasjon innstilling jord kabel klage konto kontor kort
    kraft kunde kurs land leie levering lisens linje liste lov lys lønn lån lege maskin medlem miljø måned navn
    nett nummer nøkkel ord ordning område pakke park passord pass pensjon plass plan politi post pris program
    premie punkt regel regning reise rente rett rom råd sak sats selskap service side sikkerhet skade skatt
    skole skjerm språk spørsmål stat strøm syke sykdom system tabell tall tannlege telefon tid tillatelse
    tjeneste tog trafikk tre utbetaling utgift utstyr vann vare varme vei vilkår virksomhet verdi verktøy år
    kode tilgang
"""
_FI = """
    aika aikataulu alennus alue apu asennus asetus asiakas asiakkaa asia asunto auto avain eläke ehto erä
    hakemus hakija haku hallinto hallinta hankinta henkilö hinta hoito huolto huone hylly ilmoitus ilta istunto
    järjestelmä järjestö jakelu jäsen joukko juna kaappi kala kartta kassa kauppa kaupunki kausi kerros keskus
    kirja kirje kirjasto kohde kone koodi korko kori kortti korvaus koti koulu koulutus kulu kulutus kunta
    kuitti kuva kysymys käsittely käyttö käyttäjä laina laite laitos laji lapsi lasku lasti lento levy liike
    liikenne lippu lista lisä loma lomake luettelo luku lukko lupa lääkäri lääke maa maksu malli matka merkki
    meno mies mittari muisti määrä nimi numero näyttö ohje ohjelma ohjelmisto oikeus opas osa osoite osto ovi
    paikka paketti palkka palvelu palautus pankki peli perintö päivä päätös pöytä raha raja ranta rekisteri
    ruoka ryhmä sairaala sairaus salasana sana sarja selvitys seuranta sisältö sivu sivusto sopimus sähkö
    sähköposti taso talo tapahtuma tarjous tekniikka tieto tiedosto tila tilaus tili toimi toimisto toimitus
    todistus tukea tuki tulo tunnus tuote turva turvallisuus työ työkalu vaaka vaihto vaihtoehto vakuutus
    valikko valmis vara varasto varaus vastuu verkko vero vesi vika viesti viikko virasto virhe vuokra vuosi
    yhteys yhtiö yritys yksikkö ylläpito ääni
"""
_TEXTS = {"de": _DE, "nl": _NL, "sv": _SV, "da": _DA, "no": _NO, "nb": _NO, "nn": _NO, "fi": _FI}
_WORDS = {tag: frozenset(text.split()) for tag, text in _TEXTS.items()}

# Particles and endings that look like words: what they are joined to is no compound.
_NOT = {
    "de": frozenset(
        """über unter wieder gegen zusammen zurück nieder hinter außer durch nach herunter hinunter hinaus hinein
        heraus herein voraus fort weiter entgegen schaft haft heit keit weise mäßig artig lich voll fach einer eine
        eines hervor vorbei hinzu hinauf herauf daran davon selbst welt ierung ischen ungen ende enden endes
        gewesen""".split()
    ),
    "nl": frozenset(
        """over onder tegen terug door achter samen lijk heid baar zaam tussen voort weder loos vol""".split()
    ),
    "sv": frozenset(
        """över under emot genom mellan efter igen samman åter lig skap dom full lös ande ende ning bara het heten
        heter""".split()
    ),
    "da": frozenset(
        """over under imod gennem mellem efter igen sammen skab fuld løs ende ning bare eller""".split()
    ),
    "no": frozenset(
        """over under imot gjennom mellom etter igjen sammen skap full løs ende ning bare eller""".split()
    ),
    "fi": frozenset(
        """yli alle läpi vastaan mukaan kanssa olla ollut minen suus nopea""".split()
    ),
}  # fmt: skip
_NOT |= {"nb": _NOT["no"], "nn": _NOT["no"]}


def compounding(tag: str) -> bool:
    """Whether a language writes compounds as one word, and is known here."""
    return tag in _RULES


@lru_cache(maxsize=1 << 16)
def parts(tag: str, word: str) -> tuple[str, ...]:
    """The words that a lower-case word is made of, without what joins them; none where it is no compound.

    >>> parts("de", "rechnungsstellung"), parts("de", "software")
    (('rechnung', 'stellung'), ())
    """
    if tag not in _RULES or not SHORTEST <= len(word) <= LONGEST or not word.isalpha():
        return ()
    if _listed(tag, word) or _everyday(word):
        return ()
    return min(_partings(tag, word, _MOST), key=_badness, default=())


def _badness(found: tuple[str, ...]) -> tuple[int, int]:
    """Few parts, and the shortest of them long."""
    return len(found), -min(map(len, found))


def _partings(tag: str, word: str, most: int) -> Iterator[tuple[str, ...]]:
    """Every way to part a word into two words or more, at most `most`."""
    if most < 2:
        return
    for end in range(3, len(word) - 2):
        left, right = word[:end], word[end:]
        for head in _heads(tag, left):
            if tail := _tail(tag, right):
                yield (head, tail)
            elif len(right) >= SHORTEST - 1:
                yield from ((head, *rest) for rest in _partings(tag, right, most - 1))


def _heads(tag: str, left: str) -> Iterator[str]:
    """The words that a first part may be: without what joins it to the next, with what it lost before it."""
    rules = _RULES[tag]
    for link in rules.links:
        if left.endswith(link) and _word(tag, base := left.removesuffix(link)):
            yield base
            return
    for lost in rules.lost:
        if _listed(tag, left + lost):
            yield left + lost
            return


def _tail(tag: str, right: str) -> str:
    """The last part, as it is listed where it is an inflected listed word; nothing where it is no word."""
    if _listed(tag, right):
        return right
    bases = [right.removesuffix(ending) for ending in _RULES[tag].endings if right.endswith(ending)]
    for base in bases:
        if _listed(tag, base):
            return base
    known = _word(tag, right) or any(len(base) > _PART and _word(tag, base) for base in bases)
    return right if known else ""


def _word(tag: str, text: str) -> bool:
    if text in _NOT[tag] or text in STOPWORDS.get(tag, ()):
        return False
    return _listed(tag, text) or (len(text) >= _PART and _everyday(text))


def _listed(tag: str, text: str) -> bool:
    return text in _WORDS[tag]


@lru_cache(maxsize=1 << 17)
def _everyday(text: str) -> bool:
    """Whether the vocabulary has a word as one piece, as it stands at a word's start, small or as a name."""
    exact = counter("o200k").exact
    return exact(f" {text}") == 1 or exact(f" {text.capitalize()}") == 1
