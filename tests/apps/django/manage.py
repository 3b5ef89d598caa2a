import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "store.settings")
