"""What can be seen in a picture without a model, by OpenCV where it is installed."""
