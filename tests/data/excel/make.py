"""How the workbooks here were made. Run in this folder, with LibreOffice installed.

`deliveries-en.fods` and `nouhin-ja.fods` are written by hand, as LibreOffice's flat XML; LibreOffice makes the workbooks and the
CSV files of them. `parts-en.xlsx` is made by XlsxWriter, which places pictures in cells as Excel 365 does.
"""

from __future__ import annotations

import io
import subprocess

import xlsxwriter
from PIL import Image

for name, csv in (("deliveries-en", "59,34,76,1"), ("nouhin-ja", "44,34,64,1")):  # ; and UTF-8, or , and Shift_JIS
    for to in ("xlsx:Calc MS Excel 2007 XML", "xls:MS Excel 97", "ods:calc8", f"csv:Text - txt - csv (StarCalc):{csv}"):
        subprocess.run(["soffice", "--headless", "--convert-to", to, f"{name}.fods"], check=True)

book = xlsxwriter.Workbook("parts-en.xlsx")
sheet = book.add_worksheet("Parts")
money = book.add_format({"num_format": "$0.00"})
for row, (part, colour, price) in enumerate([("Bracket", "red", 12.5), ("Antenna", "blue", 48)], 1):
    picture = io.BytesIO()
    Image.new("RGB", (120, 80), colour).save(picture, "PNG")
    sheet.write(row, 0, part)
    sheet.embed_image(row, 1, "photo.png", {"image_data": picture, "description": f"Photo of the {part.lower()}"})
    sheet.write(row, 2, price, money)
sheet.add_table("A1:C3", {"columns": [{"header": header} for header in ("Part", "Photo", "Price")]})
sheet.write_comment("A2", "Check stock", {"author": "M. Hale"})
sheet.insert_textbox("E5", "Read the safety sheet\nbefore mounting.")
sheet.write_url("A6", "https://parts.tarnwood.example/list", string="full list")
sheet.write_rich_string("A7", book.add_format({"bold": True}), "Bold", book.add_format({"italic": True}), " and italic")
sheet.write_formula("A8", '=HYPERLINK("https://parts.tarnwood.example/a|b","by formula")', None, "by formula")
chart = book.add_chart({"type": "line"})
chart.add_series({"name": "Price", "categories": "=Parts!$A$2:$A$3", "values": "=Parts!$C$2:$C$3"})
chart.set_title({"name": "Prices of parts"})
chart.set_y_axis({"name": "dollars"})
book.add_chartsheet("Chart").set_chart(chart)
book.close()
