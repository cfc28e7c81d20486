"""The rows of the table, grouped by subject. Importing this package fills the table."""
