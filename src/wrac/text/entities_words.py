"""What the extractor of entities knows by heart: months, currencies, units, and words that are capitalised for other
reasons than being a name.
"""

from __future__ import annotations

from typing import Final

_MONTHS: Final = {
    "en": "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec",
    "de": "januar jänner februar märz april mai juni juli august september oktober november dezember jän mär mrz "
    "okt dez",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre janv févr avr juil déc",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre "
    "ene abr ago dic",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
MONTHS: Final = frozenset(" ".join(_MONTHS.values()).split())
"""Names of months and their short forms, folded, of all languages known here."""

DAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun "
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag "
    "lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo "
    "lunedì martedì mercoledì giovedì venerdì sabato domenica segunda terça quarta quinta sexta".split()
)

YEAR_LEADS: Final = frozenset(
    "in since of from until till by before after during year years fy circa between through to early late mid "
    "jahr jahre jahres seit bis ab von vor nach ende anfang mitte herbst sommer winter frühjahr frühling "
    "en depuis de du jusqu'en avant après dès l'année année an fin début "
    "desde hasta año del antes nel dal del fino dopo anno em desde até ano sinds voor na jaar "
    "spring summer autumn fall edition © (c) copyright model".split()
)
"""Words after which a number of four digits is a year."""

CURRENCY_SIGNS: Final = "$€£¥₹₩₽₺₫฿₴₪₱₦₡₲"
CURRENCY_LEADS: Final = frozenset(
    "usd eur gbp inr jpy cny rmb chf cad aud nzd sgd hkd sek nok dkk pln czk huf try brl mxn zar aed sar thb "
    "krw idr myr "
    "npr bdt lkr btn pkr rs rs. fr. us$ ca$ a$ nz$ hk$ s$ r$ mx$ kr. rm aed bdt.".split()
)
"""What stands before a sum of money, folded."""

SCALES: Final = (
    "million millions billion billions trillion thousand hundred lakh lakhs crore crores mio. mrd. mio mrd millionen "
    "milliarden tausend millions milliard milliards mille millones millón mil milioni miliardi milhões bilhões miljoen "
    "miljard"
).split()

UNITS: Final = (
    "usd eur gbp inr jpy cny rmb chf cad aud sgd sek nok dkk pln czk huf dollars dollar euros euro cents pounds rupees "
    "rupee yen yuan taka francs franken pesos kr zł kč rub руб рублей "
    "km/h kmph mph kph km/l kmpl l/100km kg/m³ m/s m² m³ km² cm² mm² sq.ft sqft sq km cm mm nm µm m g kg mg "
    "µg t lb lbs "
    "oz l ml cl dl cc kw kwh mw mwh gw gwh w wh v kv mv a ah ma mah va hz khz mhz ghz db pa kpa mpa bar psi "
    "nm rpm hp bhp "
    "ps cv k °c °f ° bps kbps mbps gbps kb mb gb tb pb kib mib gib tib bit bits byte bytes px dpi ppi pt rem "
    "ft feet foot inch inches in. mi mile miles yard yards acre acres hectare hectares ha litre litres liter liters "
    "gallon gallons gram grams gramm kilogram kilograms kilo kilos kilometer kilometers kilometre kilometres metre "
    "metres meter meters watt watts volt volts "
    "ns µs ms s sec secs second seconds min mins minute minutes h hr hrs hour hours day days week weeks month months "
    "year years decade decades night nights "
    "sekunde sekunden minute minuten std std. stunde stunden tag tage tagen woche wochen monat monate monaten "
    "jahr jahre "
    "jahren nacht nächte seconde secondes heure heures jour jours semaine semaines mois an ans année années nuit nuits "
    "segundo segundos minuto minutos hora horas día días dia dias semana semanas mes meses año años noche noches "
    "secondi minuti ore ora giorno giorni settimana settimane mese mesi anno anni dias meses anos ano mês horas "
    "uur dagen dag weken maanden jaar dagar timmar veckor månader år дней дня часов лет "
    "percent percentage prozent pourcent pour por per points pts bps basispunkte"
).split()

STANDARDS: Final = frozenset("rfc iso iec ieee pep en din ansi astm jis gb bs itu ecma fips".split())
"""Bodies and series whose numbers name a document."""
VERSION_LEADS: Final = frozenset("version versions release v ver ver. rev revision versión versione versão".split())

COUNTED: Final = frozenset(
    "chapter section step steps part parts table figure fig page pages appendix article clause question answer example "
    "equation eq item line lines note exercise task phase level stage unit lesson module volume day week year "
    "number no "
    "nos option case rule point tier class grade room gate floor row column slide "
    "kapitel abschnitt schritt teil tabelle abbildung abb seite anhang artikel frage beispiel anlage punkt "
    "stufe absatz "
    "chapitre partie étape tableau figure annexe question exemple point capítulo sección paso tabla figura "
    "página anexo "
    "pregunta ejemplo capitolo sezione passo tabella pagina seção etapa".split()
)
"""Words whose number counts and names nothing: `Step 4` is no product."""

OPENERS: Final = frozenset(
    "add adjust allow apply ask avoid back backup based before begin being better book bring browse build buy "
    "call cancel "
    "change check choose click close collect compare complete configure confirm connect consider contact continue copy "
    "create current customers dear delete depending deposit disable discover does dont download drag drive each earn "
    "edit either email enable enjoy enter even every example except explore extra fast features fill filter find first "
    "follow following free get given go good great hold home how ideal identify import include includes including "
    "increase initial insert install instead keep key known last later launch learn leave let light like list "
    "locate log "
    "long look lower make many maximum may minimum modify more move much must need never new next none note "
    "offer offers "
    "often once one open optional other pay perfect pick place please plus premium press prevent previous proceed "
    "provide provides pull push put read receive reduce regular remove replace request required reset restart return "
    "review right run safe same save search second see select send set several share should show sign similarly simply "
    "since some start stay step still stop submit sure switch tap test thank thanks third three top total "
    "track try turn "
    "two type under unless unlike update upgrade upload use used users using usually verify view visit wait want watch "
    "well when whether while within without yes "
    "klicken wählen geben drücken öffnen gehen siehe hinweis achtung bitte herr frau liebe "
    "cliquez choisissez appuyez ouvrez voir attention note madame monsieur "
    "haga pulse elija abra seleccione introduzca nota clicca scegli seleziona premi apri".split()
)
"""Words that open sentences, commands above all, capitalised for that reason alone; folded."""

PARTICLES: Final = frozenset(
    "of the de la le les des du da do dos das del della di van von der den zu zum zur &".split()
)
"""Small words inside names, between two capitalised ones."""
