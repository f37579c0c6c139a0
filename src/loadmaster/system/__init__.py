"""What the program needs of the machine it runs on: files, state folder, processes, lazy imports."""
