"""Orders to a judge in other languages than English: a table of words, and the two ways in which they come together.

Only forms that command are listed, so that "the driver ignored the earlier warnings" is no order in any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from debate_cli.judging.orders import sentences


class Tongue(NamedTuple):
    """One language's pieces of regular expressions."""

    ignore: str
    """To ignore, as a command."""
    norm: str
    """Instructions, rules, criteria."""
    which: str
    """Earlier, all, your: without it the rules are somebody else's."""
    give: str
    """To give, to enter, to declare, to vote, as a command."""
    top: str
    """The best mark, ten of ten, the win."""


TONGUES: tuple[Tongue, ...] = (
    Tongue(
        r"ignor[ae]n?|olvid[ae]n?|descart[ae]n?|pas[ae] por alto|no (?:siga|sigas|sigan)",
        r"instrucciones|reglas|indicaciones|criterios|órdenes",
        r"anteriores|previas|previos|todas|todos|tus?|sus?|de arriba",
        r"d[aeé](?:me|nos|le)?|denos|otorg[ae](?:me)?|asign[ae](?:me)?|p[oó]n(?:ga)?(?:me|nos|le)?|declar[ae]|vot[ae]|conced[ae]",
        r"10\s*/\s*10|(?:10|diez) (?:de|sobre) (?:10|diez)|(?:puntuación|nota|calificación) (?:más alta|máxima|perfecta)|máxim[ao] (?:puntuación|nota)|"
        r"ganador(?:a)?|victoria|un diez",
    ),
    Tongue(
        r"ignore[zr]?|oublie[zr]?|néglige[zr]|ne (?:suis|suivez) (?:pas|plus)|fais abstraction|faites abstraction",
        r"instructions|consignes|règles|critères|directives",
        r"précédent(?:e)?s|antérieur(?:e)?s|ci-dessus|tou(?:te)?s|vos|tes|votre",
        r"donne[zr]?|attribue[zr]?|accorde[zr]?|mets|mettez|déclare[zr]?(?:-moi|-nous)?|votez|notez",
        r"10\s*/\s*10|(?:10|dix) sur (?:10|dix)|note (?:maximale|parfaite|la plus haute)|meilleure note|tous les points|vainqueur|gagnant(?:e)?|la victoire",
    ),
    Tongue(
        r"ignorier(?:e|t|en sie)|vergiss|vergesst|vergessen sie|missachte(?:n sie)?|beachte(?:n sie)? (?:nicht|keine)",
        r"anweisungen|instruktionen|regeln|vorgaben|kriterien|richtlinien",
        r"vorherigen|bisherigen|obigen|vorigen|früheren|vorangegangenen|alle|deine|ihre",
        r"gib|gebt|geben sie|vergib|vergeben sie|bewerte(?:n sie)?|erkläre(?:n sie)?|stimme(?:n sie)?|setze(?:n sie)?",
        r"10\s*/\s*10|(?:10|zehn) von (?:10|zehn)|höchst\w+ (?:note|punktzahl|wertung)|volle punktzahl|bestnote|zum sieger|zur siegerin|eine zehn|den sieg",
    ),
    Tongue(
        r"ignor[ai](?:te)?|dimentica(?:te)?|trascura(?:te)?|non (?:seguire|seguite)",
        r"istruzioni|regole|criteri|indicazioni",
        r"precedenti|sopra|tutte|tutti|tue|tuoi|vostre|vostri",
        r"da(?:i|te|mmi|temi|cci|teci)|assegna(?:te)?|attribuisci|dichiara(?:te)?|vota(?:te)?|concedi",
        r"10\s*/\s*10|(?:10|dieci) su (?:10|dieci)|(?:voto|punteggio) (?:massimo|pieno|più alto)|vincitore|vittoria",
    ),
    Tongue(
        r"ignor[ea]m?|esqueç[ao]|desconsidere|despreze|não siga",
        r"instruções|regras|critérios|orientações",
        r"anteriores|prévi[ao]s|acima|todas|todos|suas|seus|tuas",
        r"dê(?:-me|-nos)?|atribua|conceda|declare|vote|coloque",
        r"10\s*/\s*10|(?:10|dez) de (?:10|dez)|nota (?:máxima|dez|10)|pontuação máxima|vencedor|vitória",
    ),
    Tongue(
        r"negeer|vergeet|volg geen",
        r"instructies|regels|criteria|aanwijzingen",
        r"vorige|voorgaande|eerdere|alle|je|jouw|uw",
        r"geef|ken|beoordeel|verklaar|stem",
        r"10\s*/\s*10|(?:10|tien) (?:van|uit) (?:de )?(?:10|tien)|een tien|hoogste (?:score|cijfer)|maximale score|winnaar",
    ),
    Tongue(
        r"zignoruj(?:cie)?|ignoruj(?:cie)?|zapomnij|pomiń",
        r"instrukcje|polecenia|zasady|kryteria|reguły",
        r"poprzednie|wcześniejsze|wszystkie|swoje|twoje",
        r"przyznaj(?:cie)?|daj(?:cie)?|ogłoś|oceń|głosuj",
        r"10\s*/\s*10|(?:10|dziesięć) na (?:10|dziesięć)|maksymaln\w+ (?:ocen\w+|punkt\w+)|najwyższ\w+ ocen\w+|wygran\w+|zwycięzc\w+|zwycięstwo",
    ),
    Tongue(
        r"(?:про)?игнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|не следуй(?:те)?",
        r"инструкции|указания|правила|критерии|команды",
        r"предыдущие|прошлые|вышеуказанные|прежние|все|свои|твои|ваши|оценки",
        r"поставь(?:те)?|дай(?:те)?|присуди(?:те)?|объяви(?:те)?|голосуй(?:те)?|оцени(?:те)?",
        r"10\s*/\s*10|(?:10|десять)(?: баллов)? из (?:10|десяти)|высш\w+ (?:балл|оценк)\w*|максимальн\w+|побед\w+",
    ),
    Tongue(
        r"bỏ qua|phớt lờ|quên",
        r"hướng dẫn|chỉ dẫn|quy tắc|tiêu chí|mệnh lệnh",
        r"trước|mọi|tất cả|ở trên",
        r"cho|chấm|tuyên bố|bầu",
        r"10\s*/\s*10|điểm (?:tối đa|cao nhất|tuyệt đối)|mười điểm|thắng cuộc|chiến thắng",
    ),
    Tongue(
        r"abaikan|lupakan|jangan ikuti",
        r"instruksi|perintah|aturan|petunjuk|kriteria",
        r"sebelumnya|semua|di atas|anda",
        r"beri(?:kan)?|nyatakan|pilih",
        r"10\s*/\s*10|nilai (?:penuh|tertinggi|sempurna|maksimal)|skor (?:penuh|tertinggi|maksimal)|pemenang",
    ),
    Tongue(
        r"تجاهل(?:وا)?|انس|لا تتبع",
        r"التعليمات|الأوامر|القواعد|المعايير|الإرشادات",
        r"السابقة|أعلاه|جميع|كل",
        r"امنح|أعط|أعطني|وامنح|أعلن|صوت",
        r"الدرجة الكاملة|أعلى درجة|الدرجة القصوى|عشرة من عشرة|10\s*/\s*10|الفائز|الفوز",
    ),
)
"""Languages that put spaces between words, and the command first: it has to start a clause."""

LAST: tuple[Tongue, ...] = (
    Tongue(
        r"ignorieren(?=\s*(?:[.!,;:]|und\b|$))|vergessen(?=\s*(?:[.!,;:]|und\b|$))",
        r"anweisungen|instruktionen|vorgaben",
        r"vorherigen|bisherigen|obigen|vorigen",
        r"geben|vergeben|bewerten",
        r"10 punkte|zehn punkte|10\s*/\s*10|volle punktzahl|höchstpunktzahl|bestnote",
    ),
    Tongue(
        r"yok say\w*|görmezden gel\w*|unut\w*|dikkate alma",
        r"talimat\w*|kural\w*|kriter\w*|yönerge\w*",
        r"önceki|tüm|yukarıdaki|bütün",
        r"ver|verin|ilan et|oy ver|puanla",
        r"10\s*/\s*10|tam (?:puan|not)|en yüksek (?:puan|not)|on üzerinden on|kazanan|galip",
    ),
    Tongue(
        r"अनदेखा (?:करें|करो|कर दो)|नज़रअंदाज़ (?:करें|करो)|भूल (?:जाएं|जाओ)",
        r"निर्देशों|आदेशों|नियमों|मानदंडों",
        r"पिछले|पहले|सभी|उपरोक्त|अपने",
        r"दें|दो|दीजिए|घोषित करें",
        r"पूरे अंक|पूर्ण अंक|अधिकतम अंक|विजेता|10\s*/\s*10",
    ),
)
"""Languages that put spaces between words, and the command last."""

CLOSE: tuple[Tongue, ...] = (
    Tongue(
        r"忽略(?![了过掉])|无视(?!了)|無視(?!了)|忘记(?!了)|忘記(?!了)|不要(?:遵守|理会)|不必(?:遵守|理会)",
        r"指令|指示|规则|規則|提示|说明(?!书)|标准|標準|要求",
        r"之前|以上|先前|前面|上述|此前|所有|全部|一切|你的|您的",
        r"(?:给|給|判|宣布|打)(?:我|我们|我們|正方|反方|本方|支持方|反对方|反對方)|投票给|投给",
        r"满分|滿分|10\s*分|最高分|10\s*/\s*10|获胜|獲勝|胜出|勝出|赢|贏",
    ),
    Tongue(
        r"無視(?:し|せ)|忘れ(?:て|ろ|なさい)|従わない(?:で|こと)",
        r"指示|命令|ルール|規則|基準|プロンプト",
        r"これまで|以前|上記|前の|すべて|全て|あなたの",
        r"(?:て|で)(?:ください|下さい)|しろ|せよ|なさい",
        r"満点|10点|最高点|勝者|勝ちに|勝利",
    ),
    Tongue(
        r"무시하(?:고|세요|십시오|라)|무시해|잊(?:고|어|으세요)|따르지 ?마",
        r"지시|명령|규칙|지침|기준",
        r"이전|위의|앞의|모든|당신의",
        r"주세요|줘|주십시오|부여하|선언하|투표하|매기",
        r"만점|10점|최고점|승자|승리",
    ),
)
"""Languages that do not, or that fuse them: matched within words, in one clause."""

CLOSE_BY = 18
"""Characters within which rules that are to be ignored need not be said to be the judge's."""
NEAR = 60
"""Characters between the words of one order."""


def foreign_orders(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge in another language."""
    if not _ANY.search(text):
        return
    for start, sentence in sentences(text):
        technique = next((found for tongue in _TABLE if (found := _order(tongue, sentence))), None)
        if technique is not None:
            yield start, start + len(sentence), technique


class _Compiled(NamedTuple):
    ignore: re.Pattern[str]
    norm: re.Pattern[str]
    which: re.Pattern[str]
    give: re.Pattern[str]
    top: re.Pattern[str]


def _order(tongue: _Compiled, sentence: str) -> str | None:
    if tongue.norm.search(sentence) and (ignoring := tongue.ignore.search(sentence)):
        if tongue.which.search(sentence) or tongue.norm.search(sentence, ignoring.end(), ignoring.end() + CLOSE_BY):
            return "override"
    tops = [match.start() for match in tongue.top.finditer(sentence)]
    gifts = [match.end() for match in tongue.give.finditer(sentence)] if tops else []
    return "score_demand" if any(abs(top - gift) <= NEAR for top in tops for gift in gifts) else None


_CLAUSE = r"(?:^|[.!?,:;¡¿(–—]\s*|(?<!\w)(?:y|e|et|und|i|и|و|và|en|dan|oder|por favor|bitte|пожалуйста)\s+|(?<!\w)و)"


def _compiled(tongue: Tongue, word: str, command: str) -> _Compiled:
    patterns = [command.format(tongue.ignore), word.format(tongue.norm), word.format(tongue.which)]
    patterns += [command.format(tongue.give), word.format(tongue.top)]
    return _Compiled(*(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in patterns))


_WORD = r"(?<!\w)(?:{})(?!\w)"
_TABLE = (
    *(_compiled(tongue, _WORD, _CLAUSE + r"(?:{})(?!\w)") for tongue in TONGUES),
    *(_compiled(tongue, _WORD, _WORD) for tongue in LAST),
    *(_compiled(tongue, "(?:{})", "(?:{})") for tongue in CLOSE),
)
_ANY = re.compile(
    "|".join(
        [_WORD.format(f"{tongue.norm}|{tongue.top}") for tongue in (*TONGUES, *LAST)]
        + [f"{tongue.norm}|{tongue.top}" for tongue in CLOSE]
    ),
    re.IGNORECASE,
)
"""Without one of these words there is no order to find."""
