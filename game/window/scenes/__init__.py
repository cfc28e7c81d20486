"""What can fill the window: each scene builds widgets and says what keys and clicks mean."""
