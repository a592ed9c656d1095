"""Words that say nothing about a text by themselves, each group once. Small on purpose: a keyword too many does less harm."""

from __future__ import annotations

from typing import Final

_FREQUENT_GRAMMAR: Final = frozenset(
    """
    a an and are as at be been but by can could do does for from had has have he her his how i if in into is it its may more
    must no not of on only or our should so such than that the their them then there these they this to was we were what
    when where which who will with would you your
    """.split()
)
FREQUENT_WORDS: Final = _FREQUENT_GRAMMAR | {"see", "use"}
"""By which English prose is recognised."""

_GRAMMAR: Final = _FREQUENT_GRAMMAR.union(
    """
    about above after again all also am any anybody anyone anything aren't because before being below between both can't
    cannot couldn't did didn't doesn't doing don't done during e.g each either else ever every everything few further hasn't
    haven't having here hers him however i'm i.e isn't it's itself just let let's maybe me might mine most my myself neither
    nor nothing now off once one onto other others otherwise ours out over own per perhaps please rather same shall she
    shouldn't since some somebody someone something still that's theirs themselves those though through thus together too
    toward towards under until up upon us very via wasn't well weren't whether while whom whose why within without won't
    wouldn't yes yet yours yourself
    """.split()
)
QUESTION_GRAMMAR: Final = _GRAMMAR.union("i'd i'll i've ok okay ones thanks there's what's you'd you're".split())
"""English words of grammar that questions are made of."""

BEFORE_NOUNS: Final = frozenset(
    """
    a about above across after against among an and another any around at before behind below beneath beside between beyond
    both by despite during each either every few for from her his in inside into its less many more most my near neither no of
    off on onto or our outside over own per several some such than the their these this those through throughout toward
    towards under until up upon via what whose with within without your two three four five six seven eight nine ten first
    second third
    """.split()
)
"""Articles, prepositions and the like: what follows is most likely a noun with its adjectives."""

BEFORE_VERBS: Final = frozenset(
    """
    can can't cannot could couldn't did didn't do does doesn't don't he i it let may might must mustn't never not please shall
    she should shouldn't they to we which who will won't would wouldn't you
    """.split()
)
"""Pronouns, modal verbs and the like: what follows is most likely a verb."""

FUNCTION_WORDS: Final = _GRAMMAR.union(
    BEFORE_NOUNS,
    BEFORE_VERBS,
    """
    ago almost alone along already although always anyway anywhere away back became become besides down due elsewhere enough
    etc even everybody everyone everywhere except far fewer fifth fourth furthermore hadn't half hence herself himself
    hundred indeed instead last later least like likely meanwhile million moreover mostly much nearly nevertheless next
    nobody none nowhere often one's ought ourselves quite really say see seldom somehow sometimes somewhere soon therefore
    thousand till unless upwards usually whatever whenever whereas wherever whichever whoever whole yourselves
    """.split(),
)
"""English words of grammar, and small numbers."""

GENERIC_WORDS: Final = frozenset(
    """
    able above-mentioned accept accepts according actual actually add added adding additional ahead allow allowed allows
    answer answered answers applied applies apply appropriate ask asked asks available awaits aware bad based basic become
    becomes becoming beforehand begin begins best better big bigger break breaks bring brings brought business call called
    calls came care case cases certain change changed changes changing check checked checks choose chosen clear clearly close
    closed closes come comes common complete completely consider consistent constant contact contain contained containing
    contains correct correctly current currently cut cuts daily day days decide decided default defaults depend depends
    describe described describes detail details die dies different difficult drop drops early easily easy effect eleven end
    ended ends ensure entire especially exact exactly example examples exist existing exists expect expected expects explain
    express extra fact facts fail failed failing fails fast faster fifty figure fill filled final finally find finds fine
    finish finished fixed follow followed following follows force forces forgets form forty found frequent full fully future
    gave general generally get gets getting give given gives giving go goes going gone good got great greater grow grows guide
    happen happened happens hard hear hears held help helped helps hidden high higher highest hold holds hour hourly hours
    however idea important include included includes including increase info information instance intend interesting item
    items keep keeping keeps kept kill kills kind kinds know known knows large larger largest late latest lead leads learn
    leave leaves leaving left length level line lines list listed lists little live lives long longer longest look looks lose
    lost lot lots low lower lowest made main make makes making manner matter mean meaning means meant meantime mention
    mentioned method middle minute minutes moment month monthly months move moved moves name named names necessary need needed
    needs new newer newest newly nice normal normally note notes number numbers obvious old older oldest ones open opens order
    ordinary original owns page pages part particular parts people person piece place placed places play point points possible
    possibly prefer present previous previously print printed prints problem problems provide provided provides purpose push
    pushes put puts quick quickly raise raises range reach reached reaches read reads ready real reason reasons recent
    recently refer remain remaining remains remember remove removed removes require required requires respective respectively
    rest result results return returned returns right rise rises rule run running runs said save saved says seconds section
    see seen send sends sent serve served serves set sets setting shape short should show showed shown shows side similar
    simple simply single sixty size slow slower small smaller smallest sooner sort specific specified spend spends spent stand
    stands start started starting starts state stay stays step steps stop stopped stops strict suitable sum supported sure
    table take taken takes taking tell tells text thing things think third thirty time times title today together told took
    top total tried tries true try turn turned turns twelve twenty type types understand unit units update updated upper
    urgent use used useful user users uses using usual valid value values various version versions wait waited waits want
    wanted wants way ways week weekly weeks went wide wish word words work worked working works worst worth write writes
    writing written wrong year yearly years yet january february march april june july august september october november
    december monday tuesday wednesday thursday friday saturday sunday kb kib mb mib gb gib tb tib khz mhz ghz kbps mbps gbps
    kbit mbit gbit delete dir directory expr file files folder post error warn warning debug trace todo fixme null none false
    ok id www http https com org net
    """.split()
)
"""English words of any subject."""

CODE_WORDS: Final = frozenset(
    """
    abstract any args arg argv array assert async await bash begin bool boolean break byte case catch char class const
    constructor continue def default del dict do echo elif else end endif enum env esac eval except exec exit export extends
    extern false fetch final finally float for foreach fprintf from func function global goto if implements import in include
    init instanceof int interface is iter kwargs lambda len let list local long main map match mod module mut namespace new
    nil none not null object obj of override package param params pass print printf private promise property protected public
    raise range readonly record ref require return self set short signed sizeof static str string struct super switch template
    then this throw throws true try tuple type typedef typeof undefined union unsigned use using val var vector virtual void
    volatile where while with yield
    """.split()
)
"""Words of programming languages."""

GENERIC_JAPANESE: Final = frozenset(
    """
    以下 以上 以前 以後 以降 以内 以外 以来 一部 一方 一般 一般的 一時 一緒 一番 一度 一定 下記 上記 今回 今後 今日 今月 今年
    他方 代替 何度 使用 例外 個別 全体 全部 全員 具体的 内容 分類 利用 前回 前月 前日 可能 可能性 同一 同時 同様 各自 合計
    回答 場合 場所 変更 変化 大切 大部分 存在 完了 完全 実施 実行 実際 対応 対象 導入 年月日 平均 当日 影響 必要 必須 想定
    意味 手動 指定 提供 操作 方法 方向 既定 日時 時刻 時間 時点 普通 最大 最小 最後 最初 最新 最終 最近 最低 最高 最長 最短
    有無 有効 本書 本人 本体 条件 概要 様々 次回 毎回 毎日 毎週 毎月 毎年 毎朝 注意 状況 状態 現在 現時点 理由 用意 用途 画面
    発生 目的 目次 直接 直後 直前 相当 確実 確認 種類 程度 第一 結果 翌日 翌月 翌週 自分 自体 自動 自動的 表示 要求 覧 記入
    記載 記述 設置 該当 詳細 説明 追加 通常 途中 適切 適用 部分 重要 開始 関係 関連 項目 順番 順序 予定 ケース ページ タイプ
    ポイント レベル イメージ 前後 専用 独自 付属 範囲 右上 左上 右下 左下 月額 年間 月間 月末 再確認 超過 付近 多数 少数 全面
    保存先 最終更新日 午前 午後 時期 期間 件数 回数 平日 休日 質問 必ず 一覧 種別 問題 原因 判断 判定 予備 手順 作業 処理 機能
    計算 選択 入力 出力 担当 一致 株式会社 有限会社 様式 別紙 参照 参考 補足 備考 資料 注釈 図表
    """.split()
)
"""Words of any subject that are written in kanji or katakana."""

ENDS_WITH_SUFFIX: Final = frozenset(
    """
    案内 以内 社内 国内 市内 構内 校内 車内 庁内 室内 屋内 体内 年内 管内 都内 境内 集中 途中 最中 夢中 空中 水中 以前 名前
    事前 直前 午前 手前 目前 以後 前後 直後 背後 最後 今後 午後 事後 戦後 老後 日時 同時 随時 常時 臨時 一時 当時 即時 定時
    瞬時 平時 個別 特別 区別 識別 種別 判別 差別 性別 選別 分別 平等 同等 均等 高等 中等 初等 対等 経済 救済 返済 決済 方向
    傾向 動向 意向 志向 利用 使用 適用 運用 採用 費用 専用 雇用 引用 応用 信用 活用 流用 兼用 汎用 登用 作用 効用 共用 公用
    私用 右側 左側 内側 外側 両側 裏側
    """.split()
)
"""Japanese words that end in what else is a suffix."""

CHINESE_FUNCTION: Final = frozenset(
    "的了在是和与或及把被将从对为不也都就而其此该这那有可会能要上下中个们着过到以于由向并但若如则已还又再很更最等所之它他她我你您吗呢吧啊请让给"
)
"""Chinese characters of grammar; words are what stands between them."""

ASKING_ENGLISH: Final = frozenset(
    """
    ask asking describe explain find get give happen happens help know list look looking mean means need show tell use used using
    want way work works
    """.split()
)
"""What a question does, not what it is about."""

ASKING_JAPANESE: Final = frozenset("教 何 知 場合 方法 時 事 物 下 私 詳細 質問 説明 お願 今".split())
"""Runs of kanji and katakana that questions are made of."""

CHINESE_GRAMMAR_WORDS: Final = (
    "为什么 怎么样 怎么办 请问 怎么 怎样 如何 什么 哪些 哪个 哪里 是否 能否 可以 可否 能不能 是不是 有没有 多少 几个 一个 一下 "
    "这个 那个 这些 那些 应该 需要 告诉 以及 或者 还是 因为 所以 如果 的话 时候 的 了 吗 呢 吧 啊 我 你 您 它 们 把 被 和 与 是"
).split()
"""Chinese words of grammar and asking, longest first where one begins another."""
