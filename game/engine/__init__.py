"""Compiled rules and their data. Read records, then chance, effects, rules, legal, observe."""
