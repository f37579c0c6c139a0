"""Jobs on hosts whose CPU is shared in equal parts, with migration."""
