"""What stands on a PDF page: text, rulings, pictures, annotations, scans."""
