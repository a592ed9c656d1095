"""Mail (.eml)."""
