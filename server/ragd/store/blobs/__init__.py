"""Where the files of uploads and pictures are kept: the data directory, or a bucket that other machines see, too."""
