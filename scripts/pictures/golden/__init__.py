"""Questions that only a picture answers, in English and Japanese, and what share of them finds its picture's passage."""
