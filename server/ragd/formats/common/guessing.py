"""In which legacy encoding a text is, judged by how probable its characters are.

Each candidate is a pair of an encoding and a language that is written in it. It explains the same bytes as characters, and the
one under whose language these characters are the most probable wins: a naive Bayes model of single characters, as in the
detectors of browsers (Li and Momoi, "A composite approach to language/encoding detection", 2001), with what character sets know
of frequency. GB 2312, JIS X 0208 and Big5 put their common ideographs into a first level, and the commonest few hundred of each
language are listed here in the order of their frequency. Half-width katakana is rare, but where one stands another follows.

Two candidates of about the same probability, or a best one that is improbable, are doubtful: nonsense in an index is worse than a
refusal. With a word or two this happens; there a person's setting decides.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from ragd.language.scripts import HALF_WIDTH_JAPANESE, HAN_BLOCKS, HANGUL_SYLLABLES

_EUC_ERRORS: Final = {"strict": "ragd-euc-strict", "replace": "ragd-euc-replace"}
"""Error handlers that read the characters with which vendors extended EUC-JP; the codec `euc_jp` knows the standard's alone."""

_SAMPLE: Final = 65_536
"""Bytes from the first that is not ASCII which are looked at."""
_LEAST_LEAD: Final = 2.0
"""How much more probable (nats) the best candidate must be than any that gives another text."""
_ASCII: Final = 3.0
_RARE: Final = 10.5
_SYMBOL: Final = 11.0
_NO_TEXT: Final = 30.0
"""For bytes that are no character, a control character, and one that only a private agreement gives a meaning."""
_BESIDE_LATIN: Final = 2.0
"""For an ideograph that touches a Latin letter."""
_WITHIN_WORD: Final = 8.0
"""For letters of two alphabets, or a letter, a sign and a letter, or a capital after a small letter, in one word."""
_LONG_RUN: Final = 4.0
"""For each accented letter after two others: no language of code page 1252 writes so."""
_NEXT_HALF_WIDTH: Final = 3.8

_JAPANESE: Final = (
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関"
    "決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進"
    "正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団"
    "別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口"
    "過局少放税検町常校料状工建語営空職証土急止送供可役構木割聞身費付施切由説転食比防補車優研収断何南違消番規術護備害配副算視条育起万着店残想線率試"
    "追審商形担準様株式納単登録号票例表示接続画像保存更新削除起動"
)
_SIMPLIFIED: Final = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当"
    "没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物"
    "手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认"
    "条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则"
    "听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运请服系置检索配编号档"
)
_TRADITIONAL: Final = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當"
    "沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物"
    "手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認"
    "條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則"
    "聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運請服統置檢索檔案號"
)
_KOREAN: Final = (
    "이다는에의을를가은로하고한지기어사도자리서시인대나라수정해아일그들있부것과전스으보니게원면상만제동장주구성여공유국적와진화까습우당안조세무경비신위"
    "명방식연교학생모실관치중할문소용년선회계체오내개마저물말운된되했요설현재업단때등각통간력양건발분러히며데반차터트크르미약남입출검색템행임금작번호"
)
_PUNCTUATION: Final = "、。・「」ー（）：　，！？；『』【】〜～…“”《》"
_WESTERN: Final = "éèàüöäçáíóñãõêßúåøæôîâûëïùÉÀÄÖÜÅØÇÁÓ"
_CENTRAL: Final = "áíéěýęłąóžčšřśćůżńűőúźťňďăâîșțäöüŁŚŻČŘŠŽĄ"
_RUSSIAN: Final = "оеаинтсрвлкмдпуяызьбгчйхжюшцщэфъё"
_TYPOGRAPHIC: Final = "“”‘’–—…•€°«»©®™§£·¡¿\xa0"

_IDEOGRAPHS: Final = f"{HAN_BLOCKS}{HANGUL_SYLLABLES}"
_OTHER_SCRIPTS: Final = "\u0370-\u03ff\u0400-\u04ff\u05d0-\u05ea\u0620-\u064a\u0e00-\u0e7f"
_BESIDE_IDEOGRAPH: Final = re.compile(f"[A-Za-z][{_IDEOGRAPHS}]|[{_IDEOGRAPHS}][A-Za-z]")
_MIXED_WORD: Final = re.compile(
    f"[A-Za-z][{_OTHER_SCRIPTS}]|[{_OTHER_SCRIPTS}][A-Za-z]"
    r"|(?<=[^\W\d_])[\x80-\xbf\u2010-\u2017\u201a-\u203a](?=[^\W\d_])"
)
_HALF_WIDTH_AFTER: Final = re.compile(
    f"(?:(?<=[{HALF_WIDTH_JAPANESE}])|(?<=[{HALF_WIDTH_JAPANESE}][ ,\t\n]))[{HALF_WIDTH_JAPANESE}]"
)
_THIRD_ACCENT: Final = re.compile("(?<=[\xc0-\u017f]{2})[\xc0-\u017f]")
_AFTER_SMALL: Final = re.compile("(?<=[a-z])[\xc0-\u017f]")
_IS_NO_TEXT: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufffd-\uffff]")

# The IBM extension in EUC-JP-MS: two rows of three bytes that JIS X 0212 leaves free, from 0x8FF3F3.
_IBM_ROWS: Final = (
    "ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ＇＂㈱№℡炻仼僴凬匇匤﨎咊坙﨏塚增寬峵嵓﨑德悅愠敎昻晥晴朗栁﨓﨔橫櫢淸淲瀨凞猪甁皂皞益礰礼神祥福竧靖精綠緖羽荢"
    "﨟薰蘒﨡蠇諸譿賴赶﨣﨤逸郞都鄕﨧﨨閒隆﨩霻靍靑飯飼館馞髙魲鶴黑"
)
_FIRST_OF_IBM: Final = 0xF3 - 0xA1


def folded(row: int, cell: int) -> bytes:
    """A place in the table of 94 rows and cells (each from 0x21) as code page 932 writes it: two rows in one lead byte."""
    lead = (row + 1) // 2 + (0x70 if row < 0x5F else 0xB0)
    if row % 2 == 0:
        return bytes((lead, cell + 0x7E))
    return bytes((lead, cell + (0x1F if cell < 0x60 else 0x20)))


def _extended(error: UnicodeError) -> tuple[str, int]:
    """The vendors' character where `euc_jp` has none: what NEC and IBM added to the table, else that of JIS X 0213."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    at = error.start
    lead, row, cell = (*error.object[at : at + 3], 0, 0, 0)[:3]
    if lead == 0x8F and row in (0xF3, 0xF4) and cell >= 0xA1:
        index = (row - 0xF3) * 94 + cell - 0xA1 - _FIRST_OF_IBM
        if 0 <= index < len(_IBM_ROWS):
            return _IBM_ROWS[index], at + 3
    if lead >= 0xA1 and row >= 0xA1:
        try:
            return folded(lead - 0x80, row - 0x80).decode("cp932"), at + 2
        except UnicodeDecodeError:
            pass
    length = 3 if lead == 0x8F else 2
    try:
        return error.object[at : at + length].decode("euc_jis_2004"), at + length
    except UnicodeDecodeError:
        raise error from None


def _extended_or_replaced(error: UnicodeError) -> tuple[str, int]:
    try:
        return _extended(error)
    except UnicodeDecodeError as found:
        return "\ufffd", found.end


codecs.register_error(_EUC_ERRORS["strict"], _extended)
codecs.register_error(_EUC_ERRORS["replace"], _extended_or_replaced)


def decode_as(data: bytes, encoding: str, errors: Literal["strict", "replace"] = "strict") -> str:
    """The text of bytes in an encoding. Raises `UnicodeError` where they are not, and `LookupError` for what is no charset."""
    return data.decode(encoding, _EUC_ERRORS[errors] if encoding == "euc_jp" else errors)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An encoding, what is written in it, and how improbable (nats) a character is there. An average of `most` is not believed;
    `prior` is how improbable the language is."""

    encoding: str
    language: str
    cost: Callable[[str], float]
    most: float
    prior: float = 0.0


@dataclass(frozen=True, slots=True)
class Guess:
    """The encoding of the most probable text; `doubt` says why it is not to be believed."""

    encoding: str
    doubt: str = ""


def guess(data: bytes) -> Guess:
    """The encoding of bytes, which is doubtful where they are all ASCII."""
    first = re.search(rb"[\x80-\xff]", data)
    if first is None:
        return Guess("ascii", "there is nothing to tell it by")
    sample = data[first.start() : first.start() + _SAMPLE]
    found: list[tuple[float, float, str, _Candidate]] = []
    for candidate in _candidates():
        text = decode_as(sample, candidate.encoding, "replace")
        found.append((*_improbability(text, candidate), text, candidate))
    found.sort(key=lambda one: one[0])
    cost, per_character, text, best = found[0]
    if per_character > best.most:
        return Guess(best.encoding, "its characters make no text in any of the encodings that are known here")
    rival = next((other for other in found[1:] if other[2] != text), None)
    if rival is not None and rival[0] - cost < _LEAST_LEAD:
        names = " or ".join(f"{one.language} in {one.encoding}" for one in (best, rival[3]))
        return Guess(best.encoding, f"it could be {names}")
    return Guess(best.encoding)


def _improbability(text: str, candidate: _Candidate) -> tuple[float, float]:
    """In nats: of the whole text, its equal lines counted once, and of an average character that is not plain ASCII."""
    text = "\n".join(dict.fromkeys(text.split("\n")))
    counts = Counter(text)
    cost, foreign = 0.0, 0
    for character, count in counts.items():
        if _IS_NO_TEXT.match(character):
            cost, foreign = cost + count * _NO_TEXT, foreign + count
        elif character >= "\x80":
            cost, foreign = cost + count * candidate.cost(character), foreign + count
    cost += _LONG_RUN * len(_THIRD_ACCENT.findall(text)) + _BESIDE_LATIN * len(_BESIDE_IDEOGRAPH.findall(text))
    cost += _WITHIN_WORD * (len(_MIXED_WORD.findall(text)) + sum(one.isupper() for one in _AFTER_SMALL.findall(text)))
    for character, count in Counter(_HALF_WIDTH_AFTER.findall(text)).items():
        cost -= count * max(0.0, candidate.cost(character) - _NEXT_HALF_WIDTH)
    return cost + _ASCII * (len(text) - foreign) + candidate.prior, cost / max(1, foreign)


@cache
def _candidates() -> tuple[_Candidate, ...]:
    wide = [chr(code) for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()]
    hiragana, katakana = _letters(ord("ぁ"), ord("ゔ")), _letters(ord("ァ"), ord("ヷ"))
    kana = _even(hiragana, 0.40) | _even(katakana, 0.12) | _even(_letters(ord("｡"), ord("ﾟ") + 1), 0.01)
    japanese = _Levels(
        _ranked(_JAPANESE, 0.25) | _even(_PUNCTUATION, 0.10) | _even(wide, 0.02) | kana, "euc_jp", 0xD0, 10.4, 14.3, 10.7
    )
    chinese = _even(_PUNCTUATION, 0.10) | _even(wide, 0.005)
    simplified = _Levels(chinese | _ranked(_SIMPLIFIED, 0.55), "gb2312", 0xD8, 9.4, 12.6, 16.4)
    traditional = _Levels(chinese | _ranked(_TRADITIONAL, 0.55), "big5", 0xC9, 9.8, 13.5, 16.4)
    korean = _Levels(_even(_PUNCTUATION, 0.01) | _ranked(_KOREAN, 0.65), "euc_kr", 0xC9, 8.9, 14.3, 15.3)
    rows: list[_Candidate] = [
        _Candidate("cp932", "Japanese", japanese.cost, 10.5),
        _Candidate("euc_jp", "Japanese", japanese.cost, 10.5),
        _Candidate("gb18030", "Chinese", simplified.cost, 10.5),
        _Candidate("big5", "Chinese", traditional.cost, 10.5),
        _Candidate("cp949", "Korean", korean.cost, 10.5, 1.0),
    ]
    for encoding, language, letters, share, most, prior in (
        ("cp1252", "Western European", _WESTERN, 0.8 * 0.03, 10.3, 0.0),
        ("cp1250", "Central European", _CENTRAL, 0.8 * 0.03, 10.3, 5.0),
        ("iso8859_2", "Central European", _CENTRAL, 0.8 * 0.03, 10.3, 6.0),
        ("cp1254", "Turkish", "ıişğüçöİŞĞÜÇÖ", 0.8 * 0.03, 10.3, 5.0),
        ("cp1251", "Russian", _RUSSIAN + _RUSSIAN.upper(), 0.7, 6.5, 2.0),
        ("koi8_r", "Russian", _RUSSIAN + _RUSSIAN.upper(), 0.7, 6.5, 2.0),
        ("cp1253", "Greek", "αοιετσνηυρπκμλςωγδόίάέήχύθφβώξζψΑΕΤΠΚΣΜΟ", 0.7, 6.5, 5.0),
        ("cp1255", "Hebrew", "יוהלארתבמשנםדקעחפטגסזכצןךףץ", 0.7, 6.5, 5.0),
        ("cp1256", "Arabic", "الينمرتوبةعدسفهكقأحجشطصخىذئزإضثغءظآؤ", 0.7, 6.5, 5.0),
        ("cp874", "Thai", "านรกอเ่งมย้ลวดทสตะปัิบคหีแจพชำขใืโุไผ็ถึูธซณฐฉศภฟษฝญฎฏฑฒฆฌฬฮ", 0.8, 6.5, 5.0),
    ):
        table = _even(_TYPOGRAPHIC, 0.17 * 0.03) | _ranked(letters, share)
        rows.append(_Candidate(encoding, language, _Table(table).cost, most, prior))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _Table:
    """Characters of an alphabet; any other is rare."""

    known: Mapping[str, float]

    def cost(self, character: str) -> float:
        return self.known.get(character, _RARE)


@dataclass(frozen=True, slots=True)
class _Levels:
    """Characters with a frequency of their own, and how improbable others are, by their row in the language's national standard:
    the `common` first level, the `rare` one from the lead byte `second` on, or `outside` of it."""

    known: Mapping[str, float]
    charset: str
    second: int
    common: float
    rare: float
    outside: float

    def cost(self, character: str) -> float:
        if character in self.known:
            return self.known[character]
        try:
            encoded = character.encode(self.charset)
        except UnicodeEncodeError:
            return self.outside
        if len(encoded) != 2 or encoded[0] < (0xA4 if self.charset == "big5" else 0xB0):
            return _SYMBOL
        return self.common if encoded[0] < self.second else self.rare


def _letters(first: int, end: int) -> list[str]:
    return [chr(code) for code in range(first, end)]


def _even(characters: Iterable[str], share: float) -> dict[str, float]:
    """Each of them alike; all of them make up this share of a text."""
    each = list(characters)
    return dict.fromkeys(each, -math.log(share / len(each)))


def _ranked(characters: str, share: float) -> dict[str, float]:
    """By Zipf's law, the commonest first."""
    distinct = dict.fromkeys(characters)
    weights = {character: 1 / (rank + 10) for rank, character in enumerate(distinct)}
    total = sum(weights.values())
    return {character: -math.log(share * weight / total) for character, weight in weights.items()}
