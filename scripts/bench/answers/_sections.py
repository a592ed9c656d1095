"""Sections of data/samples with sentences about them, written by hand: restated, with something changed, made up."""

from __future__ import annotations

from typing import NamedTuple


class Section(NamedTuple):
    """A section of a document with sentences about it."""

    document: str
    heading: str
    supported: tuple[str, ...]
    changed: tuple[str, ...]
    made_up: tuple[str, ...]


SECTIONS = (
    Section(
        "operations/runbook-failover.md",
        "Background",
        (
            "A new leader is normally elected in about three seconds.",
            "KestrelNoLeader goes off after a shard was leaderless for 45 seconds.",
            "シャードに45秒間リーダーがいないとアラートが発報します。",
        ),
        ("The alert fires after a shard has had no leader for 90 seconds.", "An election usually takes twenty seconds."),
        ("The on-call engineer must restart every node at once.", "The alert is also sent to the customer by e-mail."),
    ),
    Section(
        "operations/runbook-failover.md",
        "Calm a flapping cluster",
        (
            "If the p99 of fsync exceeds 250 ms, cordon the node and tell the hardware team.",
            "Otherwise you can raise the election timeout for two hours; it goes back by itself afterwards.",
        ),
        ("The disk is the problem when p99 is above 900 ms.", "Set raft.election_timeout_ms to 9000."),
        ("Flapping is mostly caused by faulty memory modules.", "Contact the vendor of the network cards for new firmware."),
    ),
    Section(
        "operations/security-policy.md",
        "Tokens and scopes",
        (
            "People's tokens are valid for 12 hours, those of services for 90 days.",
            "If a scope is missing, the call fails with KST-4031 and the answer says which one.",
            "サービス用トークンの有効期間は90日です。",
        ),
        ("Tokens of people live for 48 hours.", "A missing scope is answered with KST-7755."),
        ("Tokens must be approved by the finance department.", "Scopes can be bought in the online shop."),
    ),
    Section(
        "operations/security-policy.md",
        "Audit log",
        (
            "Audit entries are stored for 400 days, and payloads are not recorded.",
            "Each entry is chained to the previous one by its hash.",
        ),
        ("Entries of the audit log are kept for 30 days.", "The head of the chain is published every 60 minutes."),
        ("The audit log can be edited by the office manager.", "Auditors visit the data centre twice a year."),
    ),
    Section(
        "operations/security-policy.md",
        "Encryption at rest",
        (
            "A restricted queue needs a key of its own.",
            "Nodes drop the keys from memory if they cannot reach the key service for 15 minutes.",
        ),
        ("Keys are rotated every 365 days.", "Old segments are rewritten within three months."),
        ("Backups on tape are encrypted with a second password.", "Laptops must use full disk encryption."),
    ),
    Section(
        "guides/developer-guide.md",
        "Jobs and leases",
        (
            "By default a lease lasts 90 seconds and the client renews it automatically.",
            "If a worker dies, its job can be taken again once the lease is over.",
            "リースは既定で90秒間続き、クライアントライブラリが自動で更新します。",
        ),
        ("A lease lasts 600 seconds by default.", "The library renews the lease 10 times a second."),
        ("Jobs are sorted by the age of the customer.", "Workers are written in Rust for speed."),
    ),
    Section(
        "guides/developer-guide.md",
        "Getting started",
        (
            "The client protocol is on port 7420, the HTTP admin API on 7421.",
            "The development image holds its data in memory only.",
        ),
        ("The HTTP admin API is on port 9999.", "Install the client with npm install kestrel."),
        ("A licence key has to be typed in at the first start.", "The image needs a graphics card."),
    ),
    Section(
        "operations/observability.md",
        "Latency",
        (
            "The target is that 99.5 % of batches get acknowledged in 50 ms over four weeks.",
            "When people complain about a slow queue, check kestrel_dispatch_delay_seconds first.",
        ),
        ("The objective is 80 % within 50 ms.", "The objective is measured over 365 days."),
        ("Latency is halved by switching to the premium plan.", "The graphs are printed every Monday."),
    ),
    Section(
        "reference/release-notes.md",
        "3.4.0",
        (
            "Since 3.4.0, payloads are compressed with zstd level 3 instead of gzip.",
            "Fan-out queues now allow 32 consumer groups instead of 8.",
        ),
        ("Fan-out queues can have up to 512 consumer groups.", "Spans are sampled at 75 %."),
        ("Version 3.4.0 adds support for Oracle databases.", "The mobile app was redesigned."),
    ),
    Section(
        "guides/setup-guide-ja.md",
        "プロキシ環境での注意",
        (
            "ノード間の通信はプロキシを通せないため、KESTREL_PROXY_BYPASS にクラスターの範囲を設定します。",
            "設定しないと、最初の接続が約30秒待ったあとで失敗します。",
            "Nodes cannot talk to each other through a proxy; set KESTREL_PROXY_BYPASS to the address range.",
        ),
        ("設定しないと、最初の接続が300秒待たされます。", "環境変数 KESTREL_NO_CHECK を設定してください。"),
        ("プロキシの利用には部長の承認が必要です。", "通信料金は部門ごとに請求されます。"),
    ),
    Section(
        "guides/setup-guide-ja.md",
        "社内認証局の証明書",
        (
            "証明書は PEM 形式で /etc/kestrel/ca.d/ に置き、kestrelctl certs reload で読み込みます。",
            "期限まで21日を切ると管理画面に黄色い帯が出ます。再起動は不要です。",
        ),
        ("期限が90日以内になると黄色の帯が表示されます。", "証明書は /opt/certs/ に置きます。"),
        ("証明書は郵送で受け取ります。", "証明書の発行には手数料がかかります。"),
    ),
    Section(
        "guides/setup-guide-ja.md",
        "ワーカー数の目安",
        (
            "CPU を多く使う処理では、ワーカー数はコア数と同じにします。",
            "外部 API を待つことが多い処理では、コア数の4倍が目安です。",
        ),
        ("外部 API の待ち時間が長い処理ではコア数の16倍を目安にします。", "CPU を多く使う処理ではコア数の10倍にします。"),
        ("ワーカーは夜間に自動で停止します。", "ワーカーの増設には追加のライセンスが必要です。"),
    ),
    Section(
        "guides/migration-v3-ja.md",
        "空き容量",
        ("変換中は v2 データベースの2.5倍の空きディスクが必要です。",),
        ("空き容量は v2 のデータベースの7倍必要です。",),
        ("空き容量が足りないとメールで通知されます。",),
    ),
    Section(
        "guides/migration-v3-ja.md",
        "所要時間の見積もり",
        ("1分間に約120万件のジョブが変換されます。", "完了したジョブは標準では移行されません。"),
        ("1分あたり約900万件のジョブを変換します。", "--include-done を付けると所要時間は20倍になります。"),
        ("移行作業は専門業者に委託します。", "移行の費用は年度末に精算されます。"),
    ),
)
