"""What comes from npm: the packages of the extension, and the editor of its tests."""
