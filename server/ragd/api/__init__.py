"""The REST interface. `application.create_api` puts it together; it is empty here, so that the contract's shapes load fast."""
