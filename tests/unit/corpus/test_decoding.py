"""Which encoding a file is in, and whether it is text at all."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.corpus.decoding import decode, tidy
from satisfice.corpus.formats import Unreadable

ENGLISH = "The refund window for annual plans is fourteen days, and the café on the corner closes at nine. " * 3
FRENCH = (
    "Le délai de remboursement est de quatorze jours à compter de l'achat ; les élèves paient la moitié du prix. " * 3
)
GERMAN = "Die Kündigungsfrist beträgt zehn Tage zum Monatsende, für größere Büros gelten eigene Verträge. " * 3
JAPANESE = "年間プランの返金期限は購入日から十四日です。請求書は会計ページからダウンロードできます。" * 3
CHINESE = "年度套餐的退款期限为十四天，发票可以在账单页面下载。紧急情况请拨打合同中注明的电话。" * 3
ARABIC = "مدة استرداد الاشتراك السنوي أربعة عشر يوما من تاريخ الشراء، ويمكن تنزيل الفاتورة من صفحة الفواتير. " * 3
RUSSIAN = "Срок возврата средств за годовой тариф составляет четырнадцать дней со дня покупки. " * 3


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (ENGLISH, "utf-8"),
        (CHINESE, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (ENGLISH, "utf-16"),
        (JAPANESE, "utf-16"),
        (ENGLISH, "utf-16-le"),
        (ENGLISH, "utf-16-be"),
        (GERMAN, "utf-32"),
        (FRENCH, "cp1252"),
        (GERMAN, "cp1252"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (ARABIC, "windows-1256"),
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"),
    ],
)
def test_text_comes_back_from_the_encodings_people_still_use(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_byte_order_mark_is_not_text() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode("abc".encode(encoding)) == "abc"


@pytest.mark.parametrize("odd", ["price £20", "20 °C", "naïve", "Ångström", "São Paulo", "“quoted” – it’s"])
def test_a_few_odd_letters_in_plain_text_are_western(odd: str) -> None:
    plain = "Annual plans can be refunded within fourteen days of purchase. "
    for text in (odd, plain + odd, plain * 60 + odd + plain):
        assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Lhůta pro vrácení peněz je čtrnáct dní. ", "cp1250"),
        ("Termin zwrotu pieniędzy za plany roczne wynosi czternaście dni od dnia zakupu. ", "cp1250"),
        ("Yıllık planlar için iade süresi on dört gündür. Şifreler güvenli bir yerde saklanmalıdır. ", "cp1254"),
    ],
)
def test_languages_full_of_odd_letters_keep_their_own_code_page(text: str, encoding: str) -> None:
    assert decode((text * 3).encode(encoding)) == text * 3


@pytest.mark.parametrize("size", [16, 100, 4096, 200_000])
def test_random_bytes_are_refused(size: int) -> None:
    with pytest.raises(Unreadable, match="binary"):
        decode(random.Random(size).randbytes(size))


@pytest.mark.parametrize(
    "head",
    [
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"PK\x03\x04\x14\0\0\0\x08\0",
        bytes(64),
    ],
)
def test_the_start_of_a_binary_file_is_refused(head: bytes) -> None:
    with pytest.raises(Unreadable, match="binary"):
        decode(head * 3)


def test_line_ends_of_every_system_become_one() -> None:
    assert tidy("a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_one_zero_character_does_not_make_a_text_binary() -> None:
    assert decode(ENGLISH.encode() * 10 + b"\0") == ENGLISH * 10 + "\ufffd"


@given(st.text(st.characters(categories=["L", "N", "P", "Z", "Cs"]) | st.sampled_from("\r\n\0\ud800\udfff")))
def test_tidy_text_can_always_be_encoded_and_tidying_again_changes_nothing(text: str) -> None:
    tidied = tidy(text)
    tidied.encode()
    assert tidy(tidied) == tidied
    assert "\r" not in tidied
    assert "\0" not in tidied
