"""The experiments of the lesson FAILURES, one failure of training a file: each measures, and tells as a Lesson."""
