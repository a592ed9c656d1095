"""Round trips: what people write in the encodings of their countries comes back as it was, or is refused; never as nonsense."""

from __future__ import annotations

from random import Random

import pytest

from ragd.core.errors import DocumentUnreadable
from ragd.formats.common.decoding import decode
from ragd.formats.common.guessing import guess

# Phrases that make texts, and what NEC and IBM added to the Japanese table.
JAPANESE = (
    "見積書の宛先は㈱山田商店です。", "①申請書を提出する。", "Ⅲ期の点検は№12の倉庫から始める。", "髙橋と﨑田が立ち会う。",
    "氏名,部署,内線", "佐藤,総務部,120", "会議の議事録を添付します。", "API設定を確認してください。", "温度は40℃まで",
    "納品先：東京都港区①の2",
)  # fmt: skip
SHORT_JAPANESE = ("①Ａ", "№１", "㍻30年", "こんにちは", "㈱鈴木", "ﾒｰｶｰ,型番")
HALF_WIDTH = ("ﾒｰｶｰ,型番,数量", "ｱｻﾋ,AB-1,12", "ｶﾌﾞｼｷｶﾞｲｼｬ ﾔﾏﾀﾞ", "ﾄｳｷｮｳﾄ ﾐﾅﾄｸ", "ﾌﾘｶﾞﾅ ｻﾄｳ ﾊﾅｺ")
SIMPLIFIED = (
    "请在安装以后重新启动服务。",
    "合同编号：2024-01",
    "姓名,部门,电话",
    "王伟,财务部,8012",
    "配置文件在这里。",
    "库存数量不足时会发出通知。",
)
TRADITIONAL = (
    "請在安裝之後重新啟動服務。",
    "姓名,部門,電話",
    "王小明,財務部,8012",
    "設定檔在這個資料夾。",
    "庫存數量不足時會發出通知。",
)
KOREAN = (
    "설치 후 서비스를 다시 시작하십시오.",
    "이름,부서,전화",
    "김철수,총무부,8012",
    "재고가 부족하면 알림을 보냅니다.",
    "설정 파일",
)
WESTERN = (
    "Le café est fermé à Noël.",
    "Die Größe beträgt 5 €.",
    "“Señor Peña” – naïve…",
    "Æblegrød på bordet",
    "À bientôt, François",
    "Öl nachfüllen",
)
RUSSIAN = ("Перезапустите службу после установки.", "Имя,Отдел", "Склад закрыт до понедельника.")

LANGUAGES = {
    "japanese": (JAPANESE, ("cp932", "euc_jp", "eucjp-ms", "euc_jis_2004", "iso2022_jp_ext", "utf-8", "utf-16")),
    "short japanese": (SHORT_JAPANESE, ("cp932",)),
    "half-width": (HALF_WIDTH, ("cp932", "euc_jp")),
    "simplified": (SIMPLIFIED, ("gb18030", "gbk", "gb2312", "utf-8")),
    "traditional": (TRADITIONAL, ("big5", "utf-8")),
    "korean": (KOREAN, ("euc_kr", "cp949", "utf-8")),
    "western": (WESTERN, ("cp1252", "utf-8")),
    "russian": (RUSSIAN, ("cp1251", "koi8_r", "utf-8")),
}
CASES = [(language, encoding) for language, (_, encodings) in LANGUAGES.items() for encoding in encodings]


def encoded(text: str, encoding: str) -> bytes | None:
    """None where the encoding has no such character. EUC-JP as Windows writes it has code page 932's table, unfolded."""
    if encoding != "eucjp-ms":
        try:
            return text.encode(encoding)
        except UnicodeEncodeError:
            return None
    return b"".join(_unfolded(one) for one in text)


def _unfolded(character: str) -> bytes:
    try:
        return character.encode("euc_jp")
    except UnicodeEncodeError:
        lead, trail = character.encode("cp932")
        if lead >= 0xFA:  # IBM's own copy; NEC's selection of the same stands in the rows 89 to 92
            return IBM[character]
        row = 2 * (lead - (0x81 if lead < 0xA0 else 0xC1)) + (trail >= 0x9F)
        return bytes((0xA1 + row, 0xA1 + (trail - 0x9F if trail >= 0x9F else trail - 0x40 - (trail > 0x7F))))


IBM = {"髙": b"\xfc\xe2", "﨑": b"\xfa\xb3"}


def texts(language: str, seed: int) -> list[str]:
    """Every phrase alone, and texts of several, short and long."""
    phrases, _ = LANGUAGES[language]
    random = Random(seed)
    made = [phrase + "\n" for phrase in phrases]
    made += ["\n".join(random.choices(phrases, k=random.choice((2, 5, 40)))) + "\n" for _ in range(15)]
    return made


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_a_text_comes_back_or_is_refused(language: str, encoding: str) -> None:
    refused = tried = 0
    for text in texts(language, seed=5):
        data = encoded(text, encoding)
        if data is None:
            continue
        tried += 1
        try:
            assert decode(data, "a.txt").text == text
        except DocumentUnreadable:
            refused += 1
    assert tried
    assert refused <= tried // 8


@pytest.mark.parametrize("text", ["①番を㈱山田商店へ送る。\n", "迭代①の確認\n"])
@pytest.mark.parametrize("encoding", ["eucjp-ms", "euc_jis_2004"])
def test_extensions_of_euc_jp_are_read(text: str, encoding: str) -> None:
    data = encoded(text, encoding)
    assert data is not None
    decoded = decode(data, "a.txt")
    assert (decoded.text, decoded.encoding) == (text, "euc_jp")


def test_the_three_byte_copy_of_ibm_characters_is_read() -> None:
    data = "見積書の宛先は".encode("euc_jp") + b"\x8f\xf4\xfb" + "橋です。\n".encode("euc_jp")
    assert decode(data, "a.txt").text == "見積書の宛先は髙橋です。\n"


def test_a_broken_place_in_extended_euc_jp_is_replaced_and_nothing_else() -> None:
    text = "①申請書を提出する。㈱山田商店へ送る。\n" * 20
    data = encoded(text, "eucjp-ms")
    assert data is not None
    decoded = decode(data + b"\xa1\x20end\n", "a.txt")
    assert decoded.text.startswith(text)
    assert decoded.warnings == ("1 places that are no characters in euc_jp were replaced by '\ufffd'",)


@pytest.mark.parametrize(("text", "encoding"), [("設定\n", "euc_jp"), ("Ação\n", "cp1252")])
def test_what_may_be_two_things_is_refused_with_what_to_do(text: str, encoding: str) -> None:
    with pytest.raises(DocumentUnreadable, match=r"its encoding is not clear: .*ingest\.encodings"):
        decode(text.encode(encoding), "a.txt")


@pytest.mark.parametrize("encoding", ["mac-roman", "cp437", "cp850", "hz"])
def test_an_encoding_that_is_not_known_gives_no_nonsense(encoding: str) -> None:
    text = "Die Größe und das Maß für Möbel; le café très tôt.\n" if encoding != "hz" else "plain\n"
    try:
        assert decode(text.encode(encoding), "a.txt").text == text
    except DocumentUnreadable as error:
        assert "ingest.encodings" in error.message  # noqa: PT017


def test_equal_lines_make_no_guess_surer() -> None:
    line = "設定\n".encode("euc_jp")
    one, many = guess(line), guess(line * 500)
    assert one.doubt
    assert many.doubt


def test_a_long_text_is_judged_by_where_it_begins_to_be_foreign() -> None:
    text = "0123456789abcdef\n" * 10_000 + "見積書の宛先は㈱山田商店です。\n" * 3000
    assert decode(text.encode("cp932"), "a.log").text == text
