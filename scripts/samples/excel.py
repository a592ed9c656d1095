"""The spreadsheet samples: workbooks by XlsxWriter, which writes the values of formulas, and CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, timedelta

import xlsxwriter

from samples.office import MADE, without_clock

CLUSTERS = (("fjord", "Oslo", "fj"), ("sagami", "Tokyo", "sg"), ("test", "Osaka", "ts"))


def node_rows() -> list[tuple[str, str, str, str, date, float, float, int]]:
    """Name, cluster, site, rack, installed, NVMe in TB, share in use, price in euros; 72 nodes."""
    rows = []
    for index in range(72):
        cluster, site, short = CLUSTERS[0 if index < 34 else 1 if index < 62 else 2]
        rack = f"{'ABCDEFGH'[index // 9]}{index * 5 % 11 + 1:02}"
        installed = date(2023, 2, 6) + timedelta(days=index * 13 + index % 4)
        size = (1.92, 3.84, 7.68)[index * 7 % 3]
        rows.append(
            (
                f"kes-{short}-{index + 11}",
                cluster,
                site,
                rack,
                installed,
                size,
                (31 + index * 17 % 52) / 100,
                4180 + index * 37 % 900,
            )
        )
    return rows


def node_inventory() -> bytes:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    book.set_properties({"title": "Node inventory", "author": "R. Achterberg", "created": MADE})
    head = book.add_format({"bold": True, "bg_color": "#D9E2F3", "align": "center", "border": 1})
    day, share = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"num_format": "0%"})
    money, size = book.add_format({"num_format": "[$€-2] #,##0"}), book.add_format({"num_format": '0.00" TB"'})
    sheet = book.add_worksheet("Nodes")
    sheet.merge_range("A1:B1", "Node", head)
    sheet.merge_range("C1:D1", "Location", head)
    sheet.merge_range("E1:H1", "Hardware", head)
    sheet.write_row("A2", ["Name", "Cluster", "Site", "Rack", "Installed", "NVMe", "In use", "Price"], head)
    rows = node_rows()
    for number, (name, cluster, site, rack, installed, terabytes, used, price) in enumerate(rows, 2):
        sheet.write_row(number, 0, [name, cluster, site, rack])
        sheet.write_datetime(number, 4, installed, day)
        sheet.write_number(number, 5, terabytes, size)
        sheet.write_number(number, 6, used, share)
        sheet.write_number(number, 7, price, money)
    last = len(rows) + 2
    sheet.write(last, 0, "Total", head)
    sheet.write_formula(last, 7, f"=SUM(H3:H{last})", money, sum(row[-1] for row in rows))
    sheet.set_column("A:H", 13)
    sheet.freeze_panes(2, 1)
    orders = book.add_worksheet("Orders")
    orders.write_row("A1", ["Order", "Placed", "What", "Supplier", "Delivery week", "Amount"], head)
    for number, (order, placed, what, supplier, week, amount) in enumerate(
        [
            ("PO-26-0117", date(2026, 1, 19), "6 drives of 7.68 TB for fjord", "Nordlys Data", "2026-W15", 8940),
            ("PO-26-0142", date(2026, 2, 9), "2 rack switches, 25 Gbit/s", "Havgap Nett", "2026-W18", 11260),
            ("PO-26-0155", date(2026, 3, 3), "4 nodes for the second hall in Oslo", "Nordlys Data", "2026-W21", 19480),
            ("PO-26-0160", date(2026, 3, 24), "Spare fans and rails", "Havgap Nett", "2026-W14", 735),
        ],
        1,
    ):
        orders.write_row(number, 0, [order, "", what, supplier, week])
        orders.write_datetime(number, 1, placed, day)
        orders.write_number(number, 5, amount, money)
    orders.write(5, 0, "Total", head)
    orders.write_formula(5, 5, "=SUM(F2:F5)", money, 40415)
    orders.set_column("A:F", 18)
    book.close()
    return without_clock(target.getvalue())


PLACES = (
    "札幌", "旭川", "青森", "盛岡", "仙台", "秋田", "山形", "福島", "水戸", "宇都宮", "高崎", "大宮", "千葉", "立川", "横浜",
    "川崎", "新潟", "長岡", "富山", "金沢", "福井", "甲府", "長野", "松本", "岐阜", "静岡", "浜松", "名古屋", "豊橋", "四日市",
    "大津", "舞鶴",
)  # fmt: skip


def ledger_rows() -> list[tuple[str, str, str, date, int, float, str]]:
    """Number, site, serial number, installed, yen a month, share in use, remark; 64 boxes, two at each site."""
    rows = []
    for index in range(64):
        site = f"{PLACES[index // 2]}{'営業所' if index % 2 == 0 else '倉庫'}"
        installed = date(2024, 4, 8) + timedelta(days=index * 9)
        remark = {21: "日当たりが強いため棚の下段へ移設", 38: "2026年6月に閉鎖予定", 45: "発電機に接続"}.get(index, "")
        rows.append(
            (
                f"EB-{index + 101}",
                site,
                f"T{240400 + index * 7}",
                installed,
                6200 + index % 5 * 350,
                (12 + index * 23 % 71) / 100,
                remark,
            )
        )
    return rows


def box_ledger() -> bytes:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    book.set_properties({"title": "エッジボックス設置台帳", "author": "運用管理グループ", "created": MADE})
    head = book.add_format({"bold": True, "bg_color": "#E2EFDA", "align": "center", "border": 1})
    day, share = book.add_format({"num_format": 'yyyy"年"m"月"d"日"'}), book.add_format({"num_format": "0.0%"})
    money = book.add_format({"num_format": '"¥"#,##0'})
    sheet = book.add_worksheet("設置台帳")
    sheet.merge_range("A1:C1", "機器", head)
    sheet.merge_range("D1:G1", "設置と契約", head)
    sheet.write_row("A2", ["管理番号", "設置場所", "製造番号", "設置日", "月額", "使用率", "備考"], head)
    rows = ledger_rows()
    for number, (key, site, serial, installed, monthly, used, remark) in enumerate(rows, 2):
        sheet.write_row(number, 0, [key, site, serial])
        sheet.write_datetime(number, 3, installed, day)
        sheet.write_number(number, 4, monthly, money)
        sheet.write_number(number, 5, used, share)
        sheet.write_string(number, 6, remark)
    last = len(rows) + 2
    sheet.write(last, 0, "合計", head)
    sheet.write_formula(last, 4, f"=SUM(E3:E{last})", money, sum(row[4] for row in rows))
    sheet.set_column("A:G", 16)
    sheet.freeze_panes(2, 0)
    prices = book.add_worksheet("部品単価")
    prices.write_row("A1", ["部品番号", "品名", "単価", "改定日", "納期"], head)
    for number, (key, name, price, changed, delivery) in enumerate(
        [
            ("EB-FAN0", "冷却板(背面)", 3400, date(2025, 10, 1), "5営業日"),
            ("EB-BAT2", "停電対策用の電池", 12800, date(2026, 4, 1), "3週間"),
            ("EB-LED1", "前面ランプ基板", 2150, date(2025, 10, 1), "5営業日"),
            ("EB-PSU3", "電源アダプター 12V", 5900, date(2026, 4, 1), "翌営業日"),
            ("EB-KEY9", "盗難防止ワイヤー", 1780, date(2024, 7, 1), "翌営業日"),
        ],
        1,
    ):
        prices.write_row(number, 0, [key, name])
        prices.write_number(number, 2, price, money)
        prices.write_datetime(number, 3, changed, day)
        prices.write_string(number, 4, delivery)
    prices.set_column("A:E", 18)
    book.close()
    return without_clock(target.getvalue())


TEST_RUNS = """
run,started,scenario,nodes,jobs,lost,minutes,remark
T-0301,2026-03-02 08:00,steady load,5,48000000,0,1440,
T-0302,2026-03-03 09:10,kill a leader every minute,5,21000000,0,600,longest pause 4.1 s
T-0303,2026-03-04 09:00,clock 40 s ahead on one node,3,9000000,0,240,certificates looked expired
T-0304,2026-03-05 08:30,drive full on two nodes,5,12500000,0,300,writes stopped as designed
T-0305,2026-03-06 10:00,5 % packet loss between halls,5,16400000,0,480,throughput fell by 38 %
T-0306,2026-03-09 09:00,"power cut, all nodes at once",5,11000000,0,210,restart took 49 s
T-0307,2026-03-10 09:20,one million delayed jobs at the same second,3,1000000,0,35,"last job started 22 s late"
T-0308,2026-03-11 09:00,payloads of 256 KiB,3,640000,0,90,network at 71 %
T-0309,2026-03-12 13:40,rolling upgrade 3.4.0 to 3.4.1,5,18800000,0,420,no client saw an error
T-0310,2026-03-13 08:00,snapshot while shards move,5,14200000,2,360,"two cancelled jobs came back, KES-415"
T-0311,2026-03-16 08:00,"repeat of T-0310 with the fix",5,14200000,0,360,
T-0312,2026-03-17 09:30,20000 idle connections on a node,3,3100000,0,180,2.2 GB of memory
"""

INQUIRIES = """
受付番号,受付日,拠点,内容,対応,所要時間(分)
Q-2601,2026/02/02,横浜営業所,夜間の集計が終わらない,ワーカーを6個から10個に増やした,45
Q-2602,2026/02/03,仙台倉庫,ハンディ端末の時計がずれる,端末の自動時刻合わせを有効にした,20
Q-2603,2026/02/04,名古屋営業所,納品書が2枚印刷された,印刷の前に受付番号で重複を調べるよう改修した,130
Q-2604,2026/02/06,札幌営業所,停電後に橙のランプが点滅したまま,転送が終わるまで約50分待つよう案内した,15
Q-2605,2026/02/09,静岡倉庫,グラフの時刻が9時間ずれて見える,表示の時間帯を「東京」に変更した,10
Q-2606,2026/02/10,金沢営業所,退職者のアカウントを止めたい,人事の連絡票を受けて即日停止した,25
Q-2607,2026/02/13,千葉倉庫,検索で先月のジョブが出てこない,保存期間が過ぎていたため記録から件数のみ回答した,35
Q-2608,2026/02/16,長野営業所,CSVの氏名が文字化けする,読み込みの文字コードを変更した,30
Q-2609,2026/02/18,浜松倉庫,通知メールが迷惑メールに入る,送信元の認証設定を追加した,60
Q-2610,2026/02/20,富山営業所,画面が英語になった,利用者の設定を日本語に戻した,5
Q-2611,2026/02/24,大津倉庫,箱のファンのような音がする,隣の無停電電源装置の音と判明した,40
Q-2612,2026/02/26,福島営業所,月次の請求ジョブを前倒しで動かしたい,手動で登録する手順書を送付した,20
"""


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each. The Japanese CSV is as Excel on a Japanese Windows saves it."""
    yield "planning/node-inventory.xlsx", node_inventory()
    yield "planning/edge-box-ledger-ja.xlsx", box_ledger()
    yield "planning/release-test-runs.csv", TEST_RUNS.lstrip().encode()
    japanese = io.StringIO()
    csv.writer(japanese).writerows(csv.reader(INQUIRIES.strip().splitlines()))
    yield "planning/inquiries-2026-02-ja.csv", japanese.getvalue().encode("cp932")
