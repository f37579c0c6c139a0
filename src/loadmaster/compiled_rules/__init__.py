"""Rules of users and built-in ones, compiled from the file that states them: policies, orders, scans over hosts."""
