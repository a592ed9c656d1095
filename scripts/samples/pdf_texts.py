"""The texts of the sample PDF documents, in the marks that `pdf.py` lays out. A change here moves golden questions."""

WHITEPAPER = """
# Kestrel: architecture of a replicated job queue

Technical white paper, edition 4, February 2026. Tarnwood platform group: A. Larsen, M. Todo, R. Achterberg.

## 1 Why another queue

Most teams meet the same three problems within a year of running background jobs. A restart loses work, or repeats it. One
noisy customer delays all others. And nobody can say, at three in the morning, where a given job is. Kestrel was written in
2023 after an incident in which a broker acknowledged 61,000 invoices that it had only held in memory.

Its design follows from three promises. An acknowledged job survives the loss of any minority of nodes. A tenant can slow down
nobody but itself. Every job can be found by its id, with its whole history, until its retention ends.

What Kestrel leaves out is as deliberate. There are no transactions across queues, no ordering between shards, and no server-
side code: a worker is a program of yours, in your own deployment, and the server never runs it.

### 1.1 Vocabulary

A queue is cut into shards; a shard is the unit of replication and of order. A node holds many shards and leads some of them.
A lease is a worker's claim on a job. The storage engine is called Roost, the scheduler Talon; both run inside the one server
process.
---
## 2 Roost, the storage engine

Roost keeps each shard as a log of segments. A segment is a file of 128 MiB that is only ever appended to. New records go to a
write-ahead log that is shared by all shards of a node, because one sequential stream is what a drive does best; a background
thread moves them to their segments.

### 2.1 Group commit

A record is acknowledged after it has been forced to the drive. Forcing each record alone would limit a node to about 900
records a second on our drives, so Roost waits up to 4 milliseconds and forces everything that arrived in the meantime. Under
load the wait shrinks by itself: when 256 KiB have gathered, the commit starts at once.

### 2.2 Finding a record

An index in memory maps a job id to a segment and an offset. It takes 41 bytes for each live job. Ids that are not in memory
are looked up in sorted index files, each with a Bloom filter that is wrong in about one of a hundred cases.

### 2.3 Compaction

Finished jobs leave holes. When the garbage of a segment passes a threshold, its live records are copied to a new segment and
the old file is deleted. Copying is limited to 30 MB a second, so that it can't starve producers; in an emergency, when less
than five per cent of the drive is free, the limit is lifted.
---
## 3 Replication

Each shard is a Raft group of three or five voters. Messages of all groups between two nodes travel in one connection and are
bundled, since a node with 2,000 shards would otherwise send 2,000 heartbeats every 150 milliseconds.

### 3.1 Elections

A follower that hears nothing becomes a candidate after a random time between 800 and 1600 milliseconds. Before it stands, it
asks the others whether they would vote for it (the pre-vote of Ongaro's thesis), so that a node which was merely cut off does
not depose a healthy leader when it comes back.

### 3.2 Snapshots

A follower that is far behind gets a snapshot in place of the log. The leader makes one every 500,000 entries or when the log
passes 3 GiB. Snapshots are taken from a copy-on-write view and stop no writes.

### 3.3 Learners

A learner receives the log but has no vote. We use learners for the second site, 420 km away, where the round trip of 9
milliseconds would slow every commit. If the first site is lost for good, an operator promotes the learners; at most the last
few hundred milliseconds of work are lost, and the tool prints which jobs those were.
---
## 4 Talon, the scheduler

Talon decides two things: when a job becomes ready, and whose job goes next.

### 4.1 Time

Delayed jobs live in a hierarchical timing wheel of four levels with a tick of 50 milliseconds. Inserting and cancelling take
constant time. Jobs that are due more than 36 hours ahead stay on the drive and are loaded into the wheel an hour before.

### 4.2 Fairness

Between tenants Talon uses deficit round robin. Each tenant has a credit that grows by a quantum of 16 jobs whenever its turn
comes; heavy jobs cost more than one credit, in proportion to the time that earlier jobs of that type took. A tenant that has
nothing to do does not save up credit. In the trial of autumn 2024 this cut the 99th percentile of the waiting time of small
tenants from 48 minutes to 70 seconds, while the largest tenant lost three per cent.

### 4.3 Why not priorities alone

Priorities express how urgent a job is within one tenant. Between tenants they fail, because every tenant finds its own work
urgent; within four months of the first release, 83 per cent of all jobs had the highest priority.
---
## 5 Flow control

A queue that accepts everything only moves the problem to its disk. Kestrel pushes back early.

### 5.1 Credits

A producer may have a number of unanswered batches under way: the setting max_inflight_batches, 64 unless changed. The server
returns a credit with each answer and can return fewer than it got, which slows the producer down without an error.

### 5.2 Shedding

When the commit queue of a node is longer than 1.5 seconds, the node starts to refuse new jobs, lowest priority first. It
tells the client how long to wait, with a jitter of its own, so that clients do not all return together. Acknowledgements and
renewals are never refused: a system under pressure that can't finish work will not recover.

### 5.3 What a producer should do

Keep a bounded buffer in memory, and decide beforehand what happens when it is full. For events that may be lost, drop the
oldest. For orders, write to a local outbox table in the same transaction as the order, and let a relay feed the queue.
---
## 6 Measurements

Three nodes, each with 8 cores, 32 GB of memory and one NVMe drive; jobs of 1 KiB; replication to all three; ten queues of
four shards.

| Measurement | Result |
| Sustained throughput, enqueue and acknowledge | 41,000 jobs per second |
| Enqueue latency, median | 3.1 ms |
| Enqueue latency, 99th percentile | 11.8 ms |
| Time without a leader after kill -9, median of 200 trials | 2.3 s |
| Longest time without a leader in those trials | 4.9 s |
| Restart of a node with 80 million live jobs | 52 s |

### 6.1 Fault injection

A test rig cuts networks, stops clocks, fills drives and kills processes at random for 72 hours before each release. It has
found 37 defects; the worst was a snapshot that omitted jobs cancelled during its creation. The rig's seed is written to the
report, so that every run can be repeated.

### 6.2 Limits that we know of

A single shard does not pass 5,200 jobs per second, whatever the hardware, because its leader applies entries in one thread.
Clusters of more than 15 nodes have not been tested. Queues with more than 200 million waiting jobs make restarts slow. We
recommend a second cluster before any of these.
"""

OPERATIONS_MANUAL = """
# Kestrel 運用マニュアル

第3版 2026年2月1日 株式会社ターンウッド 運用管理グループ

## 第1章 目的と体制

本書は、Kestrel クラスターを安定して運用するために、日常の点検、バックアップ、ノードの保守、
障害時の報告について定めるものです。対象は本番環境の「fjord」と「sagami」の2つのクラスターです。検証環境には適用しません。

### 1.1 役割

運用責任者は運用管理グループの長が務めます。当番は2名1組で、毎週月曜日の10時に引き継ぎます。引き継ぎの際は、未解決の警告、
実施中の変更、翌週の保守予定の3点を必ず確認してください。

### 1.2 変更の承認

本番環境の設定を変更するときは、変更申請を3営業日前までに提出し、運用責任者と開発チームの双方の承認を受けます。
緊急の変更は口頭での承認で実施できますが、翌営業日の正午までに申請書を提出してください。

### 1.3 作業の禁止期間

月末の最終営業日から翌月の第2営業日までは、請求処理を保護するため、再起動を伴う作業を行いません。
---
## 第2章 日常の点検

### 2.1 毎日の点検項目

点検は毎朝9時15分に行い、結果を点検簿に記録します。

| 項目 | 正常の範囲 | 範囲を外れたとき |
| ノードの状態 | すべて active | 第5章に従って報告する |
| 複製の遅れ | 2,000件以下 | 30分後に再確認する |
| 未処理ジョブの最大待ち時間 | 10分以内 | 担当チームに連絡する |
| dead のジョブ | 前日比で2倍以内 | 原因別に件数を集計する |

### 2.2 ディスクの使用率

使用率が75%に達すると警告が通知されます。88%に達したノードは自動的に読み取り専用になり、登録の要求に KST-5007 を返します。
この状態を解除するには、使用率を80%未満に下げたうえで、管理画面の「書き込みを再開」を押してください。自動では解除されません。

### 2.3 複製の遅れ

複製の遅れが50,000件を超えた状態が5分続くと、そのノードへの読み取りは KST-5031 で拒否されます。多くの場合、
原因はディスクの劣化です。SMART の代替処理済みセクター数を確認し、前月から10以上増えていれば交換を手配します。
---
## 第3章 バックアップと復旧

### 3.1 方針

バックアップは毎日2時30分に開始します。目標復旧時点(RPO)は15分、目標復旧時間(RTO)は1時間です。日次のスナップショットに加え、
変更の記録を5分ごとに遠隔地の保管庫へ転送します。

### 3.2 復旧の手順

復旧は必ず2名で行います。1名が操作し、もう1名が手順書を読み上げて確認します。

- 新しいクラスターを空の状態で起動します。既存のクラスターへの上書きは行いません。
- 最新のスナップショットを展開し、照合を実行します。
- 変更の記録を適用します。100万件あたりおよそ4分かかります。
- 件数と最終のジョブIDを、停止前の記録と突き合わせます。
- 接続先の切り替えは、DNS の TTL(60秒)を考慮して段階的に行います。

### 3.3 復旧訓練

復旧訓練は四半期ごとに1回、2月、5月、8月、11月の第3木曜日に実施します。RTO を超えた場合は、
原因と改善策を翌月の運用会議で報告します。2025年11月の訓練では、復旧に要した時間は38分でした。
---
## 第4章 ノードの保守

### 4.1 バージョンアップの順序

更新は1台ずつ、学習ノード、フォロワー、リーダーの多いノードの順に行います。1台を更新するたびに、
10分間はエラー率と待ち時間を観察し、異常がなければ次に進みます。更新の途中で2つのバージョンが混在できるのは最長72時間です。

### 4.2 ノードの停止

停止する前に cordon を実行し、担当しているリーダーが0になったことを確認します。その後、systemctl stop kestreld を実行します。
停止には最大3分かかります。3分を過ぎても終了しない場合でも、強制終了はせず、開発チームに連絡してください。

### 4.3 ハードウェアの交換

ディスクを交換したノードは、空の状態から複製をやり直します。1TBあたりの所要時間は約3時間20分です。複製が完了するまで、
同じラックの別のノードを停止してはいけません。

### 4.4 証明書と鍵

ノードの証明書は自動で更新されます。更新に2回続けて失敗すると、当番に電話で通知されます。暗号鍵の予備は、
本社と大阪支社の耐火金庫に1部ずつ保管しています。取り出しには2名の立ち会いが必要です。
---
## 第5章 障害時の連絡と報告

### 5.1 重大度の区分

| 重大度 | 基準 | 一次報告 |
| SEV1 | データの欠落、または全面停止 | 10分以内 |
| SEV2 | 一部のキューの停止、30分を超える遅延 | 20分以内 |
| SEV3 | 冗長性の低下、利用者への影響なし | 当日中 |

### 5.2 報告書

SEV1とSEV2の障害については、5営業日以内に報告書を提出します。報告書には、経過、影響の範囲、直接の原因、背景の要因、
再発防止策を記載します。個人の責任を問う記述は禁止します。

### 5.3 お客様への通知

SEV1の場合、最初の通知は発生から30分以内に営業担当からお送りします。以後は復旧まで1時間ごとに状況をお知らせします。
通知文の承認者は運用責任者です。

### 5.4 記録の保存

障害に関するログとチャットの記録は、7年間保存します。保存先は監査用の領域で、削除の権限は誰にも与えられていません。
"""

SPEC_SHEET = """
# Kestrel Edge Box KE-200 仕様書 / Specification sheet

Document KE200-SS-07, 2026-01-15. 拠点に置いて、回線が切れてもジョブを受け付け続けるための小型サーバーです。A small server for
branch offices that keeps accepting jobs while the line to the data centre is down.

## ハードウェア / Hardware

| 項目 / Item | 仕様 / Specification |
| CPU | 4 cores, 2.4 GHz, fanless |
| Memory | 16 GB ECC |
| Storage | 2 x 480 GB SSD, mirrored, power-loss protection |
| Network | 2 x 2.5GBASE-T, SFP+ option KE-200-SFP |
| 外形寸法 / Dimensions | 210 x 44 x 160 mm |
| 質量 / Weight | 1.9 kg |
| 消費電力 / Power | 標準 18 W、最大 38 W (12 V DC) |
| 動作温度 / Temperature | 0 - 45 degrees C |
| 設置 / Mounting | 壁掛け、DINレール、19インチラック(別売金具 KE-RM1) |

## 機能 / Functions

Jobs are stored locally for up to 10 days without a connection and are forwarded in order of priority as soon as the line is
back. 転送に使う帯域の上限は既定で 20 Mbps で、時間帯ごとに変更できます。前面のランプは、緑が正常、橙の点滅が転送待ち、
赤が記憶装置の異常を表します。

工場出荷時の設定に戻すには、背面のリセットボタンを 12 秒間押し続けます。The reset does not erase stored jobs; to erase them,
use the service menu with the PIN on the label under the box.

## 保証と注文 / Warranty and ordering

保証期間は出荷から5年間、翌営業日に代替機を発送します。Ordering codes: KE-200-JP (日本、PSE), KE-200-EU (CE), KE-200-US
(UL). 最小発注数量は3台、標準納期は受注後15営業日です。
"""
