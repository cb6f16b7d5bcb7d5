"""The rig runs in processes of its own: importing it, as the search for doctests would, installs a reactor."""

collect_ignore = ["rig.py"]
