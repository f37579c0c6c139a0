"""Tables, charts and the HTML report."""
