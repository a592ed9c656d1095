"""What is known of languages and scripts."""
