"""The words that a compound is made of, in languages that write compounds as one word.

A word that is no everyday word itself is parted where both sides are: `Rechnungsstellung` is `rechnung` and `stellung`.
Everyday is what is listed here, and longer words that the o200k vocabulary has as one piece. Both are fixed, so a text
has the same terms on every site, in every order of pages, and in a query.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wrac.text.languages import STOPWORDS
from wrac.text.tokens import counter

SHORTEST, LONGEST = 8, 48
"""Letters of a word that may be parted; a longer one is data."""
_PART, _MOST = 6, 4
"""Letters of a part that only the vocabulary knows (its shorter pieces may be any word's first letters), and parts."""


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
    abend abgabe ablauf abrechnung abschluss abschnitt abteilung acker adresse affe akte aktion alarm alt alter
    ampel amt anfang anfrage anhang anker anlage anleitung anmeldung annahme anschluss anschrift ansicht
    anspruch antrag anweisung anzahl anzeige apfel arbeits arm arznei arzt aufbau aufgabe auflage aufnahme
    auftrag auge ausbildung ausfall ausgabe auskunft auslastung ausnahme ausrüstung ausschluss auswahl ausweis
    auszug bad bahn bahnhof ball band basis batterie bau bauer baum becken bedarf bedienung bedingung befehl
    beginn behandlung beleg benutzer beratung berechnung bereich berg bericht beruf bescheid bestand bestellung
    bestätigung besuch betrag betrieb bett beutel bewegung bewerbung bezug bier bilanz bild bildung bindung
    blatt boden bohr brand breite brems brief brot bruch buch bus chef code computer dach damm darlehen darm
    datei daten dauer daumen deck decke deckel deckung depot dichte dieb dienst dom dorf dose draht dreh druck
    drucker ecke eile eingabe eingang einheit einkauf einladung einstellung eintrag einweisung einzel eis eisen
    eltern empfang empfänger energie engel entwickler erbe erde erfassung erhöhung erklärung ernte ersatz
    erstattung ertrag esel ethik fabrik fach fahrer fahrt fall familie farbe fasching fehler feier feld fenster
    ferien fern fest fett feuer fieber figur film finger fisch flagge flasche fleck fleisch flug flughafen flut
    fläche folge form formular forst freigabe freund frieden frist frucht funktion fuß führung gabe gang gans
    garten gas gast gebet gebiet gebäude gebühr gefahr gefühl gehalt gehäuse geist gelb geld gemeinde gemüse
    gericht gerät gesamt geschäft gesetz getränk gewalt gewerbe gewicht gift glas glück gold grad gras grenz
    grenze griff groß grund gruppe größe größen gut gutschein gürtel haar hafen hafer haft hahn halb hals halter
    hand handbuch handel harz hase haupt haus haut heer heft heim heizung held hemd henne hersteller herz hilfe
    himmel hinweis hirn hirsch hitze hoch hof holz horn huf huhn hund hut höhe hütte igel information inhaber
    inhalt insel installation jagd jahr jugend junge kabel kaffee kahn kalender kamera kamin kamm kammer kanal
    kanne kapital karte kasse katze kauf keller kern kette kind kinn kino kirche klang klasse klausel kleber
    kleid klein klima knall knie knochen knopf knoten koch koffer kohl kohle kohlen konfiguration kopf kopfhörer
    kopie korb korn kosten kraft kran krankheit kranz kraut kreis kreuz krieg krise kuchen kugel kuh kultur
    kunde kunst kurs käse könig körper küche kühlung kündigung lade laden ladung lager lampe land last latte
    laub lauf laufwerk laufzeit leben leder leer lehm lehre lehrer leim leistung leiter leitung lese leser leute
    licht lied liefer linie liste lizenz loch lohn luft löffel lösung lüftung macht mahlzeit mais maler mangel
    mantel markt maschine mast mathe mauer maus maß medien meer mehl mehr meile meister meldung menge mensch
    menü mess messer messung metall miet miete mieter milch mine mitglied mittel mode monat mond moor moos moral
    mord morgen motor museum musik mutter müll münze nachricht nacht nachweis nadel nagel nah name nase natur
    nebel nest netz neu norm note nuss nutzer nutzung näh oberfläche obst ofen oper orden ordner ordnung orgel
    ort paar paket panne papier pappe park partition partner pass pause pech pelz person pfad pfand pfeife pferd
    pflanze pflege pflicht pfund pilz plan planung platte platz post preis probe produkt programm projekt
    protokoll prozess prämie prüf prüfung puls pult pumpe punkt puppe quell quelle rabatt rad rahmen rand rasen
    rate ratte raum rechen rechner recht regel reif reihe reinigung reis reise rente reparatur reserve rest
    rettung richtlinie riegel riese rind ring rinne ritter rock rohr rolle rose rost ruf ruhe ruine rübe rücken
    rückgabe saal saat sache sack saft saldo salz sand sarg satz schach schaden schaf schal schall schalt
    schalter schaltung schatten schatz schau scheibe schein schenk schere scheune schicht schiff schild schirm
    schlaf schlag schloss schluss schlüssel schmerz schmuck schnee schnell schnitt schnur schrank schraube
    schreib schrift schritt schuh schuld schule schutz schwein schweiß schüler schüssel see segel seide seil
    seite sende sendung sicherheit sicherung sicht siedlung signal silber sinn sitte sitz socke sofa sohn sommer
    sonder sonne spalte spange spar speicher sperre spiegel spiel spinne spitze sport sprache sprech spur staat
    stadt stahl stall stamm stand stange stapel start staub steg steh stein stelle stellung stempel stern steuer
    steuerung stiefel stier stift stimme stock stoff strahl strand straße strecke streifen streit stroh strom
    stube stufe stuhl stunde sturm stück stütze such suche suppe system tabelle tafel tag takt tank tanne tanz
    tanzen tarif tasche tastatur taste taube tauch tausch tee teich teil telefon teller tempel teppich termin
    test text theater thema tief tiefe tier tinte tisch tochter tod ton tonne topf torte tour trag traum treib
    treiber trenn trennung treppe trick trink trocken trupp träger tube tuch tugend turm typ tür ufer uhr umfang
    umgebung umleitung umsatz unfall unterlage unternehmen unterschrift urkunde urlaub ursache vase vater vene
    verband verbindung verbot verbrauch verein verfahren vergleich vergütung verkauf verkehr verkäufer verlag
    verlauf verlust vermieter vermögen vers versand verschluss version verspätung versuch vertrag vertrieb
    verwaltung verzeichnis vieh vogel volk voll vorgang vorlage vorrat vorschlag vorschrift vulkan waage wache
    waffe wagen wahl wald wand wandel wander wandlung wange wappen ware wartung wasch wasser watte wechsel weg
    weide weihnacht wein weiterleitung weizen welle welt werbung werk werkzeug wert wespe wetter
    wiederherstellung wiege wiese winter wirkung wirtschaft wissen woche wohn wohnung wolke wolle wort wunder
    wunsch wurm wurst wurzel wäsche wüste zahl zahlung zahn zange zauber zaun zeche zeichen zeile zeit zeitung
    zelle zelt zentral zentrum zertifikat zeug zeugnis ziegel zieh ziel zigarre zimmer zins zinsen zirkus zoll
    zone zopf zubehör zucker zufuhr zug zugang zugriff zunge zustand zustellung zwang zweck zweig zwischen zünd
    änderung öffnung öl übergabe überschrift übertragung überweisung übung
"""
_NL = """
    aanbod aangifte aanvraag aarde adres afspraak aftrek ambulance apotheek arm artikel arts auto avond baas
    badkamer bal balk bank batterij bed bedrag bedrijf bedrijfs beeld been begin beheer beheerder belasting berg
    bericht bescherming bestand bestelling betaal betaling bewijs bier bijdrage blad bloed bloem boek boete boom
    boot bos bouw bouwer brand brandweer brief brood brug bus buur cijfer code computer controle cursus dag dak
    data deel deur dienst dier diploma dokter dorp drink duur eet eind eten examen fabriek factuur fiets film
    foto functie gebruik gebruiker gebruikers gegevens geheugen geld gemeente getal gezondheid glas goud grens
    groot haar half hand handel handleiding hart haven heel herfst hoofd hoog hout huid huis hulp huur inkomen
    installatie instelling jaar jongen kaart kaas kabel kamer kantoor kast keuken kind klacht klant klas klein
    kleur knop koffie koop korting kosten kunst laag lamp leen leerling leger lening lente leraar les levering
    licht lijn lijst loon lucht maan maand maat machine macht man map markt meisje melding melk mensen menu merk
    minuut model moeder mond motor muis muur muziek naam nacht netwerk neus nieuw nota nummer ochtend onderhoud
    onderwijs onderzoek ontwikkelaar ontwikkeling oog oor oorlog opzegging oud ouder ouders pakket papier
    partitie pas patient pen pil plaats plan polis politie post premie prijs proces product raam recht rechter
    regel regeling regen reis rekening rente rij ruimte schade schema scherm schijf school schuld slaap
    slaapkamer sleutel slot sneeuw snel snelheid soort spaar spanning spel sport staal staat stad station steen
    stekker ster stip straat straf stroom systeem taal tabel tand tas tekst thee tijd toeslag toestel toets
    toetsen trap trein tuin uur vader vak vakantie vast veiligheid veld venster vergunning verkeer verklaring
    verkoop verlies verlof versie verzekering verzending vis vlees vliegtuig vliegtuigen vloer vlucht voet
    voorwaarde vraag vrede vriend vrouw vuur wachtwoord wagen water week weer weg wereld werk werkgever
    werknemer wet wijn wind winkel winst winter woning woon woord zaak zand zee zekerheid ziek ziekenhuis ziekte
    zomer zon zone zoon zorg
"""
_SV = """
    administratör adress affär ambulans anmälan ansökan antal användar användare apotek arbete arbets arkiv arm
    avgift avtal badrum bank barn ben berg besked beställning besök betalning betyg bil bild biljett blad
    blankett blod bok bolag boll bostad brand brev bridge bro bröd buss by bygg båt början böter chef cykel dag
    data dator del disk domare dotter drift driv dröjsmål dörr eld elev enhet enhets examen faktura familj far
    fast fel fil filer film fisk flicka flyg flygplan flygplats fond form fot foto fred frist fråga funktion
    fält färg fönster förening företag förfarande försäkring försäljning föräldra gammal garanti gata glas golv
    granne grund grupp gräns guide guld gård halv hamn hand handbok handel handling hav hel hem hjul hjälp
    hjärta hud hus huvud hyra hyres hälsa hår hög höst information inkomst installation inställning jord kabel
    kaffe kassa katalog klass knapp kod kommando konfiguration konst konto kontor kontroll kort kostnad kraft
    kredit krig kund kurs kvinna kvitto kväll kyrka käll källa kärna kök kött lag land ledighet leverans licens
    linje lista liten ljud ljus luft lägenhet läkare lärare läsare låg lån lön lösenord lösning makt man mapp
    marknad maskin mat medel medicin medlem miljö minne minut mjölk modell mor morgon motor mun mus musik märke
    mätare mål månad måne mått namn natt nummer ny nyckel närings näsa nät nätverk nätverks ombud område ord
    order paket papper park partition pass patient penna pension plan plats pojke polis post premie pris process
    program programvara punkt regel register regn resa reser rum ränta rätt råd rörelse sand sats server service
    sida siffra sjuk sjukhus sjö skada skade skatt skatte skog skola skrift skript skrivare skuld skydd skärm
    slut snabb snö sol sommar son sov spar spel sport språk spår stad start sten stjärna stol stor straff strand
    ström stål summa system säkerhet tabell tak tal tand tangent tangentbord taxa te telefon text tid tidning
    tillstånd timme tjänst torg trafik transport trappa trä träd typ tåg upp uppgift uppgifts uppsägning
    utbildning utgång utvecklare utveckling val vara vardag varu vatten vecka verk verksamhet version vikt
    villkor vin vind vinst vinter väder väg vägg vän värde värld värme växel vår vård yta ägare ärende år ö öga
    öl öppning öra
"""
_DA = """
    adgang adresse afgift aftale aften antal apotek arbejde arkiv arm bank barn ben besked beskyttelse
    bestilling betaling betingelse bidrag bil billede bjerg blad blod bog bold bolig brand brev bro bruger brød
    bus by bygge bygning båd bøde chef ciffer computer cykel dag data del disk dommer dreng drev dør eksamen
    elev enhed far fejl felt fil film fisk flade fly fod forbrug forening forretning forsikring foto fred frist
    funktion fyring gade garanti glas grund gruppe grænse guld gulv gæld halv handel hav hel hjerte hjul hjælp
    hoved hud hukommelse hurtig hus hånd håndbog hår høj højde ild indkomst indstilling information installation
    jord kabel kaffe katalog kerne kilde klage klasse knap kode kommando konfiguration konto kontor kontrol kort
    kraft krig kunde kunst kursus kvinde kød køkken land lav leje levering licens lille linje liste lov luft lys
    lån læge løn magt mand mappe maskine medicin medlem miljø minut model mor morgen motor mund mus musik mål
    måne måned mælk mærke nat navn net netværk nummer ny næse nøgle område ord ordning pakke papir park
    partition pas patient pen pension pige plads plan politi post pris program præmie punkt regel regn regning
    rejse rente rum råd sag sand sats selskab service side sikkerhed skade skat skole skov skrift skærm slut sne
    sol sommer sove spare spil sport sprog spørgsmål stat sten stjerne stor straf strand strøm stål sygdom syge
    system sø søn tabel tag tal tand tandlæge tast tastatur tekst telefon tid tilladelse time tjeneste tog torv
    trafik trappe træ type udbetaling udgift udstyr udvikler udvikling uge vand vare varme vej vejr ven verden
    version vilkår vin vind vindue vinter virksomhed væg værdi værktøj år øje øl øre
"""
_NO = """
    adresse antall apotek arbeid arkiv arm avgift avtale ball bank barn ben beskjed beskyttelse bestilling
    betaling bidrag bil bilde blad blod bok bolig bot brann brev bro bruker brød buss by bygg bygning båt dag
    data datamaskin del disk dommer dør eksamen elev enhet faktura far feil felt fil film fisk fjell fly forbruk
    forening forretning forsikring fot foto fred frist funksjon garanti gate gjeld glass grense grunn gruppe
    gull gulv gutt halv handel hav hel hjelp hjerte hjul hode hoved hud hus hånd håndbok hår høy ild informasjon
    innstilling inntekt installasjon jente jord kabel kaffe katalog kilde kjerne kjøkken kjøtt klage klasse
    knapp kode kommando konfigurasjon konto kontor kontroll kort kraft krig kunde kunst kurs kveld kvinne land
    lav lege leie levering linje lisens liste liten lov luft lys lån lønn makt mann mappe maskin medisin medlem
    melk merke miljø minne minutt modell mor morgen motor munn mus musikk mål måne måned natt navn nese nett
    nettverk nummer ny nøkkel område ord ordning pakke papir park partisjon pasient pass passord penn pensjon
    plan plass politi post premie pris program punkt rask regel regn regning reise rente rett rom råd sak sand
    sats selskap service side sikkerhet sjef sjø skade skatt skjerm skog skole skrift slutt snø sol sommer sove
    spare spill sport språk spørsmål stat stein stjerne stor straff strand strøm stål sykdom syke system sønn
    tabell tak tall tann tannlege tast tastatur tekst telefon tid tilgang tillatelse time tjeneste tog torg
    trafikk trapp tre type uke utbetaling utgift utstyr utvikler utvikling vann vare varme vegg vei venn verden
    verdi verktøy versjon vilkår vin vind vindu vinter virksomhet vær år øl øre øye
"""
_FI = """
    aamu aika aikataulu alennus alku alue apteekki apu arkisto asennus asetus asia asiakas asiakkaa asunto
    aurinko auto avain data ehto elokuva eläke erä hakemisto hakemus hakija haku hallinta hallinto hammas
    hankinta henkilö henkilötieto hiekka hiiri hinta hoito huolto huone hylly iho ikkuna ilma ilmoitus ilta
    istunto isä jakelu jalka johtaja joukko juna järjestelmä järjestö järvi jäsen kaappi kahvi kala kansio
    kartta kassa katto katu kauppa kaupunki kausi kehittäjä kehitys keittiö kenttä kerros keskus kesä kevät
    kieli kirja kirjasto kirje kivi kohde komento kone koodi kori korko kortti korva korvaus koti koulu koulutus
    kuitti kulta kulu kulutus kunta kurssi kuu kuva kuvio kynä kysymys käsi käsikirja käsittely käyttäjä käyttö
    laina laite laitos laji lapsi lasi lasku lasti lattia lehti leipä lento levy liha liike liikenne lippu lista
    lisä loma lomake loppu luettelo lukko luku lumi luokka lupa lähde lääke lääkäri maa maailma maito maksu
    malli matka meno meri merkki metsä mies minuutti mitta mittari moottori muisti musiikki määrä nainen nenä
    nimi nopea numero näppäimistö näyttö ohje ohjelma ohjelmisto oikeus olut opas opettaja oppilas osa osio
    osoite osto ovi paikka painike paketti palautus palkka pallo palo palvelu pankki paperi peli perintö perus
    pieni poika poliisi potilas puoli puu pyörä päivä pää päätös pöytä raha raja rangaistus ranta rauha
    rekisteri ruoka ryhmä saari sade sairaala sairaus sakko salasana sana sarja seinä selvitys seuranta silmä
    silta sisältö sivu sivusto sopimus sota suoja suu suuri sydän syksy sähkö sähköposti sää taide talo talvi
    tapahtuma tarjous taso tee tekniikka teksti teräs tiedosto tieto tietokone tila tilaus tili todistus toimi
    toiminto toimisto toimitus tori tukea tuki tuli tulo tunnus tunti tuomari tuote turva turvallisuus tuuli
    tyttö tyyppi työ työkalu tähti urheilu uusi vaaka vaihto vaihtoehto vakuutus valikko valmis valokuva valta
    valvonta vanha vara varasto varaus vastuu velka veri verkko verkkopankki vero versio vesi viesti viikko
    viini vika virasto virhe vuokra vuori vuosi ydin yhteys yhtiö yksikkö yleis ylläpito yritys ystävä yö äiti
    ääni
"""
_SHARED = """
    account app audio backup ball bank blog boot bus cache card chat chip client cloud code computer controller
    data desktop disk domain drive film firmware golf hardware host hotel internet kernel laptop link linux
    login mail manager marketing media menu modem monitor motor online page park partner password pixel plugin
    port printer processor program radio router script server service shop software sport standard support
    system tablet taxi team tennis test text ticket tool update upload usb version video web website wiki wlan
    zoom
"""
_TEXTS = {"de": _DE, "nl": _NL, "sv": _SV, "da": _DA, "no": _NO, "nb": _NO, "nn": _NO, "fi": _FI}
_LISTED = {tag: frozenset(f"{text} {_SHARED}".split()) for tag, text in _TEXTS.items()}

# Particles and endings that look like words: what they are joined to is no compound.
_NOT = {
    "de": frozenset(
        """über unter wieder gegen zusammen zusamm zurück nieder hinter außer durch nach herunter hinunter hinaus hinein
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
    found = (one for one in _partings(tag, word, _MOST) if _sound(tag, one))
    return min(found, key=_badness, default=())


def _sound(tag: str, found: tuple[str, ...]) -> bool:
    """Whether the parts bear each other out: three letters count for a word only beside listed words."""
    return min(map(len, found)) > 3 or all(_listed(tag, part) for part in found)


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
    return text in _LISTED[tag]


@lru_cache(maxsize=1 << 17)
def _everyday(text: str) -> bool:
    """Whether the vocabulary has a word as one piece, as it stands at a word's start, small or as a name."""
    exact = counter("o200k").exact
    return exact(f" {text}") == 1 or exact(f" {text.capitalize()}") == 1
