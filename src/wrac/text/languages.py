"""What is known about each language: its stemmer, its script, its function words."""

from __future__ import annotations

_LATIN, _GREEK, _CYRILLIC, _ARMENIAN, _HEBREW, _ARABIC, _NAGARI, _TAMIL = (
    0x0000, 0x0370, 0x0400, 0x0530, 0x0590, 0x0600, 0x0900, 0x0B80,
)  # fmt: skip

STEMMERS: dict[str, tuple[str, int]] = {
    "ar": ("arabic", _ARABIC), "ca": ("catalan", _LATIN), "cs": ("czech", _LATIN), "da": ("danish", _LATIN),
    "de": ("german", _LATIN), "el": ("greek", _GREEK), "en": ("english", _LATIN), "eo": ("esperanto", _LATIN),
    "es": ("spanish", _LATIN), "et": ("estonian", _LATIN), "eu": ("basque", _LATIN), "fa": ("persian", _ARABIC),
    "fi": ("finnish", _LATIN), "fr": ("french", _LATIN), "ga": ("irish", _LATIN), "hi": ("hindi", _NAGARI),
    "hu": ("hungarian", _LATIN), "hy": ("armenian", _ARMENIAN), "id": ("indonesian", _LATIN),
    "it": ("italian", _LATIN), "lt": ("lithuanian", _LATIN), "nb": ("norwegian", _LATIN), "ne": ("nepali", _NAGARI),
    "nl": ("dutch", _LATIN), "nn": ("norwegian", _LATIN), "no": ("norwegian", _LATIN), "pl": ("polish", _LATIN),
    "pt": ("portuguese", _LATIN), "ro": ("romanian", _LATIN), "ru": ("russian", _CYRILLIC), "st": ("sesotho", _LATIN),
    "sv": ("swedish", _LATIN), "ta": ("tamil", _TAMIL), "tr": ("turkish", _LATIN), "yi": ("yiddish", _HEBREW),
}  # fmt: skip
"""Snowball algorithm, and the first code point of the script it reads, by language."""

_FUNCTION_WORDS = {
    "en": """a about above after again all also am an and any are as at be because been before being below between both
        but by can could did do does doing down during each few for from further had has have having he her here hers
        him his how i if in into is it its itself just me more most my no nor not now of off on once only or other our
        ours out over own same she should so some such than that the their theirs them then there these they this
        those through to too under until up us very was we were what when where which while who whom why will with
        would you your yours please tell""",
    "de": """aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der
        des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er
        es euch euer für gegen habe haben hat hatte hier ich ihm ihn ihnen ihr ihre im in ist ja jede jeder jedes kann
        kein keine können man mein mich mir mit muss nach nicht noch nun nur ob oder ohne sein seine sich sie sind so
        über um und uns unser unter vom von vor war warum was weil welche welcher welches wenn wer werden wie wir wird
        wo wurde zu zum zur zwischen""",
    "fr": """à alors au aucun aussi aux avec avoir car ce cela ces cet cette ceux chaque chez comme comment dans de des
        du elle elles en encore est et était être fait il ils je la le les leur leurs lui ma mais me même mes mon ne ni
        nos notre nous on ont ou où par pas peut plus pour pourquoi quand que quel quelle quelles quels qui quoi sa
        sans se ses si son sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vos votre vous y""",
    "es": """a al algo como cómo con cuál cuáles cuando cuándo cuánto de del desde donde dónde el él ella ellas ellos en
        entre era es esa ese eso esta está estas este esto estos fue ha han hasta hay la las le les lo los más me mi
        mis muy no nos o para pero por porque puede qué que quien quién se según ser si sí sin sobre son su sus también
        te tiene tu tus un una uno unos y ya yo""",
    "it": """a ad agli ai al alla alle anche che chi ci come con cosa cui da dagli dai dal dalla degli dei del della
        delle dello di dove e è ed era essere gli ha hanno ho i il in io la le lei lo loro lui ma mi mia mio ne nei nel
        nella non o ogni per perché più può quale quali quando quanto quella quello questa questo se si sia sono su sua
        sul sulla suo tra tu un una uno voi""",
    "pt": """a ao aos as até com como da das de dela dele deles do dos e é ela elas ele eles em entre era essa esse esta
        está este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na nas não nem no nos nós o onde os ou
        para pela pelas pelo pelos pode por porque qual quais quando quanto que quem são se sem ser seu seus só sua
        suas também te tem um uma você""",
    "nl": """aan al alle als bij dan dat de deze die dit doen door een en er geen haar had heb hebben heeft hem het hier
        hij hoe hun ik in is je kan kunnen maar me meer men met mijn moet na naar niet nog nu of om omdat onder ons ook
        op over te tegen toch toen tot u uit van veel voor waar waarom wanneer want waren was wat we welke wie wij
        worden wordt zal ze zich zij zijn zo zonder zou""",
    "sv": """alla att av bli blir de dem den denna dess det detta dig din ditt du där då efter ej eller en er ett från
        för ha han har hade hon hur i icke inte jag kan man med men mig min mot mycket ni när nu någon något och om oss
        på sedan sig sin ska som så till under upp ut vad var vara varför vi vid vilka vilken är över""",
    "da": """af alle at blev bliver da de dem den denne der det dette dig din dog du efter eller en er et for fra ham
        han har hun hvad hvis hvor hvordan hvorfor hvornår i ikke ind jeg kan med men mig min mod når og også om op os
        over på sig skal som til ud under var ved vi vil være""",
    "no": """alle at av ble bli blir da de dem den denne der det dette deg din du eller en er et etter for fra ham han
        har hun hva hvis hvor hvordan hvorfor når i ikke inn jeg kan med men meg min mot og også om opp oss over på seg
        skal som til ut under var ved vi vil være""",
    "pl": """a aby ale bez bo być by był była było były co czy dla do gdy gdzie go i ich im ja jak jaki jakie jako je
        jego jej jest już kiedy kto która które który ma mi mnie na nad nie niż o od oraz po pod przed przez przy są się
        tak tam te tego tej ten to tu tym tylko w we więc z za ze że""",
    "ro": """a ai al ale am ar are as au ca că care ce cu cum da dar de din după ea ei el este eu fi fost în iar îi îl
        îmi la le lor lui mai mă ne nu o pe pentru prin sa să sau se si și sunt te un una unde unei unui""",
    "cs": """a aby ale ani až bez by byl byla bylo být co do i já jak jako je jeho jej její jen ještě jsem jsou k kde
        kdo když která které který ma mezi mi na nad ne nebo není o od po pod podle pro proč před při s se si tak také
        tam ten to tu u v ve více však z za ze že""",
    "hu": """a az egy és hogy nem is de ha van volt csak már meg még mert mint vagy ez azt ezt el ki mi mit hol mikor
        hogyan miért kell lehet lesz minden után között""",
    "tr": """acaba ama bir biz bu çok da daha de değil diye en gibi hangi hem hep için ile ise kadar ki kim mı mi mu mü
        nasıl ne neden nerede niçin o olan olarak onlar sen siz şu ve veya ya""",
    "fi": """ei että hän he ja jos joka jotka kanssa kuin kun minä miten mikä mitä missä miksi myös mutta ne niin nyt
        oli olla on ovat se sekä sen tai tämä vain voi""",
    "ru": """а без бы был была были было быть в вам вас во вот все всё где да для до его ее её если есть же за и из или
        им их к как какая какие какой ко когда кто ли мне мы на над не нет но о об он она они от по под почему при про
        с со так также там то только у уже чем что чтобы эта эти это этот я""",
    "el": """ο η το οι τα του της των τον την τους τις και να με για από σε στο στη στην στον στα στις δεν θα είναι ήταν
        που πως πώς τι ποιος ποια ποιο πού πότε γιατί αν ή αλλά ένα μια ως""",
    "ar": """في من على إلى عن أن إن كان هذا هذه ذلك التي الذي ما هو هي هل كيف متى أين لماذا و أو ثم لا لم مع كل""",
    "hi": """का के की है हैं में से को और पर यह वह ने एक कि जो तो भी था थी थे हो कर क्या कैसे कब कहाँ क्यों नहीं लिए""",
}
STOPWORDS: dict[str, frozenset[str]] = {tag: frozenset(words.split()) for tag, words in _FUNCTION_WORDS.items()}
"""Function words by language, as written (case folded)."""


def primary(language: str) -> str:
    """The primary subtag of a BCP 47 tag, lower case: "de-AT" and "de_AT" are "de"."""
    return language.replace("_", "-").partition("-")[0].strip().lower()
