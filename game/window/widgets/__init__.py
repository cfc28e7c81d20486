"""The window's own widgets: what is drawn, clicked, focused and written down."""
