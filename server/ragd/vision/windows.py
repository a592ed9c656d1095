"""What windows have: words of menus and buttons, a bar with a title, panes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from ragd.core.documents import OcrLine
from ragd.vision.lines import Drawing
from ragd.vision.words import height

UI_WORDS: Final = re.compile(
    r"^\W*(?:file|edit|view|help|tools?|window|options?|settings?|preferences|search|find|ok|cancel|apply|close|save|save as|"
    r"open|new|delete|remove|add|next|back|finish|yes|no|submit|log ?in|log ?out|sign in|password|user ?name|menu|home|browse|"
    r"upload|download|refresh|untitled|dashboard|profile|insert|format|terminal|run|debug|selection|go|history|bookmarks|retry|ignore|"
    r"error|warning|general|advanced|details|properties|install|update|export|import|print|undo|redo|copy|paste|"
    r"ファイル|編集|表示|ヘルプ|ツール|設定|検索|キャンセル|適用|閉じる|保存|開く|新規|削除|追加|次へ|戻る|完了|はい|いいえ|ログイン|ログアウト|"
    r"パスワード|ユーザー名|メニュー|ホーム|参照|更新|エラー|警告|全般|詳細|"
    r"文件|编辑|查看|帮助|工具|设置|搜索|确定|取消|应用|关闭|保存|打开|新建|删除|添加|下一步|上一步|完成|是|否|登录|退出|密码|用户名|菜单|"
    r"首页|浏览|上传|下载|刷新|错误|警告|常规|高级)\W*$",
    re.IGNORECASE,
)


def has_title_bar(drawing: Drawing) -> bool:
    """A band of one colour along the whole top edge that is not the colour of what is below."""
    width, tall = drawing.size
    if width < 160 or tall < 100:
        return False
    for inset in (0, max(2, width // 60)):
        rows = drawing.colours[inset : inset + max(6, tall // 12), inset : width - inset].astype(np.int16)
        usual = np.median(rows.reshape(-1, 3), axis=0)
        like = (np.abs(rows - usual).max(axis=2) <= 12).mean(axis=1)
        below = np.median(drawing.colours[tall // 4 : tall // 2, inset : width - inset].reshape(-1, 3), axis=0)
        if (like >= 0.6).mean() >= 0.7 and np.abs(usual - below).max() > 8 and np.abs(usual - 255).max() > 3:
            return True
    return False


def panes_of(drawing: Drawing) -> int:
    """Large areas of one colour other than the background, along the edges."""
    coarse = (drawing.colours >> 3).astype(np.int32)
    keys = (coarse[..., 0] << 10) | (coarse[..., 1] << 5) | coarse[..., 2]
    counts = np.bincount(keys.ravel(), minlength=1 << 15)
    large = np.flatnonzero(counts > 0.03 * keys.size)
    found = 0
    for key in large:
        here = keys == key
        ys, xs = np.flatnonzero(here.any(axis=1)), np.flatnonzero(here.any(axis=0))
        wide, high = int(xs[-1] - xs[0]) + 1, int(ys[-1] - ys[0]) + 1
        found += counts[key] >= 0.55 * wide * high and max(wide / keys.shape[1], high / keys.shape[0]) >= 0.5
    return max(0, found - 1)


def buttons_of(drawing: Drawing, words: Sequence[OcrLine]) -> int:
    """Short words, each in a frame of its own that is little larger than the word."""
    tall = height(words) * drawing.size[1]
    if not tall:
        return 0
    edges = np.asarray(cv2.Canny(drawing.grey, 30, 90))
    width, full = drawing.size
    found = 0
    for line in words:
        if len(line.text) > 14:
            continue
        left, top, right, bottom = (
            int(line.box[0] * width),
            int(line.box[1] * full),
            int(line.box[2] * width),
            int(line.box[3] * full),
        )
        reach = max(4, int(0.9 * (bottom - top)))
        above = edges[max(0, top - reach) : max(1, top - 1), left:right]
        below = edges[bottom + 1 : bottom + 1 + reach, left:right]
        if above.size and below.size and above.max(axis=0).mean() > 240 and below.max(axis=0).mean() > 240:
            sides = (edges[top:bottom, max(0, left - 8 * reach) : left], edges[top:bottom, right : right + 8 * reach])
            found += all(side.size and (side > 0).mean(axis=0).max() > 0.85 for side in sides)
    return found
