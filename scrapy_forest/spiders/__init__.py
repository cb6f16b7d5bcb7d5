"""The spiders that come with the plugin."""
