"""The recorded corpus, its comparison and its replay."""
